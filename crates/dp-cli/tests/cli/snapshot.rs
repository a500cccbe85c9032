//! Recorded outputs: each file of `tests/snapshot` is a command and its output; each line of
//! `tests/golden.txt` is the SHA-256 digest of an answer and its command. A command that writes a
//! task or a strategy writes it to OUT, and the file counts as a part of the answer.
//!
//! `SNAPSHOT=write` records them again: compare the answers of both versions first.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::support::{ROOT, success};

/// Whether the outputs are to be recorded.
fn is_recording() -> bool {
    std::env::var_os("SNAPSHOT").is_some_and(|mode| mode == "write")
}

/// Whether a line depends on a clock.
fn is_time(line: &str) -> bool {
    line.starts_with("  time ") || line.trim_start().starts_with("\"seconds\":")
}

/// The output without lines that depend on a clock.
fn printed(command: &str) -> String {
    let output = success(command);
    let lines = output.lines().filter(|line| !is_time(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn check(path: &Path) -> Result<(), String> {
    let recorded = fs::read_to_string(path).map_err(|error| format!("{path:?}: {error}"))?;
    let (first, expected) = recorded.split_once('\n').ok_or("an empty file")?;
    let command = first.strip_prefix("$ cargo xtask ").ok_or("no command")?;
    let actual = printed(command);
    if is_recording() {
        return fs::write(path, format!("{first}\n{actual}")).map_err(|error| error.to_string());
    }
    let unlike = expected.lines().zip(actual.lines()).find(|(a, b)| a != b);
    match unlike {
        Some((expected, actual)) => Err(format!("{first}\n- {expected}\n+ {actual}")),
        None if expected.len() == actual.len() => Ok(()),
        None => Err(format!("{first}: {} bytes, then {}", expected.len(), actual.len())),
    }
}

#[test]
fn every_command_prints_what_it_printed() {
    let folder = Path::new(ROOT).join("crates/dp-cli/tests/snapshot");
    let files = fs::read_dir(folder).expect("a folder");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() > 40, "{}", files.len());
    let (one, other) = files.split_at(files.len() / 2);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let run = |files: &[PathBuf]| files.iter().filter_map(|file| check(file).err()).collect();
        let other = scope.spawn(move || run(other));
        let mut failures: Vec<String> = run(one);
        failures.extend(other.join().expect("no panic"));
        failures
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The answer of a command with the files that it writes, as hexadecimal digits of its digest.
fn digest(command: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("UTF-8");
    let mut answer = printed(&command.replace("OUT", out));
    for file in ["task.toml", "strategy"] {
        let file = fs::read_to_string(folder.path().join(file)).unwrap_or_default();
        // The digest of a task's lines covers the name of the folder.
        let lines = file.lines().filter(|line| !line.starts_with("# dp-cli task, "));
        answer.extend(lines.flat_map(|line| [line, "\n"]));
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
    if is_recording() {
        fs::write(&path, actual.join("\n") + "\n").expect("a file");
        return;
    }
    let moved = recorded.lines().zip(&actual).filter(|(old, new)| old != new);
    let moved: Vec<&str> = moved.map(|(old, _)| old).collect();
    assert!(moved.is_empty(), "other answers to\n{}", moved.join("\n"));
}
