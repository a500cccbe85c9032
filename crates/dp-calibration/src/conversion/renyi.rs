//! Rényi differential privacy of one order to (ε, δ), as tightly as that order allows.
//!
//! Let P and Q be any pair whose Rényi divergence of order α is at most τ, S the set of outcomes
//! where P > e^ε·Q, p = P(S) and q = Q(S). The hockey-stick divergence is δ = p − e^ε·q. Telling
//! only whether the outcome is in S does not increase a divergence, so
//!
//!   p^α·q^(1−α) + (1−p)^α·(1−q)^(1−α) ≤ e^((α−1)τ),  q = (p−δ)·e^(−ε),
//!
//! or, times e^(−(α−1)ε),
//!
//!   F(p) := p^α·(p−δ)^(1−α) + (1−p)^α·(e^ε − p + δ)^(1−α) ≤ c := e^((α−1)(τ−ε)).
//!
//! So (ε, δ) holds as soon as F(p) > c for every p in (δ, 1] (Asoodeh, Liao, Calmon, Kosut, Sankar
//! 2020; a pair of two outcomes attains it). This is certified, not searched:
//!
//! - (p, r) ↦ p^α·r^(1−α) is the perspective of a convex function, hence jointly convex, and both
//!   terms of F are that of affine functions of p: **F is convex**, and above each of its tangents.
//! - F(p) ≥ p, as p/(p−δ) ≥ 1: only p ≤ c matters. So with any p* near the minimum,
//!
//!   F(p) ≥ F(p*) − |F′(p*)|·min(c, 1).
//!
//! With x = p/(p−δ) and y = (1−p)/(e^ε−p+δ), F′ = f(x) − f(y), f(x) = x^(α−1)·(α − (α−1)·x).
//!
//! Dropping the second term of F gives the classical bound (Canonne, Kamath, Steinke 2020,
//! Proposition 12): the minimum of the first is at p = αδ.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rho, Rounding, refine};

use super::DIGITS;
use crate::{Error, accepted, zcdp};

/// Bits of the check of one (ε, δ), beyond those of α and ε.
const PRECISION: u32 = 128;

/// The least ε, in twelve digits, for which (α, τ)-Rényi differential privacy of this single order
/// is proved to give (ε, δ). It may be 0.
///
/// ```
/// use dp_calibration::conversion::{renyi_to_epsilon, renyi_to_epsilon_classical};
///
/// let (alpha, tau, delta) = ("2".parse()?, "0.01".parse()?, "1e-3".parse()?);
/// let tight = renyi_to_epsilon(&alpha, &tau, &delta)?;
/// let classical = renyi_to_epsilon_classical(&alpha, &tau, &delta)?;
/// assert!(tight.to_f64() < 1.3 && classical.to_f64() > 5.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If α is not above 1 or is above 1e9, τ is negative or above 1e6, δ is outside 1e-300 to 0.9, or
/// one of them has more than 2048 bits.
pub fn renyi_to_epsilon(
    alpha: &Rational,
    tau: &Rational,
    delta: &Delta,
) -> Result<Rational, Error> {
    let target = check(alpha, tau, delta)?;
    let classical = renyi_to_epsilon_classical(alpha, tau, delta)?;
    if excludes(alpha, tau, &Rational::zero(), target) {
        return Ok(Rational::zero());
    }
    let proves = |epsilon: &Rational| excludes(alpha, tau, epsilon, target);
    Ok(least(&classical, proves))
}

/// The least δ, in twelve digits, for which (α, τ)-Rényi differential privacy of this single order
/// is proved to give (ε, δ); at most 1.
///
/// # Errors
/// If α is not above 1 or is above 1e9, τ is negative or above 1e6, ε is outside 1e-9 to 10 000, one
/// of them has more than 2048 bits, or δ would be below 1e-300.
pub fn renyi_to_delta(
    alpha: &Rational,
    tau: &Rational,
    epsilon: &Epsilon,
) -> Result<Rational, Error> {
    accepted::alpha(alpha)?;
    accepted::tau(tau)?;
    let rate = accepted::epsilon(epsilon)?;
    let classical = renyi_to_delta_classical(alpha, tau, epsilon)?;
    Ok(least(&classical, |delta| excludes(alpha, tau, rate, delta)))
}

/// The classical ε = τ + ln(1 − 1/α) − (ln δ + ln α)/(α−1) (Canonne, Kamath, Steinke 2020,
/// Proposition 12), rounded up to twelve digits; at least 0.
///
/// # Errors
/// Those of [`renyi_to_epsilon`].
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
    Ok(epsilon
        .round_to_digits(DIGITS, Rounding::Up)
        .max(Rational::zero()))
}

/// The classical δ = e^((α−1)(τ−ε))/(α−1)·(1−1/α)^α (Canonne, Kamath, Steinke 2020,
/// Proposition 12), rounded up to twelve digits; at most 1.
///
/// # Errors
/// Those of [`renyi_to_delta`].
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
        log.exp()?
            .upper()
            .clone()
            .min(one.upper().clone())
            .to_rational()
    })?;
    at_least_smallest(&delta, epsilon)?;
    Ok(delta
        .round_to_digits(DIGITS, Rounding::Up)
        .min(Rational::one()))
}

/// An error where δ is below 1e-300.
fn at_least_smallest(delta: &Rational, epsilon: &Epsilon) -> Result<(), Error> {
    if Rational::integer(10).pow(300) * delta < 1 {
        let accepted = "a value whose delta is at least 1e-300";
        return Err(Error::parameter("epsilon", epsilon, accepted));
    }
    Ok(())
}

/// The least ε, in twelve digits, for which ρ-zero-concentrated privacy is proved to give (ε, δ) by
/// [`renyi_to_epsilon`] at the best order. At most [`zcdp::epsilon`], the classical result.
///
/// The gain is small where δ is: all orders together leave little to gain.
///
/// # Errors
/// If ρ is outside 1e-30 to 1e6, δ outside 1e-300 to 0.9, or either has more than 2048 bits.
pub fn rho_to_epsilon(rho: &Rho, delta: &Delta) -> Result<Rational, Error> {
    let classical = zcdp::epsilon(rho, delta)?;
    let mut best = classical;
    for alpha in orders(zcdp::best_order_for_delta(rho, delta)?) {
        if accepted::alpha(&alpha).is_ok() && accepted::tau(&(rho.value() * &alpha)).is_ok() {
            best = best.min(renyi_to_epsilon(&alpha, &(rho.value() * &alpha), delta)?);
        }
    }
    Ok(best)
}

/// The least δ, in twelve digits, for which ρ-zero-concentrated privacy is proved to give (ε, δ) by
/// [`renyi_to_delta`] at the best order. At most [`zcdp::delta`], the classical result.
///
/// # Errors
/// If ρ is outside 1e-30 to 1e6, ε outside 1e-9 to 10 000, either has more than 2048 bits, or δ
/// would be below 1e-300.
pub fn rho_to_delta(rho: &Rho, epsilon: &Epsilon) -> Result<Rational, Error> {
    let classical = zcdp::delta(rho, epsilon)?;
    let classical = classical.upper().to_rational();
    let classical = classical.unwrap_or_else(Rational::zero);
    at_least_smallest(&classical, epsilon)?;
    let mut best = classical.round_to_digits(DIGITS, Rounding::Up);
    for alpha in orders(zcdp::best_order_for_epsilon(rho, epsilon)) {
        if accepted::alpha(&alpha).is_ok() && accepted::tau(&(rho.value() * &alpha)).is_ok() {
            // An order that leaves less than 1e-300 is no worse than one that is reported.
            if let Ok(delta) = renyi_to_delta(&alpha, &(rho.value() * &alpha), epsilon) {
                best = best.min(delta);
            }
        }
    }
    Ok(best)
}

/// Orders near one that is best for the classical bound, given as α − 1; smaller ones gain more.
fn orders(excess: f64) -> impl Iterator<Item = Rational> {
    let factors = [1.0, 0.9, 0.75, 0.6, 0.4].into_iter();
    factors.filter_map(move |factor| {
        let excess = Rational::from_f64(excess * factor).ok()?;
        let rounded = excess.round_to_digits(6, Rounding::Up);
        Some(rounded + Rational::one())
    })
}

fn check<'a>(alpha: &Rational, tau: &Rational, delta: &'a Delta) -> Result<&'a Rational, Error> {
    accepted::alpha(alpha)?;
    accepted::tau(tau)?;
    let value = accepted::delta(delta)?;
    if Rational::integer(10).pow(300) * value < 1 {
        let accepted = "a number from 1e-300 to 0.9, of at most 2048 bits";
        return Err(Error::parameter("delta", delta, accepted));
    }
    Ok(value)
}

/// About the least twelve-digit value that is proved, at most `proved`; by halving the distance to
/// what is not, first on a logarithmic scale.
fn least(proved: &Rational, proves: impl Fn(&Rational) -> bool) -> Rational {
    let mut high = proved.clone();
    if !high.is_positive() || !proves(&high) {
        return high;
    }
    let half = Rational::new(1, 2).unwrap_or_else(|_| Rational::one());
    let mut low = &high * &half;
    for _ in 0..1200 {
        if !proves(&low) {
            break;
        }
        high = low;
        low = &high * &half;
    }
    for _ in 0..44 {
        let middle = ((&low + &high) * &half).round_to_digits(DIGITS, Rounding::Up);
        if middle >= high || middle <= low {
            break;
        }
        if proves(&middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high.round_to_digits(DIGITS, Rounding::Up)
}

/// Whether certainly no pair with a divergence of order α of at most τ has a hockey-stick
/// divergence of δ or more at ε. δ > 0, ε ≥ 0.
fn excludes(alpha: &Rational, tau: &Rational, epsilon: &Rational, delta: &Rational) -> bool {
    *delta >= 1 || excluded(alpha, tau, epsilon, delta).unwrap_or(false)
}

fn excluded(
    alpha: &Rational,
    tau: &Rational,
    epsilon: &Rational,
    delta: &Rational,
) -> Option<bool> {
    let extra = alpha.to_f64().log2() + epsilon.to_f64().log2().max(0.0);
    let extra = Rational::from_f64(extra.ceil()).ok()?;
    let precision = PRECISION + 2 * u32::try_from(extra.numerator()).ok()?;
    let enclose = |value: &Rational| Interval::rational(value, precision);
    let excess = alpha - &Rational::one();
    let limit = enclose(&(&excess * &(tau - epsilon))).exp()?;
    if limit.upper().cmp_rational(delta).is_lt() {
        return Some(true);
    }

    // p* = δ·u
    let u = minimum(alpha.to_f64(), epsilon.to_f64(), delta.to_f64())?;
    let u = Rational::from_f64(u).ok()?;
    let p = delta * &u;
    let (p_rest, one) = (Rational::one() - &p, Rational::one());
    if !p_rest.is_positive() || u <= one {
        return Some(false);
    }
    let below = &p - delta;
    let beside = enclose(epsilon).exp()? - enclose(&below);
    let x = enclose(&u.checked_div(&(&u - &one))?);
    let y = enclose(&p_rest).checked_div(&beside)?;
    let order = enclose(alpha);
    let power = |base: &Interval| (enclose(&excess) * base.ln()?).exp();
    let (x_power, y_power) = (power(&x)?, power(&y)?);
    let value = enclose(&below) * &x * &x_power + beside * &y * &y_power;
    let slope = |base: &Interval, power: &Interval| power * (&order - enclose(&excess) * base);
    let slope = slope(&x, &x_power) - slope(&y, &y_power);
    let steepest = slope.hull(&-&slope);
    let steepest = Interval::hull_of(
        steepest.upper().clone(),
        steepest.upper().clone(),
        precision,
    );
    let unit = Interval::integer(1, precision);
    let reach = if limit.upper() < unit.upper() {
        &limit
    } else {
        &unit
    };
    let least = value - steepest * reach;
    Some(least.lower() > limit.upper())
}

/// About the u > 1 at which F(δu) is least, by halving on a logarithmic scale.
fn minimum(alpha: f64, epsilon: f64, delta: f64) -> Option<f64> {
    let f = |log: f64| ((alpha - 1.0) * log).exp() * (alpha - (alpha - 1.0) * log.exp());
    let rises = |gap: f64| {
        let u = 1.0 + gap;
        let x = gap.recip().ln_1p();
        let y = (-delta * u).ln_1p() - epsilon - (-delta * gap * (-epsilon).exp()).ln_1p();
        f(x) - f(y) > 0.0
    };
    // Up to p = 1.
    let largest = delta.recip() - 1.0;
    if largest.is_nan() || largest <= 0.0 {
        return None;
    }
    let (mut low, mut high) = (-60.0f64, largest.ln());
    for _ in 0..70 {
        let middle = f64::midpoint(low, high);
        if rises(middle.exp()) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(1.0 + f64::midpoint(low, high).exp())
}
