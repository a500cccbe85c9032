//! A value of another kind is refused on one line that names its field, whatever the format.

use dp_task::Task;

use crate::common::{HISTOGRAM, edited};
use crate::refusal::each_is_refused;

#[test]
fn a_value_of_another_kind_is_named() {
    let epsilon = "aggregator_noise.budget.approximate.epsilon";
    each_is_refused(
        HISTOGRAM,
        &[
            (
                &[("\"0.5\"", "0.5")],
                epsilon,
                "is 0.5: expected an exact number: an integer, or a string such as \"0.317\"",
            ),
            (&[("\"0.5\"", "\"half\"")], epsilon, "half"),
            (&[("\"0.5\"", "\"0\"")], epsilon, "a number greater than 0"),
            (&[("\"0.5\"", "\"1/0\"")], epsilon, "1/0"),
            (&[("\"0.5\"", "true")], epsilon, "is true: expected"),
            (
                &[("\"1e-9\"", "\"1\"")],
                "aggregator_noise.budget.approximate.delta",
                "not including 1",
            ),
            (
                &[("length = 12", "length = 12.0")],
                "vdaf.length",
                "is 12.0: expected an integer from 0 to 18446744073709551615",
            ),
            (
                &[("model = \"OAOC\"", "model = true")],
                "trust.model",
                "is true: expected OC, OAOC,",
            ),
            (
                &[("length = 12", "length = -12")],
                "vdaf.length",
                "is -12: expected an integer from 0 to 18446744073709551615",
            ),
            (
                &[("length = 12", "length = \"+12\"")],
                "vdaf.length",
                "is +12: expected an integer from 0 to 18446744073709551615",
            ),
            (
                &[("length = 12", "length = \"\"")],
                "vdaf.length",
                "an integer from 0 to 18446744073709551615",
            ),
            (&[("length = 12", "length = [12]")], "vdaf.length", "is […]"),
            (
                &[("length = 12", "length = { of = 12 }")],
                "vdaf.length",
                "is {…}",
            ),
            (
                &[("length = 12", "length = 1979-05-27")],
                "vdaf.length",
                "an integer from 0 to 18446744073709551615",
            ),
            (
                &[("Prio3Histogram", "Prio4")],
                "vdaf.type",
                "vdaf.type is Prio4: expected one of Prio3Count",
            ),
            (
                &[("\"Prio3Histogram\"", "3")],
                "vdaf.type",
                "vdaf.type is 3: expected one of Prio3Count",
            ),
            (
                &[("discrete-gaussian", "gauss")],
                "aggregator_noise.type",
                "is gauss: expected one of discrete-laplace, discrete-gaussian",
            ),
            (
                &[("approximate", "exact")],
                "aggregator_noise.budget.exact",
                "one of pure, approximate, zero_concentrated, renyi",
            ),
            (
                &[(
                    "{ approximate = { epsilon = \"0.5\", delta = \"1e-9\" } }",
                    "\"pure\"",
                )],
                "aggregator_noise.budget",
                "is pure: expected a table with one of pure",
            ),
            (
                &[("\"0.5\"", "\"half\"")],
                "aggregator_noise.budget.approximate.epsilon",
                "approximate.epsilon is half: expected a number such as 0.317",
            ),
            (
                &[("\"1e-9\"", "1")],
                "aggregator_noise.budget.approximate.delta",
                "approximate.delta is 1: expected a number from 0 up to but not including 1",
            ),
            (
                &[("OAOC", "oaoc")],
                "trust.model",
                "expected OC, OAOC, OAMC, or for N honest",
            ),
            (
                &[("OAOC\"", "OAOC\"\naccept_weak_promise = 1")],
                "trust.accept_weak_promise",
                "is 1: expected true or false",
            ),
            (
                &[("version = 2", "version = 3")],
                "version",
                "version is 3: expected 2",
            ),
            (&[("\"heights\"", "\"\"")], "name", "1 to 256 bytes"),
            (
                &[("\"heights\"", "12")],
                "name",
                "name is 12: expected a text",
            ),
            (
                &[("\"heights\"", "\"a\\nb\"")],
                "name",
                "control characters",
            ),
        ],
    );
}

#[test]
fn a_document_of_version_1_is_refused_with_a_sentence_that_says_so() {
    let old =
        "version = 1\nname = \"heights\"\n[aggregator_noise]\nmechanism = \"discrete-gaussian\"";
    let error = Task::from_toml(old).expect_err("version 1");
    assert_eq!(error.field(), Some("version"));
    let line = error.to_string();
    assert!(
        line.contains("version 1 of the schema is read no more"),
        "{line}"
    );
}

#[test]
fn what_json_has_and_toml_has_not_is_named() {
    let task = Task::from_toml(HISTOGRAM).expect("a task");
    let json = task.to_json().expect("JSON");
    for (old, new, field, message) in [
        ("12", "null", "vdaf.length", "is null: expected an integer"),
        (
            "12",
            "18446744073709551615",
            "vdaf.length",
            "from 2 to 16777216",
        ),
        ("12", "1e30", "vdaf.length", "expected an integer from 0 to"),
    ] {
        let error = Task::from_json(edited(&json, &[(old, new)])).expect_err(new);
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    let error = Task::from_json("[]").expect_err("a list");
    assert_eq!(error.to_string(), "document is […]: expected a table");
}

#[test]
fn the_same_field_twice_is_refused() {
    let twice = edited(HISTOGRAM, &[("length = 12", "length = 12\nlength = 12")]);
    let line = Task::from_toml(twice).expect_err("twice").to_string();
    assert!(line.contains("line 9: duplicate key"), "{line}");
    let twice = r#"{"version": 2, "version": 2}"#;
    let line = Task::from_json(twice).expect_err("twice").to_string();
    assert!(line.contains("duplicate field `version`"), "{line}");
}
