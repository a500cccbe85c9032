//! A document that contradicts itself is refused on one line that names the field.

use crate::common::{HISTOGRAM, RAPPOR, edited};
use crate::refusal::each_is_refused;
use dp_task::Task;

#[test]
fn a_field_that_contradicts_another_is_named() {
    let because = "expected no such field with Prio3Histogram, only aggregators, length";
    let budget = "{ approximate = { epsilon = \"0.5\", delta = \"1e-9\" } }";
    let pure = "{ pure = { epsilon = \"0.5\" } }";
    let concentrated = "{ zero_concentrated = { rho = \"0.5\" } }";
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
            (
                &[("Histogram", "Count")],
                "vdaf.length",
                "is 12: expected no such field with Prio3Count, only aggregators",
            ),
            // A budget is of one kind, and not every noise keeps every kind.
            (
                &[("{ approximate = {", "{ pure = {")],
                "aggregator_noise.budget.pure.delta",
                "is 1e-9: expected no such field here, only epsilon",
            ),
            (
                &[(
                    "{ approximate = {",
                    "{ zero_concentrated = { rho = 1 }, approximate = {",
                )],
                "aggregator_noise.budget",
                "a table with one of pure, approximate, zero_concentrated, renyi",
            ),
            (&[(budget, pure)], "aggregator_noise.budget", "approximate"),
            (
                &[("gaussian", "laplace"), (budget, concentrated)],
                "aggregator_noise.budget",
                "pure",
            ),
            (
                &[(budget, "{ renyi = { alpha = 2, tau = 1 } }")],
                "aggregator_noise.budget",
                "approximate",
            ),
            (
                &[("\"1e-9\"", "0")],
                "aggregator_noise.budget.approximate.delta",
                "is 0: expected",
            ),
            // The noise of clients does not go with a histogram.
            (
                &[
                    ("[aggregator_noise]", "[client_noise]"),
                    ("discrete-gaussian", "randomized-response"),
                    (
                        "budget = { approximate = { epsilon = \"0.5\", delta = \"1e-9\" } }",
                        "epsilon = 1",
                    ),
                ],
                "client_noise.type",
                "randomized-response: expected noise that makes one of the policies histogram-gaussian",
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
            (&[("OAOC", "3AOC")], "trust.model", "vdaf.aggregators"),
            (&[("OAOC", "1AOC")], "trust.model", "such as 2AOC"),
            (
                &[("OAOC\"", "OAOC\"\nhonest_aggregators = 2")],
                "trust.honest_aggregators",
                "no such field here, only model, honest_clients, delta, releases, accept_weak_promise",
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
                &[("OAOC\"", "OAOC\"\nreleases = 0")],
                "trust.releases",
                "an integer from 1 to 1048576",
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
fn noise_at_both_ends_is_checked_at_both_ends() {
    let noise = "[aggregator_noise]\ntype = \"discrete-laplace\"\n\
                 budget = { pure = { epsilon = \"1\" } }\n\n[trust]";
    each_is_refused(
        &edited(RAPPOR, &[("[trust]", noise)]),
        &[
            (
                &[("{ pure = { epsilon", "{ zero_concentrated = { rho")],
                "aggregator_noise.budget",
                "pure",
            ),
            (
                &[("epsilon = \"1\"", "epsilon = \"1e-40\"")],
                "aggregator_noise.budget",
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
    let integers = "range = { max_measurement = 1 }";
    each_is_refused(
        &edited(
            HISTOGRAM,
            &[("Histogram", "Sum"), ("length = 12", integers)],
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
                "aggregator_noise.budget",
                "wrap around the field",
            ),
            (
                &[
                    ("gaussian", "laplace"),
                    (
                        "approximate = { epsilon = \"0.5\", delta = \"1e-9\"",
                        "pure = { epsilon = \"1e-30\"",
                    ),
                ],
                "aggregator_noise.budget",
                "wrap around the field",
            ),
        ],
    );
}
