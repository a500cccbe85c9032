//! Prio3MultihotCountVec: each measurement is a vector of `length` bits of which at most
//! `max_weight` are ones; the totals count the ones at each place.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.5. The weight is encoded
//! beside the bits, and the proof shows that all are 0 or 1 and that the weights agree.

use dp_calibration::Query;
use dp_exact::ParameterError;
use num_bigint::BigUint;
use prio::field::Field128;
use prio::flp;

use super::{Chunked, MAX_INPUT_LENGTH, MeasurementType, Serial};
use crate::error::{admits, within};
use crate::vdaf::{Vdaf, VdafKind};

/// The number of this type in the VDAF specification.
const ALGORITHM: u32 = 5;

/// The parameters of Prio3MultihotCountVec, checked.
#[derive(Clone, Debug)]
pub struct MultihotCountVec {
    prio3: Chunked<flp::types::MultihotCountVec<Field128, Serial>>,
    length: usize,
    max_weight: usize,
}

impl MultihotCountVec {
    /// Vectors of `length` bits with at most `max_weight` ones, with the chunk length that makes
    /// the proof shortest.
    ///
    /// # Errors
    ///
    /// Unless there are 2 to 254 aggregators, `length` is from 1 to half of [`MAX_INPUT_LENGTH`],
    /// and `max_weight` from 1 to `length`.
    pub fn new(
        aggregators: usize,
        length: usize,
        max_weight: usize,
    ) -> Result<Self, ParameterError> {
        Self::with_chunk_length(aggregators, length, max_weight, None)
    }

    /// With a given chunk length, which all parties must share; `None` for the one that makes the proof
    /// shortest.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`], and unless the chunk length is from 1 to `length` plus the bits of
    /// `max_weight`.
    pub fn with_chunk_length(
        aggregators: usize,
        length: usize,
        max_weight: usize,
        chunk_length: impl Into<Option<usize>>,
    ) -> Result<Self, ParameterError> {
        let input_length = input_length(length, max_weight)?;
        let kind = (Self::KIND, ALGORITHM);
        let prio3 =
            Chunked::new(kind, aggregators, input_length, chunk_length.into(), |chunk_length| {
                flp::types::MultihotCountVec::new(length, max_weight, chunk_length)
            })?;
        Ok(Self { prio3, length, max_weight })
    }

    /// The number of bits of a measurement.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.length
    }

    /// The most ones of a valid measurement.
    #[must_use]
    pub const fn max_weight(&self) -> usize {
        self.max_weight
    }
}

/// The bits of a measurement and of its weight.
fn input_length(length: usize, max_weight: usize) -> Result<usize, ParameterError> {
    within("length", length, 1..=MAX_INPUT_LENGTH / 2)?;
    within("max_weight", max_weight, 1..=length)?;
    Ok(length + usize::BITS as usize - max_weight.leading_zeros() as usize)
}

impl MeasurementType for MultihotCountVec {
    type Flp = flp::types::MultihotCountVec<Field128, Serial>;
    /// The bits.
    type Measurement = [bool];

    const KIND: VdafKind = VdafKind::MultihotCountVec;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        &self.prio3.vdaf
    }

    fn query(&self) -> Query {
        Query::MultihotCountVec { length: self.length, max_weight: self.max_weight }
    }

    fn squared_norm(&self, measurement: &[bool]) -> Option<BigUint> {
        Some(measurement.iter().map(|bit| u64::from(*bit)).sum::<u64>().into())
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        self.prio3.parameters([
            ("length", self.length.to_string()),
            ("max_weight", self.max_weight.to_string()),
        ])
    }

    fn check(&self, measurement: &[bool]) -> Result<Vec<bool>, ParameterError> {
        within("measurement length", measurement.len(), self.length..=self.length)?;
        let weight = measurement.iter().filter(|bit| **bit).count();
        admits("measurement weight", &weight, 0..=self.max_weight)?;
        Ok(measurement.to_vec())
    }
}
