//! The largest ε₀, or the fewest clients, that meet a target guarantee.
//!
//! Less noise and fewer clients give a worse guarantee: a randomized bit with a smaller ε₀ is a
//! randomized bit with a larger one, flipped once more, and a sum of more clients is a sum of
//! fewer plus independent bits; both are post-processing. So the searches are monotone. Whether a
//! dataset refutes the target, which takes one evaluation of its δ, finds the place, and the upper
//! bound for every dataset has the last word.

use dp_exact::{Delta, Epsilon, Rational, Rounding};

use super::AggregatedRappor;
use crate::accepted_ranges::{MAX_CLIENTS, depth_for, float_below, unresolved};
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::{Bounds, count, floor_to_count};
use dp_exact::search::try_bisect;

/// Significant digits of the ε₀ that a search answers.
const DIGITS: usize = 6;

/// A parameter that meets a target, and one that certainly does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterSearch<T> {
    /// The parameter that meets the target for every dataset of the others.
    pub meets: T,
    /// The ε that is proved for `meets`.
    pub epsilon: Rational,
    /// A parameter next to `meets` that misses the target for some dataset, if one was tried.
    pub misses: Option<T>,
}

/// The largest ε₀, to six digits and about a thousandth, with which the sum of `clients` honest
/// clients meets (`epsilon`, `delta`).
///
/// # Errors
/// If the target is out of the accepted ranges, or the smallest ε₀ = 1e-6 misses it.
pub fn largest_epsilon0(
    clients: u64,
    epsilon: &Epsilon,
    delta: &Delta,
    adjacency: Adjacency,
) -> Result<ParameterSearch<Epsilon>, Error> {
    let sum = |epsilon0: f64| -> Result<AggregatedRappor, Error> {
        let rounded = Rational::from_f64(epsilon0)?.round_to_digits(DIGITS, Rounding::Down);
        AggregatedRappor::new(Epsilon::new(rounded)?, clients)
    };
    let mut misses = None;
    let root = |low: &f64, high: &f64| (high / low > 1.0 + 1e-5).then(|| (low * high).sqrt());
    let (mut low, _) = try_bisect(1.000_001e-6, 100.0, root, |&epsilon0| {
        let tried = sum(epsilon0)?;
        let refuted = tried.refutes(epsilon, delta, adjacency)?;
        if refuted {
            misses = Some(tried.epsilon0);
        }
        Ok::<_, Error>(refuted)
    })?;
    let mut shrink = 1e-4;
    while low > 1.000_001e-6 {
        let sum = sum(low)?;
        let upper = sum.epsilon(delta, adjacency)?.upper;
        if upper <= *epsilon.value() {
            return Ok(ParameterSearch { meets: sum.epsilon0, epsilon: upper, misses });
        }
        low *= 1.0 - shrink;
        shrink *= 2.0;
    }
    let accepted = "an epsilon that some epsilon0 of at least 1e-6 meets";
    Err(Error::parameter("epsilon", epsilon, accepted))
}

/// The least number of honest clients, to about a thousandth, whose sum with ε₀ = `epsilon0`
/// meets (`epsilon`, `delta`).
///
/// # Errors
/// If the target is out of the accepted ranges, or 10^10 clients miss it.
pub fn least_clients(
    epsilon0: &Epsilon,
    epsilon: &Epsilon,
    delta: &Delta,
    adjacency: Adjacency,
) -> Result<ParameterSearch<u64>, Error> {
    let sum = |clients| AggregatedRappor::new(epsilon0.clone(), clients);
    let misses_at = |clients| sum(clients)?.refutes(epsilon, delta, adjacency);
    let too_many = || {
        let accepted = "an epsilon that 10000000000 clients meet";
        Error::parameter("epsilon", epsilon, accepted)
    };
    let mut high = 1u64;
    while misses_at(high)? {
        if high >= MAX_CLIENTS {
            return Err(too_many());
        }
        high = (4 * high).min(MAX_CLIENTS);
    }
    let low = high / 4; // misses, or is 0
    let near = |low: &u64, high: &u64| {
        let far = high - low > 1 + high / 100_000;
        far.then(|| u64::midpoint(*low, *high))
    };
    let (low, mut high) =
        try_bisect(low, high, near, |&clients| Ok::<_, Error>(!misses_at(clients)?))?;
    let mut growth = 1e-5;
    loop {
        let upper = sum(high)?.epsilon(delta, adjacency)?.upper;
        if upper <= *epsilon.value() {
            return Ok(ParameterSearch {
                meets: high,
                epsilon: upper,
                misses: (low > 0).then_some(low),
            });
        }
        if high >= MAX_CLIENTS {
            return Err(too_many());
        }
        // ε falls about as the root of the number of clients.
        let ratio = upper.to_f64() / epsilon.value().to_f64();
        let wanted = (1.01 * (ratio * ratio - 1.0)).clamp(growth, 3.0);
        high = (high + 1 + floor_to_count(count(high) * wanted, MAX_CLIENTS)).min(MAX_CLIENTS);
        growth = (2.0 * growth).min(3.0);
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

impl<T> ParameterSearch<T> {
    /// Why `meets` meets the target, in words.
    #[must_use]
    pub const fn certificate(&self) -> &'static str {
        "More clients, and a smaller epsilon0, are post-processing of fewer and of a larger one, so \
         that the search may halve. The answer was proved for every dataset of the other clients; what \
         misses the target does so for some dataset."
    }
}
