//! Prio3Histogram: each measurement is one bucket of `length`; the totals count them.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.4. The measurement b is
//! encoded as the one-hot vector with a 1 at b, and the proof shows that all entries are 0 or 1
//! and that they sum to 1.

use dp_calibration::Query;
use dp_exact::ParameterError;
use num_bigint::BigUint;
use prio::field::Field128;
use prio::flp;

use super::{Chunked, MAX_INPUT_LENGTH, MeasurementType, Serial};
use crate::error::{admits, within};
use crate::vdaf::{Vdaf, VdafKind};

/// The number of this type in the VDAF specification.
const ALGORITHM: u32 = 4;

/// The parameters of Prio3Histogram, checked.
#[derive(Clone, Debug)]
pub struct Histogram {
    prio3: Chunked<flp::types::Histogram<Field128, Serial>>,
    length: usize,
}

impl Histogram {
    /// A histogram of `length` buckets, with the chunk length that makes the proof shortest.
    ///
    /// # Errors
    ///
    /// Unless there are 2 to 254 aggregators and 2 to [`MAX_INPUT_LENGTH`] buckets. One bucket
    /// would count all reports, which is public.
    pub fn new(aggregators: usize, length: usize) -> Result<Self, ParameterError> {
        Self::with_chunk_length(aggregators, length, None)
    }

    /// With a given chunk length, which all parties must share; `None` for the one that makes the proof
    /// shortest.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`], and unless the chunk length is from 1 to `length`.
    pub fn with_chunk_length(
        aggregators: usize,
        length: usize,
        chunk_length: impl Into<Option<usize>>,
    ) -> Result<Self, ParameterError> {
        let input_length = within("length", length, 2..=MAX_INPUT_LENGTH)?;
        let kind = (Self::KIND, ALGORITHM);
        let prio3 =
            Chunked::new(kind, aggregators, input_length, chunk_length.into(), |chunk_length| {
                flp::types::Histogram::new(length, chunk_length)
            })?;
        Ok(Self { prio3, length })
    }

    /// The number of buckets.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.length
    }
}

impl MeasurementType for Histogram {
    type Flp = flp::types::Histogram<Field128, Serial>;
    /// The bucket, from 0.
    type Measurement = usize;

    const KIND: VdafKind = VdafKind::Histogram;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        &self.prio3.vdaf
    }

    fn query(&self) -> Query {
        Query::Histogram { length: self.length }
    }

    fn squared_norm(&self, _: &usize) -> Option<BigUint> {
        Some(BigUint::from(1_u32))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        self.prio3.parameters([("length", self.length.to_string())])
    }

    fn check(&self, measurement: &usize) -> Result<usize, ParameterError> {
        admits("measurement", measurement, 0..=self.length - 1)?;
        Ok(*measurement)
    }
}
