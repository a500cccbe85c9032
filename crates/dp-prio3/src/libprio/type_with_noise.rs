//! libprio's hook: [`TypeWithNoise`] of every type for every strategy.
//!
//! `Prio3::add_noise_to_agg_share` calls it with the type, the strategy and the number of reports,
//! and hands over no generator: the noise is seeded from the operating system here, and both the
//! generator and the noise are wiped.

use prio::dp::{DifferentialPrivacyBudget, DpError};
use prio::flp::gadgets::{Mul, ParallelSumGadget};
use prio::flp::types::{Average, Count, Histogram, L1BoundSum, MultihotCountVec, Sum, SumVec};
use prio::flp::{FlpError, TypeWithNoise};

use super::{CircuitQuery, DpStrategy, NoiseStrategy, Strategy};
use crate::Error;
use crate::field::SignedField;

/// One implementation, for a circuit over the field `F` with the gadget `G` (if it has one), and a
/// strategy with the parameters in brackets.
macro_rules! type_with_noise {
    ($circuit:ident < F $(, $gadget:ident)? >, $strategy:ty $(, [$law:ident, $budget:ident])?) => {
        impl<F $(, $gadget)? $(, $law, $budget)?> TypeWithNoise<$strategy>
            for $circuit<F $(, $gadget)?>
        where
            F: SignedField,
            $($gadget: ParallelSumGadget<F, Mul> + Eq + 'static,)?
            $($budget: DifferentialPrivacyBudget,)?
            $strategy: NoiseStrategy,
        {
            fn add_noise_to_agg_share(
                &self,
                strategy: &$strategy,
                share: &mut [F],
                reports: usize,
            ) -> Result<(), FlpError> {
                add_noise(self, strategy, share, reports)
            }
        }
    };
}

type_with_noise!(Count<F>, DpStrategy);
type_with_noise!(Sum<F>, DpStrategy);
type_with_noise!(Average<F>, DpStrategy);
type_with_noise!(SumVec<F, G>, DpStrategy);
type_with_noise!(Histogram<F, G>, DpStrategy);
type_with_noise!(MultihotCountVec<F, G>, DpStrategy);
type_with_noise!(L1BoundSum<F, G>, DpStrategy);

type_with_noise!(Count<F>, Strategy<L, B>, [L, B]);
type_with_noise!(Sum<F>, Strategy<L, B>, [L, B]);
type_with_noise!(Average<F>, Strategy<L, B>, [L, B]);
type_with_noise!(SumVec<F, G>, Strategy<L, B>, [L, B]);
type_with_noise!(Histogram<F, G>, Strategy<L, B>, [L, B]);
type_with_noise!(MultihotCountVec<F, G>, Strategy<L, B>, [L, B]);
type_with_noise!(L1BoundSum<F, G>, Strategy<L, B>, [L, B]);

fn add_noise<C: CircuitQuery, S: NoiseStrategy>(
    circuit: &C,
    strategy: &S,
    share: &mut [C::Field],
    reports: usize,
) -> Result<(), FlpError> {
    dp_samplers::os_rng()
        .map_err(Error::from)
        .and_then(|mut rng| strategy.add_noise(circuit, share, reports, &mut rng))
        .map_err(|error| DpError::InvalidParameter(error.to_string()).into())
}
