//! The least ε that a bound on δ proves, and the largest that one refutes.
//!
//! Floating point numbers propose ε; what is printed is a fraction, and is tried with a certified
//! enclosure of e^ε. So no search needs to be right.

use dp_exact::{Rational, Rounding, elementary};

use crate::accepted_ranges::DIGITS;
use dp_calibration::Error;
use dp_exact::directed::Bounds;
use dp_exact::search;

/// The most halvings of a search for an ε.
const STEPS: usize = 60;

/// An upper bound on the least ε at which δ is at most `target`, rounded up to 12 digits; at most `local`.
/// `delta`(α) is an upper bound on δ at the ε with e^ε = α, and falls with α.
pub(crate) fn certified_epsilon(
    target: f64,
    local: &Rational,
    delta: impl Fn(f64) -> f64,
) -> Result<Rational, Error> {
    if delta(1.0) <= target {
        return Ok(Rational::zero());
    }
    let (_, mut high) = bisect(local.to_f64(), |epsilon| delta(elementary::exp(epsilon)) > target);
    // e^ε has few digits where ε is tiny, so the first candidate may just miss.
    let mut margin = 1e-11;
    for _ in 0..16 {
        let epsilon = Rational::from_f64(high)?.round_to_digits(DIGITS, Rounding::Up);
        if epsilon >= *local {
            break;
        }
        if Bounds::exp(&epsilon).is_some_and(|alpha| delta(alpha.lower) <= target) {
            return Ok(epsilon);
        }
        high *= 1.0 + margin;
        margin *= 4.0;
    }
    Ok(local.clone())
}

/// A lower bound on the least ε at which δ is at most `target`, rounded down to 12 digits; from 0 to `local`.
/// `delta`(α) is a lower bound on δ at the ε with e^ε = α, and falls with α.
pub(crate) fn refuted_epsilon(
    target: f64,
    local: &Rational,
    delta: impl Fn(f64) -> f64,
) -> Rational {
    // From a number not above δ to one not below.
    let target = target.next_up().next_up();
    let (mut low, _) = bisect(local.to_f64(), |epsilon| delta(elementary::exp(epsilon)) > target);
    let mut margin = 1e-11;
    for _ in 0..16 {
        let Ok(exact) = Rational::from_f64(low) else {
            break;
        };
        let epsilon = exact.round_to_digits(DIGITS, Rounding::Down);
        let alpha = Bounds::exp(&epsilon);
        if alpha.is_some_and(|alpha| delta(alpha.upper) > target) {
            return epsilon;
        }
        low *= 1.0 - margin;
        margin *= 4.0;
    }
    Rational::zero()
}

/// Two numbers from 0 to `most` that differ by a relative 1e-11: `is_low` holds at the first and not at the
/// second. Either may be an end of the range that was not tried.
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
