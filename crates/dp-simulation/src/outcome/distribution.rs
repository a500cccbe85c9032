//! Percentiles and ranges of a trial, and their errors over all trials.

use std::ops::RangeInclusive;

use dp_exact::directed;
use serde::{Deserialize, Serialize};

use super::as_u64;
use super::statistics::{ErrorStatistics, Statistics};
use crate::Coordinate;

/// The percentiles and ranges of one trial, in the order of the question.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct DistributionEstimate {
    /// Every percentile.
    pub percentiles: Vec<PercentileEstimate>,
    /// Every range.
    pub ranges: Vec<Coordinate>,
    /// The reports in the first 1, 2, …, n − 1 of n buckets, of the first trial.
    pub counts: Vec<Coordinate>,
}

/// A percentile of one trial: the bucket in which the share of the reports is reached.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct PercentileEstimate {
    /// The bucket without noise, counted from 0.
    pub truth: usize,
    /// The estimated bucket.
    pub estimate: usize,
    /// The buckets of the interval, which holds the truth with probability 95 % or more.
    pub interval: RangeInclusive<usize>,
}

/// Errors of percentiles and of ranges over all trials, in the order of the question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DistributionSummary {
    /// Every percentile.
    pub percentiles: Vec<PercentileSummary>,
    /// Every range.
    pub ranges: Vec<CountSummary>,
}

/// Predicted beside observed, of estimates over all trials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CountSummary {
    /// Root mean square of the standard errors that the policy predicts for the estimates.
    pub predicted_std: f64,
    /// The observed errors.
    #[serde(flatten)]
    pub errors: ErrorStatistics,
    /// The mean of the absolute errors. Documents of a single run leave it out.
    #[serde(skip)]
    pub mean_absolute_error: f64,
    /// The largest absolute error. Documents of a single run leave it out.
    #[serde(skip)]
    pub largest_error: f64,
    /// The fraction of 95 % intervals that hold the truth.
    pub coverage_95: f64,
    /// The errors after post-processing, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consistent: Option<ErrorStatistics>,
}

/// The intervals of a percentile over all trials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PercentileSummary {
    /// The fraction of 95 % intervals that hold the truth.
    pub coverage_95: f64,
    /// The mean number of buckets of an interval.
    pub mean_width: f64,
}

/// Sums over some trials.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct DistributionSums {
    /// The number of trials.
    trials: u64,
    /// Of each percentile the number of intervals that hold the truth, and the number of buckets of
    /// all intervals.
    percentiles: Vec<[u64; 2]>,
    ranges: Vec<Statistics>,
}

impl DistributionSums {
    /// The sums over one trial.
    pub(super) fn of(trial: &DistributionEstimate) -> Self {
        let percentiles = trial.percentiles.iter().map(|one| {
            let width = as_u64(one.interval.clone().count());
            [u64::from(one.interval.contains(&one.truth)), width]
        });
        let ranges = trial.ranges.iter().map(|range| Statistics::of(std::slice::from_ref(range)));
        Self { trials: 1, percentiles: percentiles.collect(), ranges: ranges.collect() }
    }

    /// Adds the sums over other trials about the same question.
    pub(super) fn add(&mut self, other: &Self) {
        self.trials = self.trials.saturating_add(other.trials);
        let sums = self.percentiles.as_flattened_mut().iter_mut();
        let more = other.percentiles.as_flattened().iter();
        sums.zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
        let ranges = self.ranges.iter_mut().zip(&other.ranges);
        ranges.for_each(|(sums, more)| sums.add(more));
    }

    /// Means and fractions over the trials that were added.
    pub(super) fn summary(&self) -> DistributionSummary {
        let trials = directed::count(self.trials);
        let percentiles = self.percentiles.iter().map(|[covered, width]| PercentileSummary {
            coverage_95: directed::count(*covered) / trials,
            mean_width: directed::count(*width) / trials,
        });
        DistributionSummary {
            percentiles: percentiles.collect(),
            ranges: self.ranges.iter().map(Statistics::summary).collect(),
        }
    }
}
