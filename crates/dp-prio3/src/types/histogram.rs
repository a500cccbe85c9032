//! Prio3Histogram: each measurement is one bucket of `length`; the totals count them.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.4. The measurement b is
//! encoded as the one-hot vector with a 1 at b, and the proof shows that all entries are 0 or 1
//! and that they sum to 1.

use dp_calibration::Query;
use dp_calibration::strategy_matrix::{StrategyFamily, StrategyMatrix};
use dp_exact::ParameterError;
use prio::field::Field128;
use prio::flp::types;

use super::{MAX_INPUT_LENGTH, Prio3Type, Serial};
use crate::error::within;

/// Prio3Histogram. A measurement is a `usize`: the bucket, from 0.
pub type Histogram = Prio3Type<types::Histogram<Field128, Serial>>;

impl Histogram {
    /// A histogram of `length` buckets, with the chunk length that makes the proof shortest.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators and 2 to [`MAX_INPUT_LENGTH`] buckets. One bucket
    /// would count all reports, which is public.
    pub fn new(aggregators: usize, length: usize) -> Result<Self, ParameterError> {
        Self::with_chunk_length(aggregators, length, None)
    }

    /// A histogram with a given chunk length, which all parties must share.
    ///
    /// # Errors
    /// As for [`Self::new`], and unless the chunk length is from 1 to `length`.
    pub fn with_chunk_length(
        aggregators: usize,
        length: usize,
        chunk_length: impl Into<Option<usize>>,
    ) -> Result<Self, ParameterError> {
        within("length", length, 2..=MAX_INPUT_LENGTH)?;
        let query = Query::Histogram { length };
        Self::chunked(query, 4, aggregators, length, chunk_length.into(), |chunk_length| {
            types::Histogram::new(length, chunk_length)
        })
    }

    /// The histogram whose aggregate shares are multiplied by a strategy matrix before noise is added: for
    /// percentiles and ranges. Clients, reports and proofs do not change.
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
