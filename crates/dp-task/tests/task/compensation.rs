//! Compensation in a document: its promise is that of the batch to which the least is added, and its
//! fields are checked against the batch.

use crate::common::edited;
use crate::refusal::each_is_refused;
use dp_prio3::TrustModel;
use dp_task::Task;

const COMPENSATED: &str = r#"
version = 2
name = "heights"

[vdaf]
type = "Prio3MultihotCountVec"
aggregators = 2
length = 12

[client_noise]
type = "one-hot-rappor"
epsilon0 = "3"
false_positive_rate = "1e-12"

[aggregator_noise]
type = "compensation"
wanted_honest_clients = 5000
assumed_malicious_clients = 10

[trust]
model = "OAOC"

[batch]
min_reports = 100
max_reports = 1000
"#;

fn epsilon(task: &Task) -> f64 {
    match task.guarantee().budget().expect("proved") {
        dp_calibration::Budget::Approximate { epsilon, .. } => epsilon.value().to_f64(),
        other => panic!("{other}"),
    }
}

#[test]
fn the_promise_to_one_client_is_that_of_the_largest_batch() {
    let task = Task::from_toml(COMPENSATED).expect("a task");
    assert_eq!(task.policy_name().name, "compensated-rappor");
    assert_eq!(task.trust_model(), TrustModel::OneAggregatorOneClient);
    let smaller = edited(COMPENSATED, &[("max_reports = 1000", "max_reports = 100")]);
    let smaller = Task::from_toml(smaller).expect("a task");
    assert!(
        epsilon(&smaller) < epsilon(&task),
        "more is added to a smaller batch"
    );
}

/// As examples/tasks/compensated.toml with ε₀ = 5, 1000 wanted, 100 malicious and one client that is
/// certainly honest: batches of 1100 reports are released, to which nothing is added.
#[test]
fn the_promise_among_clients_is_that_of_every_batch_that_is_released() {
    let task = edited(
        COMPENSATED,
        &[
            ("epsilon0 = \"3\"", "epsilon0 = \"5\""),
            ("= 5000", "= 1000"),
            ("malicious_clients = 10", "malicious_clients = 100"),
            ("\"OAOC\"", "\"OAMC\"\nhonest_clients = 1\ndelta = \"1e-9\""),
            ("min_reports = 100", "min_reports = 101"),
            ("max_reports = 1000", "max_reports = 100000"),
        ],
    );
    let task = Task::from_toml(task).expect("a task");
    let promised = match task.guarantee().budget().expect("proved") {
        dp_calibration::Budget::Pure { epsilon }
        | dp_calibration::Budget::Approximate { epsilon, .. } => epsilon.value().to_f64(),
        other => panic!("{other}"),
    };
    assert!((9.9993..=10.0).contains(&promised), "{promised}");
    let conditions = task.guarantee().assumptions.join("; ");
    assert!(
        !conditions.contains("the batch has at most"),
        "{conditions}"
    );
}

#[test]
fn a_field_that_contradicts_compensation_is_named() {
    each_is_refused(
        COMPENSATED,
        &[
            (
                &[("wanted_honest_clients = 5000", "")],
                "aggregator_noise.wanted_honest_clients",
                "missing",
            ),
            (
                &[("assumed_malicious_clients = 10", "")],
                "aggregator_noise.assumed_malicious_clients",
                "missing",
            ),
            (
                &[("= 5000", "= 0")],
                "aggregator_noise.wanted_honest_clients",
                "is 0: expected",
            ),
            (
                &[("= 5000", "= 10000000001")],
                "aggregator_noise.wanted_honest_clients",
                "10000000000",
            ),
            (
                &[("clients = 10", "clients = 100")],
                "aggregator_noise.assumed_malicious_clients",
                "is 100: expected below batch.min_reports, 100",
            ),
            (
                &[("max_reports = 1000", "max_reports = 20000000000")],
                "batch.max_reports",
                "is 20000000000: expected",
            ),
            (
                &[("wanted", "epsilon = 1\nwanted")],
                "aggregator_noise.epsilon",
                "is 1: expected no such field with compensation, only wanted_honest_clients",
            ),
            (
                &[("wanted", "budget = { pure = { epsilon = 1 } }\nwanted")],
                "aggregator_noise.budget",
                "is \"a table\": expected no such field with compensation",
            ),
            (
                &[("\"compensation\"", "\"discrete-laplace\"")],
                "aggregator_noise.assumed_malicious_clients",
                "is 10: expected no such field with discrete-laplace, only budget",
            ),
            // Nobody is missing among clients that do not count on each other.
            (
                &[
                    ("MultihotCountVec", "Histogram"),
                    ("one-hot-rappor", "kary-randomized-response"),
                    ("epsilon0", "epsilon"),
                    ("false_positive_rate", "#"),
                ],
                "client_noise.type",
                "one of the policies histogram-gaussian",
            ),
        ],
    );
}
