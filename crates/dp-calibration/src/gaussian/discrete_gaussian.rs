//! Discrete Gaussian noise and its exact guarantee.
//!
//! The discrete Gaussian has p(x) = e^(−x²/(2σ²))/Z on the integers, with Z = Σₓ e^(−x²/(2σ²))
//! (Canonne, Kamath, Steinke 2020, Definition 1). σ² is its variance *parameter*; the variance
//! itself is a little smaller.
//!
//! Independent noise on every coordinate, where k coordinates change by Δ, has the exact δ at ε
//!
//!   δ(ε, σ²) = Σ_{w > εσ²/Δ − kΔ/2} [P(w) − e^ε·P(w + kΔ)]
//!
//! for the signed total W of the noise on these coordinates (Canonne, Kamath, Steinke 2020, Theorem
//! 7, for k = 1; section 2 of `docs/calibration.md`). Moving fewer coordinates or less far gives at
//! most this ([`WorstCaseDifference`]).

mod calibration;
mod range;

use dp_exact::search::{decimal_midpoint, try_bisect};
use dp_exact::{Delta, Dyadic, Epsilon, Interval, PrecisionError, Rational, Rounding, refine};

use crate::lattice_gaussian::{Divergence, SummedNoise, lost_bits};
use crate::{Result, SensitivityBound, WorstCaseDifference, accepted, zcdp};

pub(crate) use calibration::below;
use calibration::bound_of_norm;
pub use calibration::{GaussianCalibration, GaussianProof, calibrate};

/// Enclosure of the δ at ε of discrete Gaussian noise with variance parameter σ² = `variance` on
/// every coordinate, at the worst difference. Where only a norm of the difference is known, the
/// enclosure goes from 0 to a bound for every difference of this norm.
///
/// `sensitivity` is a [`WorstCaseDifference`] or the [`SensitivityBound`] of a query. δ is not
/// monotone in the variance: more noise may have a larger one.
///
/// With a worst difference it is narrower than 2^−64 of δ, nineteen digits, for one coordinate
/// and for two. For more it is as wide as the [ripple](crate::for_amplification::ripple), below
/// 1e-9 for a hundred coordinates and σ ≥ 1.2, and 0 to the bound by zero-concentrated privacy
/// where the ripple is not known, or δ is far below 10^−1000.
///
/// ```
/// use dp_calibration::{WorstCaseDifference, discrete_gaussian};
///
/// // σ = 23.3903 is the published choice for (0.317, 1e-9), taken from continuous noise.
/// let sigma: dp_exact::Rational = "23.3903".parse()?;
/// let pair = WorstCaseDifference::one_hot();
/// let delta = discrete_gaussian::delta(&sigma.pow(2), &"0.317".parse()?, &pair)?;
/// assert!(delta.compare_rational(&"1e-9".parse()?).is_some_and(|order| order.is_gt()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 10 000, σ²/Δ₂² outside 1e-10 to 1e30 or above 2^36/ε², or a parameter
/// has more than 2048 bits.
pub fn delta(
    variance: &Rational,
    epsilon: &Epsilon,
    sensitivity: impl Into<SensitivityBound>,
) -> Result<Interval> {
    let sensitivity = sensitivity.into();
    if let Some(difference) = sensitivity.worst_case_difference() {
        return exact_delta(variance, epsilon, difference);
    }
    // The bound by zero-concentrated privacy is not far above δ, and the next one closer to it.
    let mut bound = zcdp::delta(&zcdp::rho(variance, sensitivity.l2_squared())?, epsilon)?;
    for _ in 0..2 {
        let about = bound.upper().clone().max(Dyadic::new(1, -400));
        let about = about.to_rational().ok_or(PrecisionError)?;
        let (next, _) = bound_of_norm(variance, epsilon, &about, &sensitivity)?;
        bound = if next.upper() < bound.upper() { next } else { bound };
    }
    Ok(Interval::hull_of(Dyadic::new(0, 0), bound.upper().clone(), bound.precision()))
}

/// Enclosure of the δ at ε of discrete Gaussian noise with σ² = `variance` at a worst difference,
/// or from 0 to the bound by zero-concentrated privacy where the exact sum has no answer. `Err` if
/// a parameter is out of its range.
pub(crate) fn exact_delta(
    variance: &Rational,
    epsilon: &Epsilon,
    difference: &WorstCaseDifference,
) -> Result<Interval> {
    let rate = accepted::answered_epsilon(epsilon)?;
    let l2_squared = difference.l2_squared();
    accepted::variance(variance, rate, &accepted::l2_squared(&l2_squared)?)?;
    if Divergence::new(difference, rate).form(variance, 0).is_some()
        && let Ok(delta) = delta_at(variance, rate, difference)
    {
        return Ok(at_most_one(&delta));
    }
    let bound = zcdp::delta(&zcdp::rho(variance, &l2_squared)?, epsilon)?;
    Ok(bound.hull(&Interval::integer(0, 64)))
}

/// Enclosure of the δ at ε of discrete Gaussian noise at a worst difference, by the exact sum; it
/// is wider than 2^−64 of δ only by the ripple. The ranges are not checked. `Err` if the ripple is
/// too large, or the sum takes too many terms.
pub(crate) fn delta_at(
    variance: &Rational,
    epsilon: &Rational,
    difference: &WorstCaseDifference,
) -> Result<Interval, PrecisionError> {
    let divergence = Divergence::new(difference, epsilon);
    let lost = lost_bits(&divergence, variance);
    refine(|precision| {
        let form = divergence.form(variance, precision)?;
        let law = SummedNoise::new(&divergence, variance, form, precision + lost + 16)?;
        let part = law.positive_part(&divergence)?;
        law.normalized(&part).filter(|_| is_narrow(&part))
    })
}

/// Whether the interval is positive and narrower than 2^−64 of its lower end.
pub(crate) fn is_narrow(interval: &Interval) -> bool {
    let precision = interval.precision();
    let end = |end: &Dyadic| Interval::point(end, precision);
    let (lower, upper) = (end(interval.lower()), end(interval.upper()));
    let width = (upper - &lower).upper().clone();
    interval.is_positive() && width <= *lower.shifted(-64).lower()
}

/// The enclosure of a δ with ends of at most 1, as every δ is.
pub(crate) fn at_most_one(delta: &Interval) -> Interval {
    let most = |end: &Dyadic| end.clone().min(Dyadic::new(1, 0));
    Interval::hull_of(most(delta.lower()), most(delta.upper()), delta.precision())
}

/// The least ε, in twelve digits, at which discrete Gaussian noise with variance parameter
/// σ² = `variance` is (ε, δ)-differentially private for the worst difference `difference`.
///
/// δ falls as ε grows, so halving finds it, from the ε of zero-concentrated privacy downward; that
/// the result is enough is certified. It may be 0: then (0, δ) holds.
///
/// # Errors
/// If δ is outside 1e-40 to 0.9, the zero-concentrated ρ = Δ₂²/(2σ²) outside 1e-30 to 1e6, the ε
/// to be found outside of what [`delta`] accepts, or a parameter has more than 2048 bits.
pub fn epsilon(
    variance: &Rational,
    slack: &Delta,
    difference: &WorstCaseDifference,
) -> Result<Rational> {
    epsilon_by(variance, slack, difference, |epsilon| exact_delta(variance, epsilon, difference))
}

/// The least ε of twelve digits at which the upper end of `delta`(ε) is at most δ = `slack`, at
/// least 1e-9, and at most the ε that zero-concentrated privacy gives for `variance` and
/// `difference`, which may be smaller.
pub(crate) fn epsilon_by(
    variance: &Rational,
    slack: &Delta,
    difference: &WorstCaseDifference,
    delta: impl Fn(&Epsilon) -> Result<Interval>,
) -> Result<Rational> {
    let target = accepted::delta(slack)?;
    let rho = zcdp::rho(variance, &difference.l2_squared())?;
    least_epsilon(zcdp::epsilon(&rho, slack)?, |epsilon| {
        Ok(delta(epsilon)?.upper().cmp_rational(target).is_le())
    })
}

/// The least ε of twelve digits for which `holds` is true, given that it is true at `highest`. The
/// answer is at least 1e-9, unless `highest` is smaller: then it is `highest`.
pub(crate) fn least_epsilon(
    highest: Rational,
    holds: impl Fn(&Epsilon) -> Result<bool>,
) -> Result<Rational> {
    let smallest = Rational::new(1, 1_000_000_000)?;
    if highest <= smallest {
        return Ok(highest);
    }
    if holds(&Epsilon::new(smallest.clone())?)? {
        return Ok(smallest);
    }
    let (_, least) = try_bisect(smallest, highest, wide_midpoint(12), |epsilon| {
        holds(&Epsilon::new(epsilon.clone())?)
    })?;
    Ok(least)
}

/// Makes a function for bisection: a point strictly between two positive numbers, rounded up to
/// `digits` digits if there is such a one, that halves their ratio while it is above 2, then their
/// distance. `None` if there is no such point.
pub(crate) fn wide_midpoint(digits: usize) -> impl Fn(&Rational, &Rational) -> Option<Rational> {
    // Above a power of ten numbers of so many digits lie ten times as far apart as below it: there
    // the middle rounded up may be the higher end, and rounded down the power itself.
    let [upward, downward] = [Rounding::Up, Rounding::Down].map(|to| decimal_midpoint(digits, to));
    move |low, high| {
        if low + low >= *high {
            return upward(low, high).or_else(|| downward(low, high));
        }
        let root = low.to_f64().sqrt() * high.to_f64().sqrt();
        let root = Rational::from_f64(root).ok()?.round_to_digits(digits, Rounding::Up);
        (*low < root && root < *high).then_some(root)
    }
}
