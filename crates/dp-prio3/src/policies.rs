//! The policies: randomness at the aggregators alone, or at the clients, with aggregators or without.
//! A further one implements the traits of `crate::policy`.

mod aggregator_noise;
mod client_noise;
mod compensation;
mod strategy_matrix;

pub use aggregator_noise::AggregatorNoise;
pub use client_noise::{ClientNoise, MultihotRappor};
pub use strategy_matrix::multiply_share;

use dp_calibration::{Budget, Query};
use dp_exact::ParameterError;
use num_bigint::BigUint;
use prio::vdaf::Vdaf as _;

use crate::Error;
use crate::field::SignedField;
use crate::mechanisms::{NoiseKind, NoiseMechanism};
use crate::types::MeasurementType;

/// The noise of each aggregator, with a bound on the sum of all aggregators' noise.
#[derive(Clone, Debug)]
struct BoundedNoise {
    mechanism: NoiseMechanism,
    /// The noise of all aggregators together stays within ±`bound` in every total, except with
    /// probability 2^−64.
    bound: i128,
}

impl BoundedNoise {
    /// Noise that keeps `budget` for `query`. With A aggregators and L totals the bound is A·b.
    /// Each of the A·L draws of a batch exceeds b with probability at most 2^−64 / (A·L).
    fn calibrate<V: MeasurementType>(
        kind: NoiseKind,
        measurement_type: &V,
        query: &Query,
        budget: impl Into<Budget>,
    ) -> Result<Self, Error> {
        let mechanism = NoiseMechanism::calibrate(kind, query, &budget.into())?;
        let aggregators = measurement_type.vdaf().num_aggregators();
        let draws = aggregators.saturating_mul(measurement_type.vdaf().output_len());
        let bits = 64 + usize::BITS - draws.leading_zeros();
        let bound: BigUint = mechanism.tail_bound(bits) * aggregators;
        let largest = max_signed::<V>();
        match i128::try_from(&bound) {
            Ok(bound) if bound < largest => Ok(Self { mechanism, bound }),
            _ => {
                let accepted =
                    format!("below {largest}: the noise alone would wrap around the field");
                Err(ParameterError::new("noise bound", &bound, accepted).into())
            }
        }
    }

    /// The noise of one aggregator as a ledger records it, with the worst-case difference under
    /// replacement. `None` if that difference is unknown or no client changes anything.
    #[cfg(feature = "parties")]
    fn recorded(&self, query: &Query) -> Option<dp_ledger::Noise> {
        let replacement = dp_calibration::Adjacency::Replacement;
        let difference = query.worst_case_difference(replacement).ok()??;
        Some(dp_ledger::Noise { distribution: self.mechanism.distribution().clone(), difference })
    }
}

/// The largest signed number of the type's field, (p − 1)/2 for the modulus p.
const fn max_signed<V: MeasurementType>() -> i128 {
    <<V::Flp as prio::flp::Flp>::Field as SignedField>::MAX_SIGNED
}

/// The most reports for which totals, with noise up to `bound`, stay within ±(p − 1)/2, where each
/// report changes a total by at most `largest_change`.
fn room_for_reports<V: MeasurementType>(bound: i128, largest_change: u128) -> u64 {
    let reports = (max_signed::<V>() - bound).unsigned_abs() / largest_change;
    u64::try_from(reports).unwrap_or(u64::MAX)
}
