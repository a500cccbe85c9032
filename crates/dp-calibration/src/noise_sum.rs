//! The sum of several aggregators' independent noises, where more than one of them is honest.
//!
//! Adding the noise of further honest aggregators is post-processing, so the guarantee of one
//! aggregator always holds as an upper bound. For Laplace noise that is all that is used: several
//! honest aggregators count as one, at the cost of 9 % of the scale for two at (1, 1e-9).
//!
//! **Gaussian noise.** With R = (1+η)/(1−η) from the [`ripple`] η of h draws, for k
//! coordinates
//!
//!   R^(−k)·δ*(ε + 2k·ln R) ≤ δ(ε) ≤ R^k·δ*(ε − 2k·ln R),
//!
//! where δ* belongs to one discrete Gaussian of parameter hσ² (`docs/calibration.md`, section 6,
//! with the reason why the calibrated variance and every larger one is safe). At σ ≥ 2.2 the two
//! agree to nineteen digits. For smaller σ the smaller of this bound and the δ of one aggregator is
//! the answer.

use dp_exact::{Delta, Dyadic, Epsilon, Interval, Rational, Rounding};

use crate::coset_sums::ripple;
use crate::discrete_gaussian::{
    self, GaussianCalibration, GaussianProof, below, epsilon_by, is_narrow,
};
use crate::{Error, Result, WorstCaseDifference, accepted};

/// Significant digits of a variance.
const DIGITS: usize = 13;

/// Enclosure of δ at ε where `honest` aggregators each add discrete Gaussian noise of variance
/// parameter σ² = `variance`, for the worst difference `difference`.
///
/// It is narrower than 2^−64 of δ for σ ≥ 2.5, and at most the δ of one; it may begin at 0.
///
/// # Errors
/// As [`discrete_gaussian::delta`]; if `honest` is not from 1 to 64.
pub fn gaussian_delta(
    variance: &Rational,
    epsilon: &Epsilon,
    difference: &WorstCaseDifference,
    honest: u32,
) -> Result<Interval> {
    checked_honest(honest)?;
    let alone = discrete_gaussian::exact_delta(variance, epsilon, difference)?;
    if honest == 1 {
        return Ok(alone);
    }
    let compared = compared(variance, epsilon, difference, honest);
    // More noise never hurts.
    let nothing = Dyadic::new(0, 0);
    let bound = Interval::hull_of(nothing, alone.upper().clone(), alone.precision());
    Ok(compared.filter(|delta| is_narrow(delta) || delta.upper() <= alone.upper()).unwrap_or(bound))
}

/// `Err` unless the number of honest aggregators is from 1 to 64.
fn checked_honest(honest: u32) -> Result<()> {
    Error::check((1..=64).contains(&honest), "honest", honest, "an integer from 1 to 64")
}

/// Enclosure of δ for the sum of h = `honest` draws, by comparison with the discrete Gaussian of
/// parameter hσ², σ² = `variance`. `None` where the two differ too much, or hσ² is out of range.
fn compared(
    variance: &Rational,
    epsilon: &Epsilon,
    difference: &WorstCaseDifference,
    honest: u32,
) -> Option<Interval> {
    let (factor, shift) = ratio(variance, difference, honest)?;
    let total = variance * &Rational::from(u64::from(honest));
    let l2_squared = accepted::l2_squared(&difference.l2_squared()).ok()?;
    accepted::variance(&total, epsilon.value(), &l2_squared).ok()?;
    let less = Some(epsilon.value() - &shift).filter(Rational::is_positive)?;
    let at = |epsilon: &Rational| discrete_gaussian::delta_at(&total, epsilon, difference).ok();
    let upper = at(&less)? * &factor;
    let lower = at(&(epsilon.value() + &shift))?.checked_div(&factor)?;
    Some(lower.hull(&upper))
}

/// The enclosure [1, R^k], and an upper bound on 2k·ln R of six digits. R^k is the largest factor
/// between probabilities of the sum of `honest` draws on each of k coordinates and of one discrete
/// Gaussian there. `None` if the ripple may be above 7/8.
fn ratio(
    variance: &Rational,
    difference: &WorstCaseDifference,
    honest: u32,
) -> Option<(Interval, Rational)> {
    let precision = 256;
    let eta = ripple(u64::from(honest), variance)?;
    let one = Interval::integer(1, precision);
    let largest = (&one + &eta).checked_div(&(&one - &eta))?;
    let log = largest.ln()? * Interval::integer(difference.coordinates(), precision);
    // Wide noise has ripples of millions of zeros: 2^−512 is far below 2^−64 of any ε.
    let finest = Dyadic::new(1, -512);
    let shift = log.shifted(1).upper().clone().max(finest).to_rational()?;
    let factor = one.hull(&log.exp()?);
    Some((factor, shift.round_to_digits(6, Rounding::Up)))
}

/// The least discrete Gaussian noise of each aggregator that is (ε, δ)-differentially private for a
/// worst difference if `honest` aggregators add it.
///
/// No smaller variance is proved unsafe but `refuted`, which is within 1e-8 of the variance where σ
/// ≥ 2.2. With fewer honest aggregators it guarantees less.
///
/// # Errors
/// As [`discrete_gaussian::calibrate`]; if `honest` is not from 1 to 64.
pub fn calibrate_gaussian(
    difference: &WorstCaseDifference,
    honest: u32,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<GaussianCalibration> {
    checked_honest(honest)?;
    let alone = discrete_gaussian::calibrate(epsilon, delta, difference)?;
    if honest == 1 {
        return Ok(alone);
    }
    // A good σ₀² is τ/h for (ε, δ) itself: the stricter guarantee has a larger one.
    let near = &part(&alone.variance, honest)? * &Rational::new(999_999, 1_000_000)?;
    let (variance, proof) = match variance_from(&near, difference, honest, epsilon, delta) {
        Some(less) if less < alone.variance => (less, GaussianProof::Sum),
        _ => (alone.variance, GaussianProof::OneAlone),
    };
    let is_unsafe = |less: &Rational| {
        gaussian_delta(less, epsilon, difference, honest)
            .is_ok_and(|found| found.lower().cmp_rational(delta.value()).is_gt())
    };
    let near = [1e-10, 1e-9, 1e-8, 1e-6, 1e-4, 0.01, 0.1, 0.5];
    let refuted = near.into_iter().filter_map(|part| below(&variance, part)).find(is_unsafe);
    let found = gaussian_delta(&variance, epsilon, difference, honest)?;
    // The proof shows that δ is at most the target: rounding may put an end of its enclosure above.
    let target = Interval::rational(delta.value(), found.precision().max(256));
    let most = |end: &Dyadic| end.clone().min(target.lower().clone());
    let delta = Interval::hull_of(most(found.lower()), most(found.upper()), target.precision());
    Ok(GaussianCalibration { refuted, ..GaussianCalibration::proved(variance, delta, proof) })
}

/// `total`/`honest`, the variance of each aggregator's draw, rounded up to thirteen digits.
fn part(total: &Rational, honest: u32) -> Result<Rational> {
    let part = total * &Rational::new(1, honest)?;
    Ok(part.round_to_digits(DIGITS, Rounding::Up))
}

/// A variance of each aggregator's noise, at least σ₀² = `from`, from which on the sum keeps (ε,
/// δ): one discrete Gaussian of the whole variance keeps a smaller (ε, δ). `None` if the ripple at
/// `from` is too large, or no noise is calibrated for the smaller (ε, δ).
fn variance_from(
    from: &Rational,
    difference: &WorstCaseDifference,
    honest: u32,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Option<Rational> {
    let (factor, shift) = ratio(from, difference, honest)?;
    let stricter = delta.value().checked_div(&factor.upper().to_rational()?)?;
    let stricter = Delta::new(stricter.round_to_digits(40, Rounding::Down)).ok()?;
    let less = Epsilon::new(epsilon.value() - &shift).ok()?;
    let noise = discrete_gaussian::calibrate(&less, &stricter, difference).ok()?;
    Some(part(&noise.variance, honest).ok()?.max(from.clone()))
}

/// Upper bound of twelve digits on the ε at which discrete Gaussian noise with variance parameter
/// σ² = `variance` from each of `honest` aggregators is (ε, δ)-differentially private; the least ε
/// for σ ≥ 2.2. Errors as [`discrete_gaussian::epsilon`]; if `honest` is not from 1 to 64.
pub(crate) fn gaussian_epsilon(
    variance: &Rational,
    slack: &Delta,
    difference: &WorstCaseDifference,
    honest: u32,
) -> Result<Rational> {
    checked_honest(honest)?;
    epsilon_by(variance, slack, difference, |epsilon| {
        gaussian_delta(variance, epsilon, difference, honest)
    })
}
