//! Rényi privacy of one order to (ε, δ) (Canonne, Kamath, Steinke 2020, Proposition 12).
//!
//! A mechanism whose Rényi divergence of order α is at most τ is (ε, δ)-differentially private for
//!
//!   δ = e^((α−1)(τ−ε))/(α−1)·(1 − 1/α)^α.
//!
//! The exact joint range of the two divergences (Asoodeh, Liao, Calmon, Kosut, Sankar 2020) has a
//! smaller ε: by 0.05 % at (10, 1/2) and δ = 1e-9, but 1.26 for 5.53 at (2, 0.01) and δ = 1e-3.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, refine};

use super::DIGITS;
use crate::{Error, Result, accepted};

/// Bits of the enclosures.
const PRECISION: u32 = 192;

/// Upper bound on the ε at `delta` of every mechanism whose Rényi divergence of order `alpha` is at
/// most `tau`: ε = τ + ln(1 − 1/α) − (ln δ + ln α)/(α−1), rounded up to twelve digits; at least 0.
///
/// # Errors
/// If α is not above 1 or is above 1e9, τ is negative or above 1e6, δ is outside 1e-40 to 0.9, or
/// one of them has more than 2048 bits.
pub fn renyi_to_epsilon(alpha: &Rational, tau: &Rational, delta: &Delta) -> Result<Rational> {
    accepted::alpha(alpha)?;
    accepted::tau(tau)?;
    let target = accepted::delta(delta)?;
    // Equal distributions are private at every (ε, δ).
    if tau.is_zero() {
        return Ok(Rational::zero());
    }
    let excess = alpha - &Rational::one();
    let epsilon = refine(|precision| {
        let enclose = |value: &Rational| Interval::rational(value, precision.max(PRECISION));
        // ln(1 − 1/α), then ln(αδ)
        let shrink = enclose(&excess.checked_div(alpha)?).ln()?;
        let logs = enclose(&(target * alpha)).ln()?;
        let epsilon = enclose(tau) + shrink - logs.checked_div(&enclose(&excess))?;
        epsilon.upper().to_rational()
    })?;
    Ok(epsilon.round_to_digits(DIGITS, Rounding::Up).max(Rational::zero()))
}

/// Upper bound on the δ at `epsilon` of every mechanism whose Rényi divergence of order `alpha` is
/// at most `tau`, rounded up to twelve digits: at most 1, and 0 if `tau` is 0. `Err` if a parameter
/// is out of range, ε above 100, or δ would be below 1e-300.
pub(super) fn renyi_to_delta(
    alpha: &Rational,
    tau: &Rational,
    epsilon: &Epsilon,
) -> Result<Rational> {
    accepted::alpha(alpha)?;
    accepted::tau(tau)?;
    let rate = accepted::epsilon(epsilon)?;
    if tau.is_zero() {
        return Ok(Rational::zero());
    }
    let excess = alpha - &Rational::one();
    let delta = refine(|precision| {
        let enclose = |value: &Rational| Interval::rational(value, precision.max(PRECISION));
        // ln δ = (α−1)(τ−ε) + α·ln(1 − 1/α) − ln(α−1)
        let shrink = enclose(&excess.checked_div(alpha)?).ln()? * enclose(alpha);
        let log = enclose(&(&excess * &(tau - rate))) + shrink - enclose(&excess).ln()?;
        if log.is_positive() {
            return Some(Rational::one());
        }
        // Far below what is accepted, a fraction could not hold it.
        if log.upper().cmp_rational(&Rational::integer(-1000)).is_lt() {
            return Some(Rational::zero());
        }
        log.exp()?.upper().to_rational()
    })?;
    let accepted = "a value whose delta is at least 1e-300";
    Error::check(Rational::integer(10).pow(300) * &delta >= 1, "epsilon", epsilon, accepted)?;
    Ok(delta.round_to_digits(DIGITS, Rounding::Up).min(Rational::one()))
}
