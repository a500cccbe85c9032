//! The least discrete Laplace noise for (ε, δ).
//!
//! δ falls as the scale grows, so a search that keeps a scale that is enough and one that is not
//! ends at the least scale of twelve digits. Every comparison is certified.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, refine};
use num_bigint::BigUint;

use super::scale_search::{DIGITS, least_scale};
use super::{bounded_delta, supported};
use crate::laplace::{self, positive_sensitivity};
use crate::{Adjacency, Error, Query, WorstCaseDifference, accepted};

/// Discrete Laplace noise that meets (ε, δ), with the proof.
///
/// **What is proved**: noise of scale `scale`, *or any larger one*, on every coordinate is
/// (ε, δ)-differentially private for the differences it was calibrated for; noise of the `refuted`
/// scale is not. For one or two coordinates the two differ by one unit of the twelfth digit, for
/// more by about 1e-9, and by about 1e-4 where the sum has more than 65 536 losses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LaplaceCalibration {
    /// The scale t, a decimal of at most twelve digits; or the scale of pure privacy, Δ₁/ε,
    /// exactly.
    pub scale: Rational,
    /// Enclosure of δ at that scale, or of an upper bound on it where there is no `difference`; its
    /// upper end is at most the target. 0 for pure privacy.
    pub delta: Interval,
    /// A smaller scale that is certainly not enough; `None` for pure privacy.
    pub refuted: Option<Rational>,
    /// The worst difference; `None` where the L1 sensitivity alone proves the result.
    pub difference: Option<WorstCaseDifference>,
}

impl LaplaceCalibration {
    /// Whether the worst difference proves the result, and not the L1 sensitivity alone.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.difference.is_some()
    }
}

/// The least scale of discrete Laplace noise that makes an aggregate (ε, δ)-differentially private
/// whose worst difference is `difference`.
///
/// ```
/// use dp_calibration::{WorstCaseDifference, discrete_laplace};
///
/// let noise = discrete_laplace::calibrate(&"1".parse()?, &"0.01".parse()?, &WorstCaseDifference::one_hot())?;
/// assert!(noise.scale < 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 100, δ outside 1e-40 to 0.9 (for δ = 0 see
/// [`crate::laplace::scale`]), either has more than 2048 bits, or more than 2^24
/// coordinates change.
pub fn calibrate(
    epsilon: &Epsilon,
    delta: &Delta,
    difference: &WorstCaseDifference,
) -> Result<LaplaceCalibration, Error> {
    accepted::epsilon(epsilon)?;
    let target = accepted::delta(delta)?;
    supported(difference)?;
    // The scale of pure differential privacy is enough.
    let pure = laplace::scale(epsilon, &difference.l1())?;
    // So is the scale of one coordinate that changes by all of Δ₁.
    let single = WorstCaseDifference::new(1, difference.l1())?;
    let highest = match difference.coordinates() {
        1 | 2 => pure,
        _ => least_scale(&pure, target, |scale, _| super::delta(scale, epsilon, &single))?.scale,
    };
    let least = least_scale(&highest, target, |scale, ends| {
        bounded_delta(scale, epsilon, difference, ends)
    })?;
    Ok(LaplaceCalibration {
        scale: least.scale,
        delta: least.delta,
        refuted: least.refuted,
        difference: Some(difference.clone()),
    })
}

/// The least scale of discrete Laplace noise that makes the aggregate of a query
/// (ε, δ)-differentially private, or ε-differentially private for δ = 0.
///
/// By the exact distribution of the noise at [`Query::worst_case_difference`].
///
/// ```
/// use dp_calibration::{Adjacency, Query, discrete_laplace::calibrate_query};
///
/// let query = Query::L1BoundSum { length: 10, max_measurement: 255 };
/// let noise = calibrate_query(&query, Adjacency::Replacement, &"1".parse()?, &"0".parse()?)?;
/// assert_eq!(noise.scale, 510);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 100, δ neither 0 nor from 1e-40 to 0.9, or either has more than 2048
/// bits; the errors of [`Query::sensitivity`]; if the sensitivity is 0 (a histogram of one bucket,
/// replaced), so that no noise is needed.
pub fn calibrate_query(
    query: &Query,
    adjacency: Adjacency,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<LaplaceCalibration, Error> {
    let difference = query.laplace_difference(adjacency)?;
    if !delta.value().is_zero() {
        return calibrate(epsilon, delta, &difference);
    }
    accepted::epsilon(epsilon)?;
    Ok(LaplaceCalibration {
        scale: laplace::scale(epsilon, &difference.l1())?,
        delta: Interval::integer(0, 64),
        refuted: None,
        difference: Some(difference),
    })
}

/// The least scale of discrete Laplace noise that makes every aggregate of L1 sensitivity `l1`
/// (ε, δ)-differentially private.
///
/// Changes of several coordinates are no worse than their sum on one ([`WorstCaseDifference`]), so
/// this is the scale for one coordinate that changes by Δ₁: the least for all such aggregates
/// together. For a single one it need not be, and there is no `difference`.
///
/// # Errors
/// As [`calibrate`]; if the sensitivity is 0 or has more than 200 bits.
pub fn calibrate_norm(
    epsilon: &Epsilon,
    delta: &Delta,
    l1: &BigUint,
) -> Result<LaplaceCalibration, Error> {
    positive_sensitivity("l1", l1)?;
    let noise = calibrate(epsilon, delta, &WorstCaseDifference::new(1, l1.clone())?)?;
    Ok(LaplaceCalibration { difference: None, ..noise })
}

/// A scale for (ε, δ) by a bound for every ε₀-differentially private mechanism of L1 sensitivity
/// `l1`, ε₀ = Δ₁/t: δ ≤ (e^(ε₀) − e^ε)/(e^(ε₀) + 1) (Kairouz, Oh, Viswanath 2015, Theorem 3.3 for k
/// = 1). [`calibrate_norm`] needs no more noise.
///
/// # Errors
/// If ε is outside 1e-9 to 100, δ outside 1e-40 to 0.9, or either has more than 2048 bits; if
/// the sensitivity is 0.
pub fn scale_of_any_pure(
    epsilon: &Epsilon,
    delta: &Delta,
    l1: &BigUint,
) -> Result<Rational, Error> {
    let epsilon = accepted::epsilon(epsilon)?;
    let target = accepted::delta(delta)?;
    let norm = positive_sensitivity("l1", l1)?;
    let rest = Rational::one() - target;
    // t = Δ₁/ε₀ with e^(ε₀) = (δ + e^ε)/(1 − δ), rounded up; never above Δ₁/ε, which needs no δ.
    let scale = refine(|precision| {
        let precision = precision.max(192);
        let growth = Interval::rational(epsilon, precision).exp()?;
        let ratio = (growth + Interval::rational(target, precision))
            .checked_div(&Interval::rational(&rest, precision))?;
        let scale = Interval::rational(&norm, precision).checked_div(&ratio.ln()?)?;
        scale.upper().to_rational()
    })?;
    let rounded = scale.round_to_digits(DIGITS, Rounding::Up);
    Ok(match norm.checked_div(epsilon) {
        Some(pure) => rounded.min(pure),
        None => rounded,
    })
}
