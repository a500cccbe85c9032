//! Documents that mean no good: enormous, deep, or no documents at all.

use std::fs::File;
use std::io::Write;

use crate::common::{HISTOGRAM, RAPPOR, edited};
use dp_task::{Error, MAX_BYTES, Task};
use proptest::prelude::*;

#[test]
fn a_file_of_a_hundred_megabytes_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["task.toml", "task.json"] {
        let path = folder.path().join(name);
        let mut file = File::create(&path).expect("a file");
        file.write_all(HISTOGRAM.as_bytes()).expect("written");
        file.set_len(100_000_000).expect("longer");
        let error = Task::read(&path).expect_err("too long");
        assert!(matches!(error, Error::TooLong { .. }), "{error}");
    }
    let spaces = vec![b' '; MAX_BYTES + 1];
    assert!(matches!(
        Task::from_toml(&spaces),
        Err(Error::TooLong { max: MAX_BYTES })
    ));
    assert!(matches!(
        Task::from_json(&spaces),
        Err(Error::TooLong { .. })
    ));
}

#[test]
fn a_document_of_the_greatest_length_is_read() {
    let mut document = HISTOGRAM.as_bytes().to_vec();
    document.resize(MAX_BYTES, b'\n');
    assert!(Task::from_toml(&document).is_ok());
}

#[test]
fn files_that_are_not_documents_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("task.yaml"), HISTOGRAM).expect("written");
    std::fs::write(at("task.toml"), HISTOGRAM).expect("written");
    std::fs::create_dir(at("folder.toml")).expect("a folder");
    assert!(Task::read(at("task.toml")).is_ok());
    for (name, part) in [
        ("task.yaml", "ends in .toml or .json"),
        ("missing.toml", "missing.toml: "),
        ("folder.toml", "folder.toml: "),
    ] {
        let line = Task::read(at(name)).expect_err(name).to_string();
        assert!(line.contains(part), "{line}");
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

/// A task, or an error of a field: at once, without an allocation of what is asked for.
fn is_built_or_refused(text: &str) {
    if let Err(error) = Task::from_toml(text) {
        assert!(error.field().is_some(), "{text}: {error}");
    }
}

#[test]
fn enormous_tasks_are_built_or_refused() {
    let sum_vec = edited(HISTOGRAM, &[("Histogram", "SumVec")]);
    let l1 = edited(HISTOGRAM, &[("Histogram", "L1BoundSum")]);
    let multihot = edited(HISTOGRAM, &[("Histogram", "MultihotCountVec")]);
    let most = "\"170141183460469231731687303715884105727\"";
    let budget = "approximate = { epsilon = \"0.5\", delta = \"1e-9\" }";
    let pure = [
        ("gaussian", "laplace"),
        (budget, "pure = { epsilon = \"0.5\" }"),
    ];
    let zero = [
        ("gaussian", "gaussian"),
        (budget, "zero_concentrated = { rho = \"0.5\" }"),
    ];
    let same = [("gaussian", "gaussian"), (budget, budget)];
    let laplace = [("gaussian", "laplace"), (budget, budget)];
    for kind in [pure, zero, same, laplace] {
        for (document, length) in [
            (HISTOGRAM, "length = 16777216".to_owned()),
            (
                &sum_vec,
                "length = 8388608\nrange = { max_measurement = 1 }".to_owned(),
            ),
            (
                &sum_vec,
                format!("length = 100000\nrange = {{ max_measurement = {most} }}"),
            ),
            (&l1, "length = 8388608\nmax_measurement = 1".to_owned()),
            (&l1, format!("length = 100000\nmax_measurement = {most}")),
            (
                &multihot,
                "length = 8000000\nmax_weight = 4000000".to_owned(),
            ),
        ] {
            let document = edited(document, &[("length = 12", &length)]);
            is_built_or_refused(&edited(&document, &kind));
        }
    }
    is_built_or_refused(&edited(
        RAPPOR,
        &[
            ("length = 10", "length = 8000000"),
            ("weight = 2", "weight = 4000000"),
        ],
    ));
}

/// Lines of documents, and none.
fn line() -> impl Strategy<Value = String> {
    let known: Vec<String> = [HISTOGRAM, RAPPOR]
        .concat()
        .lines()
        .map(str::to_owned)
        .collect();
    prop_oneof![
        4 => proptest::sample::select(known),
        1 => "\\PC{0,40}",
        1 => "[a-z_.\\[\\]= \"'0-9{}-]{0,40}",
    ]
}

proptest! {
    #[test]
    fn garbage_is_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Task::from_toml(&bytes).is_err());
        prop_assert!(Task::from_json(&bytes).is_err());
    }

    #[test]
    fn documents_in_disorder_are_refused_without_a_panic(
        lines in proptest::collection::vec(line(), 0..30),
    ) {
        if let Err(error) = Task::from_toml(lines.join("\n")) {
            prop_assert!(!error.to_string().contains('\n'));
        }
    }

    #[test]
    fn any_text_as_a_value_gives_a_task_or_names_its_field(text in "\\PC{0,60}") {
        let value = text.replace(['\\', '"'], "");
        for (old, field) in [
            ("\"0.5\"", "aggregator_noise.budget.approximate.epsilon"),
            ("\"discrete-gaussian\"", "aggregator_noise.type"),
            ("12", "vdaf.length"),
            ("\"heights\"", "name"),
        ] {
            let document = edited(HISTOGRAM, &[(old, &format!("\"{value}\""))]);
            if let Err(error) = Task::from_toml(document) {
                prop_assert_eq!(error.field(), Some(field), "{}", error);
            }
        }
    }
}
