//! Rényi differential privacy of one order to (ε, δ), as tightly as that order allows.
//!
//! `joint_range` certifies that (ε, δ) holds; this file finds the least such ε or δ.
//!
//! Dropping the second term of its F gives the classical bound (Canonne, Kamath, Steinke 2020,
//! Proposition 12): the first term is least at p = αδ.

use dp_exact::search::bisect;
use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, refine};

use super::DIGITS;
use super::joint_range::excludes;
use crate::discrete_gaussian::wide_midpoint;
use crate::{Error, accepted};

/// Bits of the classical bounds.
const PRECISION: u32 = 128;

/// The least ε, in twelve digits, for which (α, τ)-Rényi differential privacy of this single order
/// is proved to give (ε, δ). It may be 0.
///
/// # Errors
/// If α is not above 1 or is above 1e9, τ is negative or above 1e6, δ is outside 1e-40 to 0.9, or
/// one of them has more than 2048 bits.
pub fn renyi_to_epsilon(
    alpha: &Rational,
    tau: &Rational,
    delta: &Delta,
) -> Result<Rational, Error> {
    let target = check(alpha, tau, delta)?;
    let classical = renyi_to_epsilon_classical(alpha, tau, delta)?;
    if tau.is_zero() || excludes((alpha, tau), &Rational::zero(), target) {
        return Ok(Rational::zero());
    }
    Ok(least(&classical, |epsilon| excludes((alpha, tau), epsilon, target)))
}

/// The least δ, in twelve digits, for which (α, τ)-Rényi differential privacy of this single order
/// is proved to give (ε, δ); at most 1.
///
/// # Errors
/// If α is not above 1 or is above 1e9, τ is negative or above 1e6, ε is outside 1e-9 to 100, one
/// of them has more than 2048 bits, or δ would be below 1e-300.
pub fn renyi_to_delta(
    alpha: &Rational,
    tau: &Rational,
    epsilon: &Epsilon,
) -> Result<Rational, Error> {
    accepted::alpha(alpha)?;
    accepted::tau(tau)?;
    let rate = accepted::epsilon(epsilon)?;
    if tau.is_zero() {
        return Ok(Rational::zero());
    }
    let classical = renyi_to_delta_classical(alpha, tau, epsilon)?;
    Ok(least(&classical, |delta| excludes((alpha, tau), rate, delta)))
}

/// The classical ε = τ + ln(1 − 1/α) − (ln δ + ln α)/(α−1) (Canonne, Kamath, Steinke 2020,
/// Proposition 12), rounded up to twelve digits; at least 0.
///
/// # Errors
/// As [`renyi_to_epsilon`].
pub fn renyi_to_epsilon_classical(
    alpha: &Rational,
    tau: &Rational,
    delta: &Delta,
) -> Result<Rational, Error> {
    let target = check(alpha, tau, delta)?;
    let excess = alpha - &Rational::one();
    let epsilon = refine(|precision| {
        let precision = precision.max(PRECISION) + 64;
        let enclose = |value: &Rational| Interval::rational(value, precision);
        let shrink = enclose(&excess.checked_div(alpha)?).ln()?;
        let logs = enclose(&(target * alpha)).ln()?;
        let epsilon = enclose(tau) + shrink - logs.checked_div(&enclose(&excess))?;
        epsilon.upper().to_rational()
    })?;
    Ok(epsilon.round_to_digits(DIGITS, Rounding::Up).max(Rational::zero()))
}

/// The classical δ = e^((α−1)(τ−ε))/(α−1)·(1−1/α)^α (Canonne, Kamath, Steinke 2020,
/// Proposition 12), rounded up to twelve digits; at most 1.
///
/// # Errors
/// As [`renyi_to_delta`].
pub fn renyi_to_delta_classical(
    alpha: &Rational,
    tau: &Rational,
    epsilon: &Epsilon,
) -> Result<Rational, Error> {
    accepted::alpha(alpha)?;
    accepted::tau(tau)?;
    let rate = accepted::epsilon(epsilon)?;
    let excess = alpha - &Rational::one();
    let delta = refine(|precision| {
        let precision = precision.max(PRECISION) + 64;
        let enclose = |value: &Rational| Interval::rational(value, precision);
        let shrink = enclose(&excess.checked_div(alpha)?).ln()? * enclose(alpha);
        let log = enclose(&(&excess * &(tau - rate))) + shrink - enclose(&excess).ln()?;
        let one = Interval::integer(1, precision);
        if log.is_positive() {
            return Some(Rational::one());
        }
        // Far below what is accepted, a fraction could not hold it.
        if log.upper().cmp_rational(&Rational::integer(-1000)).is_lt() {
            return Some(Rational::zero());
        }
        log.exp()?.upper().clone().min(one.upper().clone()).to_rational()
    })?;
    if Rational::integer(10).pow(300) * &delta < 1 {
        let accepted = "a value whose delta is at least 1e-300";
        return Err(Error::parameter("epsilon", epsilon, accepted));
    }
    Ok(delta.round_to_digits(DIGITS, Rounding::Up).min(Rational::one()))
}

/// The value of δ; `Err` unless the order α, the Rényi divergence τ and δ are in their ranges.
fn check<'a>(alpha: &Rational, tau: &Rational, delta: &'a Delta) -> Result<&'a Rational, Error> {
    accepted::alpha(alpha)?;
    accepted::tau(tau)?;
    accepted::delta(delta)
}

/// The least value of twelve digits, at least 1e-300, for which `proves` holds; `proved` if it
/// holds at no such value. `proves` must hold at every value above some threshold.
fn least(proved: &Rational, proves: impl Fn(&Rational) -> bool) -> Rational {
    let smallest = Rational::integer(10).pow(300).reciprocal().unwrap_or_else(Rational::zero);
    if *proved <= smallest || !proves(proved) {
        return proved.clone();
    }
    if proves(&smallest) {
        return smallest;
    }
    let (_, high) = bisect(smallest, proved.clone(), wide_midpoint(DIGITS), proves);
    high.round_to_digits(DIGITS, Rounding::Up)
}
