//! A field that is missing, unknown, malformed or out of its range is refused on one line that
//! names it and what is accepted.

use dp_task::Task;

use crate::common::{HISTOGRAM, RAPPOR, edited};
use crate::refusal::each_is_refused;

#[test]
fn a_missing_field_is_named() {
    let exact = "is missing: expected an exact number";
    each_is_refused(
        HISTOGRAM,
        &[
            (
                &[("version = 2", "")],
                "version",
                "version is missing: expected 2",
            ),
            (&[("name = \"heights\"", "")], "name", "name is missing"),
            (
                &[("type = \"Prio3Histogram\"", "")],
                "vdaf.type",
                "is missing: expected one of Prio3Count, Prio3Sum",
            ),
            (
                &[("aggregators = 2", "")],
                "vdaf.aggregators",
                "is missing: expected an integer that fits usize",
            ),
            (&[("length = 12", "")], "vdaf.length", "is missing"),
            (
                &[("type = \"discrete-gaussian\"", "")],
                "aggregator_noise.type",
                "is missing: expected one of discrete-laplace",
            ),
            (
                &[("budget = {", "#")],
                "aggregator_noise.budget",
                "is missing: expected a table with one of pure, approximate",
            ),
            (
                &[("epsilon = \"0.5\",", "")],
                "aggregator_noise.budget.approximate.epsilon",
                exact,
            ),
            (
                &[(", delta = \"1e-9\"", "")],
                "aggregator_noise.budget.approximate.delta",
                exact,
            ),
            (
                &[("model = \"OAOC\"", "")],
                "trust.model",
                "OC, OAOC, OAMC, or for N honest",
            ),
            (&[("min_reports = 100", "")], "batch.min_reports", "missing"),
            (
                &[("\"OAOC\"", "\"OAMC\"")],
                "trust.honest_clients",
                "is missing: expected an integer from 1 to batch.min_reports, 100",
            ),
            (
                &[("Prio3Histogram", "Prio3SumVec")],
                "vdaf.range",
                "is missing: expected a table with one of max_measurement, grid",
            ),
            (
                &[("Prio3Histogram", "Prio3MultihotCountVec")],
                "vdaf.max_weight",
                "missing",
            ),
        ],
    );
    each_is_refused(
        RAPPOR,
        &[
            (
                &[("type = \"symmetric-rappor\"", "")],
                "client_noise.type",
                "is missing: expected one of randomized-response",
            ),
            (&[("epsilon0 = \"3\"", "")], "client_noise.epsilon0", exact),
            (
                &[("input_weight = 2", "")],
                "client_noise.input_weight",
                "missing",
            ),
            (
                &[("false_positive_rate = \"1e-3\"", "")],
                "client_noise.false_positive_rate",
                exact,
            ),
        ],
    );
}

#[test]
fn a_missing_section_is_named() {
    for (from, to, section) in [
        ("[vdaf]", "[aggregator_noise]", "vdaf"),
        ("[aggregator_noise]", "[trust]", "aggregator_noise"),
        ("[trust]", "[batch]", "trust"),
    ] {
        let (from, to) = (HISTOGRAM.find(from), HISTOGRAM.find(to));
        let (from, to) = (from.expect("a section"), to.expect("a section"));
        let without = [&HISTOGRAM[..from], &HISTOGRAM[to..]].concat();
        let error = Task::from_toml(without).expect_err(section);
        assert_eq!(error.field(), Some(section), "{error}");
    }
}

#[test]
fn an_unknown_field_is_named_with_the_ones_that_exist() {
    each_is_refused(
        HISTOGRAM,
        &[
            (
                &[("version", "colour = 3\nversion")],
                "colour",
                "colour is 3: expected no such field here, only version, name, vdaf",
            ),
            (
                &[("length", "lenght")],
                "vdaf.lenght",
                "only aggregators, length, chunk_length",
            ),
            (
                &[("delta", "detla")],
                "aggregator_noise.budget.approximate.detla",
                "only epsilon, delta",
            ),
            (
                &[("[trust]", "[trust]\nwho = 1")],
                "trust.who",
                "no such field here, only model",
            ),
            (
                &[("[batch]", "[batch]\nsize = 1")],
                "batch.size",
                "only min_reports, max_reports",
            ),
            (
                &[("[batch]", "[privacy]\n[batch]")],
                "privacy",
                "no such field here",
            ),
            (
                &[("[batch]", "[grid]\nlow = 1\n[batch]")],
                "grid",
                "no such field here",
            ),
        ],
    );
}

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
                &[("length = 12", "length = -12")],
                "vdaf.length",
                "is -12: expected an integer that fits usize",
            ),
            (
                &[("length = 12", "length = \"+12\"")],
                "vdaf.length",
                "is +12: expected an integer that fits usize",
            ),
            (
                &[("length = 12", "length = \"\"")],
                "vdaf.length",
                "an integer that fits usize",
            ),
            (
                &[("length = 12", "length = [12]")],
                "vdaf.length",
                "is \"a list\"",
            ),
            (
                &[("length = 12", "length = { of = 12 }")],
                "vdaf.length",
                "is \"a table\"",
            ),
            (
                &[("length = 12", "length = 1979-05-27")],
                "vdaf.length",
                "an integer that fits usize",
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
        ("12", "1e30", "vdaf.length", "expected an integer that fits"),
    ] {
        let error = Task::from_json(edited(&json, &[(old, new)])).expect_err(new);
        assert_eq!(error.field(), Some(field), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    let error = Task::from_json("[]").expect_err("a list");
    assert_eq!(
        error.to_string(),
        "document is \"a list\": expected a table"
    );
}

#[test]
fn a_parameter_out_of_its_range_is_named() {
    let sum = "range = { max_measurement = \"99999999999999999999\" }";
    each_is_refused(
        HISTOGRAM,
        &[
            (
                &[("aggregators = 2", "aggregators = 1")],
                "vdaf.aggregators",
                "from 2 to 254",
            ),
            (&[("length = 12", "length = 1")], "vdaf.length", "from 2 to"),
            (
                &[("length = 12", "length = 999999999")],
                "vdaf.length",
                "from 2 to 16777216",
            ),
            (
                &[("length = 12", "length = 12\nchunk_length = 13")],
                "vdaf.chunk_length",
                "1 to 12",
            ),
            (
                &[("Histogram", "Sum"), ("length = 12", sum)],
                "vdaf.range.max_measurement",
                "at most 63 bits",
            ),
            (
                &[
                    ("Histogram", "MultihotCountVec"),
                    ("length = 12", "length = 12\nmax_weight = 13"),
                ],
                "vdaf.max_weight",
                "from 1 to 12",
            ),
        ],
    );
    each_is_refused(
        RAPPOR,
        &[
            (
                &[("input_weight = 2", "input_weight = 11")],
                "client_noise.input_weight",
                "1 to 10",
            ),
            (
                &[("1e-3", "0.6")],
                "client_noise.false_positive_rate",
                "0.6",
            ),
        ],
    );
}

#[test]
fn each_randomizer_has_the_fields_that_it_needs_and_no_other() {
    let rate = ("false_positive_rate = \"1e-3\"", "");
    let weight = ("input_weight = 2", "");
    let epsilon = ("epsilon0", "epsilon");
    let bits = |kind| ("symmetric-rappor", kind);
    each_is_refused(
        RAPPOR,
        &[
            (
                &[("epsilon0", "epsilon = 1\nepsilon0")],
                "client_noise.epsilon",
                "is 1: expected no such field with symmetric-rappor, only epsilon0, input_weight",
            ),
            (
                &[bits("one-hot-rappor")],
                "client_noise.input_weight",
                "with one-hot-rappor",
            ),
            (
                &[bits("one-hot-rappor"), weight, epsilon],
                "client_noise.epsilon",
                "with one-hot-rappor",
            ),
            (
                &[bits("basic-rappor"), weight],
                "client_noise.epsilon0",
                "with basic-rappor",
            ),
            (
                &[bits("basic-rappor"), weight, epsilon, rate],
                "client_noise.false_positive_rate",
                "missing",
            ),
            (
                &[bits("coin-flip"), weight, rate, ("epsilon0", "#")],
                "client_noise.type",
                "one of the policies multihot-laplace",
            ),
            (
                &[("OC\"", "OAMC\"\nhonest_clients = 100")],
                "trust.delta",
                "trust.delta is missing",
            ),
            (
                &[("OC\"", "OAMC\"\nhonest_clients = 100\ndelta = 0")],
                "trust.delta",
                "clients hide each other only but for some delta",
            ),
        ],
    );
    let count = edited(
        RAPPOR,
        &[
            ("MultihotCountVec", "Count"),
            ("length = 10", ""),
            bits("randomized-response"),
            weight,
            epsilon,
            rate,
        ],
    );
    each_is_refused(
        &count,
        &[
            (
                &[("epsilon = \"3\"", "")],
                "client_noise.epsilon",
                "missing",
            ),
            (
                &[("epsilon", "input_weight = 1\nepsilon")],
                "client_noise.input_weight",
                "no such field with randomized-response, only epsilon",
            ),
            (
                &[("randomized-response", "coin-flip")],
                "client_noise.epsilon",
                "is 3: expected no such field with coin-flip",
            ),
        ],
    );
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
