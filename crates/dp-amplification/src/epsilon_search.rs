//! The least ε that a bound on δ proves, and the largest that one refutes.
//!
//! Floats propose ε; what is printed is a fraction, tried with a certified enclosure of e^ε.

use dp_calibration::Result;
use dp_exact::directed::Bounds;
use dp_exact::{Interval, Rational, Rounding, elementary, refine, search};

use crate::accepted_ranges::DIGITS;

/// The most halvings of a search for an ε.
const STEPS: usize = 60;

/// Bounds on the least ε for a δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpsilonBounds {
    /// (`upper`, δ) holds for every dataset of the other clients.
    pub upper: Rational,
    /// Below `lower`, (ε, δ) fails for a dataset that is nearly the worst: all other clients hold
    /// the value that is removed, or, of a histogram of answers, one third value.
    pub lower: Rational,
}

/// Upper bound on the logarithm of the likelihood ratio that `ratio` encloses at a precision in
/// bits, above it by less than a relative 1e-15. `Err` if no precision gives that, as for a ratio
/// of 1.
pub(crate) fn largest_loss(ratio: impl Fn(u32) -> Option<Interval>) -> Result<Rational> {
    let loss = refine(|precision| {
        let loss = ratio(precision)?.ln()?;
        let (lower, upper) = (loss.lower().to_rational()?, loss.upper().to_rational()?);
        let near = &(&upper - &lower) * &Rational::from(1_000_000_000_000_000_u64) < lower;
        near.then_some(upper)
    })?;
    Ok(loss)
}

/// An upper bound on the least ε at which δ is at most `target`, rounded up to 12 digits; at most
/// `local`, which is the answer too if nothing less is proved. `delta`(α) is an upper bound on δ at
/// the ε with e^ε = α, and falls with α.
pub(crate) fn certified_epsilon(
    target: f64,
    local: &Rational,
    delta: impl Fn(f64) -> f64,
) -> Rational {
    if delta(1.0) <= target {
        return Rational::zero();
    }
    let (_, high) = bisect(local.to_f64(), |epsilon| delta(elementary::exp(epsilon)) > target);
    let found = near(high, 1.0, Rounding::Up, |alpha| delta(alpha.lower) <= target);
    found.map_or_else(|| local.clone(), |epsilon| epsilon.min(local.clone()))
}

/// A lower bound on the least ε at which δ is at most `target`, rounded down to 12 digits; from 0,
/// if nothing more is proved, to `local`. `delta`(α) is a lower bound on δ at the ε with e^ε = α,
/// and falls with α.
pub(crate) fn refuted_epsilon(
    target: f64,
    local: &Rational,
    delta: impl Fn(f64) -> f64,
) -> Rational {
    // From a number not above δ to one not below.
    let target = target.next_up().next_up();
    let (low, _) = bisect(local.to_f64(), |epsilon| delta(elementary::exp(epsilon)) > target);
    let found = near(low, -1.0, Rounding::Down, |alpha| delta(alpha.upper) > target);
    found.unwrap_or_else(Rational::zero)
}

/// The first of 16 numbers from `epsilon` on, upward or downward as `side` is 1 or −1, and rounded
/// to 12 digits by `rounding`, for which `holds` is true of an enclosure of e^ε; `None` if there is
/// none. Where ε is tiny, the first may just miss.
fn near(
    mut epsilon: f64,
    side: f64,
    rounding: Rounding,
    holds: impl Fn(Bounds) -> bool,
) -> Option<Rational> {
    let mut margin = 1e-11 * side;
    for _ in 0..16 {
        let exact = Rational::from_f64(epsilon).expect("a finite number");
        let rounded = exact.round_to_digits(DIGITS, rounding);
        if Bounds::exp(&rounded).is_some_and(&holds) {
            return Some(rounded);
        }
        epsilon *= 1.0 + margin;
        margin *= 4.0;
    }
    None
}

/// Two numbers from 0 to `most` that differ by a relative 1e-11, or by more after 60 steps:
/// `is_low` holds at the first and not at the second. Either may be an end of the range that was
/// not tried.
fn bisect(most: f64, is_low: impl Fn(f64) -> bool) -> (f64, f64) {
    let mut steps = 0..STEPS;
    let root = |&low: &f64, &high: &f64| {
        steps.next()?;
        match low > 0.0 {
            true if high / low < 1.0 + 1e-11 => None,
            true => Some((low * high).sqrt()),
            false => Some(high / 16.0),
        }
    };
    search::bisect(0.0, most, root, |&number| !is_low(number))
}
