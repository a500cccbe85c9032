//! `simulate` takes little memory whatever its parameters and its data are: the system gives it no more.

use std::fs;
use std::process::Command;

/// Runs `simulate` after `before` in a shell, with at most so many MiB; standard output, standard error
/// and whether it was successful.
fn simulate(mebibytes: u32, before: &str, arguments: &str) -> (String, String, bool) {
    let limit = mebibytes * 1024;
    let binary = env!("CARGO_BIN_EXE_dp-cli");
    let script = format!("ulimit -v {limit}; {before} {binary} simulate {arguments}");
    let output = Command::new("sh")
        .args(["-c", &script])
        .output()
        .expect("a shell");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let is_success = output.status.success();
    (text(output.stdout), text(output.stderr), is_success)
}

fn refused(before: &str, arguments: &str) -> String {
    let (_, error, is_success) = simulate(256, before, arguments);
    assert!(!is_success, "{arguments}");
    assert!(
        error.starts_with("error: ") && error.lines().count() == 1,
        "{error}"
    );
    error
}

#[test]
fn endless_data_is_refused() {
    let line = refused("", "--data /dev/zero --column x --bins 0,1");
    assert!(
        line.contains("/dev/zero: line 1: the control character U+0000"),
        "{line}"
    );
    let digits = "tr '\\0' 1 < /dev/zero |";
    let line = refused(digits, "--data /dev/stdin --column x --bins 0,1");
    assert!(
        line.contains("line 1: it is longer than 1048576 bytes"),
        "{line}"
    );
}

#[test]
fn two_million_rows_are_read_in_few_bytes_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data.csv");
    fs::write(&path, format!("x\n{}", "1\n0\n7\n3\n".repeat(500_000))).expect("written");
    let data = format!("--clients 50 --data {} --column x", path.display());
    for question in [
        "--policy histogram-laplace --bins 0..10/1",
        "--policy histogram-laplace --bins distinct",
        "--policy sum-laplace --max-measurement 7",
    ] {
        let (text, error, is_success) = simulate(128, "", &format!("{question} {data}"));
        assert!(
            is_success && text.contains("2 000 000"),
            "{question}: {text}{error}"
        );
    }
}

/// Each of these rows takes 16 bytes where it is kept.
#[test]
fn rows_beyond_what_is_kept_are_counted() {
    let rows = "(echo x,y; yes 5000000000,6000000000 | head -n 8500000) |";
    let data = "--policy sumvec-laplace --max-measurement 6e9 --data /dev/stdin --columns x,y";
    let (text, error, is_success) = simulate(128, rows, &format!("{data} --ideal"));
    let said = "8 500 000 clients, one for each row.";
    assert!(is_success && text.contains(said), "{text}{error}");
    let (_, error, is_success) = simulate(1024, rows, data);
    let said = "at most 134217728 bytes of measurements, or --ideal or --counts";
    assert!(!is_success && error.contains(said), "{error}");
}

#[test]
fn one_hot_vectors_are_made_when_a_client_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("data.csv");
    fs::write(&path, format!("x\n{}", "1\n4\n".repeat(5_000))).expect("written");
    let data = format!(
        "--clients 2 --threads 1 --data {} --column x",
        path.display()
    );
    let policy = "--policy multihot-one-hot-rappor --bins 0..50000/1";
    let (text, error, is_success) = simulate(256, "", &format!("{policy} {data}"));
    assert!(is_success && text.contains("50 000"), "{text}{error}");
}

#[test]
fn vectors_of_many_aggregators_are_refused_by_name() {
    let policy = "--policy histogram-laplace --column height_cm --bins 0..100000/1";
    let line = refused("", &format!("{policy} --aggregators 254"));
    assert!(
        line.contains("aggregators is 254: expected at most 1"),
        "{line}"
    );
}
