//! The query of a validity circuit of libprio, read from the circuit itself.
//!
//! libprio does not show the parameters of its types. With 1 the vector of ones:
//!
//! - **The largest entry.** A circuit accepts vectors of digits 0 and 1, and `truncate` maps them
//!   to the entries of the aggregate, linearly and with positive weights. So no valid measurement
//!   adds more to an entry than `truncate(1)` has there, and the digits 1 are valid.
//! - **The largest total** of a MultihotCountVec or an L1BoundSum. The measurement is followed by
//!   the digits of its total, and the circuit's last output, total − claimed total, must be zero.
//!   At the measurement zero with all digits of the claim one it is −(the largest total).
//!
//! The circuit enforces these bounds on a lying client. The largest total rests on the order of the
//! circuit's outputs, so it is confirmed: the circuit encodes a measurement of that total and
//! refuses one of one more.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::dp::DpError;
use prio::field::{FieldElement as _, Integer};
use prio::flp::gadgets::{Mul, ParallelSumGadget};
use prio::flp::types::{Average, Count, Histogram, L1BoundSum, MultihotCountVec, Sum, SumVec};
use prio::flp::{FlpError, Type, TypeWithNoise};

use crate::{Error, SignedField, Strategy};

/// A validity circuit with a query.
///
/// Implemented for the seven types of Prio3, over the fields and gadgets of `prio`.
pub trait CircuitQuery: Type<Field: SignedField> {
    /// The query with the parameters that this circuit enforces.
    ///
    /// # Errors
    /// If a measurement may be larger than half the field's modulus, where totals have no sign, or
    /// if the circuit's outputs are not in the known order.
    fn enforced_query(&self) -> Result<Query, Error>;
}

/// Implements, for a circuit over the field `F`, with the gadget `G` if it has one,
/// [`CircuitQuery`] by a function, and libprio's hook for [`Strategy`].
macro_rules! circuit {
    ($circuit:ident < F $(, $gadget:ident)? >, $query:expr) => {
        impl<F $(, $gadget)?> CircuitQuery for $circuit<F $(, $gadget)?>
        where
            F: SignedField,
            $($gadget: ParallelSumGadget<F, Mul> + Eq + 'static,)?
        {
            fn enforced_query(&self) -> Result<Query, Error> {
                let query: fn(&Self) -> Result<Query, Error> = $query;
                query(self)
            }
        }

        impl<F $(, $gadget)?> TypeWithNoise<Strategy> for $circuit<F $(, $gadget)?>
        where
            F: SignedField,
            $($gadget: ParallelSumGadget<F, Mul> + Eq + 'static,)?
        {
            fn add_noise_to_agg_share(
                &self,
                strategy: &Strategy,
                share: &mut [F],
                reports: usize,
            ) -> Result<(), FlpError> {
                add_noise(self, strategy, share, reports)
            }
        }
    };
}

circuit!(Count<F>, |_| Ok(Query::Count));
circuit!(Sum<F>, |circuit| Ok(Query::Sum { max_measurement: largest_entry(circuit)? }));
circuit!(Average<F>, |circuit| Ok(Query::Average { max_measurement: largest_entry(circuit)? }));
circuit!(SumVec<F, G>, |circuit| {
    let max_measurement = largest_entry(circuit)?;
    Ok(Query::SumVec { length: circuit.output_len(), max_measurement })
});
circuit!(Histogram<F, G>, |circuit| Ok(Query::Histogram { length: circuit.output_len() }));
circuit!(MultihotCountVec<F, G>, multihot_count_vec);
circuit!(L1BoundSum<F, G>, l1_bound_sum);

/// Multiplies the aggregate share over `reports` reports by the matrix of `strategy`, if there is
/// one, and adds its noise, from a generator that the operating system seeds. Generator and noise
/// are wiped. After an error the share must not be released.
fn add_noise<C: CircuitQuery>(
    circuit: &C,
    strategy: &Strategy,
    share: &mut [C::Field],
    reports: usize,
) -> Result<(), FlpError> {
    dp_samplers::os_rng()
        .map_err(Error::from)
        .and_then(|mut rng| strategy.add_noise(circuit, share, reports, &mut rng))
        .map_err(|error| DpError::InvalidParameter(error.to_string()).into())
}

/// The query of a MultihotCountVec circuit. `max_weight` is the most ones that a report can claim,
/// at most the length. `Err` if the circuit refuses a vector of that weight, or accepts one with
/// one more.
fn multihot_count_vec(
    circuit: &impl CircuitQuery<Measurement = Vec<bool>>,
) -> Result<Query, Error> {
    let length = circuit.output_len();
    let claim = largest_claim(circuit, circuit.input_len() - length)?;
    // A bound beyond the length bounds nothing.
    let bound = usize::try_from(claim.to_signed()).map_err(|_| misread("max_weight"))?;
    let max_weight = bound.min(length);
    let accepts_weight = |weight| {
        let bits: Vec<bool> = (0..length).map(|place| place < weight).collect();
        circuit.encode_measurement(&bits).is_ok()
    };
    if !accepts_weight(max_weight) || (bound < length && accepts_weight(bound + 1)) {
        return Err(misread("max_weight").into());
    }
    Ok(Query::MultihotCountVec { length, max_weight })
}

/// The query of an L1BoundSum circuit. `max_measurement` is the largest sum of entries that a
/// report can claim. `Err` if the circuit refuses entries with that sum or accepts a sum larger by
/// 1, or if the sum is not below half the modulus.
fn l1_bound_sum<F, C>(circuit: &C) -> Result<Query, Error>
where
    F: SignedField,
    C: CircuitQuery<Field = F, Measurement = Vec<F::Integer>>,
{
    let length = circuit.output_len();
    let claim = largest_claim(circuit, circuit.input_len() / (length + 1))?;
    let total = F::Integer::from(claim);
    let accepts_sum = |total| {
        let mut entries = vec![F::Integer::zero(); length];
        entries[0] = total;
        circuit.encode_measurement(&entries).is_ok()
    };
    let more = total.checked_add(F::Integer::one());
    if !accepts_sum(total) || more.is_some_and(accepts_sum) {
        return Err(misread("max_measurement").into());
    }
    Ok(Query::L1BoundSum { length, max_measurement: unsigned(claim)? })
}

/// The largest number that a valid measurement adds to any entry of the aggregate: the largest
/// entry of `truncate` of a vector of ones. `Err` if the number is not below half the modulus.
fn largest_entry<T: Type<Field: SignedField>>(circuit: &T) -> Result<u128, Error> {
    let ones = vec![T::Field::one(); circuit.input_len()];
    let entries = circuit.truncate(ones).map_err(|error| refused("truncate", &error))?;
    entries.into_iter().try_fold(0, |largest, entry| Ok(unsigned(entry)?.max(largest)))
}

/// The largest total that a report can claim, as a field element: what its last `digits` digits
/// encode if all are 1. Read as minus the last output of the circuit, total − claim, for a total of
/// 0.
fn largest_claim<T: Type<Field: SignedField>>(
    circuit: &T,
    digits: usize,
) -> Result<T::Field, Error> {
    let mut input = vec![T::Field::zero(); circuit.input_len()];
    for digit in input.iter_mut().rev().take(digits) {
        *digit = T::Field::one();
    }
    let joint_randomness = vec![T::Field::zero(); circuit.joint_rand_len()];
    let outputs = circuit
        .valid(&mut circuit.gadget(), &input, &joint_randomness, 1)
        .map_err(|error| refused("valid", &error))?;
    let difference = outputs.last().ok_or_else(|| misread("outputs"))?;
    Ok(-*difference)
}

/// The integer that `element` represents in (−p/2, p/2); `Err` if the integer is below 0.
fn unsigned<F: SignedField>(element: F) -> Result<u128, ParameterError> {
    u128::try_from(element.to_signed()).map_err(|_| {
        let accepted = "below half the field's modulus: larger totals have no sign";
        ParameterError::new("max_measurement", element, accepted)
    })
}

/// The error that libprio refused this `operation`, with its `error` as the reason.
fn refused(operation: &'static str, error: &FlpError) -> Error {
    Error::Prio { operation, reason: error.to_string() }
}

/// The error that the number read from the circuit as parameter `name` is not what the circuit
/// enforces.
fn misread(name: &'static str) -> ParameterError {
    ParameterError::new(name, "not what the circuit enforces", "a circuit of Prio3")
}
