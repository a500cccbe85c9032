//! Prio3Histogram: each measurement is one bucket of `length`; the totals count them.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.4. The measurement b is
//! encoded as the one-hot vector with a 1 at b, and the proof shows that all entries are 0 or 1
//! and that they sum to 1.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::field::Field128;
use prio::flp;
use prio::vdaf::prio3::optimal_chunk_length;

use super::{MAX_INPUT_LENGTH, MeasurementType, Serial, SumGadget, check_chunk_length, prio3};
use crate::error::{admits, within};
use crate::vdaf::{Vdaf, VdafKind};

/// The number of this type in the VDAF specification.
const ALGORITHM: u32 = 4;

/// The parameters of Prio3Histogram, checked.
#[derive(Clone, Debug)]
pub struct Histogram<G: SumGadget = Serial> {
    vdaf: Vdaf<flp::types::Histogram<Field128, G>>,
    aggregators: usize,
    length: usize,
    chunk_length: usize,
}

impl Histogram {
    /// A histogram of `length` buckets, with the chunk length that makes the proof shortest.
    ///
    /// # Errors
    ///
    /// Unless there are 2 to 254 aggregators and 2 to [`MAX_INPUT_LENGTH`] buckets. One bucket
    /// would count all reports, which is public.
    pub fn new(aggregators: usize, length: usize) -> Result<Self, ParameterError> {
        let length = within("length", length, 2..=MAX_INPUT_LENGTH)?;
        Self::with_chunk_length(aggregators, length, optimal_chunk_length(length))
    }

    /// The same with a given chunk length, which all parties must share.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`], and unless the chunk length is from 1 to `length`.
    pub fn with_chunk_length(
        aggregators: usize,
        length: usize,
        chunk_length: usize,
    ) -> Result<Self, ParameterError> {
        within("length", length, 2..=MAX_INPUT_LENGTH)?;
        check_chunk_length(chunk_length, length)?;
        Self::build(aggregators, length, chunk_length)
    }

    /// The same, with proofs made and verified by all threads of rayon's pool: worth it for long
    /// vectors. The messages are the same.
    ///
    /// # Errors
    ///
    /// None in practice: the parameters are checked.
    #[cfg(feature = "multithreaded")]
    pub fn multithreaded(&self) -> Result<Histogram<super::Multithreaded>, ParameterError> {
        Histogram::build(self.aggregators, self.length, self.chunk_length)
    }
}

impl<G: SumGadget> Histogram<G> {
    /// The number of buckets.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.length
    }

    fn build(
        aggregators: usize,
        length: usize,
        chunk_length: usize,
    ) -> Result<Self, ParameterError> {
        let circuit = flp::types::Histogram::new(length, chunk_length);
        Ok(Self {
            vdaf: prio3(Self::KIND, aggregators, ALGORITHM, circuit)?,
            aggregators,
            length,
            chunk_length,
        })
    }
}

impl<G: SumGadget> MeasurementType for Histogram<G> {
    type Flp = flp::types::Histogram<Field128, G>;
    /// The bucket, from 0.
    type Measurement = usize;

    const KIND: VdafKind = VdafKind::Histogram;

    fn vdaf(&self) -> &Vdaf<Self::Flp> {
        &self.vdaf
    }

    fn query(&self) -> Query {
        Query::Histogram {
            length: self.length,
        }
    }

    fn max_entry(&self) -> u128 {
        1
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("aggregators", self.aggregators.to_string()),
            ("length", self.length.to_string()),
            ("chunk_length", self.chunk_length.to_string()),
        ]
    }

    fn check(&self, measurement: &usize) -> Result<usize, ParameterError> {
        admits("measurement", measurement, 0..=self.length - 1)?;
        Ok(*measurement)
    }
}
