//! Strategy matrices: what aggregators multiply a histogram by before they add noise, so that
//! prefix sums and ranges have less error than sums of noisy buckets (the matrix mechanism: Li,
//! Miklau, Hay, McGregor, Rastogi 2015).
//!
//! With C a public square matrix of integers and z independent discrete noise, the release is y =
//! C·x + z. Aggregate shares are linear, so each aggregator multiplies its own share by C and adds
//! its own noise; clients, reports and proofs do not change. Replacing one person's measurement
//! changes y by C(eᵢ − eⱼ), whose norms are the [sensitivity](StrategyMatrix::sensitivity). The
//! estimate of the histogram is the generalized least squares one with the number of reports known
//! ([`HistogramEstimator`]).
//!
//! Every entry is found by integer arithmetic alone, so that all parties have the same matrix.

use std::fmt::{self, Display, Formatter};
use std::iter::Sum;
use std::ops::{Mul, Range, Sub};

use dp_exact::ParameterError;
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};

use crate::Result;

mod cumulative;
mod estimator;
mod sensitivity;
mod workload;

pub use cumulative::{CountError, CumulativeEstimate, NearlyNormal, Percentile};
pub use estimator::{Functional, HistogramEstimator};
pub use workload::{Workload, WorkloadVariance};

/// Bits behind the point that the entries of a rounded matrix keep.
const FRACTION_BITS: u32 = 16;

/// How a strategy matrix is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrategyFamily {
    /// Lower triangular, entry 2^16·binomial(2k, k)/4^k at row − column = k.
    Toeplitz,
    /// Circulant and symmetric, with eigenvalues 2^16/√sin(πk/n) for 0 < k < n and 0 for k = 0.
    Circulant,
    /// Two levels, in blocks of a number of buckets.
    FoldedTree,
}

impl StrategyFamily {
    /// Every family.
    pub const ALL: [Self; 3] = [Self::Toeplitz, Self::Circulant, Self::FoldedTree];

    /// The name in queries and documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Toeplitz => "toeplitz",
            Self::Circulant => "circulant",
            Self::FoldedTree => "folded-tree",
        }
    }
}

impl Display for StrategyFamily {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A square integer matrix C of a family, for a number of buckets.
///
/// ```
/// use dp_calibration::Adjacency;
/// use dp_calibration::strategy_matrix::{StrategyFamily, StrategyMatrix};
///
/// let matrix = StrategyMatrix::new(StrategyFamily::Toeplitz, 4)?;
/// assert_eq!(matrix.multiply(&[1i64, 0, 0, 0]), [65536, 32768, 24576, 20480]);
/// let sensitivity = matrix.sensitivity(Adjacency::Replacement);
/// assert_eq!(sensitivity.linf, 65536u32.into());
/// # Ok::<(), dp_calibration::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrategyMatrix {
    family: StrategyFamily,
    length: usize,
    /// The first column of the matrix, which has integer entries; empty for a tree.
    column: Vec<i64>,
    /// Number of buckets in every block of a tree but the last one, which may have fewer.
    block: usize,
}

impl StrategyMatrix {
    /// The most buckets.
    pub const MAX_LENGTH: usize = 1 << 14;

    /// The matrix of a family for `length` buckets. A tree has blocks of about √`length` buckets.
    ///
    /// # Errors
    /// If `length` is below 3 or above 16 384.
    pub fn new(family: StrategyFamily, length: usize) -> Result<Self> {
        Self::check_length(length)?;
        let (column, block) = match family {
            StrategyFamily::Toeplitz => (toeplitz(length), 0),
            StrategyFamily::Circulant => (circulant(length), 0),
            StrategyFamily::FoldedTree => (Vec::new(), block(length)),
        };
        Ok(Self { family, length, column, block })
    }

    /// Checks that a matrix can have this length.
    ///
    /// # Errors
    /// If `length` is below 3 or above 16 384.
    pub fn check_length(length: usize) -> Result<(), ParameterError> {
        let accepted = "from 3 to 16384 buckets, for a strategy matrix";
        match length {
            3..=Self::MAX_LENGTH => Ok(()),
            _ => Err(ParameterError::new("length", length, accepted)),
        }
    }

    /// How the matrix is made.
    pub const fn family(&self) -> StrategyFamily {
        self.family
    }

    /// The number of buckets n: rows and columns of the matrix.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// The largest absolute value of an entry: how far one report changes an entry of y at most.
    #[must_use]
    pub fn largest_entry(&self) -> u64 {
        let of_column = self.column.iter().map(|entry| entry.unsigned_abs()).max();
        // A tree has no column; its blocks of B buckets have entries of at most B − 1.
        of_column.unwrap_or(self.block.saturating_sub(1) as u64)
    }

    /// C·x for a vector x of `length` integers, `i64` or `i128`, of a type that holds every sum of
    /// their products with a row's entries: of at most 2^18 each, and together at most 2^24.
    #[must_use]
    pub fn multiply<T>(&self, x: &[T]) -> Vec<T>
    where
        T: Copy + From<i64> + Mul<Output = T> + Sub<Output = T> + Sum,
    {
        match self.family {
            StrategyFamily::Toeplitz => (0..self.length)
                .map(|row| {
                    let entries = self.column[..=row].iter().rev();
                    entries.zip(x).map(|(entry, x)| T::from(*entry) * *x).sum()
                })
                .collect(),
            StrategyFamily::Circulant => (0..self.length)
                .map(|row| {
                    let (wrapped, ahead) = x.split_at(row);
                    let ahead = ahead.iter().zip(&self.column);
                    let wrapped = wrapped.iter().zip(&self.column[self.length - row..]);
                    ahead.chain(wrapped).map(|(x, entry)| T::from(*entry) * *x).sum()
                })
                .collect(),
            StrategyFamily::FoldedTree => self
                .blocks()
                .flat_map(|block| {
                    let (unit, share) = self.weights(block.len());
                    let (buckets, centre) = (&x[block.clone()], block.len() / 2);
                    let (middle, sum) = (buckets[centre], buckets.iter().copied().sum::<T>());
                    let (unit, share) = (T::from(unit), T::from(share));
                    buckets.iter().enumerate().map(move |(place, bucket)| match place {
                        place if place == centre => unit * sum,
                        _ => unit * *bucket - share * middle,
                    })
                })
                .collect(),
        }
    }

    /// The ranges of buckets of a tree's blocks, in order; the last one may be shorter. In each
    /// block the other buckets are compared with the middle bucket, whose row is the block's sum.
    fn blocks(&self) -> impl Iterator<Item = Range<usize>> + use<'_> {
        let ends = (self.block..self.length).step_by(self.block.max(1)).chain([self.length]);
        ends.scan(0, |start, end| Some(std::mem::replace(start, end)..end))
    }

    /// Two factors of a block of a tree with this number of buckets. The first one multiplies the
    /// sum of the block, and each bucket but the middle one. The second one times the middle bucket
    /// is subtracted from each of the latter. Both kinds of columns of a whole block of B buckets
    /// have the L1 norm 2(B − 1); no column of a shorter block has a larger norm.
    fn weights(&self, buckets: usize) -> (i64, i64) {
        let unit = self.block - 1;
        // A block of one bucket has no others.
        let share = unit.checked_div(buckets - 1).unwrap_or(0);
        [unit, share].map(|factor| i64::try_from(factor).expect("blocks are short")).into()
    }
}

/// The first column of the Toeplitz matrix: 2^16·binomial(2k, k)/4^k for k = 0, …, `length` − 1, to
/// the nearest integer. In fixed point with 100 bits behind the point, each term is at most k units
/// too small.
fn toeplitz(length: usize) -> Vec<i64> {
    let (mut term, half) = (1i128 << 100, 1i128 << (99 - FRACTION_BITS));
    (1..=length as i128)
        .map(|next| {
            let entry = (term + half) >> (100 - FRACTION_BITS);
            term = term / (2 * next) * (2 * next - 1);
            i64::try_from(entry).expect("at most 2^16")
        })
        .collect()
}

/// The first column of the circulant matrix of n = `length` rows: 2^16/n·Σ cos(2πjk/n)/√sin(πk/n)
/// over 0 < k < n at j = 0, …, n − 1, to the nearest integer.
fn circulant(length: usize) -> Vec<i64> {
    let cosines: Vec<i128> = (0..length).map(|k| cosine(k as i128, length as i128)).collect();
    // 2^40/√sin(πk/n), where sin(πk/n) = √((1 − cos(2πk/n))/2).
    let eigenvalues: Vec<i64> = cosines[1..]
        .iter()
        .map(|cosine| {
            let sine_squared = BigUint::from(((1i128 << 60) - cosine).unsigned_abs());
            // (2^61/(1 − cos))^(1/4), as (2^221/…)^(1/4) in units of 2^−40.
            let root = ((BigUint::from(1u32) << 221u32) / sine_squared).nth_root(4);
            root.to_i64().expect("1 − cos is at least 2^−26")
        })
        .collect();
    let cosines: Vec<i64> =
        cosines.iter().map(|cosine| i64::try_from(cosine >> 20).expect("at most 2^40")).collect();
    let entry = |lag: usize| {
        let terms = eigenvalues.iter().zip(multiples(lag, length).skip(1));
        let terms =
            terms.map(|(eigenvalue, turn)| i128::from(*eigenvalue) * i128::from(cosines[turn]));
        // 40 + 40 bits behind the point.
        let unit = (length as i128) << (80 - FRACTION_BITS);
        i64::try_from((terms.sum::<i128>() + unit / 2).div_euclid(unit)).expect("of 18 bits")
    };
    // The column is the same read backwards from its end.
    let half: Vec<i64> = (0..=length / 2).map(entry).collect();
    (0..length).map(|lag| half[lag.min(length - lag)]).collect()
}

/// Endlessly 0, `step`, 2·`step`, … modulo `length`, for a step of at most `length`.
fn multiples(step: usize, length: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(0), move |place| {
        let next = place + step;
        Some(if next < length { next } else { next - length })
    })
}

/// 2^60·cos(2π·`numerator`/`denominator`), to within 2^8 units, for a fraction of a turn below 1.
fn cosine(numerator: i128, denominator: i128) -> i128 {
    // Eighths of a turn, and what is left of it.
    let (eighth, left) = (8 * numerator / denominator, 8 * numerator % denominator);
    // The distance to the nearest multiple of a quarter turn: at most an eighth of a turn.
    let distance = if eighth % 2 == 0 { left } else { denominator - left };
    let (cos, sin) = cosine_and_sine(distance, denominator);
    match eighth {
        0 | 7 => cos,
        1 | 6 => sin,
        2 | 5 => -sin,
        _ => -cos,
    }
}

/// 2^60·cos and 2^60·sin of `numerator`/`denominator` of an eighth turn, for a fraction of at most
/// 1, by Taylor's series, within 2^8 units.
fn cosine_and_sine(numerator: i128, denominator: i128) -> (i128, i128) {
    /// 2^60·π/4, rounded down.
    const EIGHTH: i128 = 905_502_432_259_640_355;
    let angle = EIGHTH * numerator / denominator;
    let (mut term, mut cos, mut sin) = (1i128 << 60, 0, 0);
    for degree in 0..24 {
        match degree % 4 {
            0 => cos += term,
            1 => sin += term,
            2 => cos -= term,
            _ => sin -= term,
        }
        term = ((term * angle) >> 60) / (degree + 1);
    }
    (cos, sin)
}

/// Number of buckets in a block of a tree: about the square root of `length`, odd, from 3 to 65.
fn block(length: usize) -> usize {
    length.isqrt().clamp(3, 64) | 1
}

#[cfg(test)]
mod tests;
