//! Searches in floating point for what is then certified: the tilt, and the ε at a δ.

use dp_exact::search::bisect;
use dp_exact::{Interval, Rational, Rounding};

use crate::privacy_loss::{BoundSide, TiltedLoss};
use crate::{Error, Refusal, Result};

/// Significant digits of an ε.
const DIGITS: usize = 15;

/// An ε beyond which no answer lies.
const FARTHEST: f64 = 1e7;

/// A close bound, from `side`, on the least ε whose δ under `law` is at most `target`, of 15
/// digits. On the upper side δ at the bound is certainly at most the target. On the lower side δ is
/// certainly at least the target, or the bound is 0. `tilt` is the λ of `law`. `log_target` is
/// about ln `target`; where it is off, the search is slower. `Err` if no upper bound is found near
/// the crossing, or a δ takes too long.
pub(super) fn solve(
    law: &TiltedLoss,
    tilt: &Rational,
    target: &Interval,
    log_target: f64,
    side: BoundSide,
) -> Result<Rational> {
    let meets = |epsilon: &Rational| -> Result<bool> {
        let delta = law.delta(epsilon, tilt).ok_or_else(too_long)?;
        Ok(match side {
            BoundSide::Upper => delta.upper() <= target.lower(),
            BoundSide::Lower => delta.lower() < target.upper(),
        })
    };
    let rate = tilt.to_f64();
    let excess = |epsilon: f64| law.log_delta_about(epsilon, rate) - log_target;
    if excess(0.0) < 1e-6 && meets(&Rational::zero())? {
        return Ok(Rational::zero());
    }
    let (low, high) = crossing(excess);
    let mut margin = 1e-13;
    for _ in 0..24 {
        let (guess, rounding) = match side {
            BoundSide::Upper => (high * (1.0 + margin), Rounding::Up),
            BoundSide::Lower => (low * (1.0 - margin), Rounding::Down),
        };
        let epsilon = Rational::from_f64(guess)?.round_to_digits(DIGITS, rounding);
        if meets(&epsilon)? == (side == BoundSide::Upper) {
            return Ok(epsilon);
        }
        margin *= 4.0;
    }
    match side {
        BoundSide::Upper => Err(too_long()),
        BoundSide::Lower => Ok(Rational::zero()),
    }
}

/// Two close ε, from 0 to 1e7, between which the falling function `excess` changes its sign by
/// floats: no bounds.
fn crossing(excess: impl Fn(f64) -> f64) -> (f64, f64) {
    let between = |low: &f64, high: &f64| match *low > 0.0 {
        true => (high - low > 1e-14 * high).then(|| (low * high).sqrt()),
        false => (*high > 1e-30).then_some(high / 8.0),
    };
    bisect(0.0, FARTHEST, between, |&epsilon| excess(epsilon) <= 0.0)
}

/// The refusal of a sum of losses that needs too many lattice points.
pub(super) fn too_long() -> Error {
    let what =
        "the distribution of the sum of these privacy losses, on a grid of at most 2^22 points";
    let change = "compose very large losses and very small ones apart and add up what they come to, or take a \
                  larger delta";
    Refusal::not_available(what, change).into()
}
