//! The largest ε₀, or the fewest clients, that meet a target guarantee.
//!
//! A bit with a smaller ε₀ is a bit with a larger one, flipped once more, and a sum of more clients
//! is a sum of fewer plus independent bits: post-processing, so that the searches are monotone. A
//! dataset that refutes the target steers them, and the upper bound for every dataset has the last
//! word.

use dp_exact::{Delta, Epsilon, Rational, Rounding};

use super::AggregatedRappor;
use crate::accepted_ranges::{MAX_CLIENTS, depth_for, float_below, unresolved};
use dp_calibration::{Adjacency, Error, Result};
use dp_exact::directed::{Bounds, count, floor_to_count};
use dp_exact::search::try_bisect;

/// Significant digits of the ε₀ that a search answers.
const DIGITS: usize = 6;

/// About the smallest ε₀ that is tried.
const LEAST: f64 = 1.000_001e-6;

/// The largest ε₀, to six digits and about a thousandth, with which `clients` honest clients meet
/// (`epsilon`, `delta`) for every dataset of the others, and the ε proved for it.
///
/// # Errors
/// If the target is out of the accepted ranges, or the smallest ε₀ = 1e-6 misses it.
pub fn largest_epsilon0(
    clients: u64,
    epsilon: &Epsilon,
    delta: &Delta,
    adjacency: Adjacency,
) -> Result<(Epsilon, Rational)> {
    let sum = |epsilon0: f64| {
        let rounded = Rational::from_f64(epsilon0)?.round_to_digits(DIGITS, Rounding::Down);
        AggregatedRappor::new(Epsilon::new(rounded)?, clients)
    };
    let found = weakest(sum, (LEAST, 100.0), epsilon, delta, adjacency)?;
    let (sum, upper) = found.ok_or_else(|| {
        let accepted = "an epsilon that some epsilon0 of at least 1e-6 meets";
        Error::parameter("epsilon", epsilon, accepted)
    })?;
    Ok((sum.epsilon0, upper))
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
) -> Result<(u64, Rational)> {
    let sum = |inverse: f64| {
        let clients = floor_to_count(inverse.recip(), MAX_CLIENTS);
        AggregatedRappor::new(epsilon0.clone(), clients)
    };
    let found = weakest(sum, (count(MAX_CLIENTS).recip(), 1.0), epsilon, delta, adjacency)?;
    let (sum, upper) = found.ok_or_else(|| {
        let accepted = "an epsilon that 10000000000 clients meet";
        Error::parameter("epsilon", epsilon, accepted)
    })?;
    Ok((sum.clients, upper))
}

/// The `sum`(x) with about the largest x from `least` to `most` that is certified to meet the
/// target (`epsilon`, `delta`), and the ε that is proved for it. Sums are the weaker the larger x
/// is; `None` if the least x misses the target.
fn weakest(
    sum: impl Fn(f64) -> Result<AggregatedRappor>,
    (least, most): (f64, f64),
    epsilon: &Epsilon,
    delta: &Delta,
    adjacency: Adjacency,
) -> Result<Option<(AggregatedRappor, Rational)>> {
    let root = |low: &f64, high: &f64| (high / low > 1.0 + 1e-5).then(|| (low * high).sqrt());
    let (mut x, _) =
        try_bisect(least, most, root, |&x| sum(x)?.refutes(epsilon, delta, adjacency))?;
    let mut shrink = 1e-4;
    loop {
        let sum = sum(x)?;
        let upper = sum.epsilon(delta, adjacency)?.upper;
        if upper <= *epsilon.value() {
            return Ok(Some((sum, upper)));
        }
        if x <= least {
            return Ok(None);
        }
        x = (x * (1.0 - shrink)).max(least);
        shrink *= 2.0;
    }
}

impl AggregatedRappor {
    /// Whether (`epsilon`, `delta`) certainly fails where all other clients hold the removed value;
    /// false from the ε of the client alone on.
    fn refutes(&self, epsilon: &Epsilon, delta: &Delta, adjacency: Adjacency) -> Result<bool> {
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
