//! Hostile documents: enormous, deep, or no documents at all.

use crate::common::{HISTOGRAM, edited};
use dp_task::{Error, MAX_BYTES, Task};

#[test]
fn a_document_of_more_than_64_kib_is_refused() {
    let mut longest = HISTOGRAM.as_bytes().to_vec();
    longest.resize(MAX_BYTES, b'\n');
    assert!(Task::from_toml(&longest).is_ok());
    let spaces = vec![b' '; MAX_BYTES + 1];
    assert!(matches!(Task::from_toml(&spaces), Err(Error::TooLong { max: MAX_BYTES })));
    assert!(matches!(Task::from_json(&spaces), Err(Error::TooLong { .. })));
    let document = Task::from_toml(HISTOGRAM).expect("a task").to_json();
    assert!(Task::from_json(format!("{document}{{}}")).is_err(), "nothing follows a document");
}

#[test]
fn files_that_are_not_documents_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("task"), HISTOGRAM).expect("written");
    std::fs::create_dir(at("folder.toml")).expect("a folder");
    let long = std::fs::File::create(at("long.json")).expect("a file");
    long.set_len(MAX_BYTES as u64 + 1).expect("longer");
    assert!(Task::read(at("task")).is_ok());
    for name in ["missing.toml", "folder.toml", "long.json"] {
        let line = Task::read(at(name)).expect_err(name).to_string();
        assert!(line.contains(&format!("{name}: ")), "{line}");
    }
}

#[test]
fn nesting_is_bounded() {
    for depth in [100, 1_000, 30_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        assert!(Task::from_toml(format!("name = {open}{close}")).is_err());
        assert!(Task::from_json(format!("{{\"name\": {open}{close}}}")).is_err());
        let keys = "a.".repeat(depth);
        assert!(Task::from_toml(format!("{keys}a = 1")).is_err());
        assert!(Task::from_toml(format!("[{keys}a]")).is_err());
    }
}

#[test]
fn enormous_numbers_are_refused() {
    let digits = "9".repeat(60_000);
    for number in [
        digits.clone(),
        format!("1/{digits}"),
        format!("0.{digits}"),
        "1e999999999".to_owned(),
        "1e-999999999".to_owned(),
        "1e-2400".to_owned(),
        "1e2400".to_owned(),
    ] {
        for (old, new) in [
            ("epsilon = \"0.5\"", format!("epsilon = \"{number}\"")),
            ("delta = \"1e-9\"", format!("delta = \"{number}\"")),
            ("length = 12", format!("length = \"{number}\"")),
            ("length = 12", format!("length = {number}")),
            ("max_reports = 1000", format!("max_reports = \"{number}\"")),
        ] {
            let text = edited(HISTOGRAM, &[(old, &new)]);
            // Some of these are tasks; none hangs.
            if let Err(error) = Task::from_toml(text) {
                assert!(error.to_string().len() < 1_000, "{error}");
            }
        }
    }
}

#[test]
fn enormous_tasks_are_built_or_refused() {
    for (kind, length) in [
        ("Histogram", "length = 16777216"),
        ("SumVec", "length = 8388608\nrange = { max_measurement = 1 }"),
        ("L1BoundSum", "length = 8388608\nmax_measurement = 1"),
        ("MultihotCountVec", "length = 8000000\nmax_weight = 4000000"),
    ] {
        for noise in ["gaussian", "laplace"] {
            let edits = [("Histogram", kind), ("length = 12", length), ("gaussian", noise)];
            // At once, without an allocation of what is asked for.
            if let Err(error) = Task::from_toml(edited(HISTOGRAM, &edits)) {
                assert!(matches!(error, Error::Field(_)), "{kind}: {error}");
            }
        }
    }
}
