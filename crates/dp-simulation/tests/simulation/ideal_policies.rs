//! Every policy with and without Prio3.
//!
//! Where clients do not randomize, the estimates are the same, bit for bit. Where they do, both
//! sides run many trials of their own seeds, and the numbers of reports and all totals are
//! compared: their means, variances and covariances, each as the difference of two means of
//! independent trials in units of its standard error. With the same distribution it exceeds
//! [`LIMIT`] with a probability of less than 10^−10 by Student's distribution with 47 degrees of
//! freedom. The seeds are fixed.

use dp_simulation::dp_task::{ClientNoiseType, POLICIES, PolicyName, Task, VdafSize, VdafType};
use dp_simulation::{Measurements, Outcome, Population, Simulation};

use crate::common::{self, mean};

const LIMIT: f64 = 8.5;

const LENGTH: usize = 3;

/// Whether clients have vectors with a single one.
fn is_one_hot(policy: &PolicyName) -> bool {
    policy.client_noise.is_some_and(ClientNoiseType::is_one_hot)
}

/// A small task in which drops are frequent and the noise of aggregators hides nothing. Estimates
/// are of raw totals, so that each follows from its own total.
fn task(policy: &PolicyName) -> Task {
    let mut parameters = vec![("delta", "1e-3")];
    for name in policy.parameters() {
        match name {
            "epsilon" if policy.aggregator_noise.is_some() => parameters.push((name, "8")),
            "epsilon" if is_one_hot(policy) => parameters.push((name, "2")),
            "epsilon" | "epsilon0" | "local_epsilon" => parameters.push((name, "1")),
            "false_positive_rate" => parameters.push((name, "0.4")),
            _ => {}
        }
    }
    let max_weight = Some(if is_one_hot(policy) { 1 } else { 2 });
    let size = VdafSize { length: LENGTH, max_measurement: 10, max_weight, grid: None };
    // Compensation is made up to this number of clients.
    common::task(policy.name, &parameters, &size, 20).with_raw_totals()
}

/// Half of the clients have the first bucket, none the last one. Vectors have up to two ones, if
/// they may.
fn measurements(policy: &PolicyName) -> Measurements {
    let bucket = |client: usize| client % 2;
    let bits = |client: usize| match is_one_hot(policy) {
        true => (0..LENGTH).map(|place| place == bucket(client)).collect::<Vec<bool>>(),
        false => (0..LENGTH).map(|place| client % 3 > place).collect(),
    };
    let clients = 0..12;
    match policy.vdaf {
        VdafType::Count => clients.map(|client| client % 3 == 0).collect::<Vec<_>>().into(),
        VdafType::Sum | VdafType::Average => {
            let values = clients.map(|client| u128::try_from(client % 11).expect("small"));
            values.collect::<Vec<_>>().into()
        }
        VdafType::Histogram => clients.map(bucket).collect::<Vec<_>>().into(),
        VdafType::MultihotCountVec => Measurements::vectors(clients.map(bits)).expect("rows"),
        VdafType::SumVec | VdafType::L1BoundSum => {
            let entries = |client| bits(client).into_iter().map(u128::from).collect::<Vec<_>>();
            Measurements::vectors(clients.map(entries)).expect("rows")
        }
    }
}

/// The numbers of reports and the totals of all trials. Each estimate is a linear function of its
/// own total.
fn seen(task: &Task, outcome: &Outcome) -> Vec<Vec<f64>> {
    let trials = outcome.trials.iter().map(|trial| {
        let of = |total: i128| {
            let totals = vec![total; trial.coordinates.len()];
            task.policy().estimate(&totals, trial.reports)[0].value
        };
        let (none, one) = (of(0), of(1));
        let totals = trial.coordinates.iter().map(|row| (row.estimate - none) / (one - none));
        let reports = u32::try_from(trial.reports).expect("few");
        std::iter::once(f64::from(reports)).chain(totals).collect()
    });
    trials.collect()
}

/// The largest difference of a mean, variance or covariance of both sides, in standard errors.
fn difference(one: &[Vec<f64>], other: &[Vec<f64>]) -> f64 {
    let parts = one[0].len();
    let centre: Vec<f64> =
        (0..parts).map(|part| mean(one.iter().map(|seen| seen[part])).0).collect();
    let about = |seen: &Vec<f64>, part: usize| seen[part] - centre[part];
    let apart = |statistic: &dyn Fn(&Vec<f64>) -> f64| {
        let (mean_one, error_one) = mean(one.iter().map(statistic));
        let (mean_other, error_other) = mean(other.iter().map(statistic));
        (mean_one - mean_other).abs() / (error_one.hypot(error_other) + f64::MIN_POSITIVE)
    };
    let mut largest = 0.0_f64;
    for part in 0..parts {
        largest = largest.max(apart(&|seen| about(seen, part)));
        for other in part..parts {
            largest = largest.max(apart(&|seen| about(seen, part) * about(seen, other)));
        }
    }
    largest
}

fn ran(task: &Task, is_ideal: bool, trials: u64, seed: u64) -> Outcome {
    let rows = measurements(&task.policy_name());
    let population = Population::each_once(rows).expect("rows");
    common::ran(task, population, (trials, seed), is_ideal, None)
}

#[test]
fn estimates_are_the_same_of_every_policy_whose_clients_do_not_randomize() {
    let policies = POLICIES.iter().filter(|policy| policy.client_noise.is_none());
    assert_eq!(policies.clone().count(), 19);
    for policy in policies {
        let task = task(policy);
        let (real, ideal) = (ran(&task, false, 2, 1), ran(&task, true, 2, 1));
        for (real, ideal) in real.trials.iter().zip(&ideal.trials) {
            assert_eq!(real.coordinates, ideal.coordinates, "{}", policy.name);
            assert_eq!(real.reports, ideal.reports, "{}", policy.name);
        }
    }
}

#[test]
fn totals_have_the_same_distribution_of_every_policy_whose_clients_randomize() {
    // Of real Prio3, and without it.
    let (real_trials, ideal_trials) = (48, 96);
    for policy in POLICIES.iter().filter(|policy| policy.client_noise.is_some()) {
        let task = task(policy);
        let (real, ideal) = (ran(&task, false, real_trials, 1), ran(&task, true, ideal_trials, 2));
        let apart = difference(&seen(&task, &real), &seen(&task, &ideal));
        assert!(apart < LIMIT, "{}: {apart}", policy.name);
        let is_dropping = policy.name.contains("rappor");
        assert_eq!(real.summary.dropped > real_trials / 4, is_dropping, "{}", policy.name);
        assert_eq!(ideal.summary.dropped > ideal_trials / 4, is_dropping, "{}", policy.name);
    }
}

/// A row that no client of the policy can send.
fn beyond(policy: &PolicyName) -> Measurements {
    match policy.vdaf {
        VdafType::Count => vec![2_u128].into(),
        VdafType::Sum | VdafType::Average => vec![11_u128].into(),
        VdafType::Histogram => vec![LENGTH].into(),
        VdafType::MultihotCountVec if is_one_hot(policy) => {
            Measurements::vectors([[false; LENGTH]]).expect("a row")
        }
        VdafType::MultihotCountVec => Measurements::vectors([[true; LENGTH]]).expect("a row"),
        VdafType::SumVec => Measurements::vectors([[0_u128, 11, 0]]).expect("a row"),
        VdafType::L1BoundSum => Measurements::vectors([[6_u128, 0, 5]]).expect("a row"),
    }
}

#[test]
fn no_policy_is_simulated_with_a_row_that_its_clients_cannot_send() {
    for policy in POLICIES {
        let population = Population::each_once(beyond(policy)).expect("rows");
        let simulation = Simulation::new(task(policy).policy().clone(), population, 1, 1, 1);
        let refused = simulation.expect_err(policy.name).to_string();
        assert!(refused.starts_with("row 1: ") && refused.contains("; 1 of 1 rows"), "{refused}");
    }
}

#[test]
fn a_bootstrap_of_a_thousand_million_clients_adds_up() {
    let rows: Vec<usize> = vec![0, 1, 1, 2, 4];
    let clients = 1_000_000_000;
    let population = Population::bootstrap(rows, clients, 3).expect("clients");
    let simulation = Simulation::new(common::gaussian(5, "1", "1e-6"), population, 2, 9, 1);
    let outcome =
        simulation.and_then(Simulation::ideal).expect("valid").run(&|_| ()).expect("a run");
    for trial in &outcome.trials {
        let truth: Vec<f64> = trial.coordinates.iter().map(|c| c.truth).collect();
        assert_eq!(truth.iter().sum::<f64>().to_bits(), 1e9_f64.to_bits());
        // Ten deviations of a binomial number.
        let expected = [0.2, 0.4, 0.2, 0.0, 0.2].map(|part| part * 1e9);
        for (truth, expected) in truth.iter().zip(expected) {
            assert!((truth - expected).abs() <= 155_000.0, "{truth}");
        }
        assert!(trial.coordinates.iter().all(|c| c.error().abs() < 300.0));
    }
}
