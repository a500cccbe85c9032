//! Searches in floating point for what is then certified: the tilt, and the ε at a δ.

use dp_exact::{Interval, Rational, Refusal, Rounding};

use super::loss_sum::LossSum;
use super::precision::DIGITS;
use dp_calibration::Error;
use dp_calibration::privacy_loss::BoundSide;

/// Distance in nats: where ln δ at ε = 1 is farther below the target than this, the search starts
/// nearer to 0.
const FAR: f64 = 1e4;

/// A close bound, from `side`, on the least ε whose δ under `law` is at most `target`, of 15
/// digits. On the upper side δ at the bound is certainly at most the target. On the lower side δ is
/// certainly at least the target, or the bound is 0. `tilt` is the λ of `law`. `log_target` is
/// about ln `target`; where it is off, the search is slower.
pub(super) fn solve(
    law: &LossSum,
    tilt: &Rational,
    target: &Interval,
    log_target: f64,
    side: BoundSide,
) -> Result<Rational, Error> {
    let meets = |epsilon: &Rational| -> Result<bool, Error> {
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

/// Two close values of ε > 0: the falling function `excess` is positive at the first and negative
/// at the second, up to rounding. No bounds. Values of `excess` steer the search, unlike
/// [`dp_exact::search`].
fn crossing(excess: impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    let (mut at_low, mut at_high) = (excess(low), excess(high));
    while at_high > 0.0 && high < 1e7 {
        (low, at_low) = (high, at_high);
        high *= 2.0;
        at_high = excess(high);
    }
    // Where all losses are tiny, an ε of 1 is too far for a chord to be of use.
    while at_high < -FAR && high > 1e-30 {
        let nearer = high / 8.0;
        let value = excess(nearer);
        if value > 0.0 {
            (low, at_low) = (nearer, value);
            break;
        }
        (high, at_high) = (nearer, value);
    }
    for round in 0..64 {
        if high - low < 1e-14 * high {
            break;
        }
        // Regula falsi, with the older end halved (Illinois), and bisection now and then.
        let chord = low + (high - low) * at_low / (at_low - at_high);
        let inside = chord > low && chord < high && round % 4 != 3;
        let middle = if inside {
            chord
        } else if low > 0.0 {
            f64::midpoint(low, high)
        } else {
            high / 8.0
        };
        let value = excess(middle);
        if value > 0.0 {
            (low, at_low) = (middle, value);
            at_high /= 2.0;
        } else {
            (high, at_high) = (middle, value);
            at_low /= 2.0;
        }
    }
    (low, high)
}

/// The refusal of a sum of losses that needs too many lattice points.
pub(super) fn too_long() -> Error {
    let what =
        "the distribution of the sum of these privacy losses, on a grid of at most 2^22 points";
    let change = "compose very large losses and very small ones apart and add up what they come to, or take a \
                  larger delta";
    Refusal::too_costly(what, change).into()
}
