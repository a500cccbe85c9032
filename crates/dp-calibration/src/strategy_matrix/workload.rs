//! What is asked of a histogram, and the variances of all estimates that answer it.
//!
//! Estimates are corrected by the public number of reports (generalized least squares). With a_i =
//! C⁻ᵀ of the first i buckets and u = C⁻ᵀ1, the range from bucket i to bucket j has the variance
//!
//!   ‖a_j − a_i‖² − ⟨a_j − a_i, u⟩²/‖u‖²
//!
//! for noise of variance 1 at each entry of y = C·x + z. All of this is floating point: no
//! guarantee of privacy depends on it.

#![expect(clippy::cast_precision_loss, reason = "variances are floating point")]

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use dp_exact::ParameterError;

use super::estimator::running;
use super::{HistogramEstimator, StrategyFamily, StrategyMatrix};

/// What is asked of a histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Workload {
    /// The number of reports in each bucket.
    #[default]
    Buckets,
    /// The numbers of reports in the first 1, 2, …, n − 1 buckets: prefixes, from which percentiles
    /// are read.
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
    /// square of the number of buckets: 50 ms for 4096.
    #[must_use]
    pub fn behind(self, matrix: &StrategyMatrix) -> WorkloadVariance {
        let length = matrix.length;
        let mut all = Variances::default();
        let estimator = HistogramEstimator::new(matrix.clone());
        let square = |deviation: &f64| deviation * deviation;
        match (self, matrix.family) {
            (Self::Buckets, _) => {
                estimator.bucket_deviations().iter().for_each(|one| all.add(square(one), 1));
            }
            (Self::Percentiles, _) => {
                let prefixes = estimator.prefix_deviations();
                prefixes[..length - 1].iter().for_each(|one| all.add(square(one), 1));
            }
            // Wherever a run of buckets starts, its estimate has the variance of a prefix.
            (Self::Ranges, StrategyFamily::Circulant) => {
                let prefixes = estimator.prefix_deviations();
                for (buckets, deviation) in (1..length).zip(&prefixes) {
                    all.add(square(deviation), length - buckets + 1);
                }
            }
            (Self::Ranges, StrategyFamily::Toeplitz) => {
                // a_i is g_(i−1), …, g_0, 0, … with g the prefix sums of the first column of C⁻¹.
                let sums = running(&estimator.inverse);
                let squares: Vec<f64> = sums.iter().map(|sum| sum * sum).collect();
                let with_all = |end: usize| {
                    let pairs = sums[..=end].iter().zip(&sums[length - 1 - end..]);
                    pairs.map(|(one, other)| one * other).sum()
                };
                let prefixes = Prefixes {
                    own: running(&squares),
                    with_all: (0..length).map(with_all).collect(),
                };
                let mut product = 0.0;
                prefixes.add_ranges(&mut all, |first, second| {
                    let term = sums[first] * sums[second];
                    product = if first == 0 { term } else { product + term };
                    product
                });
            }
            (Self::Ranges, StrategyFamily::FoldedTree) => {
                let ends = tree_prefixes(matrix);
                let with_all = |end: &TreePrefix| end.product(&ends[length - 1]);
                let prefixes = Prefixes {
                    own: ends.iter().map(|end| end.product(end)).collect(),
                    with_all: ends.iter().map(with_all).collect(),
                };
                prefixes.add_ranges(&mut all, |first, second| ends[first].product(&ends[second]));
            }
        }
        all.summary()
    }
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

/// The sum, the number and the largest of some variances.
#[derive(Default)]
struct Variances {
    sum: f64,
    number: usize,
    largest: f64,
}

impl Variances {
    fn add(&mut self, variance: f64, times: usize) {
        self.sum += variance * times as f64;
        self.number += times;
        self.largest = self.largest.max(variance);
    }

    fn summary(&self) -> WorkloadVariance {
        WorkloadVariance { mean: self.sum / self.number.max(1) as f64, largest: self.largest }
    }
}

/// ‖a_i‖² and ⟨a_i, u⟩ for i = 1, …, n. a_i is C⁻ᵀ times the indicator of the first i buckets, C
/// the strategy matrix, and u = a_n.
struct Prefixes {
    own: Vec<f64>,
    with_all: Vec<f64>,
}

impl Prefixes {
    /// Adds the variances of all ranges. `product` gives ⟨a_(i+1), a_(j+1)⟩, and is called for each
    /// distance j − i > 0 with i = 0, 1, … in turn.
    fn add_ranges(&self, all: &mut Variances, mut product: impl FnMut(usize, usize) -> f64) {
        let Self { own, with_all } = self;
        let (length, total) = (own.len(), own[own.len() - 1]);
        for end in 0..length - 1 {
            all.add(own[end] - with_all[end] * with_all[end] / total, 1);
        }
        for distance in 1..length {
            for (first, second) in (0..length - distance).zip(distance..) {
                let change = with_all[second] - with_all[first];
                let raw = own[first] + own[second] - 2.0 * product(first, second);
                all.add(raw - change * change / total, 1);
            }
        }
    }
}

/// C⁻ᵀ of a prefix for a tree whose blocks have the weight w: 1/w at the middle bucket of every
/// block before the last one; in that block 1/w − μ at the buckets of the prefix, −μ at the others,
/// and μ at the middle one.
struct TreePrefix {
    /// The number of blocks before the one in which the prefix ends.
    block: usize,
    /// The number of buckets of the block in which the prefix ends.
    buckets: f64,
    /// The number of buckets of the prefix in the block where it ends, without the middle one.
    inside: f64,
    /// μ, the entry at the middle bucket of the block in which the prefix ends.
    middle: f64,
    /// 1/w for the weight w of the blocks.
    share: f64,
}

impl TreePrefix {
    /// ⟨a_i, a_j⟩, where a is C⁻ᵀ of a prefix: this prefix i, and `longer`, a prefix j that is no
    /// shorter.
    fn product(&self, longer: &Self) -> f64 {
        let Self { block, buckets, inside, middle, share } = *self;
        let before = block as f64 * share * share;
        if block < longer.block {
            return before + middle * share;
        }
        let mixed = inside * longer.middle + longer.inside * middle;
        before + inside * share * share - mixed * share + buckets * middle * longer.middle
    }
}

fn tree_prefixes(matrix: &StrategyMatrix) -> Vec<TreePrefix> {
    let blocks = matrix.blocks().enumerate();
    let prefixes = blocks.flat_map(|(number, block)| {
        let (unit, share) = matrix.weights(block.len());
        let (unit, share, others) = (unit as f64, share as f64, (block.len() - 1) as f64);
        (1..=block.len()).map(move |end| {
            let has_middle = end > block.middle();
            let inside = (end - usize::from(has_middle)) as f64;
            let of_middle = f64::from(u8::from(has_middle)) + share / unit * inside;
            TreePrefix {
                block: number,
                buckets: block.len() as f64,
                inside,
                middle: of_middle / (unit + share * others),
                share: unit.recip(),
            }
        })
    });
    prefixes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
                let variances =
                    asked.map(|range| estimator.range(range).standard_error(1.0).powi(2));
                let variances: Vec<f64> = variances.collect();
                assert_eq!(variances.len() as u64, workload.estimates(length as u64));
                let mean = variances.iter().sum::<f64>() / variances.len() as f64;
                let largest = variances.iter().copied().fold(0.0, f64::max);
                let found = workload.behind(&matrix);
                let is_near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
                assert!(
                    is_near(found.mean, mean),
                    "{family} {length} {workload}: {found:?} {mean}"
                );
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
