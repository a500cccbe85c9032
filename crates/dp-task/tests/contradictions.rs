//! Every document that is not a task is refused on one line that names the field and what is
//! accepted.

mod common;

use common::{HISTOGRAM, RAPPOR, edited};
use dp_task::Task;

/// Edits of a document, the field that is to blame, and what the message contains.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);

fn each_is_refused(document: &str, cases: &[Case<'_>]) {
    assert!(
        Task::from_toml(document).is_ok(),
        "{:?}",
        Task::from_toml(document)
    );
    for (edits, field, message) in cases {
        let text = edited(document, edits);
        let error = Task::from_toml(&text).expect_err(&text);
        let line = error.to_string();
        assert_eq!(error.field(), Some(*field), "{edits:?}: {line}");
        assert!(
            line.contains(message),
            "{edits:?}: {line} without {message:?}"
        );
        assert!(!line.contains('\n'), "{line:?}");
    }
}

#[test]
fn a_missing_field_is_named() {
    each_is_refused(
        HISTOGRAM,
        &[
            (
                &[("version = 1", "")],
                "version",
                "version is missing: expected the integer 1",
            ),
            (&[("name = \"heights\"", "")], "name", "name is missing"),
            (
                &[("type = \"Prio3Histogram\"", "")],
                "vdaf.type",
                "one of Prio3Count Prio3Sum",
            ),
            (
                &[("aggregators = 2", "")],
                "vdaf.aggregators",
                "an integer from 2 to 254",
            ),
            (&[("length = 12", "")], "vdaf.length", "missing"),
            (
                &[("mechanism = \"discrete-gaussian\"", "")],
                "aggregator_noise.mechanism",
                "missing",
            ),
            (
                &[("budget = \"approximate\"", "")],
                "aggregator_noise.budget",
                "one of pure",
            ),
            (
                &[("epsilon = \"0.5\"", "")],
                "aggregator_noise.epsilon",
                "missing",
            ),
            (
                &[("delta = \"1e-9\"", "")],
                "aggregator_noise.delta",
                "missing",
            ),
            (
                &[("model = \"OAOC\"", "")],
                "trust.model",
                "OC, OAOC or OAMC",
            ),
            (&[("min_reports = 100", "")], "batch.min_reports", "missing"),
            (
                &[("\"OAOC\"", "\"OAMC\"")],
                "trust.honest_clients",
                "missing",
            ),
            (
                &[("Prio3Histogram", "Prio3SumVec")],
                "vdaf.max_measurement",
                "missing",
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
                &[("mechanism = \"symmetric-rappor\"", "")],
                "client_noise.mechanism",
                "missing",
            ),
            (
                &[("epsilon0 = \"3\"", "")],
                "client_noise.epsilon0",
                "missing",
            ),
            (
                &[("input_weight = 2", "")],
                "client_noise.input_weight",
                "missing",
            ),
            (
                &[("false_positive_rate = \"1e-3\"", "")],
                "client_noise.false_positive_rate",
                "missing",
            ),
        ],
    );
}

#[test]
fn an_unknown_field_is_named_with_the_ones_that_exist() {
    each_is_refused(
        HISTOGRAM,
        &[
            (
                &[("version", "colour = 3\nversion")],
                "colour",
                "unknown field `colour`",
            ),
            (
                &[("length", "lenght")],
                "vdaf.lenght",
                "expected one of `type`, `aggregators`",
            ),
            (
                &[("delta", "detla")],
                "aggregator_noise.detla",
                "expected one of `mechanism`",
            ),
            (
                &[("[trust]", "[trust]\nwho = 1")],
                "trust.who",
                "unknown field",
            ),
            (
                &[("[batch]", "[batch]\nsize = 1")],
                "batch.size",
                "expected `min_reports` or",
            ),
            (
                &[("[batch]", "[privacy]\n[batch]")],
                "privacy",
                "unknown field",
            ),
        ],
    );
}

#[test]
fn a_value_of_another_kind_is_named() {
    each_is_refused(
        HISTOGRAM,
        &[
            (
                &[("\"0.5\"", "0.5")],
                "aggregator_noise.epsilon",
                "floating point `0.5`, expected a",
            ),
            (
                &[("\"0.5\"", "\"half\"")],
                "aggregator_noise.epsilon",
                "half is not accepted",
            ),
            (
                &[("\"0.5\"", "\"0\"")],
                "aggregator_noise.epsilon",
                "a number greater than 0",
            ),
            (
                &[("\"0.5\"", "\"1/0\"")],
                "aggregator_noise.epsilon",
                "a number greater than 0",
            ),
            (
                &[("\"0.5\"", "true")],
                "aggregator_noise.epsilon",
                "boolean `true`",
            ),
            (
                &[("\"1e-9\"", "\"1\"")],
                "aggregator_noise.delta",
                "not including 1",
            ),
            (
                &[("length = 12", "length = -12")],
                "vdaf.length",
                "-12 is not accepted",
            ),
            (
                &[("length = 12", "length = \"+12\"")],
                "vdaf.length",
                "an integer that fits usize",
            ),
            (
                &[("length = 12", "length = [12]")],
                "vdaf.length",
                "sequence",
            ),
            (
                &[("Prio3Histogram", "Prio4")],
                "vdaf.type",
                "unknown variant `Prio4`",
            ),
            (
                &[("discrete-gaussian", "gauss")],
                "aggregator_noise.mechanism",
                "unknown variant",
            ),
            (
                &[("approximate", "renyi")],
                "aggregator_noise.budget",
                "`zero-concentrated`",
            ),
            (
                &[("OAOC", "oaoc")],
                "trust.model",
                "expected OC, OAOC or OAMC",
            ),
            (
                &[("version = 1", "version = 2")],
                "version",
                "version is 2: expected the integer 1",
            ),
            (&[("\"heights\"", "\"\"")], "name", "1 to 256 bytes"),
            (
                &[("\"heights\"", "\"a\\nb\"")],
                "name",
                "control characters",
            ),
        ],
    );
}

#[test]
fn a_parameter_out_of_its_range_is_named() {
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
                &[
                    ("Histogram", "Sum"),
                    ("length = 12", "max_measurement = \"99999999999999999999\""),
                ],
                "vdaf.max_measurement",
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
fn a_field_that_contradicts_another_is_named() {
    let because = "expected no such field with Prio3Histogram";
    each_is_refused(
        HISTOGRAM,
        &[
            // The VDAF has no such parameter.
            (
                &[("length", "max_weight = 2\nlength")],
                "vdaf.max_weight",
                because,
            ),
            (
                &[("length", "max_measurement = 2\nlength")],
                "vdaf.max_measurement",
                because,
            ),
            (&[("Histogram", "Count")], "vdaf.length", "with Prio3Count"),
            // A budget is of one kind, and not every noise keeps every kind.
            (
                &[("gaussian", "laplace"), ("approximate", "pure")],
                "aggregator_noise.delta",
                "is 1e-9: expected no such field with budget pure",
            ),
            (
                &[("approximate", "pure"), ("delta", "#")],
                "aggregator_noise.budget",
                "gaussian",
            ),
            (
                &[
                    ("gaussian", "laplace"),
                    ("approximate", "zero-concentrated"),
                    ("epsilon", "rho"),
                    ("delta", "#"),
                ],
                "aggregator_noise.budget",
                "pure or approximate with mechanism discrete-laplace",
            ),
            (
                &[("delta", "rho = 1\ndelta")],
                "aggregator_noise.rho",
                "with budget approximate",
            ),
            (&[("\"1e-9\"", "0")], "aggregator_noise.delta", "above 0"),
            (
                &[("approximate", "zero-concentrated"), ("delta", "#")],
                "aggregator_noise.rho",
                "missing",
            ),
            // The noise of clients does not go with a histogram.
            (
                &[
                    ("[aggregator_noise]", "[client_noise]"),
                    ("discrete-gaussian", "symmetric-rappor"),
                    ("budget", "#"),
                    ("delta", "#"),
                ],
                "client_noise.mechanism",
                "symmetric-rappor: expected noise that makes one of the policies histogram-gaussian",
            ),
            // Batches.
            (
                &[("max_reports = 1000", "max_reports = 99")],
                "batch.max_reports",
                "at least batch.min_reports, 100",
            ),
            (
                &[("min_reports = 100", "min_reports = 0")],
                "batch.min_reports",
                "at least 1",
            ),
            // Whom one counts on.
            (
                &[("OAOC\"", "OAOC\"\nhonest_aggregators = 3")],
                "trust.honest_aggregators",
                "vdaf.aggregators, 2",
            ),
            (
                &[("OAOC\"", "OAOC\"\nhonest_aggregators = 0")],
                "trust.honest_aggregators",
                "from 1",
            ),
            (
                &[("OAOC\"", "OAOC\"\nhonest_clients = 9")],
                "trust.honest_clients",
                "counts on none",
            ),
            (
                &[("OAOC\"", "OAMC\"\nhonest_clients = 101")],
                "trust.honest_clients",
                "batch.min_reports, 100",
            ),
            (
                &[("OAOC\"", "OAOC\"\ndelta = \"1e-9\"")],
                "trust.delta",
                "unless clients add noise",
            ),
            (
                &[("OAOC\"", "OC\"\nhonest_aggregators = 1")],
                "trust.honest_aggregators",
                "model OC",
            ),
        ],
    );
    let noise = HISTOGRAM.find("[aggregator_noise]").expect("a section");
    let rest = HISTOGRAM.find("[trust]").expect("a section");
    let quiet = [&HISTOGRAM[..noise], &HISTOGRAM[rest..]].concat();
    let error = Task::from_toml(quiet).expect_err("no noise");
    assert_eq!(error.field(), Some("aggregator_noise"), "{error}");
}

#[test]
fn each_randomizer_has_the_fields_that_it_needs_and_no_other() {
    let rate = ("false_positive_rate = \"1e-3\"", "");
    let weight = ("input_weight = 2", "");
    let epsilon = ("epsilon0", "epsilon");
    let bits = |mechanism| ("symmetric-rappor", mechanism);
    each_is_refused(
        RAPPOR,
        &[
            (
                &[("epsilon0", "epsilon")],
                "client_noise.epsilon0",
                "missing",
            ),
            (
                &[("epsilon0", "epsilon = 1\nepsilon0")],
                "client_noise.epsilon",
                "is 1: expected no such field with mechanism symmetric-rappor",
            ),
            (
                &[bits("one-hot-rappor")],
                "client_noise.input_weight",
                "one-hot-rappor",
            ),
            (
                &[bits("one-hot-rappor"), weight, epsilon],
                "client_noise.epsilon0",
                "missing",
            ),
            (
                &[bits("basic-rappor"), weight],
                "client_noise.epsilon",
                "missing",
            ),
            (
                &[bits("basic-rappor"), weight, epsilon, rate],
                "client_noise.false_positive_rate",
                "missing",
            ),
            (
                &[bits("coin-flip")],
                "client_noise.mechanism",
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
                &[("epsilon = \"3\"", "epsilon0 = 3")],
                "client_noise.epsilon",
                "missing",
            ),
            (
                &[("epsilon", "input_weight = 1\nepsilon")],
                "client_noise.input_weight",
                "no such field",
            ),
            (
                &[("epsilon", "false_positive_rate = 0\nepsilon")],
                "client_noise.false_positive_rate",
                "no such field",
            ),
            (
                &[("randomized-response", "coin-flip")],
                "client_noise.epsilon",
                "with mechanism coin-flip",
            ),
        ],
    );
}

#[test]
fn noise_at_both_ends_is_checked_at_both_ends() {
    let noise = "[aggregator_noise]\nmechanism = \"discrete-laplace\"\nbudget = \"pure\"\n\
                 epsilon = \"1\"\n\n[trust]";
    each_is_refused(
        &edited(RAPPOR, &[("[trust]", noise)]),
        &[
            (
                &[("\"pure\"", "\"zero-concentrated\"")],
                "aggregator_noise.rho",
                "missing",
            ),
            (
                &[("epsilon = \"1\"", "epsilon = \"1e-40\"")],
                "aggregator_noise.epsilon",
                "wrap around",
            ),
            (
                &[("epsilon0 = \"3\"", "")],
                "client_noise.epsilon0",
                "missing",
            ),
        ],
    );
}

#[test]
fn a_trust_model_in_which_nothing_is_guaranteed_is_refused_with_the_reason() {
    each_is_refused(
        HISTOGRAM,
        &[(
            &[("OAOC", "OC")],
            "trust.model",
            "trust.model is OC: expected a trust model in which histogram-gaussian guarantees \
             something: clients send their measurements without randomization",
        )],
    );
}

#[test]
fn a_weight_bound_below_what_the_false_positive_rate_needs_is_refused() {
    let task = Task::from_toml(RAPPOR).expect("a task");
    let bound = task
        .parameters()
        .iter()
        .find(|(name, _)| *name == "max_weight");
    let bound: usize = bound.expect("a bound").1.parse().expect("an integer");
    let stated = |bound: usize| format!("length = 10\nmax_weight = {bound}");
    assert!(Task::from_toml(edited(RAPPOR, &[("length = 10", &stated(bound))])).is_ok());
    let low = stated(bound - 1);
    each_is_refused(
        RAPPOR,
        &[(
            &[("length = 10", low.as_str())],
            "vdaf.max_weight",
            "client_noise.false_positive_rate",
        )],
    );
}

#[test]
fn noise_and_totals_that_could_wrap_around_the_field_are_refused() {
    let large = "max_measurement = \"4611686018427387904\"";
    each_is_refused(
        &edited(
            HISTOGRAM,
            &[("Histogram", "Sum"), ("length = 12", "max_measurement = 1")],
        ),
        &[
            // The totals of a thousand such numbers.
            (
                &[("max_measurement = 1", "max_measurement = 10000000000000000")],
                "batch.max_reports",
                "totals and noise must not wrap around the field",
            ),
            // The noise alone.
            (
                &[("max_measurement = 1", large)],
                "aggregator_noise.epsilon",
                "wrap around the field",
            ),
            (
                &[
                    ("\"0.5\"", "\"1e-30\""),
                    ("gaussian", "laplace"),
                    ("approximate", "pure"),
                    ("delta", "#"),
                ],
                "aggregator_noise.epsilon",
                "wrap around the field",
            ),
        ],
    );
}

#[test]
fn the_same_field_twice_is_refused() {
    let twice = edited(HISTOGRAM, &[("length = 12", "length = 12\nlength = 12")]);
    let line = Task::from_toml(twice).expect_err("twice").to_string();
    assert!(line.contains("line 9: duplicate key"), "{line}");
    let twice = r#"{"version": 1, "version": 1}"#;
    let line = Task::from_json(twice).expect_err("twice").to_string();
    assert!(line.contains("duplicate field `version`"), "{line}");
}
