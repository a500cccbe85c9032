//! Prio3 over each of its seven validity circuits, behind one private trait: bytes in, bytes out.
//!
//! This is the only place that knows the circuits' types. A field element shows in two enums, as
//! Prio3 has two fields.
//!
//! Sources: the VDAF specification, draft-irtf-cfrg-vdaf-18, section 7.4, and
//! draft-ietf-ppm-l1-bound-sum-01. An integer is encoded in ⌊log₂ `max_measurement`⌋ + 1 bits.

#[cfg(feature = "parties")]
pub(crate) mod wire;

#[cfg(feature = "parties")]
use std::sync::Arc;

use dp_exact::ParameterError;
use prio::field::{Field64, Field128};
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::flp::{self, FlpError, types};
use prio::vdaf::VdafError;
use prio::vdaf::prio3::{Prio3, optimal_chunk_length};
use prio::vdaf::xof::XofTurboShake128;

#[cfg(feature = "parties")]
use self::wire::{Circuit, PrioField, Sharded};
use crate::Error;
use crate::error::within;
use crate::field::SignedField;
use crate::policy::{MAX_AGGREGATORS, MAX_INPUT_LENGTH, Sizes, Vdaf};

/// Without the parties nothing leaves a circuit.
#[cfg(not(feature = "parties"))]
mod wire {
    pub(super) use crate::field::SignedField as PrioField;

    pub(super) trait Sharded {}
    impl<T> Sharded for T {}
}
#[cfg(not(feature = "parties"))]
use self::wire::{PrioField, Sharded};

/// The length of Prio3's seeds and verification key in bytes.
pub(crate) const SEED_SIZE: usize = 32;

type Serial = ParallelSum<Field128, Mul>;

/// A circuit with checked parameters, and the length of its proof's chunks.
pub(crate) struct Made {
    #[cfg(feature = "parties")]
    pub(crate) circuit: Arc<dyn Circuit>,
    /// The largest signed number of the field, (p − 1)/2 for the modulus p.
    pub(crate) max_signed: i128,
    pub(crate) chunk_length: Option<usize>,
}

/// Prio3 over the circuit of `vdaf`. `max_weight`, the most ones in a vector of bits, counts for
/// MultihotCountVec alone. `Err` names the parameter that is out of its range; there is no error
/// that we know of from prio.
pub(crate) fn make(vdaf: &Vdaf, max_weight: usize) -> Result<Made, Error> {
    let Sizes { length, max_measurement, chunk_length, .. } = vdaf.size();
    match vdaf {
        Vdaf::Count { .. } => whole(vdaf, 1, Ok(types::Count::<Field64>::new())),
        Vdaf::Sum { .. } => {
            bits_of::<Field64>(max_measurement)?;
            let max = u64::try_from(max_measurement).expect("below half of the field's modulus");
            whole(vdaf, 2, types::Sum::<Field64>::new(max))
        }
        Vdaf::Average { .. } => {
            bits_of::<Field128>(max_measurement)?;
            whole(vdaf, 0xFFFF_0000, types::Average::<Field128>::new(max_measurement))
        }
        Vdaf::SumVec { .. } => {
            let bits = bits_of::<Field128>(max_measurement)?;
            within("length", length, 1..=MAX_INPUT_LENGTH / bits)?;
            chunked(vdaf, 3, chunk_length, length * bits, |chunk| {
                types::SumVec::<Field128, Serial>::new(max_measurement, length, chunk)
            })
        }
        Vdaf::Histogram { .. } => {
            within("length", length, 2..=MAX_INPUT_LENGTH)?;
            chunked(vdaf, 4, chunk_length, length, |chunk| {
                types::Histogram::<Field128, Serial>::new(length, chunk)
            })
        }
        Vdaf::MultihotCountVec { .. } => {
            within("length", length, 1..=MAX_INPUT_LENGTH / 2)?;
            within("max_weight", max_weight, 1..=length)?;
            let input = length + bits_of::<Field128>(max_weight as u128)?;
            chunked(vdaf, 5, chunk_length, input, |chunk| {
                types::MultihotCountVec::<Field128, Serial>::new(length, max_weight, chunk)
            })
        }
        Vdaf::L1BoundSum { .. } => {
            let bits = bits_of::<Field128>(max_measurement)?;
            within("length", length, 1..=MAX_INPUT_LENGTH / bits - 1)?;
            // Else the sum that is proved could wrap around.
            let largest = Field128::MAX_SIGNED.unsigned_abs() / length as u128;
            within("max_measurement", max_measurement, 1..=largest)?;
            chunked(vdaf, 7, chunk_length, (length + 1) * bits, |chunk| {
                types::L1BoundSum::<Field128, Serial>::new(max_measurement, length, chunk)
            })
        }
    }
}

/// Prio3 over this `circuit`, without a chunk length; an error of the circuit is handed on.
/// `algorithm` is its number in the specification. `Err` also unless there are 2 to 254
/// aggregators.
fn whole<C>(vdaf: &Vdaf, algorithm: u32, circuit: Result<C, FlpError>) -> Result<Made, Error>
where
    C: flp::Type<Field: PrioField, Measurement: Sharded> + Send + Sync + 'static,
{
    let shares = within("aggregators", vdaf.aggregators(), 2..=MAX_AGGREGATORS)?;
    let shares = u8::try_from(shares).expect("at most 254 aggregators");
    // Our own checks leave nothing that we know of for prio to refuse.
    let prio = circuit.map_err(VdafError::from).and_then(|circuit| {
        Prio3::<_, XofTurboShake128, SEED_SIZE>::new(shares, 1, algorithm, circuit)
    });
    let prio = prio.map_err(|error| Error::prio("new", error))?;
    // Without the parties it is built to be checked alone.
    #[cfg(not(feature = "parties"))]
    drop(prio);
    Ok(Made {
        #[cfg(feature = "parties")]
        circuit: Arc::new(prio),
        max_signed: C::Field::MAX_SIGNED,
        chunk_length: None,
    })
}

/// Prio3 over a circuit that is proved in chunks of `chunk_length` entries, by default of the
/// length of the shortest proof. `Err` unless that is from 1 to `input_length`, the number of field
/// elements of a measurement. `circuit` builds the circuit for a chunk length.
fn chunked<C>(
    vdaf: &Vdaf,
    algorithm: u32,
    chunk_length: Option<usize>,
    input_length: usize,
    circuit: impl FnOnce(usize) -> Result<C, FlpError>,
) -> Result<Made, Error>
where
    C: flp::Type<Field: PrioField, Measurement: Sharded> + Send + Sync + 'static,
{
    let length = chunk_length.unwrap_or_else(|| optimal_chunk_length(input_length));
    // Prio accepts chunks far longer than the measurement, and allocates them.
    within("chunk_length", length, 1..=input_length)?;
    Ok(Made { chunk_length: Some(length), ..whole(vdaf, algorithm, circuit(length))? })
}

/// The number of bits in which an entry from 0 to `max_measurement` is encoded, 1 to 127. `Err`
/// unless `max_measurement` is from 1 to (p − 1)/2.
fn bits_of<F: SignedField>(max_measurement: u128) -> Result<usize, ParameterError> {
    within("max_measurement", max_measurement, 1..=F::MAX_SIGNED.unsigned_abs())?;
    Ok((u128::BITS - max_measurement.leading_zeros()) as usize)
}
