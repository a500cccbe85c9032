//! The least ε that a bound on δ proves, and the largest that one refutes.
//!
//! Floating point numbers propose ε; what is printed is a fraction, and is tried with a certified
//! enclosure of e^ε. So no search needs to be right.

use dp_exact::{Rational, Rounding, elementary};

use crate::limits::DIGITS;
use dp_calibration::Error;
use dp_exact::directed::Bounds;
use dp_exact::search;

/// Steps of a search.
const STEPS: usize = 60;

/// The least ε that is found with `delta`(α) ≤ `target` for an α ≤ e^ε; at most the local ε.
pub(crate) fn solve(
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

/// The largest ε that is found at which a δ, of which `delta` is a lower bound for α ≥ e^ε, is
/// certainly above `target`.
pub(crate) fn refuted(target: f64, local: &Rational, delta: impl Fn(f64) -> f64) -> Rational {
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

/// Two numbers next to each other between which `is_low` changes from true to false, about.
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
