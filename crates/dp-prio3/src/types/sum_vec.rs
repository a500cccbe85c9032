//! Prio3SumVec: each measurement is a vector of `length` integers in [0, `max_measurement`]; the
//! totals are the sums entry by entry.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.3. Each entry is encoded
//! in ⌊log₂ `max_measurement`⌋ + 1 bits. The last bit has the weight that makes
//! `max_measurement` the largest value (not the next power of two less one), and the proof shows
//! that all are 0 or 1.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::field::Field128;
use prio::flp::types;

use super::{MAX_INPUT_LENGTH, Prio3Type, Serial, bits_of};
use crate::error::within;

/// Prio3SumVec. A measurement is a `[u128]`.
pub type SumVec = Prio3Type<types::SumVec<Field128, Serial>>;

impl SumVec {
    /// Vectors of `length` integers from 0 to `max_measurement`, with the chunk length that makes
    /// the proof shortest.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators, at least one entry, `max_measurement` is at least 1
    /// and below half the field's modulus, and the bits of all entries together are at most
    /// [`MAX_INPUT_LENGTH`].
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
    /// As for [`Self::new`], and unless the chunk length is from 1 to the bits of all entries.
    pub fn with_chunk_length(
        aggregators: usize,
        length: usize,
        max_measurement: u128,
        chunk_length: impl Into<Option<usize>>,
    ) -> Result<Self, ParameterError> {
        let bits = bits_of::<Field128>(max_measurement)?;
        within("length", length, 1..=MAX_INPUT_LENGTH / bits)?;
        let input_length = length * bits;
        let query = Query::SumVec { length, max_measurement };
        Self::chunked(query, 3, aggregators, input_length, chunk_length.into(), |chunk_length| {
            types::SumVec::new(max_measurement, length, chunk_length)
        })
    }
}
