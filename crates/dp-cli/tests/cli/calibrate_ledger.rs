//! `calibrate ledger` as a user types it.

use std::fs;
use std::path::Path;

use crate::common::{calibrate, document, field, refusal};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn a_ledger_is_kept_in_its_file_and_refuses_an_overspend() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("visits.ledger");
    let file = text(&path);
    let created = document(&format!("ledger create {file} --epsilon 1 --delta 1e-6"));
    assert_eq!(
        (field(&created, "entries"), field(&created, "spent")),
        ("0", "nothing")
    );
    assert_eq!(
        (field(&created, "adjacency"), field(&created, "trust_model")),
        ("replacement", "OAOC")
    );
    let spend = |name: &str| {
        format!("ledger record {file} --name {name} --epsilon 0.4 --delta 1e-9 --mechanism gauss")
    };
    document(&spend("monday"));
    // Repeating what was confirmed spends nothing.
    document(&spend("monday"));
    let tuesday = document(&spend("tuesday"));
    assert_eq!(field(&tuesday, "entries"), "2");
    let refused = refusal(&spend("wednesday"));
    assert!(refused.contains("wednesday does not fit") && refused.contains(file));
    let other = refusal(&format!("ledger record {file} --name monday --epsilon 0.1"));
    assert!(other.contains("monday was recorded before") && other.contains(file));
    let shown = document(&format!("ledger show {file}"));
    assert_eq!(shown, tuesday);
    assert!(field(&shown, "left").contains("epsilon 0.2"));
    let again = refusal(&format!("ledger create {file} --epsilon 1"));
    assert!(again.contains("exists already") && again.contains(file));

    // A line that was cut short was never confirmed.
    let mut bytes = fs::read(&path).expect("the journal");
    bytes.extend_from_slice(b"{\"name\":\"wedn");
    fs::write(&path, &bytes).expect("written");
    assert_eq!(document(&format!("ledger show {file}")), tuesday);
    // One that was confirmed is missed.
    fs::write(&path, &bytes[..bytes.len() - 20]).expect("written");
    let refused = refusal(&format!("ledger show {file}"));
    assert!(
        refused.contains("damaged") && refused.contains(file),
        "{refused}"
    );
}

/// Gaussian and Laplace noise is the aggregators': where none is honest, it promises nothing.
#[test]
fn noise_of_aggregators_is_not_recorded_where_none_is_honest() {
    let folder = tempfile::tempdir().expect("a folder");
    let (alone, other) = (folder.path().join("alone"), folder.path().join("other"));
    let (alone, other) = (text(&alone), text(&other));
    document(&format!("ledger create {alone} --rho 1 --trust-model OC"));
    document(&format!("ledger create {other} --rho 1"));
    for asked in [
        format!("ledger record {alone} --name a --mechanism gaussian:100:count"),
        format!("ledger left {alone} --mechanism laplace:100:count"),
        format!("ledger record {alone} --name a --rho 0.1 --mechanism gaussian:100:count"),
        format!("ledger record {other} --name a --trust-model OC --mechanism laplace:100:count"),
        format!(
            "ledger create {other}s --mechanism gaussian:1e4:count --delta 1e-9 --trust-model OC"
        ),
    ] {
        let refused = refusal(&asked);
        assert!(
            refused.contains("noise of aggregators") && refused.contains("OC"),
            "{refused}"
        );
    }
    let answered = document(&format!(
        "ledger record {alone} --name a --mechanism response:0.1"
    ));
    assert_eq!(field(&answered, "entries"), "1");
    assert_eq!(
        field(&document(&format!("ledger show {other}")), "entries"),
        "0"
    );
}

#[test]
fn other_neighbours_and_other_trust_are_converted_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("visits");
    let file = text(&path);
    document(&format!(
        "ledger create {file} --epsilon 2 --trust-model 2AOC"
    ));
    let record = |rest: &str| format!("ledger record {file} --epsilon 0.1 {rest}");
    let deletion = document(&record("--name a --adjacency deletion --trust-model OC"));
    assert!(field(&deletion, "last_spent").ends_with("epsilon 0.2"));
    assert!(field(&deletion, "last_promise").ends_with("epsilon 0.1"));
    let weaker = refusal(&record("--name b --trust-model OAMC"));
    assert!(weaker.contains("OAMC") && weaker.contains("2AOC") && weaker.contains(file));
    let kind = refusal(&format!("ledger record {file} --name c --rho 0.1"));
    assert!(kind.contains("expected a pure or approximate budget"));
    for (rest, expected) in [
        (
            "--name b --adjacency substitution",
            "adjacency is substitution",
        ),
        ("--name b --trust-model 1AOC", "trust-model is 1AOC"),
        ("--name b --minimum-batch 0", "minimum-batch is 0"),
        ("--name b --shares 12", "shares is 12"),
        ("--name b --head 12", "head is 12"),
        ("--name a\u{202e}b", "name is"),
        ("--name b --mechanism \u{2028}", "mechanism is"),
    ] {
        let refused = refusal(&record(rest));
        assert!(
            refused.starts_with(&format!("error: {expected}")),
            "{refused}"
        );
    }
    let long = refusal(&record(&format!("--name {}", "x".repeat(66_000))));
    assert!(long.contains("1 to 256 bytes") && long.len() < 300);
    assert_eq!(
        field(&document(&format!("ledger show {file}")), "entries"),
        "1"
    );
}

#[test]
fn an_older_copy_is_told_by_its_head() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("visits");
    let file = text(&path);
    document(&format!("ledger create {file} --rho 1"));
    let record = |rest: &str| format!("ledger record {file} --rho 0.1 {rest}");
    let digest = "0123456789abcdef".repeat(4);
    let monday = document(&record(&format!("--name monday --shares {digest}")));
    let other = refusal(&record("--name monday"));
    assert!(other.contains("other shares"), "{other}");
    let copy = fs::read(&path).expect("a file");
    let head = field(&monday, "head");
    let tuesday = document(&record(&format!("--name tuesday --head {head}")));
    let head = field(&tuesday, "head");
    fs::write(&path, copy).expect("written");
    document(&format!("ledger show {file}"));
    let show = refusal(&format!("ledger show {file} --head {head}"));
    let spend = refusal(&record(&format!("--name wednesday --head {head}")));
    for refused in [show, spend] {
        assert!(refused.contains("an older copy") && refused.contains(file));
    }
}

#[test]
fn an_argument_that_is_missing_is_named() {
    let refused = refusal("ledger create --epsilon 1");
    assert!(refused.contains("<FILE> is missing: expected"), "{refused}");
}

#[test]
fn what_is_no_ledger_is_refused_and_not_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("foreign");
    let file = text(&path);
    for bytes in [&b""[..], b"milk", b"milk\neggs\n", &[0; 4096]] {
        fs::write(&path, bytes).expect("written");
        for (line, expected) in [
            (
                format!("ledger create {file} --epsilon 1"),
                "exists already",
            ),
            (
                format!("ledger record {file} --name a --epsilon 1"),
                "not a ledger",
            ),
            (format!("ledger show {file}"), "not a ledger"),
        ] {
            let refused = refusal(&line);
            assert!(
                refused.contains(expected) && refused.contains(file),
                "{refused}"
            );
        }
        assert_eq!(fs::read(&path).expect("a file"), bytes);
    }
    for line in [
        "ledger create /dev/zero --epsilon 1",
        "ledger show /dev/zero",
    ] {
        assert!(refusal(line).contains("/dev/zero"));
    }
}

#[test]
fn record_waits_for_who_has_the_ledger_open_and_show_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("visits");
    let file = text(&path);
    calibrate(&["ledger", "create", file, "--epsilon", "1"]);
    let journal = dp_ledger::Journal::open(&path).expect("a ledger");
    std::thread::scope(|scope| {
        let line = [
            "ledger",
            "record",
            file,
            "--name",
            "monday",
            "--epsilon",
            "0.5",
        ];
        let recording = scope.spawn(move || calibrate(&line));
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(!recording.is_finished());
        let shown = calibrate(&["ledger", "show", file]);
        assert!(shown.status.success());
        assert_eq!(journal.ledger().entries().len(), 0);
        drop(journal);
        assert!(recording.join().expect("no panic").status.success());
    });
    let journal = dp_ledger::Journal::open(&path).expect("a ledger");
    assert_eq!(journal.ledger().entries().len(), 1);
}

/// The histogram at (0.906, 1e-9): by sums a year is 330.7.
const DAY: &str = "gaussian:72.85043055954:pair";

#[test]
fn a_year_of_daily_histograms_fits_into_what_rho_or_the_list_comes_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let (by_rho, declared) = (folder.path().join("rho"), folder.path().join("list"));
    let (by_rho, declared) = (text(&by_rho), text(&declared));
    let created = document(&format!(
        "ledger create {by_rho} --epsilon 24.5 --delta 1e-9"
    ));
    assert_eq!(field(&created, "rule"), "zcdp");
    assert_eq!(field(&created, "delta_for_releases"), "1e-10");
    let left = document(&format!("ledger left {by_rho} --mechanism {DAY}"));
    assert_eq!(field(&left, "more_releases"), "365");
    let year = document(&format!(
        "ledger record {by_rho} --name day --mechanism {DAY} --times 365"
    ));
    assert_eq!(field(&year, "spent_epsilon"), "24.4365834908");
    assert_eq!(field(&year, "last_entry"), "day 365");
    // The same again is the same, and more does not fit, all or nothing.
    let again = document(&format!(
        "ledger record {by_rho} --name day --mechanism {DAY} --times 365"
    ));
    assert_eq!(again, year);
    let refused = refusal(&format!(
        "ledger record {by_rho} --name day --mechanism {DAY} --times 370"
    ));
    assert!(
        refused.contains("times is 5: expected at most 0 more"),
        "{refused}"
    );
    let shown = document(&format!("ledger show {by_rho} --delta 1e-6"));
    let at_a_larger_delta: f64 = field(&shown, "spent_epsilon").parse().expect("a number");
    assert!(at_a_larger_delta < 24.0);

    let created = document(&format!(
        "ledger create {declared} --delta 1e-9 --mechanism {DAY} --times 365"
    ));
    assert!(field(&created, "limit").contains("epsilon 23.437067"));
    assert!(field(&created, "declared").starts_with("365 × gaussian:72.85043055954"));
    // A query is as good as its worst difference; what is not on the list is refused.
    let query = "gaussian:72.85043055954:histogram:12";
    let some = document(&format!(
        "ledger record {declared} --name day --mechanism {query} --times 3"
    ));
    assert_eq!(field(&some, "left"), "362 of the declared releases");
    let other = refusal(&format!(
        "ledger record {declared} --name other --mechanism gaussian:100:pair"
    ));
    assert!(other.contains("none of the declared releases") && other.contains(declared));
}

#[test]
fn a_rule_is_chosen_by_name_and_what_it_does_not_take_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let create = |name: &str, rest: &str| {
        let path = folder.path().join(name);
        format!("ledger create {} {rest}", text(&path))
    };
    let rule = |name: &str, rest: &str| field(&document(&create(name, rest)), "rule").to_owned();
    assert_eq!(rule("a", "--epsilon 1"), "basic");
    assert_eq!(rule("b", "--epsilon 1 --delta 1e-6 --rule basic"), "basic");
    assert_eq!(rule("c", "--rho 0.1"), "zcdp");
    assert_eq!(
        rule("d", "--epsilon 1 --mechanism response:0.1 --times 10"),
        "declared"
    );
    for (rest, expected) in [
        ("--epsilon 1 --rule best", "rule is best"),
        ("--epsilon 1 --rule zcdp", "limit is \"pure"),
        (
            "--epsilon 1 --delta 1e-6 --delta-for-releases 1e-6",
            "delta-for-releases is 1e-6",
        ),
        (
            "--epsilon 1 --delta-for-releases 1e-9 --rule basic",
            "delta-for-releases 1e-9",
        ),
        ("--epsilon 1 --times 3", "times 3"),
        ("--rule declared --delta 1e-9", "mechanism is missing"),
        ("--rho 1 --mechanism response:1", "rho 1"),
        (
            "--epsilon 0.5 --mechanism response:0.1 --times 10",
            "epsilon is 0.5",
        ),
        (
            "--delta 1e-9 --mechanism gaussian:4",
            "mechanism is gaussian:4",
        ),
        ("--delta 1e-9 --mechanism words", "mechanism is words"),
        (
            "--delta 1e-9 --mechanism gaussian:4:pair --times 3 --times 4",
            "times is \"3, 4\"",
        ),
    ] {
        let refused = refusal(&create("refused", rest));
        assert!(
            refused.starts_with(&format!("error: {expected}")),
            "{refused}"
        );
        assert!(!folder.path().join("refused").exists());
    }
}
