//! What a simulation observed: estimates beside their truth, and what follows over all trials.

mod statistics;
mod summary;

use std::time::Duration;

use sha2::{Digest as _, Sha256};

pub use statistics::ErrorStatistics;
pub(crate) use statistics::{Errors, Mean, Statistics};
pub use summary::Summary;

use summary::Running;

/// The most coordinates that are kept, over all trials: those of the first trials that have no more of
/// them together, and in any case those of the first trial.
pub const MAX_COORDINATES: usize = 1 << 18;

/// One total of one trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinate {
    /// The total over all clients, or their mean where that is estimated, without any noise.
    pub truth: f64,
    /// The collector's estimate.
    pub estimate: f64,
    /// The standard error that the collector states.
    pub standard_error: f64,
    /// Half the width of the 95 % interval that the collector states: it holds the truth with at least that probability.
    pub margin_95: f64,
    /// The estimate after post-processing, if there is any; the standard error and the margin are not
    /// of this.
    pub consistent: Option<f64>,
}

impl Coordinate {
    /// How far the estimate is from the truth.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.estimate - self.truth
    }

    fn is_covered(&self) -> bool {
        self.error().abs() <= self.margin_95
    }
}

/// The stages of a trial, in the order in which a measurement travels: totals are drawn from their laws, where no client
/// reports; clients randomize, shard and encode; aggregators decode, verify and exchange, add up verified shares, draw and
/// add their noise; the collector decodes, adds up, estimates.
const STAGES: [&str; 6] =
    ["totals", "clients", "verification", "accumulation", "noise", "collection"];

pub(crate) const TOTALS: usize = 0;
pub(crate) const CLIENTS: usize = 1;
pub(crate) const VERIFICATION: usize = 2;
pub(crate) const ACCUMULATION: usize = 3;
pub(crate) const NOISE: usize = 4;
pub(crate) const COLLECTION: usize = 5;

/// Where the time of a trial went, summed over threads; none where a stage did not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes(pub(crate) [Duration; 6]);

impl StageTimes {
    /// The stages by name, in the order in which a measurement travels.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        STAGES.into_iter().zip(self.0)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (time, more) in self.0.iter_mut().zip(other.0) {
            *time = time.saturating_add(more);
        }
    }
}

/// One run of all clients through the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Every total.
    pub coordinates: Vec<Coordinate>,
    /// Reports in the aggregate.
    pub reports: u64,
    /// Reports that clients did not send, because their randomized measurement was not valid.
    pub dropped: u64,
    /// Reports that the aggregators rejected.
    pub rejected: u64,
    /// Where the time went.
    pub stages: StageTimes,
}

/// What all trials say together, and the first of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The first trials, in order: as many as [`MAX_COORDINATES`] allows.
    pub trials: Vec<Trial>,
    /// The observed figures beside the predicted ones, over all trials.
    pub summary: Summary,
}

/// A finished trial, in as few bytes as the outcome of all trials needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// Without coordinates, unless it is one of the first.
    pub(crate) trial: Trial,
    pub(crate) statistics: Statistics,
    /// SHA-256 over its number, its reports and its estimates.
    pub(crate) digest: [u8; 32],
}

impl Record {
    /// Of the trial with this number.
    pub(crate) fn of(number: u64, mut trial: Trial) -> Self {
        let statistics = Statistics::of(&trial.coordinates);
        let digest = digest(number, &trial);
        if !is_kept(number, trial.coordinates.len()) {
            trial.coordinates = Vec::new();
        }
        Self { trial, statistics, digest }
    }
}

/// Whether the coordinates of a trial are kept, if each trial has so many: those of the first trials that have at
/// most [`MAX_COORDINATES`] together, and in any case those of the first one.
pub(crate) fn is_kept(number: u64, coordinates: usize) -> bool {
    let trials = usize::try_from(number).map_or(usize::MAX, |number| number.saturating_add(1));
    number == 0 || trials.saturating_mul(coordinates) <= MAX_COORDINATES
}

fn digest(number: u64, trial: &Trial) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"dp-simulation trial 1");
    for count in [number, trial.reports, trial.dropped, trial.rejected] {
        hash.update(count.to_le_bytes());
    }
    let estimates = trial.coordinates.iter().map(|row| row.estimate);
    let consistent = trial.coordinates.iter().filter_map(|row| row.consistent);
    for estimate in estimates.chain(consistent) {
        hash.update(estimate.to_bits().to_le_bytes());
    }
    hash.finalize().into()
}

/// An outcome that trials are added to, in order.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    trials: Vec<Trial>,
    running: Running,
}

impl Gathered {
    pub(crate) fn add(&mut self, record: Record) {
        self.running.add(&record);
        if !record.trial.coordinates.is_empty() {
            self.trials.push(record.trial);
        }
    }

    pub(crate) fn outcome(self, clients: u64, elapsed: Duration) -> Outcome {
        Outcome { summary: self.running.summary(clients, elapsed), trials: self.trials }
    }
}

/// What an integer on a grid stands for: y for `low` + `granularity`·y. A total of n reports is then
/// n·`low` + `granularity`·total; where the estimates are means, `low` is added once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units {
    pub(crate) low: f64,
    pub(crate) granularity: f64,
    pub(crate) are_means: bool,
}

impl Units {
    /// The coordinate of a trial of so many clients, of whom so many reported.
    pub(crate) fn apply(&self, coordinate: &mut Coordinate, clients: u64, reports: u64) {
        let offset = |reports: u64| {
            let times = if self.are_means { 1 } else { reports };
            self.low * as_f64(times.into())
        };
        coordinate.truth = coordinate.truth.mul_add(self.granularity, offset(clients));
        let processed = coordinate.consistent.as_mut();
        for estimate in processed.into_iter().chain([&mut coordinate.estimate]) {
            *estimate = estimate.mul_add(self.granularity, offset(reports));
        }
        coordinate.standard_error *= self.granularity;
        // Above the rounding of estimates.
        let rounding = coordinate.estimate.abs() + offset(reports).abs();
        coordinate.margin_95 =
            (8.0 * f64::EPSILON).mul_add(rounding, coordinate.margin_95 * self.granularity);
    }
}

#[expect(clippy::cast_precision_loss, reason = "the nearest float is meant")]
pub(crate) fn as_f64(integer: i128) -> f64 {
    integer as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const COORDINATE: Coordinate = Coordinate {
        truth: 30.0,
        estimate: 34.0,
        standard_error: 2.0,
        margin_95: 4.5,
        consistent: Some(32.0),
    };

    #[test]
    fn a_total_has_the_low_end_once_for_each_report_and_a_mean_once() {
        for (are_means, truth, estimate) in [(false, 175.0, 177.0), (true, 55.0, 57.0)] {
            let units = Units { low: 40.0, granularity: 0.5, are_means };
            let mut row = COORDINATE;
            units.apply(&mut row, 4, 4);
            assert_eq!((row.truth, row.estimate), (truth, estimate));
            assert_eq!(row.consistent, Some(estimate - 1.0));
            assert_eq!(row.standard_error, 1.0);
            assert!(row.margin_95 > 2.25 && row.margin_95 < 2.25 + 1e-12);
        }
    }

    #[test]
    fn of_many_trials_the_first_are_kept_and_all_are_summed_up() {
        let trial = |coordinates, rejected| Trial {
            coordinates: vec![COORDINATE; coordinates],
            reports: 4,
            dropped: 1,
            rejected,
            stages: StageTimes::default(),
        };
        for (coordinates, kept) in [(MAX_COORDINATES / 2, 2), (MAX_COORDINATES + 1, 1)] {
            let mut gathered = Gathered::default();
            let records = (0..4).map(|number| Record::of(number, trial(coordinates, number)));
            records.for_each(|record| gathered.add(record));
            let outcome = gathered.outcome(4, Duration::from_secs(1));
            assert_eq!(outcome.trials.len(), kept);
            assert_eq!(outcome.trials[kept - 1].rejected, u64::try_from(kept - 1).expect("few"));
            let summary = outcome.summary;
            assert_eq!((summary.trials, summary.dropped, summary.rejected), (4, 4, 10));
            assert_eq!((summary.bias, summary.observed_std), (4.0, 4.0));
            assert_eq!((summary.predicted_std, summary.coverage_95), (2.0, 1.0));
            let processed = summary.consistent.expect("processed");
            assert_eq!((processed.observed_std, processed.bias), (2.0, 2.0));
        }
    }
}
