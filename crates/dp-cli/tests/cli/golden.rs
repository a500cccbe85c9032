//! Digests of the answers to every kind of question: a change that moves a figure or a word shows
//! here.
//!
//! Each line of `tests/golden.txt` is the SHA-256 digest of an answer and its command; a command
//! that writes a task or a strategy writes it to OUT, and the file counts as a part of the answer.
//! `SNAPSHOT=write` records the digests again: compare the answers of both versions first.

use std::fs;

use sha2::{Digest, Sha256};

use crate::snapshot::printed;
use crate::support::ROOT;

/// The answer of a command with the files that it writes, as hexadecimal digits of its digest.
fn digest(command: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("UTF-8");
    let mut answer = printed(&command.replace("OUT", out));
    for file in ["task.toml", "strategy"] {
        answer += &fs::read_to_string(folder.path().join(file)).unwrap_or_default();
    }
    // The name of the folder is another one each time.
    Sha256::digest(answer.replace(out, "OUT")).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
#[ignore = "some 400 answers: a minute"]
fn every_answer_is_the_recorded_one() {
    let path = format!("{ROOT}/crates/dp-cli/tests/golden.txt");
    let recorded = fs::read_to_string(&path).expect("a file");
    let actual = recorded.lines().map(|line| {
        let (_, command) = line.split_once(' ').expect("a digest and a command");
        format!("{} {command}", digest(command))
    });
    let actual: Vec<String> = actual.collect();
    if std::env::var_os("SNAPSHOT").is_some_and(|mode| mode == "write") {
        fs::write(&path, actual.join("\n") + "\n").expect("a file");
        return;
    }
    let moved = recorded.lines().zip(&actual).filter(|(old, new)| old != new);
    let moved: Vec<&str> = moved.map(|(old, _)| old).collect();
    assert!(moved.is_empty(), "other answers to\n{}", moved.join("\n"));
}
