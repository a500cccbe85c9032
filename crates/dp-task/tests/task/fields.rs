//! A field that is missing, unknown or out of its range is refused on one line that
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
                "is missing: expected an integer from 0 to 18446744073709551615",
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
