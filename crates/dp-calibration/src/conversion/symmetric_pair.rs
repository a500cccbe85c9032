//! The least ρ of discrete Laplace noise and of k-ary randomized response.
//!
//! With t = α − 1 and u = t(1+t), ρ is the supremum of ln E[e^(tℓ)]/u over u > 0, and at least its
//! limit E(ℓ) for u → 0. Section 8 of `docs/calibration.md` proves: it is E(ℓ) if L·coth(L/2) − 2 ≤
//! E(ℓ) for the largest loss L; for randomized response it grows up to one u, and falls from there.

use dp_exact::search::{decimal_midpoint, try_bisect};
use dp_exact::{Epsilon, Interval, Rational, Rho, Rounding, refine};
use num_bigint::BigUint;

use super::{pure_to_rho, rounded_up};
use crate::discrete_gaussian::is_narrow;
use crate::{Error, Result};

/// Significant digits of an order that is found by bisection.
const DIGITS: usize = 16;

/// The ρ of one integer that changes by `step` under discrete Laplace noise of this `scale`,
/// rounded up to twelve digits: E(ℓ) = (d − 2q(1 − q^d)/(1 − q²))/t for the step d, the scale t and
/// q = e^(−1/t), or where that is not proved ε·tanh(ε/2) of ε = d/t.
///
/// ```
/// use dp_calibration::conversion::laplace_rho;
///
/// assert_eq!(laplace_rho(&"80".parse()?, &80u32.into())?.to_string(), "0.367895902345");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the scale is not positive, or d/t outside 1e-9 to 10 000 or of more than 2048 bits.
pub fn laplace_rho(scale: &Rational, step: &BigUint) -> Result<Rho> {
    let largest = Rational::integer(step.clone()).checked_div(scale);
    let refused = || Error::parameter("scale", scale, "a number greater than 0");
    let largest = Epsilon::new(largest.ok_or_else(refused)?)?;
    let rate = scale.reciprocal().ok_or_else(refused)?;
    let mean = refine(|precision| {
        let enclose = |value: &Rational| Interval::rational(value, precision);
        // 2q(1 − e^(−L))/(1 − q²), for the largest loss L = d/t
        let lost = -enclose(&-largest.value()).exp_m1()?;
        let lost = (enclose(&-&rate).exp()? * lost).shifted(1);
        let lost = lost.checked_div(&-enclose(&-(&rate + &rate)).exp_m1()?)?;
        let mean = enclose(largest.value()) - lost * enclose(&rate);
        is_narrow(&mean).then_some(mean)
    })?;
    let pure = pure_to_rho(&largest)?;
    Ok(match is_attained_in_the_limit(&largest, &mean)? {
        true => Rho::new(rounded_up(&mean)?)?.min(pure),
        false => pure,
    })
}

/// The ρ of randomized response with `answers` ≥ 2 answers, the true one with odds e^ε against each
/// other one, rounded up to twelve digits.
///
/// # Errors
/// If there are fewer than 2 answers, or ε is outside 1e-9 to 10 000 or has more than 2048 bits.
pub fn response_rho(epsilon: &Epsilon, answers: u64) -> Result<Rho> {
    Error::check(answers >= 2, "answers", answers, "an integer of at least 2")?;
    let pure = pure_to_rho(epsilon)?;
    let mean = refine(|precision| {
        // ε·(e^ε − 1)/(e^ε + k − 1)
        let rate = Interval::rational(epsilon.value(), precision);
        let growth = rate.exp_m1()?;
        let mean =
            (rate * &growth).checked_div(&(growth + Interval::integer(answers, precision)))?;
        is_narrow(&mean).then_some(mean)
    })?;
    if is_attained_in_the_limit(epsilon, &mean)? {
        return Ok(Rho::new(rounded_up(&mean)?)?.min(pure));
    }
    // √(u+¼), below and above the u at which the quotient is largest.
    let (low, mut high) = (Rational::new(1, 2)?, Rational::one());
    while rises(epsilon, answers, &high)? {
        high = &high + &high;
    }
    let middle = decimal_midpoint(DIGITS, Rounding::Nearest);
    let (low, high) =
        try_bisect(low, high, middle, |root| rises(epsilon, answers, root).map(|rises| !rises))?;
    // ln E[e^(tℓ)] grows with u: between both ends the quotient is at most this.
    let bound = refine(|precision| {
        let (moment, _) = moment(epsilon, answers, &high, precision)?;
        let least = low.pow(2) - Rational::new(1, 4).ok()?;
        moment.ln()?.checked_div(&Interval::rational(&least, precision))
    })?;
    Ok(Rho::new(rounded_up(&bound)?)?.min(pure))
}

/// Whether L·coth(L/2) − 2 ≤ E(ℓ) is certain, for the largest loss L and the enclosure `mean` of
/// E(ℓ): then ρ is E(ℓ).
fn is_attained_in_the_limit(largest: &Epsilon, mean: &Interval) -> Result<bool> {
    let ratio = refine(|precision| {
        let largest = Interval::rational(largest.value(), precision);
        let growth = largest.exp_m1()?;
        let two = Interval::integer(2, precision);
        let ratio = (largest * (&growth + &two)).checked_div(&growth)? - two;
        is_narrow(&ratio).then_some(ratio)
    })?;
    Ok(ratio.upper() <= mean.lower())
}

/// Whether ln E[e^(tℓ)]/u rises with u = t(1+t) at √(u+¼) = `root` for randomized response: u·F′ >
/// F·ln F for F = E[e^(tℓ)] as a function of u. `Err` if no precision decides it.
fn rises(epsilon: &Epsilon, answers: u64, root: &Rational) -> Result<bool> {
    let rises = refine(|precision| {
        let (moment, slope) = moment(epsilon, answers, root, precision)?;
        let u = Interval::rational(&(root.pow(2) - Rational::new(1, 4).ok()?), precision);
        (u * slope).compare(&(&moment * moment.ln()?))
    })?;
    Ok(rises.is_gt())
}

/// Enclosures of F = E[e^(tℓ)] for randomized response as a function of u = t(1+t), and of its
/// derivative by u, at √(u+¼) = `root`: F = w₀ + w₁·cosh(ε·`root`)/cosh(ε/2), where w₀ =
/// (k−2)/(e^ε+k−1) is the probability of the loss 0, and w₁ = (e^ε+1)/(e^ε+k−1). `None` if the
/// precision is too low.
fn moment(
    epsilon: &Epsilon,
    answers: u64,
    root: &Rational,
    precision: u32,
) -> Option<(Interval, Interval)> {
    let enclose = |value: &Rational| Interval::rational(value, precision);
    let whole = |value: u64| Interval::integer(value, precision);
    let rate = epsilon.value();
    let up = enclose(&(rate * &Rational::new(1, 2).ok()?)).exp()?;
    let turn = rate * root;
    let (rise, fall) = (enclose(&turn).exp()?, enclose(&-turn).exp()?);
    let all = enclose(rate).exp()? + whole(answers - 1);
    // w₁/(e^(ε/2) + e^(−ε/2)) = e^(ε/2)/(e^ε + k − 1)
    let weight = up.checked_div(&all)?;
    let moment = whole(answers - 2).checked_div(&all)? + &weight * (&rise + &fall);
    let slope = weight * (rise - fall) * enclose(&rate.checked_div(&(root + root))?);
    Some((moment, slope))
}
