//! Prio3MultihotCountVec: each measurement is a vector of `length` bits, at most `max_weight` of
//! them ones; the totals count the ones of each coordinate.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.5. The weight is encoded
//! beside the bits, and the proof shows that all are 0 or 1 and that the weights agree.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::field::Field128;
use prio::flp::types;

use super::{MAX_INPUT_LENGTH, Prio3Type, Serial};
use crate::error::within;

/// Prio3MultihotCountVec. A measurement is a `[bool]`.
pub type MultihotCountVec = Prio3Type<types::MultihotCountVec<Field128, Serial>>;

impl MultihotCountVec {
    /// Vectors of `length` bits with at most `max_weight` ones, with the chunk length that makes
    /// the proof shortest.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators, `length` is from 1 to half of [`MAX_INPUT_LENGTH`],
    /// and `max_weight` from 1 to `length`.
    pub fn new(
        aggregators: usize,
        length: usize,
        max_weight: usize,
    ) -> Result<Self, ParameterError> {
        Self::with_chunk_length(aggregators, length, max_weight, None)
    }

    /// The vectors with a given chunk length, which all parties must share.
    ///
    /// # Errors
    /// As for [`Self::new`], and unless the chunk length is from 1 to `length` plus the bits of
    /// `max_weight`.
    pub fn with_chunk_length(
        aggregators: usize,
        length: usize,
        max_weight: usize,
        chunk_length: impl Into<Option<usize>>,
    ) -> Result<Self, ParameterError> {
        within("length", length, 1..=MAX_INPUT_LENGTH / 2)?;
        within("max_weight", max_weight, 1..=length)?;
        let bits_of_weight = usize::BITS as usize - max_weight.leading_zeros() as usize;
        let input_length = length + bits_of_weight;
        let query = Query::MultihotCountVec { length, max_weight };
        Self::chunked(query, 5, aggregators, input_length, chunk_length.into(), |chunk_length| {
            types::MultihotCountVec::new(length, max_weight, chunk_length)
        })
    }
}
