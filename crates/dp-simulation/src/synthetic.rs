//! Synthetic measurements, drawn from a distribution.

use std::str::FromStr;

use dp_calibration::Query;
use dp_exact::{ParameterError, directed, elementary};
use rand::{Rng, RngExt};
use rand_chacha::ChaCha20Rng;

use crate::Measurements;
use crate::measurements::Counts;
use crate::outcome::as_u64;
use crate::streams::{Purpose, stream};

/// The most different values of a number; a larger range is sampled at this many even steps.
const MAX_VALUES: u64 = 1_000_000;

/// The most entries of all drawn vectors together.
const MAX_ENTRIES: usize = 1 << 22;

const MAX_VECTORS: usize = 4096;

/// The sum of the weights of all values of a normal distribution, about.
const WEIGHTS: f64 = 1e11;

/// The distribution of a client's value among 0, 1, …, n − 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDistribution {
    /// Every value with the same probability.
    Uniform,
    /// Value i with a probability in proportion to ⌊n/(i + 1)⌋: Zipf's distribution in integers.
    Zipf,
    /// About normal: the mean is the middle value, the standard deviation a sixth of the range.
    Normal,
}

impl ValueDistribution {
    /// The name, as options and reports spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Zipf => "zipf",
            Self::Normal => "normal",
        }
    }

    /// The distribution that suits the measurements of this query.
    #[must_use]
    pub const fn suited_to(query: &Query) -> Self {
        match query {
            Query::Histogram { .. }
            | Query::HistogramRanges { .. }
            | Query::MultihotCountVec { .. } => Self::Zipf,
            Query::Sum { .. } | Query::Average { .. } => Self::Normal,
            Query::Count | Query::SumVec { .. } | Query::L1BoundSum { .. } => Self::Uniform,
        }
    }

    /// Rows from which clients draw measurements of this query, in proportion to their counts: a
    /// row for each value, or at most 4096 vectors, which the seed determines. Vectors of bits of
    /// weight 1 have exactly one one.
    ///
    /// # Errors
    /// If a length is 0 or above 4194304.
    pub fn measurements(self, query: &Query, seed: u64) -> Result<Measurements, ParameterError> {
        let mut rng = stream(seed, Purpose::Synthetic, 0, 0);
        match *query {
            Query::Count => Measurements::from(vec![false, true]).counted(self.weights(2)),
            Query::Sum { max_measurement } | Query::Average { max_measurement } => {
                let rows = values(max_measurement);
                let weights = self.weights(as_u64(rows.len()));
                Measurements::from(rows).counted(weights)
            }
            Query::Histogram { length }
            | Query::HistogramRanges { length, .. }
            | Query::MultihotCountVec { length, max_weight: 1 } => {
                vectors(length)?;
                let rows: Vec<usize> = (0..length).collect();
                Measurements::from(rows).counted(self.weights(as_u64(length)))
            }
            Query::MultihotCountVec { length, max_weight } => {
                let draw = self.sampler(as_u64(length).saturating_sub(1).into())?;
                let vector = |_| {
                    let ones = rng.random_range(1..=max_weight.clamp(1, length));
                    let mut vector = vec![false; length];
                    for _ in 0..ones {
                        vector[usize::try_from(draw(&mut rng)).unwrap_or(0)] = true;
                    }
                    vector
                };
                Measurements::vectors((0..vectors(length)?).map(vector))
            }
            Query::SumVec { length, max_measurement } => {
                let draw = self.sampler(max_measurement)?;
                let vector = |_| -> Vec<u128> { (0..length).map(|_| draw(&mut rng)).collect() };
                Measurements::vectors((0..vectors(length)?).map(vector))
            }
            Query::L1BoundSum { length, max_measurement } => {
                let draw = self.sampler(max_measurement)?;
                let vector = |_| split(draw(&mut rng), length, &mut rng);
                Measurements::vectors((0..vectors(length)?).map(vector))
            }
        }
    }

    /// A function that draws one of the [`values`] from 0 to `max`, in proportion to its weight.
    fn sampler(self, max: u128) -> Result<impl Fn(&mut ChaCha20Rng) -> u128, ParameterError> {
        let values = values(max);
        let weights = Counts::new(self.weights(as_u64(values.len())))?;
        Ok(move |rng: &mut ChaCha20Rng| values[weights.row(rng.random_range(0..weights.total()))])
    }

    /// The weight, at least 1, of each of `count` values: a value is drawn in proportion to it.
    fn weights(self, count: u64) -> Vec<u64> {
        let float = directed::count;
        let size = float(count);
        let weight = |value| match self {
            Self::Uniform => 1,
            Self::Zipf => count / (value + 1),
            Self::Normal => {
                let deviations = (float(value) - (size - 1.0) / 2.0) / (size / 6.0);
                let bell = elementary::exp(-deviations * deviations / 2.0);
                1 + directed::floor_to_count(bell * WEIGHTS / size, u64::MAX)
            }
        };
        (0..count).map(weight).collect()
    }
}

impl FromStr for ValueDistribution {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let mut all = [Self::Uniform, Self::Zipf, Self::Normal].into_iter();
        let found = all.find(|one| one.name() == text.trim());
        found.ok_or_else(|| ParameterError::new("synthetic", text, "uniform, zipf or normal"))
    }
}

/// The values from which synthetic measurements of this query are drawn, such as `40 buckets`.
#[must_use]
pub fn values_in_words(query: &Query) -> String {
    match query {
        Query::Count => "no and yes".to_owned(),
        Query::Sum { max_measurement: max } | Query::Average { max_measurement: max } => {
            format!("the integers from 0 to {max}")
        }
        Query::Histogram { length } | Query::HistogramRanges { length, .. } => {
            format!("{length} buckets")
        }
        Query::MultihotCountVec { length, max_weight: 1 } => {
            format!("the place of the one of {length} bits")
        }
        Query::MultihotCountVec { length, max_weight } => {
            format!("the places of up to {max_weight} ones of {length} bits")
        }
        Query::SumVec { length, max_measurement: max } => {
            format!("the integers from 0 to {max}, for each of {}", entries_in_words(*length))
        }
        Query::L1BoundSum { length, max_measurement: max } => {
            format!("sums from 0 to {max} of {}", entries_in_words(*length))
        }
    }
}

/// The number of entries of a vector, such as `1 entry` and `2 entries`.
#[must_use]
pub fn entries_in_words(length: usize) -> String {
    if length == 1 { "1 entry".to_owned() } else { format!("{length} entries") }
}

/// All integers from 0 to `max`, or [`MAX_VALUES`] evenly spaced ones, rounded down, if they are
/// more; both ends are among them.
fn values(max: u128) -> Vec<u128> {
    let last = max.min(u128::from(MAX_VALUES) - 1);
    let steps = last.max(1);
    // Without overflow: max = (max / steps)·steps + max % steps.
    let value = |place| (max / steps) * place + (max % steps) * place / steps;
    (0..=last).map(value).collect()
}

/// A vector of `length` entries that add up to `total`: parts, each uniform from 1 to what is left,
/// go to random entries.
fn split(total: u128, length: usize, rng: &mut impl Rng) -> Vec<u128> {
    let mut vector = vec![0; length];
    let mut rest = total;
    while rest > 0 && length > 0 {
        let part = rng.random_range(1..=rest);
        vector[rng.random_range(0..length)] += part;
        rest -= part;
    }
    vector
}

/// How many vectors of this length are drawn, from 1 to 4096; `Err` if the length is out of range.
fn vectors(length: usize) -> Result<usize, ParameterError> {
    if !(1..=MAX_ENTRIES).contains(&length) {
        let accepted = format!("an integer from 1 to {MAX_ENTRIES} with synthetic data");
        return Err(ParameterError::new("length", length, accepted));
    }
    Ok((MAX_ENTRIES / length).clamp(1, MAX_VECTORS))
}
