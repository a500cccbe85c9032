//! Percentiles and ranges: errors as predicted, intervals that hold the truth as often as stated.
//!
//! The mean squared error of a trial, over all buckets or ranges, is one observation, and
//! trials are independent. Their mean is more than [`LIMIT`] of its standard errors, which are
//! estimated from the trials, off with a probability of 2.6·10^−12 by the normal distribution, and
//! of less than 10^−9 with the skewness of squares. Behind a matrix there are enough trials that
//! errors which agree with their predictions do so within a stated tolerance. The seeds are fixed.
//!
//! Of 1000 intervals that hold with probability 95 % or more, fewer than 900 do with a probability
//! below 10^−10 (the binomial tail).

#![expect(clippy::cast_precision_loss, reason = "small numbers")]

use dp_planner::{Budget, Job, Query, Target, Workload, plan};
use dp_simulation::dp_task::VdafSize;
use dp_simulation::{
    Coordinate, DistributionEstimate, Measurements, Outcome, PercentilesAndRanges, Population,
    Simulation, Trial,
};

use crate::common::{gaussian, mean, ran, task};

const LIMIT: f64 = 7.0;

const MATRICES: [&str; 3] =
    ["histogram-percentiles-gaussian", "histogram-ranges-gaussian", "histogram-ranges-laplace"];

/// People in each bucket: the counts rise, fall and have gaps, and are more than noise is wide.
fn counts(length: usize) -> Vec<u64> {
    (0..length).map(|bucket| (bucket * 37 % 11 + bucket / 4) as u64 % 50).collect()
}

/// Five percentiles, and ranges of all widths at all places.
fn question(length: usize) -> PercentilesAndRanges {
    let wide = |number: usize| {
        let width = 1 + number * 29 % (length - 1);
        let start = number * 53 % (length - width + 1);
        start..start + width
    };
    let percentiles = PercentilesAndRanges::of("5,25,50,75,95").expect("percentiles");
    PercentilesAndRanges { ranges: (0..40).map(wide).collect(), ..percentiles }
}

/// A run without Prio3 of a policy over a histogram of people.
fn run(
    policy: &str,
    epsilon: &str,
    counts: &[u64],
    question: PercentilesAndRanges,
    trials: u64,
) -> Outcome {
    let size = VdafSize { length: counts.len(), max_measurement: 1, max_weight: None, grid: None };
    let mut parameters = vec![("epsilon", epsilon)];
    if policy.ends_with("gaussian") {
        parameters.push(("delta", "1e-8"));
    }
    let buckets = Measurements::from((0..counts.len()).collect::<Vec<usize>>());
    let people = buckets.counted(counts.to_vec()).expect("counts");
    let task = task(policy, &parameters, &size, people.clients());
    let population = Population::each_once(people).expect("rows");
    ran(&task, population, (trials, 5), true, Some(question))
}

fn distribution(trial: &Trial) -> &DistributionEstimate {
    trial.distribution.as_ref().expect("percentiles and ranges")
}

/// The mean over trials of a trial's mean squared error divided by its prediction, minus 1, and its
/// standard error.
fn off(trials: &[Trial], rows: impl Fn(&Trial) -> &[Coordinate] + Clone) -> (f64, f64) {
    let ratios = trials.iter().map(|trial| {
        let rows = rows(trial);
        let squares: f64 = rows.iter().map(|row| row.error().powi(2)).sum();
        let predicted: f64 = rows.iter().map(|row| row.standard_error.powi(2)).sum();
        squares / predicted
    });
    let (mean, error) = mean(ratios);
    // The square root halves a relative error.
    (mean.sqrt() - 1.0, error / 2.0)
}

/// Errors of buckets and ranges are as predicted, within the tolerance behind a matrix.
#[test]
fn errors_are_as_predicted_and_intervals_hold_at_64_buckets() {
    let (length, trials) = (64, 1000);
    for policy in MATRICES.into_iter().chain(["histogram-laplace", "histogram-gaussian"]) {
        let outcome = run(policy, "1", &counts(length), question(length), trials);
        let Outcome { trials: kept, summary } = outcome;
        assert_eq!(kept.len() as u64, trials);
        let is_matrix = MATRICES.contains(&policy);
        let within = |what: &str, (off, error): (f64, f64)| {
            assert!(off.abs() < LIMIT * error, "{policy} {length} {what}: {off} ± {error}");
            assert!(!is_matrix || LIMIT * error < 0.1, "{policy} {length} {what}: ± {error}");
        };
        within("buckets", off(&kept, |trial| &trial.coordinates));
        within("ranges", off(&kept, |trial| &distribution(trial).ranges));
        for bucket in 0..length {
            let rows = || kept.iter().map(|trial| &trial.coordinates[bucket]);
            let held = rows().filter(|row| row.error().abs() <= row.margin_95).count();
            assert!(held >= 900, "{policy} bucket {bucket}: {held} of {trials}");
            // A margin is 1.96 standard errors of normal errors, and 4.47 of unknown errors.
            assert!(rows().all(|row| row.margin_95 < 2.5 * row.standard_error), "{policy}");
        }
        let found = summary.distribution.expect("a summary");
        for range in &found.ranges {
            let error = range.errors.observed_std_error.expect("many") / range.predicted_std;
            let off = range.errors.observed_std / range.predicted_std - 1.0;
            assert!(off.abs() < LIMIT * error, "{policy} {length}: {range:?}");
            assert!(range.errors.bias.abs() < LIMIT * range.errors.bias_error.expect("many"));
        }
        for percentile in &found.percentiles {
            assert!(percentile.coverage_95 >= 0.9, "{policy} {length}: {percentile:?}");
            assert!(percentile.mean_width >= 1.0 && percentile.mean_width < length as f64);
        }
    }
}

/// So little noise that the errors of sums are multiples of 1/2 and 1/12, and mostly 0.
#[test]
fn intervals_of_corrected_sums_hold_on_their_lattice() {
    for length in [2, 12] {
        let ranges: Vec<_> = (1..length).map(|end| 0..end).collect();
        let question = PercentilesAndRanges { ranges, ..PercentilesAndRanges::default() };
        let outcome = run("histogram-laplace", "8", &counts(length), question, 1000);
        for range in 0..length - 1 {
            let is_held = |row: &Coordinate| row.error().abs() <= row.margin_95;
            let rows = outcome.trials.iter().map(|trial| &distribution(trial).ranges[range]);
            let held = rows.filter(|row| is_held(row)).count();
            assert!(held >= 900, "{length} {range}: {held} of 1000");
        }
    }
}

#[test]
fn predictions_that_are_off_by_a_seventh_would_be_noticed() {
    let mut trials = run(MATRICES[0], "1", &counts(64), question(64), 1000).trials;
    for trial in &mut trials {
        let rows = &mut trial.distribution.as_mut().expect("ranges").ranges;
        rows.iter_mut().for_each(|row| row.standard_error *= 1.15);
    }
    let (off, error) = off(&trials, |trial| &distribution(trial).ranges);
    assert!(off < -LIMIT * error, "{off} ± {error}");
}

/// The answers of one trial follow from each other. Cumulative counts are kept of the first alone.
#[test]
fn answers_agree_with_the_distribution_function() {
    let question = PercentilesAndRanges {
        ranges: vec![0..4, 2..12],
        ..PercentilesAndRanges::of("50,90").expect("percentiles")
    };
    let counts = counts(12);
    let outcome = run(MATRICES[2], "1", &counts, question, 3);
    let kept = |trial: &Trial| distribution(trial).counts.len();
    assert_eq!(outcome.trials.iter().map(kept).collect::<Vec<_>>(), [11, 0, 0]);
    let found = distribution(&outcome.trials[0]);
    let all: u64 = counts.iter().sum();
    let mut sum = 0;
    for (row, count) in found.counts.iter().zip(&counts) {
        sum += count;
        assert_eq!(row.truth, sum as f64);
    }
    let count = |buckets: usize| found.counts[buckets - 1];
    let [first, second] = &found.ranges[..] else { panic!("two ranges") };
    assert_eq!((first.truth, first.estimate), (count(4).truth, count(4).estimate));
    assert_eq!(second.truth, all as f64 - count(2).truth);
    assert_eq!(second.estimate, all as f64 - count(2).estimate);
    assert!((first.standard_error / count(4).standard_error - 1.0).abs() < 1e-12);
    assert!((second.standard_error / count(2).standard_error - 1.0).abs() < 1e-12);
    assert!((first.margin_95 / count(4).margin_95 - 1.0).abs() < 0.01);
    // The projection never falls, and stays within 0 and the number of reports.
    let monotone: Vec<f64> = found.counts.iter().filter_map(|row| row.consistent).collect();
    assert_eq!(monotone.len(), 11);
    assert!(monotone.windows(2).all(|pair| pair[0] <= pair[1]));
    assert!(monotone[0] >= 0.0 && monotone[10] <= all as f64);
    assert_eq!(first.consistent, Some(monotone[3]));
    let median = &found.percentiles[0];
    let expected = (0..12).find(|last| 2 * counts[..=*last].iter().sum::<u64>() >= all);
    assert_eq!(Some(median.truth), expected);
}

/// Whatever a plan offers for percentiles or ranges, a run of its task answers.
#[test]
fn planned_policies_answer_what_they_are_planned_for() {
    let budget = Budget::Approximate {
        epsilon: "1".parse().expect("an epsilon"),
        delta: "1e-6".parse().expect("a delta"),
    };
    for workload in [Workload::Percentiles, Workload::Ranges] {
        let job = Job { workload, ..Job::new(Query::Histogram { length: 12 }, 500) };
        let target = Target::budget(budget.clone());
        let plan = plan(&job, &target).expect("a plan");
        assert!(plan.choices.len() > 4, "{:?}", plan.excluded);
        for choice in plan.choices {
            let rows: Vec<usize> = (0..500).map(|client| client % 12).collect();
            let population = Population::each_once(rows).expect("rows");
            let question = PercentilesAndRanges {
                ranges: vec![2..5, 0..7],
                ..PercentilesAndRanges::of("50").expect("percentiles")
            };
            let task = choice.task(&target).expect("a task");
            let outcome = ran(&task, population, (1, 1), true, Some(question));
            assert_eq!(distribution(&outcome.trials[0]).ranges[0].truth, 126.0);
        }
    }
}

#[test]
fn ranges_that_a_histogram_does_not_have_are_refused() {
    for (range, shown) in [(2..5, "2..5"), (2..2, "2..2")] {
        let people = Population::each_once(vec![0_usize; 10]).expect("rows");
        let simulation = Simulation::new(gaussian(4, "1", "1e-6"), people, 1, 1, 1).expect("valid");
        let question = PercentilesAndRanges { ranges: vec![range], ..Default::default() };
        let refused =
            simulation.percentiles_and_ranges(question).expect_err("no such buckets").to_string();
        assert_eq!(refused, format!("between is {shown}: expected a part of the buckets 0..4"));
    }
}
