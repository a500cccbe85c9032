//! Prio3L1BoundSum: each measurement is a vector of `length` integers whose sum is at most
//! `max_measurement`; the totals are the sums entry by entry.
//!
//! Source: draft-ietf-ppm-l1-bound-sum-01. Each entry, and after them their sum, is encoded as an
//! entry of Prio3SumVec is, and the proof shows that all bits are 0 or 1 and that the sums agree.

use dp_calibration::Query;
use dp_exact::ParameterError;
use num_bigint::BigUint;
use prio::field::Field128;
use prio::flp;

use super::{Chunked, MAX_INPUT_LENGTH, MeasurementType, Serial, bits_of, sum_of_squares};
use crate::error::{admits, within};
use crate::field::SignedField;
use crate::vdaf::{Vdaf, VdafKind};

/// The number of this type in its specification, section 6.
const ALGORITHM: u32 = 7;

/// The parameters of Prio3L1BoundSum, checked.
#[derive(Clone, Debug)]
pub struct L1BoundSum {
    prio3: Chunked<flp::types::L1BoundSum<Field128, Serial>>,
    length: usize,
    max_measurement: u128,
}

impl L1BoundSum {
    /// Vectors of `length` integers whose sum is at most `max_measurement`, with the chunk length
    /// that makes the proof shortest.
    ///
    /// # Errors
    ///
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

    /// With a given chunk length, which all parties must share; `None` for the one that makes the proof
    /// shortest.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`], and unless the chunk length is from 1 to the bits of all entries and
    /// of their sum.
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
                flp::types::L1BoundSum::new(max_measurement, length, chunk_length)
            })?;
        Ok(Self { prio3, length, max_measurement })
    }
}

/// The bits of all entries and of their sum together.
fn input_length(length: usize, max_measurement: u128) -> Result<usize, ParameterError> {
    let bits = bits_of::<Field128>(max_measurement)?;
    let length = within("length", length, 1..=MAX_INPUT_LENGTH / bits - 1)?;
    let entries = u128::try_from(length).unwrap_or(u128::MAX);
    let largest = Field128::MAX_SIGNED.unsigned_abs() / entries;
    within("max_measurement", max_measurement, 1..=largest)?;
    Ok((length + 1) * bits)
}

impl MeasurementType for L1BoundSum {
    type Flp = flp::types::L1BoundSum<Field128, Serial>;
    /// The entries.
    type Measurement = [u128];

    const KIND: VdafKind = VdafKind::L1BoundSum;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        &self.prio3.vdaf
    }

    fn query(&self) -> Query {
        Query::L1BoundSum { length: self.length, max_measurement: self.max_measurement }
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
        let sum = measurement.iter().fold(0, |sum: u128, entry| sum.saturating_add(*entry));
        admits("sum of the measurement", &sum, 0..=self.max_measurement)?;
        Ok(measurement.to_vec())
    }
}
