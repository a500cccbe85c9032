//! libprio's hook: [`TypeWithNoise`] of every type for [`Strategy`].
//!
//! `Prio3::add_noise_to_agg_share` calls it with the type, the strategy and the number of reports,
//! without a generator. The operating system seeds one here; generator and noise are wiped.

use prio::dp::DpError;
use prio::flp::gadgets::{Mul, ParallelSumGadget};
use prio::flp::types::{Average, Count, Histogram, L1BoundSum, MultihotCountVec, Sum, SumVec};
use prio::flp::{FlpError, TypeWithNoise};

use crate::{CircuitQuery, Error, SignedField, Strategy};

/// Implements the trait for a circuit over the field `F`, with the gadget `G` if the circuit has
/// one.
macro_rules! type_with_noise {
    ($circuit:ident < F $(, $gadget:ident)? >) => {
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

type_with_noise!(Count<F>);
type_with_noise!(Sum<F>);
type_with_noise!(Average<F>);
type_with_noise!(SumVec<F, G>);
type_with_noise!(Histogram<F, G>);
type_with_noise!(MultihotCountVec<F, G>);
type_with_noise!(L1BoundSum<F, G>);

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
