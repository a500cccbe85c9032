//! The seven aggregates of Prio3 and their sensitivity.
//!
//! A measurement is encoded as a vector of integers, and the aggregate is the sum of these
//! vectors (RFC draft-irtf-cfrg-vdaf, section 7; draft-ietf-ppm-l1-bound-sum for the last).
//! With M the set of encoded measurements, replacement adjacency has
//!
//!   Δ₁ = max ‖x − y‖₁, Δ₂² = max ‖x − y‖₂², Δ_∞ = max ‖x − y‖_∞ over x, y in M,
//!
//! deletion adjacency has these maxima over x alone, with y = 0, and one-coordinate adjacency over
//! x and y in M that differ in one entry.

mod written;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::strategy_matrix::{StrategyFamily, StrategyMatrix};
use crate::{Adjacency, Error, Refusal, Result, Sensitivity};

/// The largest accepted length of a measurement.
const MAX_LENGTH: usize = 1_000_000;

/// An aggregate: the type of a Prio3 instance with the parameters that bound a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Query {
    /// Prio3Count: a bit.
    Count,
    /// Prio3Sum: an integer from 0 to `max_measurement`.
    Sum {
        /// The largest measurement.
        max_measurement: u128,
    },
    /// Prio3Average: an integer from 0 to `max_measurement`; the divisor is public.
    Average {
        /// The largest measurement.
        max_measurement: u128,
    },
    /// Prio3SumVec: `length` integers, each from 0 to `max_measurement`.
    SumVec {
        /// The number of entries.
        length: usize,
        /// The largest entry.
        max_measurement: u128,
    },
    /// Prio3Histogram: one of `length` buckets, a vector of zeros with a single one.
    Histogram {
        /// The number of buckets.
        length: usize,
    },
    /// Prio3Histogram whose totals are multiplied by a strategy matrix before noise is added.
    HistogramRanges {
        /// The number of buckets.
        length: usize,
        /// The family of the matrix.
        family: StrategyFamily,
    },
    /// Prio3MultihotCountVec: `length` bits, at most `max_weight` of them set.
    MultihotCountVec {
        /// The number of entries.
        length: usize,
        /// The largest number of bits that are set.
        max_weight: usize,
    },
    /// Prio3L1BoundSum: `length` integers of at least 0 whose total is at most `max_measurement`.
    L1BoundSum {
        /// The number of entries.
        length: usize,
        /// The largest total.
        max_measurement: u128,
    },
}

impl Query {
    /// The strategy matrix by which aggregators multiply the totals, if there is one: none for a
    /// length that a matrix cannot have, which [`Query::sensitivity`] refuses.
    #[must_use]
    pub fn strategy_matrix(&self) -> Option<StrategyMatrix> {
        match *self {
            Self::HistogramRanges { length, family } => StrategyMatrix::new(family, length).ok(),
            _ => None,
        }
    }

    /// The number of totals: the entries of a vector or the buckets of a histogram, otherwise 1.
    #[must_use]
    pub const fn totals(&self) -> usize {
        match *self {
            Self::Count | Self::Sum { .. } | Self::Average { .. } => 1,
            Self::SumVec { length, .. }
            | Self::Histogram { length }
            | Self::HistogramRanges { length, .. }
            | Self::MultihotCountVec { length, .. }
            | Self::L1BoundSum { length, .. } => length,
        }
    }

    /// The largest number that one measurement adds to one total, before a strategy matrix.
    #[must_use]
    pub const fn max_entry(&self) -> u128 {
        match *self {
            Self::Count
            | Self::Histogram { .. }
            | Self::HistogramRanges { .. }
            | Self::MultihotCountVec { .. } => 1,
            Self::Sum { max_measurement }
            | Self::Average { max_measurement }
            | Self::SumVec { max_measurement, .. }
            | Self::L1BoundSum { max_measurement, .. } => max_measurement,
        }
    }

    /// The largest norms of the change that one client's measurement makes.
    ///
    /// # Errors
    /// If `length` is not from 1 to 1 000 000, `max_measurement` or `max_weight` is 0, or
    /// `max_weight` exceeds `length`; or for one coordinate of a histogram, as none changes alone.
    pub fn sensitivity(&self, adjacency: Adjacency) -> Result<Sensitivity> {
        self.check()?;
        let is_replaced = adjacency == Adjacency::Replacement;
        // The number of entries that change by the same step.
        let (entries, step) = match *self {
            Self::Histogram { .. } | Self::HistogramRanges { .. }
                if adjacency == Adjacency::OneCoordinate =>
            {
                return Err(Refusal::no_single_coordinate("a histogram").into());
            }
            // Every entry can change from 0 to the maximum while all others are 0.
            _ if adjacency == Adjacency::OneCoordinate => (1, self.max_entry()),
            Self::Count => (1, 1),
            Self::Sum { max_measurement } | Self::Average { max_measurement } => {
                (1, max_measurement)
            }
            // Every entry can change by the maximum at once.
            Self::SumVec { length, max_measurement } => (length, max_measurement),
            // The only measurement of a single bucket cannot be replaced by another.
            Self::Histogram { length: 1 } if is_replaced => (0, 0),
            Self::Histogram { .. } => (if is_replaced { 2 } else { 1 }, 1),
            Self::HistogramRanges { length, family } => {
                return Ok(StrategyMatrix::new(family, length)?.sensitivity(adjacency));
            }
            // Two sets of at most w out of n bits differ in at most min(n, 2w) of them.
            Self::MultihotCountVec { length, max_weight } if is_replaced => {
                (length.min(2 * max_weight), 1)
            }
            Self::MultihotCountVec { max_weight, .. } => (max_weight, 1),
            // Farthest apart: the whole total on one entry, moved to another where there is one.
            Self::L1BoundSum { length, max_measurement } => {
                (if is_replaced && length > 1 { 2 } else { 1 }, max_measurement)
            }
        };
        let (entries, step) = (BigUint::from(entries), BigUint::from(step));
        let l1 = entries * &step;
        Ok(Sensitivity { l2_squared: &l1 * &step, l1, linf: step })
    }

    /// `Err` if a length, a largest measurement or a weight is out of its range.
    pub(crate) fn check(&self) -> Result<()> {
        let length = self.totals();
        let accepted = "an integer from 1 to 1000000";
        Error::check((1..=MAX_LENGTH).contains(&length), "length", length, accepted)?;
        Error::check(self.max_entry() != 0, "max_measurement", 0, "an integer of at least 1")?;
        match *self {
            Self::HistogramRanges { length, .. } => Ok(StrategyMatrix::check_length(length)?),
            Self::MultihotCountVec { length, max_weight }
                if !(1..=length).contains(&max_weight) =>
            {
                let accepted = "an integer from 1 to the length";
                Err(Error::parameter("max_weight", max_weight, accepted))
            }
            _ => Ok(()),
        }
    }
}
