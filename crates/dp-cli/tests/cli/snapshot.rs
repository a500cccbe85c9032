//! Recorded outputs: each file of `tests/snapshot` is a command and its output.
//!
//! `SNAPSHOT=write` records the outputs again. Read the difference before you commit it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{ROOT, success};

/// Whether a line depends on a clock.
fn is_time(line: &str) -> bool {
    line.ends_with(" %") && line.contains(" s on all threads,")
        || line.starts_with("  time ")
        || line.starts_with("| time |")
        || line.trim_start().starts_with("\"seconds\":")
}

/// The output without lines that depend on a clock.
pub(crate) fn printed(command: &str) -> String {
    let output = success(command);
    let lines = output.lines().filter(|line| !is_time(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn check(path: &Path) -> Result<(), String> {
    let recorded = fs::read_to_string(path).map_err(|error| format!("{path:?}: {error}"))?;
    let (first, expected) = recorded.split_once('\n').ok_or("an empty file")?;
    let command = first.strip_prefix("$ cargo xtask ").ok_or("no command")?;
    let actual = printed(command);
    if std::env::var_os("SNAPSHOT").is_some_and(|mode| mode == "write") {
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
