//! The constructors of the seven types, for 2 to 254 aggregators.
//!
//! Sources: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4, and
//! draft-ietf-ppm-l1-bound-sum-01. An integer is encoded in ⌊log₂ `max_measurement`⌋ + 1 bits.
//! The last bit has the weight that makes `max_measurement` the largest value.

use dp_calibration::Query;
use dp_calibration::strategy_matrix::{StrategyFamily, StrategyMatrix};
use dp_exact::ParameterError;
use prio::field::{Field64, Field128};
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::flp::types;

use super::{MAX_INPUT_LENGTH, Prio3Type};
use crate::error::within;
use crate::field::SignedField;

/// The gadget with which the proofs of the vector types add up the chunks of a measurement.
type Serial = ParallelSum<Field128, Mul>;

/// Prio3Count: the total counts the ones. A measurement is a `bool`: whether to count this client.
pub type Count = Prio3Type<types::Count<Field64>>;

/// Prio3Sum: the total is the sum of integers. A measurement is a `u64`.
pub type Sum = Prio3Type<types::Sum<Field64>>;

/// Prio3Average: a sum, as in Prio3Sum, that is divided by the number of reports, which is public.
/// A measurement is a `u128`.
pub type Average = Prio3Type<types::Average<Field128>>;

/// Prio3SumVec: the totals are the sums of vectors, entry by entry. A measurement is a `[u128]`.
pub type SumVec = Prio3Type<types::SumVec<Field128, Serial>>;

/// Prio3Histogram: the totals count the reports in each bucket. A measurement is a `usize`: the
/// bucket, from 0.
pub type Histogram = Prio3Type<types::Histogram<Field128, Serial>>;

/// Prio3MultihotCountVec: the totals count the ones of each coordinate. A measurement is a `[bool]`
/// of bounded weight.
pub type MultihotCountVec = Prio3Type<types::MultihotCountVec<Field128, Serial>>;

/// Prio3L1BoundSum: the totals are the sums of vectors, entry by entry. A measurement is a `[u128]`
/// of bounded sum.
pub type L1BoundSum = Prio3Type<types::L1BoundSum<Field128, Serial>>;

impl Count {
    /// A count.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators.
    pub fn new(aggregators: usize) -> Result<Self, ParameterError> {
        Self::whole(Query::Count, 1, aggregators, Ok(types::Count::new()))
    }
}

impl Sum {
    /// A sum of integers from 0 to `max_measurement`.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators and `max_measurement` is at least 1 and below half
    /// the modulus of Prio's 64-bit field.
    pub fn new(aggregators: usize, max_measurement: u64) -> Result<Self, ParameterError> {
        bits_of::<Field64>(max_measurement.into())?;
        let query = Query::Sum { max_measurement: max_measurement.into() };
        Self::whole(query, 2, aggregators, types::Sum::new(max_measurement))
    }
}

impl Average {
    /// A mean of integers from 0 to `max_measurement`.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators and `max_measurement` is at least 1 and below half
    /// the modulus of Prio's 128-bit field.
    pub fn new(aggregators: usize, max_measurement: u128) -> Result<Self, ParameterError> {
        bits_of::<Field128>(max_measurement)?;
        let query = Query::Average { max_measurement };
        Self::whole(query, 0xFFFF_0000, aggregators, types::Average::new(max_measurement))
    }
}

impl SumVec {
    /// Vectors of `length` integers from 0 to `max_measurement`, with the shortest proof.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators, at least one entry, `max_measurement` is at least 1
    /// and below half the field's modulus, and all entries have at most [`MAX_INPUT_LENGTH`] bits.
    pub fn new(
        aggregators: usize,
        length: usize,
        max_measurement: u128,
    ) -> Result<Self, ParameterError> {
        let bits = bits_of::<Field128>(max_measurement)?;
        within("length", length, 1..=MAX_INPUT_LENGTH / bits)?;
        let query = Query::SumVec { length, max_measurement };
        Self::chunked(query, 3, aggregators, length * bits, |query, chunk_length| {
            types::SumVec::new(query.max_entry(), query.totals(), chunk_length)
        })
    }
}

impl Histogram {
    /// A histogram of `length` buckets, with the shortest proof.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators and 2 to [`MAX_INPUT_LENGTH`] buckets. One bucket
    /// would count all reports, which is public.
    pub fn new(aggregators: usize, length: usize) -> Result<Self, ParameterError> {
        within("length", length, 2..=MAX_INPUT_LENGTH)?;
        Self::chunked(Query::Histogram { length }, 4, aggregators, length, |query, chunk_length| {
            types::Histogram::new(query.totals(), chunk_length)
        })
    }

    /// The histogram whose aggregate shares are multiplied by a strategy matrix before noise is
    /// added. Reports and proofs do not change.
    ///
    /// # Errors
    /// If no strategy matrix has this length ([`StrategyMatrix::new`]).
    pub fn with_strategy(mut self, family: StrategyFamily) -> Result<Self, ParameterError> {
        let length = self.length();
        StrategyMatrix::check_length(length)?;
        self.query = Query::HistogramRanges { length, family };
        Ok(self)
    }
}

impl MultihotCountVec {
    /// Vectors of `length` bits with at most `max_weight` ones, with the shortest proof.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators, `length` is from 1 to half of [`MAX_INPUT_LENGTH`],
    /// and `max_weight` from 1 to `length`.
    pub fn new(
        aggregators: usize,
        length: usize,
        max_weight: usize,
    ) -> Result<Self, ParameterError> {
        within("length", length, 1..=MAX_INPUT_LENGTH / 2)?;
        within("max_weight", max_weight, 1..=length)?;
        let input_length = length + bits_of::<Field128>(max_weight as u128)?;
        let query = Query::MultihotCountVec { length, max_weight };
        Self::chunked(query, 5, aggregators, input_length, |query, chunk_length| {
            types::MultihotCountVec::new(
                query.totals(),
                super::measurement::max_weight(query),
                chunk_length,
            )
        })
    }
}

impl L1BoundSum {
    /// Vectors of `length` integers whose sum is at most `max_measurement`, with the shortest proof.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators, at least one entry, `max_measurement` is at least 1 and
    /// `length` times as much below half the field's modulus (else the sum that is proved could wrap
    /// around), and the bits of all entries and of the sum are at most [`MAX_INPUT_LENGTH`].
    pub fn new(
        aggregators: usize,
        length: usize,
        max_measurement: u128,
    ) -> Result<Self, ParameterError> {
        let bits = bits_of::<Field128>(max_measurement)?;
        within("length", length, 1..=MAX_INPUT_LENGTH / bits - 1)?;
        let largest = Field128::MAX_SIGNED.unsigned_abs() / length as u128;
        within("max_measurement", max_measurement, 1..=largest)?;
        let query = Query::L1BoundSum { length, max_measurement };
        Self::chunked(query, 7, aggregators, (length + 1) * bits, |query, chunk_length| {
            types::L1BoundSum::new(query.max_entry(), query.totals(), chunk_length)
        })
    }
}

/// The number of bits in which an entry from 0 to `max_measurement` is encoded, 1 to 127. Refuses a
/// 0, and what the field F does not hold.
fn bits_of<F: SignedField>(max_measurement: u128) -> Result<usize, ParameterError> {
    let largest = F::MAX_SIGNED.unsigned_abs();
    within("max_measurement", max_measurement, 1..=largest)?;
    Ok(max_measurement.ilog2() as usize + 1)
}
