//! A field that is missing, unknown, malformed or out of its range is refused on one line that
//! names it and what is accepted.

mod common;
mod refusal;

use common::{HISTOGRAM, RAPPOR, edited};
use dp_task::Task;
use refusal::each_is_refused;

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
                "OC, OAOC, OAMC, or for N honest",
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
                "expected OC, OAOC, OAMC, or for N honest",
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
fn the_same_field_twice_is_refused() {
    let twice = edited(HISTOGRAM, &[("length = 12", "length = 12\nlength = 12")]);
    let line = Task::from_toml(twice).expect_err("twice").to_string();
    assert!(line.contains("line 9: duplicate key"), "{line}");
    let twice = r#"{"version": 1, "version": 1}"#;
    let line = Task::from_json(twice).expect_err("twice").to_string();
    assert!(line.contains("duplicate field `version`"), "{line}");
}
