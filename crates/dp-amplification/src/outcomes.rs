//! The pairs of laws that an accountant composes: one that dominates every dataset, and that of one.

use dp_exact::Rational;
use dp_exact::directed::{add_down, add_up, div_down, mul_down, sub_down};

use dp_calibration::Error;
use dp_calibration::privacy_loss::Outcomes;

use crate::curve::Curve;
use crate::hockey_stick::HockeyStick;

/// How far tails are followed for a composition.
pub(crate) const DEPTH: f64 = 100.0;

/// Share of the usual looseness for a composition, in which the looseness of small losses adds up.
pub(crate) const SHARE: f64 = 0.25;

/// From this many counts on they are put together: finer than the grid that they go to.
const FINE_GROUPS: usize = 1 << 15;

/// The outcomes of the pair of a curve: its likelihood ratio, and its probability under P rounded up.
pub(crate) fn of_curve(curve: &Curve) -> Result<Outcomes, Error> {
    let mut outcomes = Vec::new();
    for (ratio, a, b) in curve.outcomes() {
        let (ratio, a, b) =
            (Rational::from_f64(ratio)?, Rational::from_f64(a)?, Rational::from_f64(b)?);
        if ratio == Rational::one() {
            outcomes.push((ratio, a));
            continue;
        }
        if let Some(inverse) = ratio.reciprocal() {
            outcomes.push((inverse, b));
        }
        outcomes.push((ratio, a));
    }
    Ok(outcomes)
}

/// The outcomes of a count whose law is known but for an event of a probability of at most `missing`:
/// likelihood ratio and probability, rounded down, neighbours put together if there are many. What happens in
/// that event is counted for Q everywhere and for P nowhere.
pub(crate) fn of_count(count: &HockeyStick<'_>, missing: f64) -> Result<Outcomes, Error> {
    // What is below the window would belong to the first outcome.
    let first = usize::from(count.law.first > 0);
    let size = count.outcomes().div_ceil(FINE_GROUPS);
    let inside = sub_down(1.0, missing).max(0.0);
    let mut outcomes = Vec::with_capacity(count.outcomes() / size + 1);
    for start in (first..count.outcomes()).step_by(size) {
        let (mut probability, mut other) = (0.0, missing);
        for s in start..(start + size).min(count.outcomes()) {
            let here = count.outcome(s);
            probability = add_down(probability, here.0).max(0.0);
            other = add_up(other, here.1);
        }
        if missing > 0.0 {
            probability = mul_down(probability, inside).max(0.0);
        }
        let ratio = div_down(probability, other);
        if probability > 0.0 && ratio > 0.0 {
            let ratio = Rational::from_f64(ratio)?;
            outcomes.push((ratio, Rational::from_f64(probability)?));
        }
    }
    Ok(outcomes)
}
