//! Discrete Gaussian noise against every difference of a given L2 norm that changes few integers.
//!
//! **Theorem.** n integers change by v, ‖v‖₂ ≤ V, and receive independent discrete Gaussian noise
//! with variance parameter s². With δ_c(ε; μ) the exact δ of *continuous* Gaussian noise of standard
//! deviation 1 on one number that changes by μ ([`analytic_gaussian`]), for every L ≥ 0 and ε ≥ η
//!
//!   δ(ε) ≤ e^(n/24s²)·δ_c(ε − η; V/s) + e^−L,  η = V²/8s⁴ + V·√(n + 2√(nL) + 2L)/4s³.
//!
//! Section 3 of `docs/calibration.md` has the proof. The bound falls as s grows. Integers change by 1
//! at least, so that n is at most the L1 norm of v.

use dp_exact::{Delta, Dyadic, Epsilon, Interval, Rational, Rounding, refine, square_root_up};

use super::wide_gaussian::{power_of_two, tail_bits};
use crate::crossing::{crossing, excess};
use crate::{Result, SensitivityBound, accepted, analytic_gaussian};

/// Significant digits of a variance.
const DIGITS: usize = 13;

/// Upper bound on the δ at `epsilon` of discrete Gaussian noise of this `variance`, for every
/// difference within `sensitivity`: at most 1, and 1 where ε is too small for the theorem. `about`
/// is about the δ that is asked for; the probability e^−L that the theorem gives away is far below
/// it.
pub(crate) fn delta(
    variance: &Rational,
    epsilon: &Rational,
    about: &Rational,
    sensitivity: &SensitivityBound,
) -> Result<Rational> {
    let [l2_squared, changed] = [sensitivity.l2_squared(), sensitivity.l1()];
    let (l2_squared, changed) =
        (accepted::l2_squared(l2_squared)?, Rational::integer(changed.clone()));
    let bits = tail_bits(about);
    // L = 0.7·bits, so that e^−L ≤ 2^−bits.
    let far = Rational::integer(bits) * Rational::new(7, 10)?;
    let root = square_root_up(&(&changed * &far), DIGITS)?;
    let reach = &changed + &(&root + &far) + (&root + &far);
    let inverse = variance.reciprocal().ok_or(dp_exact::PrecisionError)?;
    let linear = square_root_up(&(&l2_squared * &reach * inverse.pow(3)), DIGITS)?;
    let slack =
        &l2_squared * &inverse.pow(2) * Rational::new(1, 8)? + linear * Rational::new(1, 4)?;
    let rate = epsilon - &slack.round_to_digits(DIGITS, Rounding::Up);
    if !rate.is_positive() {
        return Ok(Rational::one());
    }
    let ratio = variance.checked_div(&l2_squared).ok_or(dp_exact::PrecisionError)?;
    let growth = changed * &inverse * Rational::new(1, 24)?;
    let least = Dyadic::new(1, -i64::from(bits));
    let bound = refine(|precision| {
        let continuous = analytic_gaussian::delta_at(&rate, &ratio, precision)?;
        // Terms below 2^−bits need not be distinguished.
        let width = &continuous - &Interval::point(continuous.lower(), precision);
        let is_close = *width.upper() <= least;
        let bound = continuous * Interval::rational(&growth, precision).exp()?;
        bound.upper().to_rational().filter(|_| is_close)
    })?;
    Ok((bound + power_of_two(bits)).min(Rational::one()))
}

/// The least variance, of thirteen digits, at which [`delta`] proves (ε, δ). It proves every larger
/// variance as well. `start` is a variance that the search begins with.
pub(crate) fn variance(
    epsilon: &Epsilon,
    target: &Delta,
    sensitivity: &SensitivityBound,
    start: &Rational,
) -> Result<Rational> {
    let (rate, target) = (accepted::epsilon(epsilon)?, accepted::delta(target)?);
    let (_, variance, _) = crossing(start, (&Rational::new(1, 8)?, DIGITS), |variance| {
        let bound = delta(variance, rate, target, sensitivity)?;
        Ok(excess(&Interval::rational(&bound, 256), target))
    })?;
    Ok(variance)
}
