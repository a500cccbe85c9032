//! The circuits of prio 0.16: the query that each enforces, and the noise on its aggregate shares.

use dp_libprio::{ParameterError, Query, SignedField};
use prio::dp::DpError;
use prio::field::{FftFriendlyFieldElement, Field64, Field128, FieldElement as _};
use prio::flp::gadgets::{Mul, ParallelSumGadget};
use prio::flp::types::{Average, Count, Histogram, Sum, SumVec};
use prio::flp::{FlpError, Type, TypeWithNoise};

use crate::{Strategy, failed};

/// A field of prio 0.16 with the field of the same modulus in the prio of `dp-libprio`.
pub trait SharedField: FftFriendlyFieldElement {
    /// The field of the same modulus.
    type Same: SignedField;

    /// The element of the other field with the same residue.
    fn to_same(self) -> Self::Same;

    /// The element with the same residue as `element`.
    fn of_same(element: Self::Same) -> Self;
}

/// Implements [`SharedField`] by the integers that represent both fields' elements.
macro_rules! shared_field {
    ($field:ident, $integer:ident) => {
        impl SharedField for $field {
            type Same = dp_libprio::prio::field::$field;

            fn to_same(self) -> Self::Same {
                $integer::from(self).into()
            }

            fn of_same(element: Self::Same) -> Self {
                $integer::from(element).into()
            }
        }
    };
}

shared_field!(Field64, u64);
shared_field!(Field128, u128);

/// A circuit of prio 0.16 with a query.
pub trait EnforcedQuery: Type<Field: SharedField> {
    /// The query with the parameters that this circuit enforces.
    ///
    /// # Errors
    /// If a measurement may be larger than half the field's modulus, where totals have no sign.
    fn enforced_query(&self) -> Result<Query, DpError>;
}

/// Implements [`EnforcedQuery`] by a function, and prio's hook for [`Strategy`], for a circuit over
/// the field `F`, with the gadget `G` if it has one.
macro_rules! circuit {
    ($circuit:ident < F $(, $gadget:ident)? >, $query:expr) => {
        impl<F $(, $gadget)?> EnforcedQuery for $circuit<F $(, $gadget)?>
        where
            F: SharedField,
            $($gadget: ParallelSumGadget<F, Mul<F>> + Eq + 'static,)?
        {
            fn enforced_query(&self) -> Result<Query, DpError> {
                let query: fn(&Self) -> Result<Query, DpError> = $query;
                query(self)
            }
        }

        impl<F $(, $gadget)?> TypeWithNoise<Strategy> for $circuit<F $(, $gadget)?>
        where
            F: SharedField,
            $($gadget: ParallelSumGadget<F, Mul<F>> + Eq + 'static,)?
        {
            fn add_noise_to_result(
                &self,
                strategy: &Strategy,
                share: &mut [F],
                reports: usize,
            ) -> Result<(), FlpError> {
                Ok(add_noise(self, strategy, share, reports)?)
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

/// Adds the noise of `strategy` to the aggregate share over `reports` reports, from a generator
/// that the operating system seeds. After an error the share has no noise, and must not be
/// released.
fn add_noise<C: EnforcedQuery>(
    circuit: &C,
    strategy: &Strategy,
    share: &mut [C::Field],
    reports: usize,
) -> Result<(), DpError> {
    let noise = strategy.calibrated(&circuit.enforced_query()?).map_err(|error| failed(&error))?;
    let mut rng = dp_samplers::os_rng().map_err(|error| failed(&error))?;
    let mut noisy: Vec<_> = share.iter().map(|entry| entry.to_same()).collect();
    noise.add_to(&mut noisy, reports, &mut rng).map_err(|error| failed(&error))?;
    for (entry, noisy) in share.iter_mut().zip(noisy) {
        *entry = C::Field::of_same(noisy);
    }
    Ok(())
}

/// The largest number that a valid measurement adds to any entry of the aggregate: the largest
/// entry of `truncate` of a vector of ones. `Err` if it is not below half the modulus.
fn largest_entry<T: Type<Field: SharedField>>(circuit: &T) -> Result<u128, DpError> {
    let ones = vec![T::Field::one(); circuit.input_len()];
    let entries = circuit.truncate(ones).map_err(|error| failed(&error))?;
    entries.into_iter().try_fold(0, |largest, entry| {
        let value = u128::try_from(entry.to_same().to_signed()).map_err(|_| {
            let accepted = "below half the field's modulus: larger totals have no sign";
            failed(&ParameterError::new("max_measurement", entry, accepted))
        })?;
        Ok(value.max(largest))
    })
}
