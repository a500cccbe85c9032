//! The largest ε₀, or the fewest clients, that meet a target guarantee.
//!
//! A randomized bit with a smaller ε₀ is a randomized bit with a larger one, flipped once more, and
//! a sum of more clients is a sum of fewer plus independent bits: both are post-processing, so that
//! the searches are monotone. Whether a dataset refutes the target, which takes one evaluation of
//! its δ, finds the place, and the upper bound for every dataset has the last word.

use dp_exact::{Delta, Epsilon, Rational, Rounding};

use super::AggregatedRappor;
use crate::accepted_ranges::{MAX_CLIENTS, depth_for, float_below, unresolved};
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::{Bounds, count, floor_to_count};
use dp_exact::search::try_bisect;

/// Significant digits of the ε₀ that a search answers.
const DIGITS: usize = 6;

/// About the smallest ε₀ that is tried.
const LEAST: f64 = 1.000_001e-6;

/// The largest ε₀, to six digits and about a thousandth, with which the sum of `clients` honest
/// clients meets (`epsilon`, `delta`) for every dataset of the others, and the ε that is proved for
/// it.
///
/// # Errors
/// If the target is out of the accepted ranges, or the smallest ε₀ = 1e-6 misses it.
pub fn largest_epsilon0(
    clients: u64,
    epsilon: &Epsilon,
    delta: &Delta,
    adjacency: Adjacency,
) -> Result<(Epsilon, Rational), Error> {
    let sum = |epsilon0: f64| -> Result<AggregatedRappor, Error> {
        let rounded = Rational::from_f64(epsilon0)?.round_to_digits(DIGITS, Rounding::Down);
        AggregatedRappor::new(Epsilon::new(rounded)?, clients)
    };
    let root = |low: &f64, high: &f64| (high / low > 1.0 + 1e-5).then(|| (low * high).sqrt());
    let (mut low, _) = try_bisect(LEAST, 100.0, root, |&epsilon0| {
        sum(epsilon0)?.refutes(epsilon, delta, adjacency)
    })?;
    let mut shrink = 1e-4;
    while low > LEAST {
        let sum = sum(low)?;
        let upper = sum.epsilon(delta, adjacency)?.upper;
        if upper <= *epsilon.value() {
            return Ok((sum.epsilon0, upper));
        }
        low *= 1.0 - shrink;
        shrink *= 2.0;
    }
    let accepted = "an epsilon that some epsilon0 of at least 1e-6 meets";
    Err(Error::parameter("epsilon", epsilon, accepted))
}

/// The least number of honest clients, to about a thousandth, whose sum with ε₀ = `epsilon0` meets
/// (`epsilon`, `delta`) for every dataset of the others, and the ε that is proved for it.
///
/// # Errors
/// If the target is out of the accepted ranges, or 10^10 clients miss it.
pub fn least_clients(
    epsilon0: &Epsilon,
    epsilon: &Epsilon,
    delta: &Delta,
    adjacency: Adjacency,
) -> Result<(u64, Rational), Error> {
    let sum = |clients| AggregatedRappor::new(epsilon0.clone(), clients);
    let root = |low: &u64, high: &u64| {
        let middle = floor_to_count((count(low + 1) * count(*high)).sqrt(), high - 1);
        (high - low > 1 + high / 100_000).then_some(middle.max(low + 1))
    };
    let (_, mut high) = try_bisect(0, MAX_CLIENTS, root, |&clients| {
        Ok::<_, Error>(!sum(clients)?.refutes(epsilon, delta, adjacency)?)
    })?;
    let mut growth = 1e-4;
    loop {
        let upper = sum(high)?.epsilon(delta, adjacency)?.upper;
        if upper <= *epsilon.value() {
            return Ok((high, upper));
        }
        if high >= MAX_CLIENTS {
            let accepted = "an epsilon that 10000000000 clients meet";
            return Err(Error::parameter("epsilon", epsilon, accepted));
        }
        high = (high + 1 + floor_to_count(count(high) * growth, MAX_CLIENTS)).min(MAX_CLIENTS);
        growth *= 2.0;
    }
}

impl AggregatedRappor {
    /// Whether the sum is certainly not (`epsilon`, `delta`) private where all other clients hold
    /// the removed value.
    fn refutes(
        &self,
        epsilon: &Epsilon,
        delta: &Delta,
        adjacency: Adjacency,
    ) -> Result<bool, Error> {
        if *epsilon.value() >= self.local_epsilon(adjacency) {
            return Ok(false);
        }
        if delta.value().is_zero() {
            return Ok(true);
        }
        let target = float_below(delta)?;
        let alpha = Bounds::exp(epsilon.value()).ok_or_else(|| unresolved(&self.epsilon0))?;
        let attained = self.attained(depth_for(target), adjacency)?;
        // From a number not above δ to one not below.
        Ok(attained.delta(alpha.upper) > target.next_up().next_up())
    }
}
