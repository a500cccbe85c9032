//! How a command line and the content of a file are altered.

use std::fs;
use std::path::Path;

use super::line::Grammar;
use super::random::Random;
use super::words::{self, Word};
use crate::support::ROOT;

/// Alters a line in one place.
pub(crate) fn alter(random: &mut Random, grammar: &Grammar, words: &mut Vec<Word>) {
    if words.is_empty() {
        words.push(words::any(random));
        return;
    }
    let place = random.below(words.len());
    let value_of = |place: usize| {
        place
            .checked_sub(1)
            .map(|before| words[before].clone())
            .filter(|word| word.starts_with(b"--"))
    };
    match random.below(20) {
        0..=7 => {
            // The value of an option, more often than a subcommand.
            let values: Vec<usize> = (1..words.len())
                .filter(|place| value_of(*place).is_some())
                .collect();
            let place = if values.is_empty() {
                place
            } else {
                *random.pick(&values)
            };
            words[place] = match value_of(place) {
                Some(option) => grammar.value(random, &option),
                None => words::path(random),
            };
        }
        8..=11 => words[place] = words::altered(random, &words[place].clone()),
        12 => {
            words.remove(place);
        }
        13 => {
            let word = words[place].clone();
            words.insert(place, word);
        }
        14 => words.insert(place, words::any(random)),
        15 => {
            let other = random.below(words.len());
            words.swap(place, other);
        }
        _ => {
            if let Some(leaf) = grammar.leaf(words)
                && !leaf.options.is_empty()
            {
                let option = random.pick(&leaf.options);
                grammar.give(random, option, words);
            }
        }
    }
}

/// Simulations have few clients and trials, whose number is the time that they take; `tables`, and
/// `policies` of every type, which take seconds, are rare.
pub(crate) fn shorten(random: &mut Random, words: &mut Vec<Word>) {
    let Some(first) = words.first() else { return };
    let is_of_one_type = words.iter().any(|word| word.starts_with(b"--type"));
    if (first == b"policies" && !is_of_one_type || first == b"tables") && random.below(40) > 0 {
        words.truncate(1);
        words.extend([words::hostile(random)]);
    }
    if words[0] != b"simulate" {
        return;
    }
    for (option, most) in [("clients", 20), ("trials", 2), ("threads", 4)] {
        let few = || (1 + most / 2).to_string().into_bytes();
        let name = format!("--{option}").into_bytes();
        let joined = [&name[..], b"="].concat();
        let is_long = |text: &[u8]| {
            let text = std::str::from_utf8(text).unwrap_or_default();
            text.parse::<u64>().is_ok_and(|value| value > most)
        };
        let mut is_given = false;
        for place in 0..words.len() {
            if let Some(value) = words[place].strip_prefix(&joined[..]) {
                is_given = true;
                if is_long(value) {
                    words[place] = [&joined[..], &few()].concat();
                }
            } else if words[place] == name && place + 1 < words.len() {
                is_given = true;
                if is_long(&words[place + 1]) {
                    words[place + 1] = few();
                }
            }
        }
        if !is_given && option == "clients" {
            words.extend([name, (1 + random.below(20)).to_string().into_bytes()]);
        }
    }
}

/// The files that a line may have for itself.
pub(crate) const EXTRA: [&str; 3] = ["extra", "extra.toml", "extra.json"];

/// The content of such a file: a document, data or a ledger with some alterations.
pub(crate) fn content(random: &mut Random, name: &str, words: &[Word]) -> Vec<u8> {
    let mut bytes = match name {
        "extra.toml" => task(random),
        "extra.json" => {
            let document = String::from_utf8(task(random)).expect("text");
            let task = dp_task::Task::from_toml(&document).expect("a task");
            task.to_json().expect("JSON").into_bytes()
        }
        _ if words.iter().any(|word| word == b"ledger") => LEDGER.as_bytes().to_vec(),
        _ => DATA.as_bytes().to_vec(),
    };
    for _ in 0..random.below(5) {
        bytes = altered(random, &bytes);
    }
    bytes
}

/// A task document of the examples.
fn task(random: &mut Random) -> Vec<u8> {
    // Not those whose calibration takes seconds.
    let names = [
        "average",
        "count",
        "histogram",
        "multihot",
        "sum",
        "sumvec",
        "weight",
    ];
    let path = format!("examples/tasks/{}.toml", random.pick(&names));
    fs::read(Path::new(ROOT).join(path)).expect("a task")
}

const DATA: &str = "age,yes,no\n12,1,0\n50,0,1\n,2,0\n99.5,1,1\n";

/// In format version 1: a checksum would only be found altered.
const LEDGER: &str = "{\"pure\":{\"epsilon\":\"1\"}}
{\"name\":\"monday\",\"budget\":{\"pure\":{\"epsilon\":\"0.4\"}}}
{\"name\":\"tuesday\",\"budget\":{\"approximate\":{\"epsilon\":\"1/3\",\"delta\":\"1e-9\"}}}
";

fn altered(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let line = random.below(lines.len());
    let place = random.below(bytes.len() + 1);
    match random.below(10) {
        0 if !bytes.is_empty() => {
            let mut bytes = bytes.to_vec();
            let place = random.below(bytes.len());
            bytes[place] ^= 1 << random.below(8);
            bytes
        }
        1 => bytes[..place].to_vec(),
        2 => [&lines[..line], &lines[(line + 1).min(lines.len())..]]
            .concat()
            .concat(),
        3 => [&lines[..line], &lines[line.min(lines.len())..]]
            .concat()
            .join(&b"\n"[..]),
        4 => [&bytes[..place], &words::hostile(random), &bytes[place..]].concat(),
        5 => [&bytes[..place], b"\"", &bytes[place..]].concat(),
        6 => [bytes, bytes].concat(),
        _ => words::altered(random, bytes),
    }
}
