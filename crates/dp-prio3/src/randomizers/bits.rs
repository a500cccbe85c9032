//! One bit on Prio3Count: binary randomized response, by which a client flips its bit with p =
//! 1/(e^ε + 1), and the coin-flip survey, the truth with probability 1/2, else yes or no with 1/4
//! each.
//!
//! The survey is randomized response at ε = ln 3, which is no rational number; guarantees are for
//! the next larger number of 25 digits, by a further flip.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::NoiseDistribution;
use dp_exact::{Delta, Epsilon, Rational, elementary};

use crate::Error;

/// The probabilities, rounded, that a randomized bit is 1: first for a true bit of 1, then for a
/// true bit of 0.
pub(super) fn probabilities(epsilon: &Epsilon) -> [f64; 2] {
    let odds = elementary::exp(-epsilon.value().to_f64());
    [(1.0 + odds).recip(), odds / (1.0 + odds)]
}

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
    let sum = AggregatedRappor::new(epsilon0.clone(), clients)?.with_noise(noise)?;
    Ok(sum.epsilon_of_counts(delta, counts)?)
}
