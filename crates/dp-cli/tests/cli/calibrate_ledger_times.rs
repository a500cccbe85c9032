//! `calibrate ledger`: many releases at once, whom a ledger counts on, and what no number counts.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{document, field, refusal};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Killed at several moments, `record --times` leaves all entries or none, and repeating it records them once.
#[test]
fn a_killed_record_of_many_leaves_all_of_them_or_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("visits");
    let file = text(&path);
    document(&format!("ledger create {file} --epsilon 1"));
    let mut before = 0;
    for number in 0..12_u64 {
        let name = format!("batch{number}");
        let mut child = Command::new(env!("CARGO_BIN_EXE_dp-cli"))
            .args(["calibrate", "ledger", "record", file, "--epsilon", "1e-9"])
            .args(["--times", "3000", "--name", &name])
            .stdout(Stdio::null())
            .spawn()
            .expect("it runs");
        std::thread::sleep(Duration::from_millis(5 * number));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let shown = document(&format!("ledger show {file}"));
        let entries: u64 = field(&shown, "entries").parse().expect("a number");
        assert!(
            entries == before || entries == before + 3000,
            "{before} {entries}"
        );
        before = entries;
    }
    let line = format!("ledger record {file} --epsilon 1e-9 --times 3000 --name batch0");
    let recorded = document(&line);
    assert_eq!(document(&line), recorded);
    let entries: u64 = field(&recorded, "entries").parse().expect("a number");
    assert_eq!(entries % 3000, 0);
    let refused = refusal(&format!("{line} --shares {}", "0".repeat(64)));
    assert!(refused.contains("with --times"), "{refused}");
}

#[test]
fn a_trust_model_has_the_names_of_plan_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, (typed, expected)) in [
        ("all-aggregators", "OC"),
        ("One-Aggregator", "OAOC"),
        ("collector", "OAMC"),
        ("oc", "OC"),
        ("2aoc", "2AOC"),
    ]
    .into_iter()
    .enumerate()
    {
        let path = folder.path().join(number.to_string());
        let file = text(&path);
        let created = document(&format!(
            "ledger create {file} --rho 1 --trust-model {typed}"
        ));
        assert_eq!(field(&created, "trust_model"), expected);
        let record = format!("ledger record {file} --name a --rho 0.1 --trust-model {typed}");
        assert_eq!(field(&document(&record), "entries"), "1");
    }
}

/// A cost so small that no number of releases is the last one.
#[test]
fn what_fits_more_often_than_can_be_counted_is_called_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("visits");
    let file = text(&path);
    document(&format!("ledger create {file} --epsilon 1"));
    let left = document(&format!("ledger left {file} --epsilon 1e-300"));
    assert_eq!(
        field(&left, "more_releases"),
        "18446744073709551615 or more"
    );
}
