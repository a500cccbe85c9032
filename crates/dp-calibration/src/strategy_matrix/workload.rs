//! What is asked of a histogram, and the variances of all estimates that answer it.
//!
//! Let p_i be the weights of y = C·x + z in the estimate of the first i buckets, corrected by the
//! public number of reports: p_0 and p_n are 0. For noise of variance 1 at each entry of y the
//! range from bucket i to bucket j has the variance ‖p_j − p_i‖², and the sum over all ranges is
//!
//!   Σ_{i<j} ‖p_j − p_i‖² = (n + 1)·Σ‖p_i‖² − ‖Σp_i‖².

#![expect(clippy::cast_precision_loss, reason = "accuracy alone depends on these floats")]

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use dp_exact::ParameterError;

use super::{HistogramEstimator, StrategyMatrix};

/// The most prefixes that are compared in pairs for the largest variance of a range.
const COMPARED: usize = 256;

/// What is asked of a histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Workload {
    /// The number of reports in each bucket.
    #[default]
    Buckets,
    /// The numbers of reports in the first 1, 2, …, n − 1 buckets, for percentiles.
    Percentiles,
    /// The numbers of reports in all runs of consecutive buckets, except the run of all of them.
    Ranges,
}

/// The variances of all estimates of a workload, as multiples of the variance of the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkloadVariance {
    /// The mean over all estimates, whose root is the root mean square of their standard errors.
    pub mean: f64,
    /// The largest variance of an estimate.
    pub largest: f64,
}

impl Workload {
    /// Every workload.
    pub const ALL: [Self; 3] = [Self::Buckets, Self::Percentiles, Self::Ranges];

    /// The name in options and documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Buckets => "buckets",
            Self::Percentiles => "percentiles",
            Self::Ranges => "ranges",
        }
    }

    /// The number of estimates of a histogram of `length` buckets.
    #[must_use]
    pub const fn estimates(self, length: u64) -> u64 {
        match self {
            Self::Buckets => length,
            Self::Percentiles => length.saturating_sub(1),
            Self::Ranges => length.saturating_sub(1).saturating_mul(length.saturating_add(2)) / 2,
        }
    }

    /// The variances for independent noise of variance 1 in each of `length` ≥ 2 buckets: k buckets
    /// have k·(n − k)/n, whose mean is (n + 1)/6 over all prefixes and over all ranges.
    #[must_use]
    pub fn of_independent_noise(self, length: u64) -> WorkloadVariance {
        let (buckets, middle) = (length as f64, (length / 2) as f64);
        match self {
            Self::Buckets => {
                let each = 1.0 - buckets.recip();
                WorkloadVariance { mean: each, largest: each }
            }
            Self::Percentiles | Self::Ranges => WorkloadVariance {
                mean: (buckets + 1.0) / 6.0,
                largest: middle * (buckets - middle) / buckets,
            },
        }
    }

    /// The variances for noise of variance 1 at each entry of y = C·x + z. The time grows with the
    /// square of the number of buckets. Of more than 256 buckets the largest variance is sought
    /// among the ranges between 256 evenly spaced buckets.
    #[must_use]
    pub fn behind(self, matrix: &StrategyMatrix) -> WorkloadVariance {
        let estimator = HistogramEstimator::new(matrix.clone());
        match self {
            Self::Buckets => summary(&estimator.bucket_deviations()),
            Self::Percentiles => summary(&estimator.prefix_deviations()[..matrix.length - 1]),
            Self::Ranges => ranges(&estimator),
        }
    }
}

/// The mean and the largest of the squares of some standard deviations; 0 and 0 for none.
fn summary(deviations: &[f64]) -> WorkloadVariance {
    let squares = || deviations.iter().map(|each| each * each);
    let mean = squares().sum::<f64>() / deviations.len().max(1) as f64;
    WorkloadVariance { mean, largest: squares().fold(0.0, f64::max) }
}

/// The mean and the largest variance of all ranges of buckets but the whole. The mean follows from
/// sums over prefixes. The largest is sought among ranges between every ⌈n/256⌉-th prefix: for more
/// than 256 buckets it may be a little too small.
fn ranges(estimator: &HistogramEstimator) -> WorkloadVariance {
    let length = estimator.matrix().length;
    let square = |weights: &[f64]| weights.iter().map(|weight| weight * weight).sum::<f64>();
    let mut sum = vec![0.0; length];
    let mut squares = 0.0;
    let mut kept = vec![vec![0.0; length]];
    for (place, prefix) in estimator.prefix_functionals().take(length - 1).enumerate() {
        let weights = prefix.weights;
        squares += square(&weights);
        sum.iter_mut().zip(&weights).for_each(|(sum, weight)| *sum += weight);
        if (place + 1) % length.div_ceil(COMPARED) == 0 {
            kept.push(weights);
        }
    }
    let number = Workload::Ranges.estimates(length as u64) as f64;
    let mut largest = 0.0_f64;
    for (place, one) in kept.iter().enumerate() {
        for other in &kept[..place] {
            let apart = one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
            largest = largest.max(apart);
        }
    }
    let mean = ((length as f64 + 1.0) * squares - square(&sum)) / number;
    WorkloadVariance { mean, largest }
}

impl Display for Workload {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Workload {
    type Err = ParameterError;

    /// Reads `buckets`, `percentiles` or `ranges`, in any case.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let name = text.trim().to_ascii_lowercase();
        let found = Self::ALL.into_iter().find(|workload| workload.name() == name);
        found.ok_or_else(|| ParameterError::new("for", text, "buckets, percentiles or ranges"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy_matrix::StrategyFamily;

    /// The variances of all estimates, one by one, from the weights of the linear functions.
    #[test]
    fn variances_are_those_of_the_linear_functions() {
        for (family, length) in StrategyFamily::ALL
            .into_iter()
            .flat_map(|family| [3, 4, 10, 13, 26].map(|n| (family, n)))
        {
            let matrix = StrategyMatrix::new(family, length).unwrap();
            let estimator = HistogramEstimator::new(matrix.clone());
            for workload in Workload::ALL {
                let ranges =
                    (0..length).flat_map(|start| (start + 1..=length).map(move |end| start..end));
                let asked = ranges.filter(|range| match workload {
                    Workload::Buckets => range.len() == 1,
                    Workload::Percentiles => range.start == 0 && range.end < length,
                    Workload::Ranges => range.len() < length,
                });
                let variances = asked
                    .map(|range| estimator.range(range).error(1.0, 0.0).standard_error.powi(2));
                let variances: Vec<f64> = variances.collect();
                assert_eq!(variances.len() as u64, workload.estimates(length as u64));
                let mean = variances.iter().sum::<f64>() / variances.len() as f64;
                let largest = variances.iter().copied().fold(0.0, f64::max);
                let found = workload.behind(&matrix);
                let is_near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
                assert!(is_near(found.mean, mean), "{family} {length} {workload}: {found:?}");
                assert!(is_near(found.largest, largest), "{family} {length} {workload}: {found:?}");
            }
        }
    }

    #[test]
    fn independent_noise_has_the_closed_forms() {
        for length in [2u64, 3, 7, 12] {
            let variance = |buckets: u64| (buckets * (length - buckets)) as f64 / length as f64;
            let prefixes: Vec<f64> = (1..length).map(variance).collect();
            let ranges: Vec<f64> =
                (1..length).flat_map(|k| (k..=length).map(move |_| variance(k))).collect();
            for (workload, all) in [(Workload::Percentiles, prefixes), (Workload::Ranges, ranges)] {
                let found = workload.of_independent_noise(length);
                assert_eq!(all.len() as u64, workload.estimates(length));
                assert!((found.mean - all.iter().sum::<f64>() / all.len() as f64).abs() < 1e-12);
                let largest = all.iter().copied().fold(0.0, f64::max);
                assert!((found.largest - largest).abs() < 1e-12, "{length} {workload}");
            }
        }
    }
}
