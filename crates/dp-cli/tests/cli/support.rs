//! The program with a line of words, in the folder of the repository.

use std::fs;
use std::process::{Command, Output};

use serde_json::{Map, Value};

/// The folder from which the README's commands are typed.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

pub(crate) fn program(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dp-cli"));
    command.args(line.split(' ').filter(|word| !word.is_empty()));
    // Reports have a date.
    command.current_dir(ROOT).env("SOURCE_DATE_EPOCH", "1800000000");
    command
}

pub(crate) fn run(line: &str) -> Output {
    program(line).output().expect("the binary runs")
}

/// What an answer prints.
pub(crate) fn success(line: &str) -> String {
    let output = run(line);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The one line of a refusal, with exit status 2 and nothing on standard output.
pub(crate) fn refusal(line: &str) -> String {
    let output = run(line);
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{line}: {text}");
    assert!(output.stdout.is_empty(), "{line}");
    assert_eq!(text.lines().count(), 1, "{line}: {text}");
    let said = text.trim_end().strip_prefix("error: ");
    said.unwrap_or_else(|| panic!("{text}")).to_owned()
}

/// The document that a command prints.
pub(crate) fn json(line: &str) -> Value {
    serde_json::from_str(&success(&format!("{line} --json"))).expect("JSON")
}

/// The document of a run with seed 1.
pub(crate) fn simulated(line: &str) -> Value {
    json(&format!("simulate --seed 1 {line}"))
}

/// The figures of an answer of `calibrate`, and those beside it.
pub(crate) fn figures(line: &str) -> Map<String, Value> {
    let document = json(&format!("calibrate {line}"));
    let parts = ["answer", "beside"].map(|part| document[part].as_object().expect("figures"));
    let figures = parts.into_iter().flatten();
    figures.map(|(name, value)| (name.clone(), value.clone())).collect()
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

/// A number, which documents have as a string: a decimal or a fraction.
pub(crate) fn number(value: &Value) -> f64 {
    let number = |text: &str| -> f64 { text.parse().expect("a number") };
    match text(value).split_once('/') {
        Some((numerator, denominator)) => number(numerator) / number(denominator),
        None => number(text(value)),
    }
}

/// A temporary folder, and paths in it as they are typed.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        self.0.path()
    }

    pub(crate) fn at(&self, name: &str) -> String {
        self.path().join(name).to_str().expect("UTF-8").to_owned()
    }

    pub(crate) fn with(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.at(name), content).expect("written");
        self.at(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).expect("a file")
    }

    /// How many entries it has.
    pub(crate) fn len(&self) -> usize {
        fs::read_dir(self.path()).expect("a folder").count()
    }
}

/// The rows of a table, cells parted by bars.
pub(crate) fn rows<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    table.lines().map(|row| {
        let cells: Vec<&str> = row.split(" | ").map(str::trim).collect();
        cells.try_into().unwrap_or_else(|_| panic!("{row}"))
    })
}
