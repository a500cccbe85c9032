//! `xtask` as a user types it.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

/// The folder from which the README's commands are typed.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

pub(crate) fn xtask(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dp-cli"))
        .args(arguments)
        .current_dir(ROOT)
        .output()
        .expect("the binary runs")
}

pub(crate) fn success(arguments: &[&str]) -> String {
    let output = xtask(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

pub(crate) fn refusal(arguments: &[&str]) -> String {
    let output = xtask(arguments);
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    assert_eq!(text.lines().count(), 1, "{arguments:?}: {text}");
    text.trim_end().to_owned()
}

/// The document that a simulation writes.
pub(crate) fn simulated(arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.json");
    let json = path.to_str().expect("UTF-8");
    success(&[&["simulate", "--seed", "1", "--json", json], arguments].concat());
    serde_json::from_str(&fs::read_to_string(&path).expect("a file")).expect("JSON")
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

/// The ε of a guarantee that has one.
pub(crate) fn epsilon(guarantee: &Value) -> f64 {
    let budget = guarantee["budget"].as_object().expect("a budget");
    let parameters = budget.values().next().expect("of one kind");
    text(&parameters["epsilon"]).parse().expect("a number")
}

/// A number, which documents have as a string.
pub(crate) fn number(value: &Value) -> f64 {
    text(value).parse().expect("a number")
}
