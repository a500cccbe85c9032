//! Accepted ranges of parameters, how far tails are followed, and the digits of an answer.

use dp_calibration::{Adjacency, Error, NoiseDistribution, Refusal, Result};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rounding, elementary};

/// Significant digits of a printed bound.
pub(crate) const DIGITS: usize = 12;

/// The most clients of an aggregation.
pub(crate) const MAX_CLIENTS: u64 = 10_000_000_000;

/// Depth of tails below δ: sums stop where the rest is about e^−14 times δ.
pub(crate) const BELOW_DELTA: f64 = 14.0;

/// Largest depth of tails: sums stop at e^−160, however small δ is.
const MAX_DEPTH: f64 = 160.0;

/// The most changed counts, in all releases together.
pub(crate) const MAX_COUNTS: u64 = 1 << 22;

/// The float next below δ, the target of searches: a bound that is at most this float is at most δ.
/// Refuses a δ outside 1e-60 to 0.9; a caller may split a δ of 1e-40 and ask for the shares.
pub(crate) fn float_below(delta: &Delta) -> Result<f64> {
    let target = delta.value().to_f64().next_down();
    let accepted = "0, or a number from 1e-60 to 0.9";
    Error::check((1e-60..0.9 + 1e-9).contains(&target.next_up()), "delta", delta, accepted)?;
    Ok(target)
}

/// Depth d of tails for a δ of `target`: the rest, about e^−d, is e^−14 of it, or e^−160.
pub(crate) fn depth_for(target: f64) -> f64 {
    (BELOW_DELTA - elementary::ln(target)).min(MAX_DEPTH)
}

/// `value` as a fraction of 12 significant digits, rounded up. `Err` if `value` is not finite.
pub(crate) fn rounded_up(value: f64) -> Result<Rational> {
    Ok(Rational::from_f64(value)?.round_to_digits(DIGITS, Rounding::Up))
}

/// The number of counts that differ: 2 where a one-hot vector is replaced, 1 where it is deleted or
/// one bit of a vector of bits changes.
pub(crate) const fn changed_counts(adjacency: Adjacency) -> u32 {
    match adjacency {
        Adjacency::Replacement => 2,
        Adjacency::Deletion | Adjacency::OneCoordinate => 1,
    }
}

/// Refuses, as an error about the parameter `name`, a `value` outside 1 to `most`.
pub(crate) fn check(name: &'static str, value: u64, most: u64) -> Result<()> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(ParameterError::new(name, value, format!("an integer from 1 to {most}")).into())
}

/// Refuses a variance outside 1e-4 to 1e12, a scale outside 1e-2 to 1e6, and over 2048 bits.
pub(crate) fn check_noise(noise: &NoiseDistribution) -> Result<()> {
    let (name, value, least, most, accepted) = match noise {
        NoiseDistribution::DiscreteGaussian { variance } => {
            let accepted = "a number from 1e-4 to 1e12, of at most 2048 bits";
            ("variance", variance, 10_000u64, 1_000_000_000_000u64, accepted)
        }
        NoiseDistribution::DiscreteLaplace { scale } => {
            let accepted = "a number from 1e-2 to 1e6, of at most 2048 bits";
            ("scale", scale, 100, 1_000_000, accepted)
        }
    };
    let is_large_enough = value.bits() <= 2048 && value * &Rational::from(least) >= 1;
    Error::check(is_large_enough && *value <= Rational::from(most), name, value, accepted)
}

/// The refusal of an ε₀ whose tail probabilities no float holds.
pub(crate) fn unresolved(epsilon0: &Epsilon) -> Error {
    let change = "take an epsilon0 whose tail probabilities fit into floating point numbers";
    Refusal::not_available(format!("a bound for epsilon0 {epsilon0}"), change).into()
}
