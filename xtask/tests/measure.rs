//! `speed`, `timing`, `instructions` and `vectors` as a user types them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn xtask(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(arguments)
        .output()
        .expect("the binary runs")
}

#[test]
fn vectors_writes_the_files_that_the_samplers_are_checked_against() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    let output = xtask(&["vectors", "--folder", path]);
    assert!(output.status.success(), "{output:?}");
    let on_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/dp-samplers/tests/vectors");
    let mut written = 0;
    for entry in fs::read_dir(folder.path()).expect("a folder") {
        let entry = entry.expect("a file");
        let expected = fs::read(on_file.join(entry.file_name())).expect("a file of that name");
        let contents = fs::read(entry.path()).expect("a file");
        assert!(contents == expected, "{entry:?} differs");
        written += 1;
    }
    assert!(written > 0);
}

#[test]
fn timing_prints_and_writes_a_row_for_every_sampler() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("out.json");
    let path = json.to_str().expect("UTF-8");
    let output = xtask(&["timing", "--samples", "1000", "--json", path]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let document = fs::read_to_string(&json).expect("a file");
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document["format"], "dp-measure timing");
    assert_eq!(document["inputs"]["samples"], "1000");
    let rows = document["rows"].as_array().expect("a list");
    for sampler in [
        "discrete_gaussian",
        "discrete_laplace",
        "geometric",
        "binomial",
        "rappor_bit",
    ] {
        assert!(text.contains(sampler));
        assert!(rows.iter().any(|row| row["sampler"] == sampler));
    }
    for row in rows {
        assert!(row["parameter"].is_string() && row["implementation"].is_string());
        for name in ["samples", "t", "null_t"] {
            let t = row[name].as_str().and_then(|text| text.parse::<f64>().ok());
            assert!(t.is_some_and(f64::is_finite), "{row}");
        }
    }
}

#[test]
fn bad_options_are_refused_on_one_line_before_anything_is_measured() {
    for (arguments, line) in [
        (
            vec!["timing", "--samples", "-1"],
            "error: samples is -1: expected an integer from 1000",
        ),
        (
            vec!["timing", "--json", "no/such/out.json"],
            "error: no/such/out.json: No such file",
        ),
        (vec!["speed", "--json", "/"], "error: /: it is a directory"),
        (
            vec!["speed", "--frobnicate"],
            "error: unexpected argument '--frobnicate' found",
        ),
        (vec!["vectors", "--folder", "no/such"], "error: no/such/"),
    ] {
        let output = xtask(&arguments);
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.starts_with(line), "{text:?} is not {line:?}");
    }
}

#[test]
fn without_valgrind_one_line_says_what_to_install() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("instructions")
        .env("PATH", "")
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(text.lines().count(), 1, "{text}");
    let line = "error: valgrind (apt-get install valgrind): ";
    assert!(text.starts_with(line), "{text:?} is not {line:?}");
}
