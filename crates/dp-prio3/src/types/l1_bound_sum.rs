//! Prio3L1BoundSum: each measurement is a vector of `length` integers whose sum is at most
//! `max_measurement`; the totals are the sums entry by entry.
//!
//! Source: draft-ietf-ppm-l1-bound-sum-01. Each entry, and after them their sum, is encoded as an
//! entry of Prio3SumVec is, and the proof shows that all bits are 0 or 1 and that the sums agree.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::field::Field128;
use prio::flp::types;

use super::{MAX_INPUT_LENGTH, Prio3Type, Serial, bits_of};
use crate::error::within;
use crate::field::SignedField;

/// Prio3L1BoundSum. A measurement is a `[u128]`.
pub type L1BoundSum = Prio3Type<types::L1BoundSum<Field128, Serial>>;

impl L1BoundSum {
    /// Vectors of `length` integers whose sum is at most `max_measurement`, with the chunk length
    /// that makes the proof shortest.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators, at least one entry, `max_measurement` is at least 1,
    /// entries that are all as large add up to less than half the field's modulus (else the sum
    /// that is proved could wrap around), and the bits of all entries and of the sum together are
    /// at most [`MAX_INPUT_LENGTH`].
    pub fn new(
        aggregators: usize,
        length: usize,
        max_measurement: u128,
    ) -> Result<Self, ParameterError> {
        Self::with_chunk_length(aggregators, length, max_measurement, None)
    }

    /// The vectors with a given chunk length, which all parties must share.
    ///
    /// # Errors
    /// As for [`Self::new`], and unless the chunk length is from 1 to the bits of all entries and
    /// of their sum.
    pub fn with_chunk_length(
        aggregators: usize,
        length: usize,
        max_measurement: u128,
        chunk_length: impl Into<Option<usize>>,
    ) -> Result<Self, ParameterError> {
        let bits = bits_of::<Field128>(max_measurement)?;
        within("length", length, 1..=MAX_INPUT_LENGTH / bits - 1)?;
        let entries = u128::try_from(length).unwrap_or(u128::MAX);
        let largest = Field128::MAX_SIGNED.unsigned_abs() / entries;
        within("max_measurement", max_measurement, 1..=largest)?;
        let input_length = (length + 1) * bits;
        let query = Query::L1BoundSum { length, max_measurement };
        Self::chunked(query, 7, aggregators, input_length, chunk_length.into(), |chunk_length| {
            types::L1BoundSum::new(max_measurement, length, chunk_length)
        })
    }
}
