//! Prio3Histogram: each measurement is one bucket of `length`; the totals count them.
//!
//! Source: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4.4. The measurement b is
//! encoded as the one-hot vector with a 1 at b, and the proof shows that all entries are 0 or 1
//! and that they sum to 1.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::field::Field128;
use prio::flp;
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::vdaf::prio3::{Prio3Histogram, optimal_chunk_length};

use super::{
    MAX_INPUT_LENGTH, MeasurementType, check_aggregators, check_chunk_length, refused_by_prio,
};
use crate::error::within;
use crate::policy::Vdaf;

/// The parameters of Prio3Histogram, checked.
#[derive(Clone, Debug)]
pub struct Histogram {
    vdaf: Prio3Histogram,
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
        let shares = check_aggregators(aggregators)?;
        within("length", length, 2..=MAX_INPUT_LENGTH)?;
        check_chunk_length(chunk_length, length)?;
        let vdaf = Prio3Histogram::new_histogram(shares, length, chunk_length)
            .map_err(|error| refused_by_prio("Prio3Histogram", error))?;
        Ok(Self {
            vdaf,
            aggregators,
            length,
            chunk_length,
        })
    }
}

impl MeasurementType for Histogram {
    type Flp = flp::types::Histogram<Field128, ParallelSum<Field128, Mul>>;
    /// The bucket, from 0.
    type Measurement = usize;

    const NAME: &'static str = "Prio3Histogram";

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
        within("measurement", *measurement, 0..=self.length - 1)
    }
}
