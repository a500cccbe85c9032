//! Random command lines: the program ends in bounded time and memory with a documented exit status,
//! prints at most one plain line on standard error, and writes only the files that the line names.
//!
//! `PROPTEST_CASES` is the number of lines.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::sample::select;

use crate::support::{Folder, ROOT, success};

type Word = Vec<u8>;

/// Lines with an answer: the recorded ones, and some that need files.
fn bases() -> Vec<Vec<Word>> {
    let folder =
        fs::read_dir(Path::new(ROOT).join("crates/dp-cli/tests/snapshot")).expect("a folder");
    let recorded =
        folder.map(|file| fs::read_to_string(file.expect("a file").path()).expect("text"));
    let mut lines: Vec<String> = recorded
        .filter_map(|text| Some(text.lines().next()?.strip_prefix("$ cargo xtask ")?.to_owned()))
        .collect();
    let more = "\
ledger create new --epsilon 1 --delta 1e-6
ledger record purse.ledger --name monday --epsilon 0.1
ledger record purse.ledger --name april --mechanism laplace:80:histogram:12
ledger show purse.ledger --entries
ledger left purse.ledger --mechanism gaussian:9000:pair
calibrate schedule --release 3xhistogram:24 --release 12xsum:80 --epsilon 2 --delta 1e-8 --json new
plan --type count --clients 1e3 --margin 20 --delta 1e-9 --against collector --html new
simulate --data data.csv --column age --bins 0..100/20 --seed 1 --json new
simulate --data data.csv --columns yes,no --policy multihot-rappor --ideal";
    lines.extend(more.lines().map(str::to_owned));
    lines.sort();
    let words = |line: &String| line.split(' ').map(|word| word.as_bytes().to_vec()).collect();
    lines.iter().map(words).collect()
}

/// A value at the edge of a range, one with control characters, or a file.
fn word() -> impl Strategy<Value = Word> {
    let words = "0 1 2 3 100 65536 4294967296 18446744073709551616 0.5 1/3 22/7 1e-9 1e-30 1e-300 1e-1000 1e6 1e10 1e100 -1 1/0 \
                 1e 0x10 NaN inf ½ 1e999999999 one pair l1:100 OC 2AOC 140..200/5 200..140/5 0..1e18/1e-18 asthma,,tb \
                 gaussian:900:pair laplace:1e-300:one response:0.1:1e-9 rappor:5:1000 k-ary:1 count-laplace histogram:1e9 \
                 sumvec:16:255 skip data.csv purse.ledger . /dev/null new missing/new --json --help -- - --force";
    let plain: Vec<Word> = words.split_whitespace().map(|word| word.as_bytes().to_vec()).collect();
    let hostile: &'static [&'static [u8]] = &[
        b"",
        b" ",
        b"\n",
        b"a\rb",
        b"\x1b[2J",
        b"\xff",
        b"a\xe2\x80\xaeb",
        b"\xef\xbb\xbf1",
        b"$(id)",
        b"%s%n",
    ];
    prop_oneof![
        6 => select(plain),
        2 => select(hostile).prop_map(<[u8]>::to_vec),
        1 => "[0-9]{1,40}(\\.[0-9]{1,40})?".prop_map(String::into_bytes),
        1 => Just(vec![b'9'; 70_000]),
    ]
}

/// An edit of a line.
#[derive(Clone, Debug)]
enum Change {
    Replace(Word),
    Insert(Word),
    Remove,
    Double,
    /// Another digit.
    Digit(u8),
}

fn line() -> impl Strategy<Value = Vec<Word>> {
    let change = prop_oneof![
        4 => word().prop_map(Change::Replace),
        1 => word().prop_map(Change::Insert),
        1 => Just(Change::Remove),
        1 => Just(Change::Double),
        4 => (b'1'..=b'9').prop_map(Change::Digit),
    ];
    let changes = prop::collection::vec((any::<prop::sample::Index>(), change), 0..4);
    (select(bases()), changes).prop_map(|(mut words, changes)| {
        for (place, change) in changes {
            let place = place.index(words.len().max(1)).min(words.len().saturating_sub(1));
            match change {
                Change::Insert(word) => words.insert(place, word),
                _ if words.is_empty() => {}
                Change::Replace(word) => words[place] = word,
                Change::Remove => drop(words.remove(place)),
                Change::Double => words.insert(place, words[place].clone()),
                Change::Digit(digit) => {
                    words[place]
                        .iter_mut()
                        .filter(|byte| byte.is_ascii_digit())
                        .take(1)
                        .for_each(|byte| *byte = digit);
                }
            }
        }
        // The number of clients is the time that a simulation takes.
        if words.first().is_some_and(|word| word == b"simulate")
            && !words.contains(&b"--ideal".to_vec())
        {
            words.extend([b"--clients".to_vec(), b"20".to_vec()]);
        }
        words
    })
}

/// The rule that the program breaks at a line, if any.
fn broken(words: &[Word]) -> Option<String> {
    let folder = Folder::new();
    folder.with("data.csv", "age,yes,no\n12,1,0\n50,0,1\n,2,0\n99.5,1,1\n");
    let ledger = folder.at("purse.ledger");
    success(&format!("ledger create {ledger} --epsilon 1 --delta 1e-6"));
    for name in ["examples", "crates"] {
        std::os::unix::fs::symlink(Path::new(ROOT).join(name), folder.at(name)).expect("a link");
    }
    let bounded = "ulimit -t 60; ulimit -v 1048576; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", bounded, env!("CARGO_BIN_EXE_dp-cli"), "--quiet"]);
    command.args(words.iter().cloned().map(OsString::from_vec));
    // Of the GNU C library: otherwise each thread reserves 64 MiB that it does not use.
    command.env("MALLOC_ARENA_MAX", "2").env("RUST_BACKTRACE", "0").stdin(Stdio::null());
    let output = command.current_dir(folder.path()).output().expect("a shell");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = error.lines().filter(|line| !line.contains("in the clear") && !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    let told: Vec<_> = words.iter().map(|word| String::from_utf8_lossy(word)).collect();
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names = names.map(|name| name.to_string_lossy().into_owned());
    let known = ["data.csv", "purse.ledger", "examples", "crates"];
    let is_told = |name: &str| told.iter().any(|word| word.contains(name));
    let is_left = names.any(|name| !known.contains(&name.as_str()) && !is_told(&name));
    let fault = match output.status.code() {
        Some(0..=3) if error.contains("panicked at") => "a panic",
        Some(2) if !error.starts_with("error: ") => "status 2 without an error",
        Some(0..=3) if lines.len() > 1 => "more than one line",
        Some(0..=3) if lines.iter().any(|line| *line != dp_exact::escaped(line)) => {
            "control characters"
        }
        Some(0..=3) if error.chars().count() > 5000 => "a long error",
        Some(0..=3) if is_left => "a file that was left",
        Some(0) if output.stdout.is_empty() && !is_told("new") && !is_told("/dev/") => "no answer",
        Some(0..=3) => return None,
        _ => "an end that it has not",
    };
    Some(format!("{fault}: {:?} {error}", output.status))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_lines_end_within_their_bounds_and_touch_nothing_else(words in line()) {
        let broken = broken(&words);
        prop_assert!(broken.is_none(), "{broken:?}");
    }
}
