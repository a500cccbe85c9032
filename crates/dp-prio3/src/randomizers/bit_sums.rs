//! The sums of the randomized bits of all honest clients, with the noise of honest aggregators or
//! without.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::hedged::Hedged;
use dp_calibration::NoiseDistribution;
use dp_exact::{Delta, Epsilon, Rational};

use crate::Error;

/// Upper bound on ε at `delta` of the sums over `clients` honest clients, who flip each bit with
/// probability 1/(e^ε₀ + 1), where `counts` counts change in all releases together. `noise` has the
/// distribution of one honest aggregator's noise, and the number of honest aggregators. `None`
/// where nothing is proved.
pub(super) fn epsilon_of_counts(
    epsilon0: &Epsilon,
    clients: u64,
    noise: Option<(&NoiseDistribution, u32)>,
    delta: &Delta,
    counts: u64,
) -> Result<Option<Rational>, Error> {
    let epsilon0 = epsilon0.clone();
    Ok(match noise {
        None => Some(AggregatedRappor::new(epsilon0, clients)?.epsilon_of_counts(delta, counts)?),
        Some((noise, aggregators)) => {
            let sum = Hedged::new(epsilon0, clients, noise.clone(), aggregators)?;
            sum.epsilon_of_counts(delta, counts)?
        }
    })
}
