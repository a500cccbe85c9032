//! Gaussian noise by zero-concentrated differential privacy, and its conversion to (ε, δ).
//!
//! - Discrete or continuous Gaussian noise with variance parameter σ² on an aggregate of squared
//!   L2 sensitivity Δ₂² has ρ = Δ₂²/(2σ²) (Canonne, Kamath, Steinke 2020, Theorem 14; Bun,
//!   Steinke 2016, Proposition 1.6). Exact rational arithmetic.
//! - ρ implies (ε, δ) for every ε ≥ 0 (Canonne, Kamath, Steinke 2020, Corollary 13), with t = α − 1
//!   for
//!
//!   ln δ = inf_{t>0} t·((1+t)·ρ − ε) − t·ln(1 + 1/t) − ln(1+t).
//!
//! Any order α gives a valid δ, so a floating point search proposes one near the best and certified
//! arithmetic computes the bound there. It holds for every query, and is not tight: for a histogram
//! [`crate::discrete_gaussian`] needs less noise.

use std::cmp::Ordering;

use dp_exact::search::bisect_floats;
use dp_exact::{Delta, Epsilon, Interval, Rational, Rho, Rounding, elementary, refine};
use num_bigint::BigUint;

use crate::{Error, Result, accepted};

/// Significant digits of a result.
const DIGITS: usize = 12;

/// The variance parameter σ² = Δ₂²/(2ρ) of Gaussian noise, on every coordinate, that makes an
/// aggregate of squared L2 sensitivity `l2_squared` ρ-zero-concentrated private. Exact.
///
/// # Errors
/// If the sensitivity is 0: nothing depends on a client then.
pub fn variance(rho: &Rho, l2_squared: &BigUint) -> Result<Rational> {
    let sensitivity = accepted::positive("l2_squared", l2_squared)?;
    let variance = sensitivity.checked_div(&(rho.value() + rho.value()));
    variance.ok_or_else(|| Error::parameter("rho", rho, "a number greater than 0"))
}

/// ρ = Δ₂²/(2σ²) of Gaussian noise of parameter σ² = `variance` on every coordinate, exactly.
///
/// # Errors
/// If the variance is not positive, the sensitivity is 0, or the quotient has more than 4096 bits.
pub fn rho(variance: &Rational, l2_squared: &BigUint) -> Result<Rho> {
    let sensitivity = accepted::positive("l2_squared", l2_squared)?;
    let rho = sensitivity
        .checked_div(&(variance + variance))
        .filter(Rational::is_positive)
        .ok_or_else(|| Error::parameter("variance", variance, "a number greater than 0"))?;
    Ok(Rho::new(rho)?)
}

/// A δ for which ρ-zero-concentrated privacy implies (ε, δ): the upper end of the interval, at
/// most 1. It exceeds the infimum over all orders by less than 1e-9 of it.
///
/// # Errors
/// If ρ is outside 1e-30 to 1e6, ε outside 1e-9 to 10 000, or either has more than 2048 bits.
pub fn delta(rho: &Rho, epsilon: &Epsilon) -> Result<Interval> {
    let rho = accepted::rho(rho)?;
    let epsilon = accepted::answered_epsilon(epsilon)?;
    let excess = best_excess_order(rho.to_f64(), epsilon.to_f64());
    let excess = Rational::from_f64(excess)?;
    let delta = refine(|precision| {
        let log = log_delta(rho, epsilon, &excess, precision.max(128))?;
        log.exp()
    })?;
    let one = Interval::integer(1, delta.precision());
    Ok(match delta.compare(&one) {
        Some(Ordering::Less) => delta,
        // Every δ is at most 1, also where the bound may be more.
        _ => one,
    })
}

/// An ε for which ρ-zero-concentrated privacy implies (ε, δ), rounded up to twelve digits; it
/// exceeds the infimum over all orders by less than 1e-9 of it. It may be 0: then (0, δ) holds.
///
/// # Errors
/// If ρ is outside 1e-30 to 1e6, δ outside 1e-40 to 0.9, or either has more than 2048 bits.
pub fn epsilon(rho: &Rho, delta: &Delta) -> Result<Rational> {
    let rho = accepted::rho(rho)?;
    let delta = accepted::delta(delta)?;
    let log_target = refine(|precision| Interval::rational(delta, precision).ln())?.midpoint();
    // Where the derivative of (1+t)ρ − ln(1 + 1/t) − (ln δ + ln(1+t))/t vanishes.
    let rate = rho.to_f64();
    let excess = crossing(|t| t * t * rate + elementary::ln_1p(t) + log_target);
    let excess = Rational::from_f64(excess)?;
    let epsilon = refine(|precision| {
        let precision = precision.max(128);
        // At ε = 0 the logarithm of δ is as far above its target as t·ε must push it down.
        let above = log_delta(rho, &Rational::zero(), &excess, precision)?
            - Interval::rational(delta, precision).ln()?;
        let epsilon = above.checked_div(&Interval::rational(&excess, precision))?;
        epsilon.upper().to_rational()
    })?;
    Ok(epsilon.round_to_digits(DIGITS, Rounding::Up).max(Rational::zero()))
}

/// A ρ that implies (ε, δ), rounded down to twelve digits; any smaller one does as well. It is
/// below the supremum over all orders by less than 1e-9 of it.
///
/// With [`variance`] this is Gaussian noise for (ε, δ) and any squared L2 sensitivity.
///
/// # Errors
/// If ε is outside 1e-9 to 100, δ outside 1e-40 to 0.9, or either has more than 2048 bits.
pub fn largest_rho(epsilon: &Epsilon, delta: &Delta) -> Result<Rho> {
    let epsilon = accepted::epsilon(epsilon)?;
    let delta = accepted::delta(delta)?;
    let log_target = refine(|precision| Interval::rational(delta, precision).ln())?.midpoint();
    let rate = epsilon.to_f64();
    let rho = crossing(|rho| {
        let excess = best_excess_order(rho, rate);
        approximate_log_delta(rho, rate, excess) - log_target
    });
    let excess = Rational::from_f64(best_excess_order(rho, rate))?;
    // At this order the bound gives ρ exactly: t(1+t)ρ = ln δ + tε + t·ln(1 + 1/t) + ln(1+t).
    let rho = refine(|precision| {
        let precision = precision.max(128);
        let below = Interval::rational(delta, precision).ln()?
            - log_delta(&Rational::zero(), epsilon, &excess, precision)?;
        let divisor = &excess * &(&excess + Rational::one());
        let rho = below.checked_div(&Interval::rational(&divisor, precision))?;
        rho.lower().to_rational().filter(Rational::is_positive)
    })?;
    Ok(Rho::new(rho.round_to_digits(DIGITS, Rounding::Down))?)
}

/// Enclosure of ln of the bound on δ at ε, under ρ-zero-concentrated privacy, by the Rényi
/// divergence of order 1 + `excess`. `None` if the precision is too low.
fn log_delta(
    rho: &Rational,
    epsilon: &Rational,
    excess: &Rational,
    precision: u32,
) -> Option<Interval> {
    let order = excess + Rational::one();
    let linear = excess * &(&order * rho - epsilon);
    let ratio = Interval::rational(&order.checked_div(excess)?, precision);
    let bend = Interval::rational(excess, precision) * ratio.ln()?;
    let order = Interval::rational(&order, precision);
    Some(Interval::rational(&linear, precision) - bend - order.ln()?)
}

/// An estimate of ln of the bound on δ at ε by the Rényi divergence of order 1 + `excess`, to
/// steer.
fn approximate_log_delta(rho: f64, epsilon: f64, excess: f64) -> f64 {
    excess * ((1.0 + excess) * rho - epsilon)
        - excess * elementary::ln_1p(excess.recip())
        - elementary::ln_1p(excess)
}

/// An estimate of t = α − 1 for the order α with the least δ at ε: ln(1 + 1/t) = (1 + 2t)ρ − ε.
fn best_excess_order(rho: f64, epsilon: f64) -> f64 {
    crossing(|t| (1.0 + 2.0 * t) * rho - epsilon - elementary::ln_1p(t.recip()))
}

/// An estimate of the argument from e^−70 to e^70 at which an increasing function is 0; the nearer
/// end if it is 0 at none.
fn crossing(increasing: impl Fn(f64) -> f64) -> f64 {
    let is_below = |log: f64| increasing(elementary::exp(log)) < 0.0;
    let (_, high) = bisect_floats((-70.0, 70.0), 64, |log| !is_below(log));
    elementary::exp(high)
}
