//! The pairs that an accountant composes: one that dominates every dataset, and one that a dataset
//! attains.

use dp_calibration::Error;
use dp_calibration::privacy_loss::Outcomes;
use dp_exact::Rational;

use crate::attained_delta::merged_outcomes;
use crate::dominating_curve::DominatingCurve;
use crate::hockey_stick::HockeyStick;

/// Depth of tails for a composition: they are followed to e^−100.
pub(crate) const DEPTH: f64 = 100.0;

/// Factor on the usual looseness for a composition, in which the looseness of small losses adds up.
pub(crate) const SHARE: f64 = 0.25;

/// The most outcomes of an attained pair: finer than the grid that they go to.
const MOST_OUTCOMES: usize = 1 << 15;

/// The outcomes of the pair of a curve, as (likelihood ratio, upper bound on its probability under P).
pub(crate) fn of_curve(curve: &DominatingCurve) -> Result<Outcomes, Error> {
    let mut outcomes = Vec::new();
    for (&ratio, &(a, b)) in curve.nodes.iter().zip(&curve.outcomes) {
        let ratio = Rational::from_f64(ratio)?;
        if let Some(inverse) = ratio.reciprocal().filter(|_| ratio != Rational::one()) {
            outcomes.push((inverse, Rational::from_f64(b)?));
        }
        outcomes.push((ratio, Rational::from_f64(a)?));
    }
    Ok(outcomes)
}

/// Outcomes of a count whose distribution is known but for an event of probability at most
/// `missing`: the likelihood ratio and its probability under P, both rounded down.
pub(crate) fn of_count(count: &HockeyStick<'_>, missing: f64) -> Result<Outcomes, Error> {
    let merged = merged_outcomes(count, missing, MOST_OUTCOMES).into_iter();
    let exact = |(p, ratio)| Ok((Rational::from_f64(ratio)?, Rational::from_f64(p)?));
    merged.map(exact).collect()
}
