//! Prio3SumVec: each measurement is a vector of `length` integers in [0, `max_measurement`]; the
//! totals are the sums entry by entry.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.3. Each entry is encoded
//! in ⌊log₂ `max_measurement`⌋ + 1 bits, the last of which has the weight that makes
//! `max_measurement` the largest value (not the next power of two less one), and the proof shows
//! that all are 0 or 1.

use dp_calibration::Query;
use dp_exact::ParameterError;
use num_bigint::BigUint;
use prio::field::Field128;
use prio::flp;

use super::{Chunked, MAX_INPUT_LENGTH, MeasurementType, Serial, bits_of, sum_of_squares};
use crate::error::{admits, within};
use crate::vdaf::{Vdaf, VdafKind};

/// The number of this type in the VDAF specification.
const ALGORITHM: u32 = 3;

/// The parameters of Prio3SumVec, checked.
#[derive(Clone, Debug)]
pub struct SumVec {
    prio3: Chunked<flp::types::SumVec<Field128, Serial>>,
    length: usize,
    max_measurement: u128,
}

impl SumVec {
    /// Vectors of `length` integers from 0 to `max_measurement`, with the chunk length that makes
    /// the proof shortest.
    ///
    /// # Errors
    ///
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

    /// With a given chunk length, which all parties must share; `None` for the one that makes the proof
    /// shortest.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`], and unless the chunk length is from 1 to the bits of all entries.
    pub fn with_chunk_length(
        aggregators: usize,
        length: usize,
        max_measurement: u128,
        chunk_length: impl Into<Option<usize>>,
    ) -> Result<Self, ParameterError> {
        let input_length = input_length(length, max_measurement)?;
        let kind = (Self::KIND, ALGORITHM);
        let prio3 =
            Chunked::new(kind, aggregators, input_length, chunk_length.into(), |chunk_length| {
                flp::types::SumVec::new(max_measurement, length, chunk_length)
            })?;
        Ok(Self { prio3, length, max_measurement })
    }
}

/// The bits of all entries together.
fn input_length(length: usize, max_measurement: u128) -> Result<usize, ParameterError> {
    let bits = bits_of::<Field128>(max_measurement)?;
    within("length", length, 1..=MAX_INPUT_LENGTH / bits)?;
    Ok(length * bits)
}

impl MeasurementType for SumVec {
    type Flp = flp::types::SumVec<Field128, Serial>;
    /// The entries.
    type Measurement = [u128];

    const KIND: VdafKind = VdafKind::SumVec;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        &self.prio3.vdaf
    }

    fn query(&self) -> Query {
        Query::SumVec { length: self.length, max_measurement: self.max_measurement }
    }

    fn squared_norm(&self, measurement: &[u128]) -> Option<BigUint> {
        Some(sum_of_squares(measurement))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        self.prio3.parameters([
            ("length", self.length.to_string()),
            ("max_measurement", self.max_measurement.to_string()),
        ])
    }

    fn check(&self, measurement: &[u128]) -> Result<Vec<u128>, ParameterError> {
        within("measurement length", measurement.len(), self.length..=self.length)?;
        for entry in measurement {
            admits("measurement entry", entry, 0..=self.max_measurement)?;
        }
        Ok(measurement.to_vec())
    }
}
