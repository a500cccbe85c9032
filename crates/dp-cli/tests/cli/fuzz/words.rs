//! What is typed: values that mean something, values at the edge of what does, and hostile ones.

use super::random::Random;

/// A word of a command line; it need not be UTF-8.
pub(crate) type Word = Vec<u8>;

/// Numbers as people and scripts write them, within and beyond what any option accepts.
const NUMBERS: &str = "\
0 1 2 3 5 10 12 20 100 1000 65536 1000000 1048576 2147483648 4294967295 4294967296 9007199254740993
9223372036854775807 18446744073709551615 18446744073709551616
340282366920938463463374607431768211456 0.1 0.5 0.9 0.317 0.906 1.5 20.5 1/2 1/3 2/3 99/100 22/7
1e-1 1e-3 1e-6 1e-9 1e-12 1e-30 1e-100 1e-300 1e-350 1e-1000 1e3 1e6 1e9 1e10 1e15 1e18 1e30 1e100
1e300 1e1000 9.99e-7 0.999999 0.9999999999999999999999999 1.0000000000000000000000001";

/// What is written like a number and may be none.
const ODD_NUMBERS: &str = "\
-1 -0 +1 -1e-9 -1/3 1/-3 1/0 0/0 0/5 1//2 1/2/3 1/ /2 1. .5 . 1e e5 1e+5 1e5.5 1e1e1 0x10 0b1 1_000
1,000 01 NaN nan inf -inf infinity １２ ٣ ½ 1e999999999 1e-999999999 1e2147483648 1e-2147483649
1e9223372036854775808 1e99999999999999999999 0e99999999 0.0 0/1e9
00000000000000000000000000000000000000001 1/3e400 1e400/1e400";

/// Words of the domain.
const NAMES: &str = "\
one pair l1:100 l1:0 l1:1e9 l2-squared:20 l2-squared:1/3 replacement deletion addition OC OAOC OAMC
2AOC 3AMC 0AOC 99999999999999999999AOC distinct 0,1,2 140..200/5 200..140/5 0..1000000/1 0..10/0
0..1/1e-9 1..1e300/1 0..1e18/1e-18 height_cm asthma cigarettes_per_day height_cm,weight_kg
asthma,asthma , a,,b gaussian gaussian:72.85 gaussian:900:pair gaussian:900:one gaussian:1e-300:one
gaussian:1e300:pair gaussian:1e-9:pair laplace laplace:2 laplace:20:pair laplace:1e-300:one
laplace:1e300:pair response:0.1 response:0.1:1e-9 response:9.99e-7 response:30 response:1e-300
rappor rappor:5 rappor:5:1000 rappor:0.1:10000000000 rappor:1:1e10 rappor:20:2 rappor:1e-9:100
coin-flip k-ary:5 k-ary:1 k-ary:18446744073709551615 basic-rappor symmetric-rappor:100
symmetric-rappor:100:3 symmetric-rappor:1:2 symmetric-rappor:4294967296:4294967295 : :: gaussian:
:1:pair gaussian:1:pair:1 RAPPOR:5 histogram-gaussian count-laplace multihot-rappor
multihot-one-hot-rappor compensated-rappor sumvec-laplace histogram-response-laplace
skip zero refuse ; semicolon tab platform ios,android yes no,unknown
NA,-99 40..140/0.1 0..1e9/1e-9 -5..5/0.5
l1boundsum-gaussian average-laplace count sum:80 average:1e3 sumvec:16:255 histogram:40 multihot:14:3
l1boundsum:8:100 all-aggregators one-aggregator collector laplace 1% 0.5% 365xhistogram:24 12xsum:80
1e9xpair 0xcount xsum:80 -1xpair 1,2,3 1,0 histogram:1e9 sumvec:1e9:1e30 bash zsh 0:00000000000000000000000000000000
1:ffffffffffffffffffffffffffffffff 18446744073709551616:0
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Words that forge lines, hide others, or are long.
const HOSTILE: &[&[u8]] = &[
    b"",
    b" 1",
    b"1 ",
    b"1 000",
    b" ",
    b"-",
    b"--",
    b"---",
    b"-h",
    b"--help",
    b"-V",
    b"-x",
    b"\n",
    b"a\nerror: b",
    b"a\rb",
    b"\t",
    b"\x07",
    b"\x1b[2J",
    b"\x1b]0;title\x07",
    b"\x7f",
    b"\xff",
    b"1\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    "\u{85}".as_bytes(),
    "\u{2028}".as_bytes(),
    "a\u{202e}b".as_bytes(),
    "\u{2066}".as_bytes(),
    "\u{feff}1".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{e0001}".as_bytes(),
    "e\u{301}\u{301}\u{301}".as_bytes(),
    "🦀".as_bytes(),
    b"'",
    b"\"",
    b"`id`",
    b"$(id)",
    b"%s%n",
    b"{}",
    b"{0}",
    b"null",
    b"*",
    b"\\",
];

/// What stands in the folder (`world.sh`), or does not.
const PATHS: &str = "\
data.csv semicolon.csv quoted.csv bom.csv utf16.csv twice.csv blank.csv open-quote.csv header.csv bidi.csv
ragged.csv nul.csv wide.csv long.csv only-header.csv crlf.csv purse.ledger full.ledger rho.ledger
old.ledger readonly.ledger cut.ledger empty readonly sparse zero full null random pipe folder
folder/ folder/new sealed sealed/new loop nowhere to-data to-folder/new stdout - /dev/null/x missing
missing/new . new new.json data.csv/x list.json deep.json deep.toml wide.toml average.toml
compensated.toml count.toml hedged.toml histogram.toml l1boundsum.toml multihot.toml sum.toml
sumvec.toml weight.toml heights.toml extra extra.toml extra.json";

/// One of the words of a list.
fn one_of(random: &mut Random, list: &str) -> Word {
    let words: Vec<&str> = list.split_whitespace().collect();
    random.pick(&words).as_bytes().to_vec()
}

pub(crate) fn path(random: &mut Random) -> Word {
    match random.below(60) {
        0 => vec![b'x'; 255],
        1 => vec![b'x'; 256],
        2 => b"folder/../".repeat(600),
        3 => b"new\n\x1b[2J".to_vec(),
        4 => b"new\xff".to_vec(),
        5 => "new\u{202e}".as_bytes().to_vec(),
        6 => Word::new(),
        _ => one_of(random, PATHS),
    }
}

pub(crate) fn number(random: &mut Random) -> Word {
    let digits = |random: &mut Random, most: usize| -> String {
        let length = 1 + random.below(most);
        (0..length)
            .map(|_| *random.pick(&['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']))
            .collect()
    };
    match random.below(20) {
        0..=9 => return one_of(random, NUMBERS),
        10..=12 => return one_of(random, ODD_NUMBERS),
        13 => digits(random, 40),
        14 => format!("0.{}", digits(random, 60)),
        15 => format!("{}/{}", digits(random, 12), digits(random, 12)),
        16 => format!(
            "{}e{}{}",
            digits(random, 3),
            ["", "-"][random.below(2)],
            digits(random, 3)
        ),
        17 => format!("{}/{}", digits(random, 700), digits(random, 700)),
        18 => match random.below(3) {
            0 => format!("{}/{}", "7".repeat(5000), "3".repeat(5000)),
            1 => format!("0.{}1", "0".repeat(5000)),
            _ => "9".repeat(70_000),
        },
        _ => random.below(1000).to_string(),
    }
    .into_bytes()
}

/// A number that most options accept, small or large.
pub(crate) fn plausible(random: &mut Random) -> Word {
    if random.percent(30) {
        return one_of(random, NUMBERS);
    }
    let digits = 1 + random.below(999);
    let size = random.below(25);
    match random.below(3) {
        0 => format!("{digits}e-{}", random.below(12)),
        1 => format!(
            "{}",
            digits * 10_usize.pow(u32::try_from(size / 2).expect("small"))
        ),
        _ => format!("{}.{digits}", random.below(20)),
    }
    .into_bytes()
}

pub(crate) fn name(random: &mut Random) -> Word {
    one_of(random, NAMES)
}

pub(crate) fn hostile(random: &mut Random) -> Word {
    match random.below(20) {
        0 => vec![b'x'; 66_000],
        1 => b"\x1b".repeat(1000),
        2 => b"-".repeat(1000),
        _ => random.pick(HOSTILE).to_vec(),
    }
}

/// Anything.
pub(crate) fn any(random: &mut Random) -> Word {
    match random.below(10) {
        0..=4 => number(random),
        5..=6 => name(random),
        7 => path(random),
        _ => hostile(random),
    }
}

/// The same word with one of its numbers replaced by another, or with a piece of it altered.
pub(crate) fn altered(random: &mut Random, word: &[u8]) -> Word {
    replaced(random, word, 20, number)
}

/// The same word with one of its numbers replaced by a plausible one, or with another digit.
pub(crate) fn retuned(random: &mut Random, word: &[u8]) -> Word {
    let digits: Vec<usize> = (0..word.len())
        .filter(|place| word[*place].is_ascii_digit())
        .collect();
    if !digits.is_empty() && random.percent(60) {
        let mut word = word.to_vec();
        word[*random.pick(&digits)] = *random.pick(b"123456789");
        return word;
    }
    replaced(random, word, 0, plausible)
}

fn replaced(
    random: &mut Random,
    word: &[u8],
    hostile: usize,
    number: fn(&mut Random) -> Word,
) -> Word {
    let is_digit = |place: &usize| word[*place].is_ascii_digit();
    let begins = |place: &usize| is_digit(place) && (*place == 0 || !is_digit(&(place - 1)));
    let starts: Vec<usize> = (0..word.len()).filter(begins).collect();
    if starts.is_empty() && hostile == 0 {
        return plausible(random);
    }
    if starts.is_empty() || random.percent(hostile) {
        let place = random.below(word.len() + 1);
        return [&word[..place], &self::hostile(random), &word[place..]].concat();
    }
    let start = *random.pick(&starts);
    let is_of_number = |byte: &&u8| byte.is_ascii_digit() || b".e-".contains(*byte);
    let length = word[start..].iter().take_while(is_of_number).count();
    [&word[..start], &number(random), &word[start + length..]].concat()
}
