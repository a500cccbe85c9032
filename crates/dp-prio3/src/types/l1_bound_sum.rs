//! Prio3L1BoundSum: each measurement is a vector of `length` integers whose sum is at most
//! `max_measurement`; the totals are the sums entry by entry.
//!
//! Source: draft-ietf-ppm-l1-bound-sum-01. Each entry, and after them their sum, is encoded as an
//! entry of Prio3SumVec is, and the proof shows that all bits are 0 or 1 and that the sums agree.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::field::Field128;
use prio::flp;
use prio::vdaf::prio3::optimal_chunk_length;

use super::{
    MAX_INPUT_LENGTH, MeasurementType, Serial, SumGadget, bits_of, check_chunk_length, prio3,
};
use crate::error::{admits, within};
use crate::field::SignedField;
use crate::vdaf::{Vdaf, VdafKind};

/// The number of this type in its specification, section 6.
const ALGORITHM: u32 = 7;

/// The parameters of Prio3L1BoundSum, checked.
#[derive(Clone, Debug)]
pub struct L1BoundSum<G: SumGadget = Serial> {
    vdaf: Vdaf<flp::types::L1BoundSum<Field128, G>>,
    aggregators: usize,
    length: usize,
    max_measurement: u128,
    chunk_length: usize,
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
        let input_length = input_length(length, max_measurement)?;
        let chunk_length = optimal_chunk_length(input_length);
        Self::with_chunk_length(aggregators, length, max_measurement, chunk_length)
    }

    /// The same with a given chunk length, which all parties must share.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`], and unless the chunk length is from 1 to the bits of all entries and
    /// of their sum.
    pub fn with_chunk_length(
        aggregators: usize,
        length: usize,
        max_measurement: u128,
        chunk_length: usize,
    ) -> Result<Self, ParameterError> {
        let input_length = input_length(length, max_measurement)?;
        check_chunk_length(chunk_length, input_length)?;
        Self::build(aggregators, length, max_measurement, chunk_length)
    }

    /// The same, with proofs made and verified by all threads of rayon's pool: worth it for long
    /// vectors. The messages are the same.
    ///
    /// # Errors
    ///
    /// None in practice: the parameters are checked.
    #[cfg(feature = "multithreaded")]
    pub fn multithreaded(&self) -> Result<L1BoundSum<super::Multithreaded>, ParameterError> {
        L1BoundSum::build(
            self.aggregators,
            self.length,
            self.max_measurement,
            self.chunk_length,
        )
    }
}

impl<G: SumGadget> L1BoundSum<G> {
    fn build(
        aggregators: usize,
        length: usize,
        max_measurement: u128,
        chunk_length: usize,
    ) -> Result<Self, ParameterError> {
        let circuit = flp::types::L1BoundSum::new(max_measurement, length, chunk_length);
        Ok(Self {
            vdaf: prio3(Self::KIND, aggregators, ALGORITHM, circuit)?,
            aggregators,
            length,
            max_measurement,
            chunk_length,
        })
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

impl<G: SumGadget> MeasurementType for L1BoundSum<G> {
    type Flp = flp::types::L1BoundSum<Field128, G>;
    /// The entries.
    type Measurement = [u128];

    const KIND: VdafKind = VdafKind::L1BoundSum;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        &self.vdaf
    }

    fn query(&self) -> Query {
        Query::L1BoundSum {
            length: self.length,
            max_measurement: self.max_measurement,
        }
    }

    fn max_entry(&self) -> u128 {
        self.max_measurement
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("aggregators", self.aggregators.to_string()),
            ("length", self.length.to_string()),
            ("max_measurement", self.max_measurement.to_string()),
            ("chunk_length", self.chunk_length.to_string()),
        ]
    }

    fn check(&self, measurement: &[u128]) -> Result<Vec<u128>, ParameterError> {
        within(
            "measurement length",
            measurement.len(),
            self.length..=self.length,
        )?;
        let sum = measurement
            .iter()
            .fold(0, |sum: u128, entry| sum.saturating_add(*entry));
        admits("sum of the measurement", &sum, 0..=self.max_measurement)?;
        Ok(measurement.to_vec())
    }
}
