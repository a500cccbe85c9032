//! The query of a validity circuit of libprio, read from the circuit itself.
//!
//! libprio does not show the parameters of its types, and a server could state them wrongly a
//! second time. With 1 the vector of ones:
//!
//! - **The largest entry.** A circuit accepts vectors of digits 0 and 1, and `truncate` maps them
//!   to the entries of the aggregate, linearly and with positive weights. So no valid measurement
//!   adds more to an entry than `truncate(1)` has there, and the digits 1 are valid.
//! - **The largest total** of a MultihotCountVec or an L1BoundSum. The measurement is followed by
//!   the digits of its total, and the circuit's last output, total − claimed total, must be zero.
//!   At the measurement zero with all digits of the claim one it is −(the largest total).
//! - **The length** is `output_len`.
//!
//! The circuit enforces these bounds on a lying client, so the sensitivity follows from them. The
//! largest total rests on the order of the circuit's outputs, so it is confirmed: the circuit
//! encodes a measurement of that total and refuses one of one more.

use dp_calibration::Query;
use dp_exact::ParameterError;
use prio::field::{FieldElement as _, Integer};
use prio::flp::gadgets::{Mul, ParallelSumGadget};
use prio::flp::types::{Average, Count, Histogram, L1BoundSum, MultihotCountVec, Sum, SumVec};
use prio::flp::{Flp as _, FlpError, Type};

use crate::{Error, SignedField};

/// A validity circuit with a query.
///
/// Implemented for the seven types of Prio3, over the fields and gadgets of `prio`.
pub trait CircuitQuery: Type<Field: SignedField> {
    /// The query with the parameters that this circuit enforces.
    ///
    /// Costs about the time and memory of verifying one report.
    ///
    /// # Errors
    /// If a measurement may be larger than half the field's modulus, where totals have no sign, or
    /// if the circuit's outputs are not in the known order.
    fn enforced_query(&self) -> Result<Query, Error>;
}

impl<F: SignedField> CircuitQuery for Count<F> {
    fn enforced_query(&self) -> Result<Query, Error> {
        Ok(Query::Count)
    }
}

impl<F: SignedField> CircuitQuery for Sum<F> {
    fn enforced_query(&self) -> Result<Query, Error> {
        let max_measurement = largest_entry(self)?;
        Ok(Query::Sum { max_measurement })
    }
}

impl<F: SignedField> CircuitQuery for Average<F> {
    fn enforced_query(&self) -> Result<Query, Error> {
        let max_measurement = largest_entry(self)?;
        Ok(Query::Average { max_measurement })
    }
}

impl<F, G> CircuitQuery for SumVec<F, G>
where
    F: SignedField,
    G: ParallelSumGadget<F, Mul> + Eq + 'static,
{
    fn enforced_query(&self) -> Result<Query, Error> {
        Ok(Query::SumVec { length: self.output_len(), max_measurement: largest_entry(self)? })
    }
}

impl<F, G> CircuitQuery for Histogram<F, G>
where
    F: SignedField,
    G: ParallelSumGadget<F, Mul> + Eq + 'static,
{
    fn enforced_query(&self) -> Result<Query, Error> {
        let length = self.output_len();
        Ok(Query::Histogram { length })
    }
}

impl<F, G> CircuitQuery for MultihotCountVec<F, G>
where
    F: SignedField,
    G: ParallelSumGadget<F, Mul> + Eq + 'static,
{
    fn enforced_query(&self) -> Result<Query, Error> {
        let length = self.output_len();
        let claim = largest_claim(self, self.input_len() - length)?;
        // A bound beyond the length bounds nothing.
        let bound = usize::try_from(claim.to_signed()).map_err(|_| misread("max_weight"))?;
        let max_weight = bound.min(length);
        let weighs = |weight| {
            let bits: Vec<bool> = (0..length).map(|place| place < weight).collect();
            self.encode_measurement(&bits).is_ok()
        };
        if !weighs(max_weight) || (bound < length && weighs(bound + 1)) {
            return Err(misread("max_weight").into());
        }
        Ok(Query::MultihotCountVec { length, max_weight })
    }
}

impl<F, G> CircuitQuery for L1BoundSum<F, G>
where
    F: SignedField,
    G: ParallelSumGadget<F, Mul> + Eq + 'static,
{
    fn enforced_query(&self) -> Result<Query, Error> {
        let length = self.output_len();
        let claim = largest_claim(self, self.input_len() / (length + 1))?;
        let total = F::Integer::from(claim);
        let sums_to = |total| {
            let mut entries = vec![F::Integer::zero(); length];
            entries[0] = total;
            self.encode_measurement(&entries).is_ok()
        };
        let more = total.checked_add(F::Integer::one());
        if !sums_to(total) || more.is_some_and(sums_to) {
            return Err(misread("max_measurement").into());
        }
        Ok(Query::L1BoundSum { length, max_measurement: positive(claim)? })
    }
}

/// The largest number that a valid measurement adds to one entry of the aggregate. `Err` if it is
/// not below half the modulus.
fn largest_entry<T: Type<Field: SignedField>>(circuit: &T) -> Result<u128, Error> {
    let ones = vec![T::Field::one(); circuit.input_len()];
    let entries = circuit.truncate(ones).map_err(|error| refused("truncate", &error))?;
    entries.into_iter().try_fold(0, |largest, entry| Ok(positive(entry)?.max(largest)))
}

/// The total that a client claims if all of the last `digits` digits of the report are 1. It is the
/// largest claim, as a field element.
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

/// The integer that `element` represents; `Err` if the integer is negative.
fn positive<F: SignedField>(element: F) -> Result<u128, ParameterError> {
    u128::try_from(element.to_signed()).map_err(|_| {
        let accepted = "below half the field's modulus: larger totals have no sign";
        ParameterError::new("max_measurement", element, accepted)
    })
}

fn refused(operation: &'static str, error: &FlpError) -> Error {
    Error::Prio { operation, reason: error.to_string() }
}

fn misread(name: &'static str) -> ParameterError {
    ParameterError::new(name, "not what the circuit enforces", "a circuit of Prio3")
}
