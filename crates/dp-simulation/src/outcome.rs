//! Outcomes: estimates beside the truth, and statistics over all trials.

mod builder;
mod distribution;
mod statistics;

use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

pub use builder::OutcomeBuilder;
use distribution::DistributionSums;
pub use distribution::{
    CountSummary, DistributionEstimate, DistributionSummary, PercentileEstimate, PercentileSummary,
};
use statistics::Statistics;
pub use statistics::{ErrorStatistics, MIN_TRIALS};

/// The most coordinates that an outcome keeps, over all trials. The first trials are kept while
/// they fit; the first one always is.
pub const MAX_COORDINATES: usize = 1 << 18;

/// One total of one trial, or one mean where means are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Coordinate {
    /// The total over the clients that sent a report, or the mean over all clients, without noise.
    #[serde(serialize_with = "integer_if_it_is_one")]
    pub truth: f64,
    /// The collector's estimate.
    #[serde(serialize_with = "integer_if_it_is_one")]
    pub estimate: f64,
    /// The standard error of `estimate` that the collector states.
    pub standard_error: f64,
    /// Half the width of the collector's interval, of at least 95 % confidence.
    pub margin_95: f64,
    /// The estimate after post-processing, if there is any. `standard_error` and `margin_95` are
    /// about `estimate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consistent: Option<f64>,
}

impl Coordinate {
    /// The estimate minus the truth.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.estimate - self.truth
    }

    /// Whether the collector's 95 % interval around `estimate` holds the truth.
    fn is_covered(&self) -> bool {
        self.error().abs() <= self.margin_95
    }
}

/// One run of all clients through the policy.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Trial {
    /// Every total or mean.
    pub coordinates: Vec<Coordinate>,
    /// Percentiles and ranges, if the run estimates some.
    pub distribution: Option<DistributionEstimate>,
    /// Reports in the aggregate.
    pub reports: u64,
    /// Reports that clients did not send, because their randomized measurement was not valid.
    pub dropped: u64,
    /// Reports that the aggregators rejected.
    pub rejected: u64,
}

/// The first trials, and the statistics over all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The first trials, in order, up to [`MAX_COORDINATES`].
    pub trials: Vec<Trial>,
    /// The observed figures beside the predicted ones, over all trials.
    pub summary: Summary,
}

/// Predicted beside observed, over all coordinates of all trials.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Clients in each trial.
    pub clients: u64,
    /// Reports missing from the aggregates, over all trials: clients did not send them, or
    /// aggregators rejected them.
    pub rejected: u64,
    /// Reports that clients did not send, over all trials.
    pub dropped: u64,
    /// Trials.
    pub trials: u64,
    /// The errors of the estimates.
    #[serde(flatten)]
    pub estimates: CountSummary,
    /// The probability that a 95 % interval contains its truth, from the exact distribution of the
    /// noise: the mean over the coordinates. `None` if reports are missing, the distribution is
    /// unknown, or more than 512 truths differ.
    pub probability_95: Option<f64>,
    /// The errors of cumulative counts, percentiles and ranges, if the run estimates some.
    #[serde(rename = "cumulative", skip_serializing_if = "Option::is_none")]
    pub distribution: Option<DistributionSummary>,
    /// SHA-256 over the estimates and the counts of reports of all trials in order, in hexadecimal
    /// digits. The seed determines it, however many threads and processes there are.
    pub results_digest: String,
    /// Wall time of all trials, in seconds; for a run in several processes, the sum of their times.
    pub seconds: f64,
}

/// A finished trial, reduced to what the outcome of all trials needs.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct TrialRecord {
    /// The trial; only one of the first trials keeps its coordinates.
    pub(crate) trial: Trial,
    pub(crate) statistics: Statistics,
    pub(crate) distribution: Option<DistributionSums>,
    /// SHA-256 over the trial's number, counts of reports and estimates.
    pub(crate) digest: [u8; 32],
}

impl TrialRecord {
    /// The record of trial `number`, from 0. Coordinates are kept of the first trial, and of a
    /// later one if as many of each trial up to it are at most [`MAX_COORDINATES`]; cumulative
    /// counts of the first trial alone.
    pub(crate) fn new(number: u64, mut trial: Trial) -> Self {
        let statistics = Statistics::of(&trial.coordinates);
        let distribution = trial.distribution.as_ref().map(DistributionSums::of);
        let digest = digest(number, &trial);
        if number > 0 {
            // Of each trial the outcome would keep as much.
            let mut kept = trial.coordinates.len();
            if let Some(distribution) = &mut trial.distribution {
                distribution.counts = Vec::new();
                kept += distribution.percentiles.len() + distribution.ranges.len();
            }
            let trials = usize::try_from(number).unwrap_or(usize::MAX).saturating_add(1);
            if trials.saturating_mul(kept) > MAX_COORDINATES {
                trial.coordinates = Vec::new();
                trial.distribution = None;
            }
        }
        Self { trial, statistics, distribution, digest }
    }
}

/// SHA-256 over the trial's number, counts of reports, and estimates, also post-processed ones.
fn digest(number: u64, trial: &Trial) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix(b"dp-simulation trial 1");
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

/// Consecutive trials of a run, as one process hands them to another that puts all together. Like
/// an [`Outcome`] they hold the true totals beside the estimates of the first trials, and of all
/// trials the sums of errors; they hold no totals of which only some reports were added up.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TrialRecords {
    /// The number of the first trial, from 0.
    pub(crate) first: u64,
    /// Wall time of these trials.
    pub(crate) elapsed: Duration,
    pub(crate) records: Vec<TrialRecord>,
}

impl TrialRecords {
    /// The numbers of the trials, from 0.
    #[must_use]
    pub fn trials(&self) -> Range<u64> {
        self.first..self.first.saturating_add(as_u64(self.records.len()))
    }
}

/// Writes integers without a fraction: totals, and their estimates with integer noise.
fn integer_if_it_is_one<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    #[expect(clippy::cast_possible_truncation, reason = "compared with the value itself")]
    let integer = *value as i64;
    if as_f64(integer.into()).total_cmp(value).is_eq() {
        serializer.serialize_i64(integer)
    } else {
        serializer.serialize_f64(*value)
    }
}

/// The nearest float.
#[expect(clippy::cast_precision_loss, reason = "the nearest float is meant")]
pub(crate) fn as_f64(integer: i128) -> f64 {
    integer as f64
}

/// The same number; the largest one where it does not fit.
pub(crate) fn as_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
