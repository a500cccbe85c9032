//! The Prio3 types, each with what a policy has to know of it.
//!
//! One file for each type: its checked construction, its query (from which the sensitivity
//! follows), its check of a measurement. A further type is one further file and one line here.

use std::fmt;

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::flp;

use crate::error::within;
use crate::field::SignedField;
use crate::policy::Vdaf;

mod histogram;
mod multihot_count_vec;
mod sum_vec;

pub use histogram::Histogram;
pub use multihot_count_vec::MultihotCountVec;
pub use sum_vec::SumVec;

/// The longest encoded measurement that is accepted, in field elements: 2^24. A share of that
/// length takes 256 MiB.
pub const MAX_INPUT_LENGTH: usize = 1 << 24;

/// The most aggregators that Prio3 takes; the fewest are 2.
pub const MAX_AGGREGATORS: usize = 254;

/// A Prio3 instance with checked parameters.
pub trait MeasurementType: Clone + fmt::Debug + Send + Sync {
    /// The validity circuit.
    type Flp: flp::Type<Field: SignedField> + Send + Sync;
    /// What a client measures.
    type Measurement: ?Sized;

    /// The VDAF's name in the VDAF specification.
    const NAME: &'static str;

    /// The VDAF.
    fn vdaf(&self) -> &Vdaf<Self::Flp>;

    /// What the VDAF computes, as the calibration speaks of it.
    fn query(&self) -> Query;

    /// The most that one valid measurement adds to one total.
    fn max_entry(&self) -> u128;

    /// The parameters by name, exactly.
    fn parameters(&self) -> Vec<(&'static str, String)>;

    /// The measurement as prio shards it.
    ///
    /// # Errors
    ///
    /// If it is not a valid one: prio would panic on some of those.
    fn check(
        &self,
        measurement: &Self::Measurement,
    ) -> Result<<Self::Flp as flp::Type>::Measurement, ParameterError>;
}

fn check_aggregators(aggregators: usize) -> Result<u8, ParameterError> {
    let checked = within("aggregators", aggregators, 2..=MAX_AGGREGATORS)?;
    u8::try_from(checked)
        .map_err(|_| ParameterError::new("aggregators", aggregators, "an integer from 2 to 254"))
}

/// Prio accepts chunks far longer than the measurement, and allocates them.
fn check_chunk_length(chunk_length: usize, input_length: usize) -> Result<usize, ParameterError> {
    within("chunk_length", chunk_length, 1..=input_length)
}

/// What remains for prio to refuse after our own checks is nothing we know of.
fn refused_by_prio(name: &'static str, error: impl fmt::Display) -> ParameterError {
    ParameterError::new(name, "refused by prio", error.to_string())
}
