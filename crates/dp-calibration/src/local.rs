//! The guarantee of a local randomizer by itself, to a client who trusts nobody: the logarithm of
//! the largest ratio of two probabilities of one outcome. Section 7 of `docs/calibration.md` lists
//! the ratios of symmetric and of basic RAPPOR (Erlingsson, Pihur, Korolova 2014), of k-ary
//! randomized response, and of a survey by coin flips (Warner 1965).

use dp_exact::{Epsilon, Interval, Rational, Rounding};

use crate::{Adjacency, Error, Result};

/// The exact ε of symmetric RAPPOR at ε₀ on bit vectors of the given `length` and weight at most
/// `max_weight`: d·ε₀, where two inputs, or one and zeros, differ in d bits at most.
///
/// # Errors
/// If `length` is 0, or `max_weight` is not from 1 to `length`.
pub fn multihot_rappor(
    epsilon0: &Epsilon,
    length: u64,
    max_weight: u64,
    adjacency: Adjacency,
) -> Result<Rational> {
    Error::check(length != 0, "length", 0, "an integer of at least 1")?;
    let accepted = "an integer from 1 to the length";
    Error::check((1..=length).contains(&max_weight), "max_weight", max_weight, accepted)?;
    let differing = match adjacency {
        Adjacency::Replacement => length.min(max_weight.saturating_mul(2)),
        Adjacency::Deletion => max_weight,
    };
    Ok(epsilon0.value() * &Rational::from(differing))
}

/// The ε of the coin-flip survey, ln 3, rounded up to 25 digits.
///
/// # Panics
/// Never: 3 has a positive logarithm.
#[must_use]
pub fn coin_flip() -> Epsilon {
    let log = Interval::integer(3, 128).ln().expect("3 is positive");
    let upper = log.upper().to_rational().expect("the logarithm of 3 is a short number");
    Epsilon::new(upper.round_to_digits(25, Rounding::Up)).expect("the logarithm of 3 is positive")
}
