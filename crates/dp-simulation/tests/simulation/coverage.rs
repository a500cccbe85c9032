//! How often 95 % intervals hold the truth, over many trials, beside the exact probability from the
//! distribution of the noise.
//!
//! The errors of the totals of one trial are independent. With k-ary answers they are not, and a
//! trial counts as one observation. The errors of [`LENGTH`] = 12 buckets that are corrected by the
//! number of reports have the correlation −1/11: even functions of two of them, as of normal
//! errors, have at most 1/121, so that the standard deviation below is 1.05 times as large at most.
//! Over N independent intervals that hold with probability p, their fraction has the standard
//! deviation √(p(1 − p)/N). It is more than [`LIMIT`] of them off with a probability of 2.6·10^−12
//! by the normal distribution, and of less than 10^−9 with the skewness of these p and N, also with
//! a standard deviation 1.05 times as large. The seeds are fixed.

use dp_simulation::dp_task::{POLICIES, PolicyName, Task, VdafSize};
use dp_simulation::{Coordinate, GridUnits, Measurements, Outcome, Population, ValueDistribution};

use crate::common::{ran, task};

const LIMIT: f64 = 7.0;

const TRIALS: u32 = 250;

/// Enough trials to tell intervals apart that hold with 93 % and with 95 %.
const MANY_TRIALS: u32 = 1000;

const LENGTH: usize = 12;

/// A policy, its budget or parameter, and the clients.
#[derive(Clone, Copy)]
struct Case<'a>(&'static str, &'a [(&'static str, &'static str)], u64);

/// Laplace noise from little to much, Gaussian noise, sums and means on a grid, flips, answers,
/// coins, and both ends.
const CASES: [Case<'_>; 14] = [
    Case("histogram-laplace", &[("epsilon", "2")], 500),
    Case("histogram-laplace", &[("epsilon", "0.3")], 500),
    Case("histogram-gaussian", &[("epsilon", "1")], 500),
    Case("histogram-gaussian", &[("rho", "1")], 500),
    Case("multihot-one-hot-rappor", &[("epsilon0", "3")], 1629),
    Case("multihot-rappor", &[("epsilon0", "1")], 300),
    Case("histogram-response", &[("epsilon", "3")], 1629),
    Case("multihot-one-hot-rappor-laplace", &[("epsilon0", "4"), ("epsilon", "1")], 1000),
    Case("histogram-response-gaussian", &[("local_epsilon", "3"), ("epsilon", "1")], 1000),
    Case("count-response", &[("epsilon", "1")], 500),
    Case("count-coin-flip", &[], 500),
    Case("sum-laplace", &[("epsilon", "1")], 500),
    Case("average-gaussian", &[("epsilon", "1")], 499),
    Case("compensated-rappor", &[("epsilon0", "3")], 500),
];

impl Case<'_> {
    fn task(&self) -> Task {
        let is_number = self.0.starts_with("sum") || self.0.starts_with("average");
        let size = VdafSize {
            length: LENGTH,
            max_measurement: 80,
            max_weight: Some(1),
            grid: is_number.then(|| "40..48/0.1".parse().expect("a grid")),
        };
        task(self.0, self.1, &size, self.2)
    }

    fn run(&self, task: &Task, trials: u32) -> Outcome {
        let units = GridUnits::of(task);
        assert!(units.is_none_or(|units| units.are_means == self.0.starts_with("average")));
        let rows = ValueDistribution::Zipf.measurements(task.query(), 1).expect("a size");
        let population = Population::bootstrap(rows, self.2, 1).expect("rows");
        ran(task, population, (trials.into(), 1), true, None)
    }

    /// The number of independent intervals.
    #[expect(clippy::cast_precision_loss, reason = "few trials")]
    fn intervals(&self, outcome: &Outcome) -> f64 {
        let each = match self.0.starts_with("histogram-response") {
            true => 1,
            false => outcome.trials[0].coordinates.len(),
        };
        f64::from(u32::try_from(each).expect("few")) * outcome.summary.trials as f64
    }
}

/// The fraction of all coordinates that `holds` accepts.
fn fraction(outcome: &Outcome, holds: impl Fn(&Coordinate) -> bool) -> f64 {
    let rows = outcome.trials.iter().flat_map(|trial| &trial.coordinates);
    let (held, all) = rows
        .fold((0.0, 0.0), |(held, all), row| (held + f64::from(u8::from(holds(row))), all + 1.0));
    held / all
}

/// The difference of an observed fraction and its probability, in standard deviations.
fn off(observed: f64, probability: f64, intervals: f64) -> f64 {
    (observed - probability).abs() / (probability * (1.0 - probability) / intervals).sqrt()
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    for case in CASES {
        let outcome = case.run(&case.task(), TRIALS);
        let summary = &outcome.summary;
        let probability = summary.probability_95.expect("a known distribution");
        let name = format!("{} {:?}", case.0, case.1);
        assert!((0.95..1.0).contains(&probability), "{name}: {probability}");
        let off = off(summary.estimates.coverage_95, probability, case.intervals(&outcome));
        assert!(off < LIMIT, "{name}: {} {probability} {off}", summary.estimates.coverage_95);
        // What reads the coordinates finds as many, without a tolerance.
        let held = fraction(&outcome, |row| (row.estimate - row.truth).abs() <= row.margin_95);
        assert!((held - summary.estimates.coverage_95).abs() < 1e-12, "{name}");
    }
}

/// Every policy that takes a rate, at a rate at which estimates with the flip probabilities of all
/// reports are many standard deviations off. Bits of one report depend on each other by its weight,
/// so that a trial counts as one observation.
#[test]
fn intervals_hold_the_truth_of_the_sent_reports_where_heavy_ones_are_dropped() {
    const DROPPING_TRIALS: u32 = 20;
    let takes_rate = |policy: &&PolicyName| policy.parameters().contains(&"false_positive_rate");
    let policies: Vec<_> = POLICIES.iter().filter(takes_rate).collect();
    assert_eq!(policies.len(), 10);
    for policy in policies {
        for rate in ["0.3", "0.02"] {
            // Compensation fills up small batches.
            let clients = if policy.name.starts_with("compensated") { 9_000 } else { 200_000 };
            let given = [("false_positive_rate", rate), ("epsilon0", "3"), ("epsilon", "4")];
            let case = Case(policy.name, &given, clients);
            let outcome = case.run(&case.task(), DROPPING_TRIALS);
            let summary = &outcome.summary;
            let least = 0.95 - LIMIT * (0.95 * 0.05 / f64::from(DROPPING_TRIALS)).sqrt();
            let found = summary.estimates.coverage_95;
            assert!(summary.dropped > 0 && found > least, "{} {rate}: {found}", policy.name);
        }
    }
}

/// Zeros that aggregators make up are flipped more often to ones than bits of sent reports:
/// intervals that take all for bits of one kind hold the truth of this bucket, which all clients
/// hold, 88 times of 100.
#[test]
fn intervals_hold_the_truth_where_reports_are_dropped_and_zeros_made_up() {
    const OFTEN: u32 = 1500;
    let size = VdafSize { length: 2, max_measurement: 1, max_weight: Some(1), grid: None };
    // Of 7450 reports 6667 are sent; to 10 000 both aggregators add 3333 each.
    let given = [("epsilon0", "2"), ("false_positive_rate", "0.2")];
    let task = task("compensated-rappor", &given, &size, 7_450);
    let population = Population::bootstrap(Measurements::from(vec![0_usize]), 7_450, 7);
    let population = population.expect("rows");
    let outcome = ran(&task, population, (OFTEN.into(), 7), true, None);
    let is_held = |row: &&Coordinate| (row.estimate - row.truth).abs() <= row.margin_95;
    let own = outcome.trials.iter().map(|trial| &trial.coordinates[0]).filter(is_held).count();
    let found = f64::from(u32::try_from(own).expect("few")) / f64::from(OFTEN);
    assert!(found > 0.95 - LIMIT * (0.95 * 0.05 / f64::from(OFTEN)).sqrt(), "{found}");
}

#[test]
fn intervals_by_the_normal_distribution_would_be_noticed() {
    // Corrected totals are more nearly normal.
    let case = &CASES[0];
    let outcome = case.run(&case.task().with_raw_totals(), MANY_TRIALS);
    let held = fraction(&outcome, |row| row.error().abs() <= 1.959_964 * row.standard_error);
    let probability = outcome.summary.probability_95.expect("a known distribution");
    assert!(held < 0.94, "{held}");
    assert!(off(held, probability, case.intervals(&outcome)) > LIMIT);
}
