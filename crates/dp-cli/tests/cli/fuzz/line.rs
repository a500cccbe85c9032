//! Command lines: those of which outputs are recorded, and those that the options themselves suggest.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use clap::Subcommand as _;

use super::child::Limits;
use super::mutation;
use super::random::Random;
use super::words::{self, Word};
use crate::support::ROOT;

/// Where standard output leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    File,
    Full,
    Closed,
    /// A pipe of which nobody reads.
    Broken,
}

#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) words: Vec<Word>,
    pub(crate) output: Output,
    /// A file of its own, by name and content, if it names one.
    pub(crate) extra: Option<(&'static str, Vec<u8>)>,
}

impl Line {
    pub(crate) fn arguments(&self) -> impl Iterator<Item = OsString> {
        self.words.iter().cloned().map(OsString::from_vec)
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word.as_bytes())
    }

    /// What a shell takes.
    pub(crate) fn command(&self, program: &Path, limits: Limits) -> String {
        let mut text = String::new();
        if let Some((name, content)) = &self.extra {
            text = format!("printf %s {} >{name}; ", quoted(content));
        }
        let Limits { seconds, bytes } = limits;
        text += &format!(
            "(ulimit -t {seconds} -v {}; {}",
            bytes >> 10,
            program.display()
        );
        for word in &self.words {
            text.push(' ');
            text += &quoted(word);
        }
        text + match self.output {
            Output::File => ")",
            Output::Full => " >/dev/full)",
            Output::Closed => " >&-)",
            Output::Broken => " | true)",
        }
    }
}

/// A word as bash takes it.
fn quoted(word: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./:,=".contains(byte);
    if !word.is_empty() && word.iter().all(is_plain) {
        return String::from_utf8_lossy(word).into_owned();
    }
    let mut text = "$'".to_owned();
    for byte in word {
        match byte {
            b'\'' | b'\\' => text.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => text += &format!("\\{byte:03o}"),
        }
    }
    text + "'"
}

/// A subcommand that does something.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) words: Vec<Word>,
    pub(crate) options: Vec<Opt>,
    pub(crate) positionals: usize,
    /// Whether it has subcommands.
    is_inner: bool,
}

#[derive(Debug)]
pub(crate) struct Opt {
    pub(crate) name: Word,
    pub(crate) takes_value: bool,
}

#[derive(Debug)]
pub(crate) struct Grammar {
    program: clap::Command,
    pub(crate) leaves: Vec<Leaf>,
    /// Lines that are answered, and what they give to each option.
    bases: Vec<Vec<Word>>,
    pub(crate) values: BTreeMap<Word, Vec<Word>>,
}

/// Lines of which there is no recorded output, since they need files.
const MORE: &str = "\
calibrate ledger create new --epsilon 1 --delta 1e-6
calibrate ledger create new --rho 1/2 --adjacency deletion --trust-model OAMC
calibrate ledger create new --epsilon 1 --delta 1e-6 --rule zcdp --delta-for-releases 1e-8
calibrate ledger create new --delta 1e-9 --mechanism gaussian:900:pair --times 30
calibrate ledger record purse.ledger --name monday --epsilon 0.1
calibrate ledger record purse.ledger --name april --mechanism laplace:80:histogram:12 --times 3
calibrate ledger left rho.ledger --mechanism gaussian:900:sum:80
calibrate ledger record purse.ledger --name friday --epsilon 1/3 --delta 1e-9 --minimum-batch 100
calibrate ledger record rho.ledger --name friday --rho 1/8 --mechanism words
calibrate ledger record extra --name friday --epsilon 0.1
calibrate ledger show purse.ledger
calibrate ledger show rho.ledger --json
calibrate ledger show extra
calibrate ledger show old.ledger
calibrate ledger left purse.ledger
calibrate ledger record rho.ledger --name may --times 20 --mechanism gaussian:1e9:pair --trust-model collector
calibrate compose --mechanism hedged:5:gaussian:547:1000 --times 12 --delta 1e-6
policies --type histogram:4 --rho 1/8 --false-positive-rate 0.01
calibrate schedule --release 3xhistogram:24 --release 12xsum:80 --epsilon 2 --delta 1e-8
calibrate schedule --mechanism laplace --release 3xpair --epsilon 2 --json new
calibrate schedule --release 365xhistogram:24 --release sum:80 --shares 1,2 --rho 1/2
calibrate schedule --release 4xsumvec:8:15 --release 2xcount --weights 1,3 --epsilon 1 --delta 1e-6
plan --type histogram:6 --clients 2000 --epsilon 1 --delta 1e-8 --releases 30 --task new --strategy new.json
plan --type sum:80 --clients 1e4 --rho 1/8 --total --releases 12 --adjacency deletion --json new
plan --type multihot:14:3 --std 1% --epsilon 1 --delta 1e-9
plan --type count --clients 1e3 --epsilon 1 --html new
plan --type count --clients 1e3 --epsilon 1 --markdown
plan --type count --clients 1e3 --margin 20 --delta 1e-9 --against collector --honest-fraction 0.9
plan --type average --grid 40..140/0.1 --clients 1e5 --std 0.05 --strategy readonly --force
plan --type histogram:40 --clients 250000 --epsilon 1 --against all-aggregators --policy histogram-response --task to-data
calibrate compose --mechanism gaussian:900:one --times 52 --mechanism laplace:20:pair --times 12 --delta 1e-9
calibrate gaussian --epsilon 1 --delta 1e-9 --json new.json
calibrate --json new response --epsilon 2 --answers 2 --clients 5e2 --delta 1e-6
calibrate rappor --epsilon 0.5 --epsilon0 4 --delta 1e-6 --json readonly --force
policies --type count --clients 1e5 --local-epsilon 1/2 --json new
policies --type sum:80 --epsilon 1/2 --delta 1e-8 --aggregators 3
completions zsh
man calibrate gaussian
tables --json new
simulate --policy count-response-laplace --epsilon 1 --local-epsilon 2
simulate --policy multihot-basic-rappor --epsilon 3 --json
simulate --data data.csv --column yes --policy count-laplace --html readonly --markdown new
calibrate compose --mechanism rappor:5:1000 --times 3 --delta 1e-6
calibrate laplace --epsilon 1/2 --delta 1e-6 --query l1:3
simulate --data data.csv --column age --bins 0..100/20 --seed 1
simulate --data data.csv --column age --bins distinct --policy histogram-laplace --json new.json
simulate --data data.csv --column age --policy sum-laplace --max-measurement 100 --json new.json
simulate --data data.csv --columns yes,no --policy multihot-rappor --seed 7
simulate --data data.csv --column yes --policy count-laplace --json readonly
simulate --data extra --column age --bins 0..100/20
simulate --data data.csv --columns yes,no --policy multihot-rappor --seed 7 --ideal --json new
simulate --counts data.csv --count-column age --column yes --policy count-response --ideal --html new
simulate --data extra --columns yes,no --policy multihot-laplace
simulate --task extra.toml --column height_cm --bins 140..200/5
simulate --task extra.toml --column asthma
simulate --task extra.json --column asthma
simulate --task extra.json --columns asthma,tb,colitis
simulate --json to-data
simulate --json new --policy compensated-rappor --wanted-honest-clients 100 --assumed-malicious-clients 1
simulate --json readonly --force --seed 2";

impl Grammar {
    /// That of the program as it is: its options are asked, its recorded outputs are read.
    pub(crate) fn new() -> Self {
        let program = dp_cli::Command::augment_subcommands(clap::Command::new("dp-cli"));
        let mut leaves = Vec::new();
        gather(&program, &[], &mut leaves);
        let mut bases: Vec<Vec<Word>> = recorded();
        bases.extend(MORE.lines().map(split));
        bases.sort();
        let mut values: BTreeMap<Word, Vec<Word>> = BTreeMap::new();
        for pair in bases.iter().flat_map(|base| base.windows(2)) {
            if pair[0].starts_with(b"--") && !pair[1].starts_with(b"--") {
                values
                    .entry(pair[0].clone())
                    .or_default()
                    .push(pair[1].clone());
            }
        }
        Self {
            program,
            leaves,
            bases,
            values,
        }
    }

    /// Whether the options' parser takes the line.
    pub(crate) fn parses(&self, line: &Line) -> bool {
        let words = std::iter::once(OsString::from("dp-cli")).chain(line.arguments());
        self.program.clone().try_get_matches_from(words).is_ok()
    }

    /// The subcommand with which the line begins, if any.
    pub(crate) fn subcommand(&self, line: &Line) -> String {
        let leaf = self.leaf(&line.words);
        let words = leaf.map_or(&[][..], |leaf| &leaf.words);
        String::from_utf8_lossy(&words.join(&b' ')).into_owned()
    }

    /// The innermost subcommand with which the words begin.
    pub(crate) fn leaf(&self, words: &[Word]) -> Option<&Leaf> {
        let fits = |leaf: &&Leaf| words.starts_with(&leaf.words);
        let all = self.leaves.iter().filter(fits);
        all.max_by_key(|leaf| leaf.words.len())
    }

    /// The line of this number.
    pub(crate) fn line(&self, seed: u64, number: u64) -> Line {
        let random = &mut Random::of(seed, number);
        let mut words = match random.below(100) {
            0..=64 => self.retuned(random),
            65..=84 => self.mutated(random),
            85..=97 => self.suggested(random),
            _ => (0..random.below(6)).map(|_| words::any(random)).collect(),
        };
        mutation::shorten(random, &mut words);
        let output = match random.below(100) {
            0..=2 => Output::Full,
            3..=4 => Output::Closed,
            5..=6 => Output::Broken,
            _ => Output::File,
        };
        let is_named = |name: &&str| words.iter().any(|word| word == name.as_bytes());
        let extra = mutation::EXTRA.into_iter().find(is_named);
        let extra = extra.map(|name| (name, mutation::content(random, name, &words)));
        // An argument ends at its first zero.
        for word in &mut words {
            word.retain(|byte| *byte != 0);
        }
        Line {
            words,
            output,
            extra,
        }
    }

    /// A line that is answered, with other numbers: what they are is what it costs.
    fn retuned(&self, random: &mut Random) -> Vec<Word> {
        let mut words = random.pick(&self.bases).clone();
        let is_value =
            |word: &Word| word.iter().any(u8::is_ascii_digit) && !word.starts_with(b"--");
        let values: Vec<usize> = (1..words.len())
            .filter(|place| is_value(&words[*place]))
            .collect();
        for _ in 0..random.below(4).min(values.len()) {
            let place = *random.pick(&values);
            words[place] = words::retuned(random, &words[place].clone());
        }
        words
    }

    /// A line that is answered, altered in up to four places.
    fn mutated(&self, random: &mut Random) -> Vec<Word> {
        let mut words = random.pick(&self.bases).clone();
        for _ in 0..*random.pick(&[0, 1, 1, 1, 1, 2, 2, 3, 4]) {
            mutation::alter(random, self, &mut words);
        }
        words
    }

    /// A subcommand with some of its options.
    fn suggested(&self, random: &mut Random) -> Vec<Word> {
        let leaf = random.pick(&self.leaves);
        // What only has subcommands answers nothing.
        let leaf = if leaf.is_inner {
            random.pick(&self.leaves)
        } else {
            leaf
        };
        let mut words = leaf.words.clone();
        for _ in 0..leaf.positionals {
            words.push(words::path(random));
        }
        let chance = *random.pick(&[10, 40, 70]);
        for option in &leaf.options {
            if random.percent(chance) {
                self.give(random, option, &mut words);
            }
        }
        words
    }

    /// Types an option with some value.
    pub(crate) fn give(&self, random: &mut Random, option: &Opt, words: &mut Vec<Word>) {
        if option.takes_value {
            let value = self.value(random, &option.name);
            if random.percent(10) {
                words.push([&option.name[..], b"=", &value].concat());
            } else {
                words.extend([option.name.clone(), value]);
            }
        } else {
            words.push(option.name.clone());
        }
    }

    /// A value of an option: often one that it has in a line that is answered.
    pub(crate) fn value(&self, random: &mut Random, option: &[u8]) -> Word {
        let known = self.values.get(option);
        let is_path = [&b"--data"[..], b"--task", b"--strategy", b"--json"].contains(&option);
        match random.below(100) {
            0..=49 if known.is_some() => random.pick(known.expect("some")).clone(),
            0..=89 if is_path => words::path(random),
            0..=59 => words::plausible(random),
            60..=69 => words::number(random),
            70..=79 => words::name(random),
            80..=89 => words::hostile(random),
            _ => match known {
                Some(known) => {
                    let word = random.pick(known).clone();
                    words::altered(random, &word)
                }
                None => words::any(random),
            },
        }
    }
}

fn gather(command: &clap::Command, path: &[Word], leaves: &mut Vec<Leaf>) {
    let mut options: Vec<Opt> = Vec::new();
    for argument in command.get_arguments() {
        if let Some(name) = argument.get_long() {
            let takes_value = argument.get_action().takes_values();
            let name = format!("--{name}").into_bytes();
            options.push(Opt { name, takes_value });
        }
    }
    let positionals = command.get_positionals().count();
    leaves.push(Leaf {
        words: path.to_vec(),
        options,
        positionals,
        is_inner: command.has_subcommands(),
    });
    for inner in command.get_subcommands() {
        let name = inner.get_name().as_bytes().to_vec();
        gather(inner, &[path, &[name]].concat(), leaves);
    }
}

fn split(line: &str) -> Vec<Word> {
    line.split(' ')
        .map(|word| word.as_bytes().to_vec())
        .collect()
}

/// The commands of `tests/snapshot`, with their task documents in this folder.
fn recorded() -> Vec<Vec<Word>> {
    let folder = Path::new(ROOT).join("crates/dp-cli/tests/snapshot");
    let files = fs::read_dir(folder).expect("a folder");
    let lines = files.map(|file| {
        let text = fs::read_to_string(file.expect("a file").path()).expect("text");
        let first = text.lines().next().unwrap_or_default();
        let line = first.strip_prefix("$ cargo xtask ").expect("a command");
        split(
            &line
                .replace("examples/tasks/", "")
                .replace("examples/deployments/", ""),
        )
    });
    lines.collect()
}
