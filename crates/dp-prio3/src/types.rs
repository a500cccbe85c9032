//! The Prio3 types, each with what a policy has to know of it.
//!
//! One file for each type: its checked construction, its query (from which the sensitivity
//! follows), its check of a measurement. A further type is one further file and one line here.

use std::fmt;

use dp_calibration::Query;
use dp_exact::ParameterError;
use num_bigint::BigUint;
use prio::field::Field128;
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::flp::{self, FlpError};
use prio::vdaf::VdafError;
use prio::vdaf::prio3::{Prio3, optimal_chunk_length};

use crate::error::within;
use crate::field::SignedField;
use crate::policy::Circuit;
use crate::vdaf::{Vdaf, VdafKind};

mod average;
mod count;
mod histogram;
mod l1_bound_sum;
mod multihot_count_vec;
mod sum;
mod sum_vec;

pub use average::Average;
pub use count::Count;
pub use histogram::Histogram;
pub use l1_bound_sum::L1BoundSum;
pub use multihot_count_vec::MultihotCountVec;
pub use sum::Sum;
pub use sum_vec::SumVec;

/// The longest encoded measurement that is accepted, in field elements: 2^24. A share of that
/// length takes 256 MiB.
pub const MAX_INPUT_LENGTH: usize = 1 << 24;

/// The most aggregators that Prio3 takes; the fewest are 2.
pub const MAX_AGGREGATORS: usize = 254;

/// A Prio3 instance with checked parameters.
pub trait MeasurementType: Clone + fmt::Debug + Send + Sync {
    /// The validity circuit.
    type Flp: Circuit;
    /// What a client measures.
    type Measurement: ?Sized;

    /// Which VDAF it is.
    const KIND: VdafKind;

    /// The VDAF.
    fn vdaf(&self) -> &Vdaf<Self::Flp>;

    /// What the VDAF computes, as the calibration speaks of it.
    fn query(&self) -> Query;

    /// The most that one valid measurement adds to one total.
    fn max_entry(&self) -> u128 {
        max_entry(&self.query())
    }

    /// ‖x‖₂² of the vector x that a valid measurement adds to the totals; `None` where that is not known. A
    /// client's own account of what it spends rests on it ([`crate::spending::IndividualClient`]).
    fn squared_norm(&self, _measurement: &Self::Measurement) -> Option<BigUint> {
        None
    }

    /// By what a total over `reports` reports is divided to give the aggregate: 1, except for a
    /// mean.
    fn divisor(&self, _reports: u64) -> u64 {
        1
    }

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

/// The most that one valid measurement of a query adds to one total.
#[must_use]
pub const fn max_entry(query: &Query) -> u128 {
    match *query {
        Query::Count | Query::Histogram { .. } | Query::MultihotCountVec { .. } => 1,
        Query::Sum { max_measurement }
        | Query::Average { max_measurement }
        | Query::SumVec { max_measurement, .. }
        | Query::L1BoundSum { max_measurement, .. } => max_measurement,
    }
}

/// How the proofs of the vector types add up the chunks of a measurement.
type Serial = ParallelSum<Field128, Mul>;

/// Prio3 over a circuit that is proved in chunks of one length, which all parties must share.
#[derive(Clone, Debug)]
struct Chunked<C: flp::Type> {
    vdaf: Vdaf<C>,
    aggregators: usize,
    chunk_length: usize,
}

impl<C: flp::Type> Chunked<C> {
    /// The circuit for measurements of `input_length` field elements, in chunks of the given length
    /// or of the one that makes the proof shortest.
    fn new(
        (kind, algorithm): (VdafKind, u32),
        aggregators: usize,
        input_length: usize,
        chunk_length: Option<usize>,
        circuit: impl FnOnce(usize) -> Result<C, FlpError>,
    ) -> Result<Self, ParameterError> {
        let chunk_length = chunk_length.unwrap_or_else(|| optimal_chunk_length(input_length));
        // Prio accepts chunks far longer than the measurement, and allocates them.
        within("chunk_length", chunk_length, 1..=input_length)?;
        Ok(Self {
            vdaf: prio3(kind, aggregators, algorithm, circuit(chunk_length))?,
            aggregators,
            chunk_length,
        })
    }

    /// The parameters, with the type's own between those that all have.
    fn parameters<const N: usize>(
        &self,
        own: [(&'static str, String); N],
    ) -> Vec<(&'static str, String)> {
        let mut parameters = vec![("aggregators", self.aggregators.to_string())];
        parameters.extend(own);
        parameters.push(("chunk_length", self.chunk_length.to_string()));
        parameters
    }
}

/// Prio3 with one proof over `circuit`.
fn prio3<T: flp::Type>(
    kind: VdafKind,
    aggregators: usize,
    algorithm: u32,
    circuit: Result<T, FlpError>,
) -> Result<Vdaf<T>, ParameterError> {
    let shares = check_aggregators(aggregators)?;
    circuit
        .map_err(VdafError::from)
        .and_then(|circuit| Prio3::new(shares, 1, algorithm, circuit))
        .map_err(|error| refused_by_prio(kind, error))
}

/// Σ x² of at most 2^64 entries, by the same operations whatever they are.
fn sum_of_squares<'a>(entries: impl IntoIterator<Item = &'a u128>) -> BigUint {
    const LOW: u128 = u64::MAX as u128;
    // With x = h·2^64 + l: the sums of l², l·h and h², of each product the lower and the upper half apart.
    let mut sums = [[0_u128; 2]; 3];
    for entry in entries {
        let (low, high) = (entry & LOW, entry >> 64);
        for (sum, product) in sums.iter_mut().zip([low * low, low * high, high * high]) {
            sum[0] += product & LOW;
            sum[1] += product >> 64;
        }
    }
    let [low, mixed, high] =
        sums.map(|[low, high]| BigUint::from(low) + (BigUint::from(high) << 64));
    low + (mixed << 65) + (high << 128)
}

fn check_aggregators(aggregators: usize) -> Result<u8, ParameterError> {
    let checked = within("aggregators", aggregators, 2..=MAX_AGGREGATORS)?;
    u8::try_from(checked)
        .map_err(|_| ParameterError::new("aggregators", aggregators, "an integer from 2 to 254"))
}

/// The bits in which an entry of at most `max_measurement` is encoded, 1 to 127.
fn bits_of<F: SignedField>(max_measurement: u128) -> Result<usize, ParameterError> {
    let largest = F::MAX_SIGNED.unsigned_abs();
    within("max_measurement", max_measurement, 1..=largest)?;
    let bits = max_measurement.ilog2() + 1;
    Ok(usize::try_from(bits).unwrap_or(usize::BITS as usize))
}

/// What remains for prio to refuse after our own checks is nothing we know of.
fn refused_by_prio(kind: VdafKind, error: impl fmt::Display) -> ParameterError {
    ParameterError::new(kind.name(), "refused by prio", error.to_string())
}
