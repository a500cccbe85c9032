//! Rényi differential privacy of one order to (ε, δ), as tightly as that order allows.
//!
//! `joint_range` certifies that (ε, δ) holds, and here the least ε or δ is found for which it does.
//!
//! Dropping the second term of F there gives the classical bound (Canonne, Kamath, Steinke 2020,
//! Proposition 12): the minimum of the first is at p = αδ.

use dp_exact::search::{bisect, decimal_midpoint};
use dp_exact::{Delta, Epsilon, Interval, Rational, Rho, Rounding, elementary, refine};

use num_bigint::BigInt;

use super::DIGITS;
use super::joint_range::RenyiGuarantee;
use crate::{Error, accepted, zcdp};

/// The largest ρ whose δ is searched for over orders; beyond it an order takes seconds.
const LARGEST_RHO: i64 = 10;

/// Bits of the classical bounds.
const PRECISION: u32 = 128;

/// The most halvings of a value at once.
const MAX_HALVINGS: u32 = 1 << 11;

/// The orders of a search: logarithms of α − 1 over that of the classical bound.
const ORDERS: (f64, f64) = (-7.0, 0.2);

/// Golden sections of a search over orders.
const SECTIONS: usize = 26;

/// Digits of an order, and of the values that a search over orders compares.
const ORDER_DIGITS: usize = 6;
const STEERING_DIGITS: usize = 10;

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
/// If α is not above 1 or is above 1e9, τ is negative or above 1e6, δ is outside 1e-40 to 0.9, or
/// one of them has more than 2048 bits.
pub fn renyi_to_epsilon(
    alpha: &Rational,
    tau: &Rational,
    delta: &Delta,
) -> Result<Rational, Error> {
    let target = check(alpha, tau, delta)?;
    let classical = renyi_to_epsilon_classical(alpha, tau, delta)?;
    let guarantee = RenyiGuarantee { alpha, tau };
    if tau.is_zero() || guarantee.excludes(&Rational::zero(), target) {
        return Ok(Rational::zero());
    }
    Ok(least(&classical, DIGITS, |epsilon| guarantee.excludes(epsilon, target)))
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
    let guarantee = RenyiGuarantee { alpha, tau };
    Ok(least(&classical, DIGITS, |delta| guarantee.excludes(rate, delta)))
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
    Ok(epsilon.round_to_digits(DIGITS, Rounding::Up).max(Rational::zero()))
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
        log.exp()?.upper().clone().min(one.upper().clone()).to_rational()
    })?;
    at_least_smallest(&delta, epsilon)?;
    Ok(delta.round_to_digits(DIGITS, Rounding::Up).min(Rational::one()))
}

/// An error where δ is below 1e-300.
fn at_least_smallest(delta: &Rational, epsilon: &Epsilon) -> Result<(), Error> {
    if Rational::integer(10).pow(300) * delta < 1 {
        let accepted = "a value whose delta is at least 1e-300";
        return Err(Error::parameter("epsilon", epsilon, accepted));
    }
    Ok(())
}

/// The ε, in twelve digits, for which ρ-zero-concentrated privacy is proved to give (ε, δ) by
/// [`renyi_to_epsilon`] at one order, the best one that a search finds. At most [`zcdp::epsilon`], the
/// classical result.
///
/// The gain is small where δ is: all orders together leave little to gain.
///
/// # Errors
/// If ρ is outside 1e-30 to 1e6, δ outside 1e-40 to 0.9, or either has more than 2048 bits.
pub fn rho_to_epsilon(rho: &Rho, delta: &Delta) -> Result<Rational, Error> {
    let classical = zcdp::epsilon(rho, delta)?;
    let excess = zcdp::best_order_for_delta(rho, delta)?;
    let found = over_orders(rho, excess, |alpha, tau, digits| {
        let target = check(alpha, tau, delta)?;
        let guarantee = RenyiGuarantee { alpha, tau };
        let proves = |epsilon: &Rational| guarantee.excludes(epsilon, target);
        if let Some((near, noise)) = guarantee.estimate(classical.to_f64(), target) {
            // Steers without a proof where the digits are clear: what is returned at last is proved.
            let ends = [near - noise, near + noise].map(|end| rounded_up(end, digits));
            if let [Some(low), Some(high)] = ends
                && digits < DIGITS
                && low == high
            {
                return Ok(low);
            }
            if let Some(least) = least_near(near, digits, proves) {
                return Ok(least);
            }
        }
        if proves(&Rational::zero()) {
            return Ok(Rational::zero());
        }
        let classical = renyi_to_epsilon_classical(alpha, tau, delta)?;
        Ok(least(&classical, digits, proves))
    });
    Ok(found.map_or(classical.clone(), |found| found.min(classical)))
}

/// The δ, in twelve digits, for which ρ-zero-concentrated privacy is proved to give (ε, δ) by
/// [`renyi_to_delta`] at one order, the best one that a search finds. At most [`zcdp::delta`], the
/// classical result.
///
/// # Errors
/// If ρ is outside 1e-30 to 10, ε outside 1e-9 to 100, either has more than 2048 bits, or δ
/// would be below 1e-300.
pub fn rho_to_delta(rho: &Rho, epsilon: &Epsilon) -> Result<Rational, Error> {
    if *rho.value() > LARGEST_RHO {
        let accepted = "a number from 1e-30 to 10, where its delta is asked for";
        return Err(Error::parameter("rho", rho, accepted));
    }
    let classical = zcdp::delta(rho, epsilon)?;
    let classical = classical.upper().to_rational();
    let classical = classical.unwrap_or_else(Rational::zero);
    at_least_smallest(&classical, epsilon)?;
    let classical = classical.round_to_digits(DIGITS, Rounding::Up);
    let excess = zcdp::best_order_for_epsilon(rho, epsilon);
    let found = over_orders(rho, excess, |alpha, tau, digits| {
        accepted::alpha(alpha)?;
        accepted::tau(tau)?;
        let start = renyi_to_delta_classical(alpha, tau, epsilon)?;
        let guarantee = RenyiGuarantee { alpha, tau };
        let proves = |delta: &Rational| guarantee.excludes(epsilon.value(), delta);
        Ok(least(&start, digits, proves))
    });
    Ok(found.map_or(classical.clone(), |found| found.min(classical)))
}

/// The least value that a search over orders finds, by golden sections: near the order that is best for
/// the classical bound, given as α − 1, or below it, where more is gained. An order at which there is
/// no value counts as the worst.
fn over_orders(
    rho: &Rho,
    excess: f64,
    value: impl Fn(&Rational, &Rational, usize) -> Result<Rational, Error>,
) -> Option<Rational> {
    let order = |log: f64| {
        let part = Rational::from_f64(excess * elementary::exp(log)).ok()?;
        Some(part.round_to_digits(ORDER_DIGITS, Rounding::Up) + Rational::one())
    };
    let at = |log: f64, digits: usize| {
        let alpha = order(log)?;
        value(&alpha, &(rho.value() * &alpha), digits).ok()
    };
    let is_less = |one: &Option<Rational>, other: &Option<Rational>| match (one, other) {
        (Some(one), Some(other)) => one < other,
        (one, other) => one.is_some() && other.is_none(),
    };
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = ORDERS;
    let inner = |low: f64, high: f64| (high - golden * (high - low), low + golden * (high - low));
    let (mut left, mut right) = inner(low, high);
    let (mut at_left, mut at_right) = (at(left, STEERING_DIGITS), at(right, STEERING_DIGITS));
    for _ in 0..SECTIONS {
        if is_less(&at_left, &at_right) {
            high = right;
            (right, at_right) = (left, at_left);
            left = inner(low, high).0;
            at_left = at(left, STEERING_DIGITS);
        } else {
            low = left;
            (left, at_left) = (right, at_right);
            right = inner(low, high).1;
            at_right = at(right, STEERING_DIGITS);
        }
    }
    let best = if is_less(&at_left, &at_right) { left } else { right };
    let found = [at(best, DIGITS), at(0.0, DIGITS)];
    found.into_iter().flatten().min()
}

fn check<'a>(alpha: &Rational, tau: &Rational, delta: &'a Delta) -> Result<&'a Rational, Error> {
    accepted::alpha(alpha)?;
    accepted::tau(tau)?;
    accepted::delta(delta)
}

/// About the least value of so many digits that is proved, at most `proved`, by halving the distance to
/// what is not: on a logarithmic scale, from steps that double, and then on a linear one.
fn least(proved: &Rational, digits: usize, proves: impl Fn(&Rational) -> bool) -> Rational {
    let mut high = proved.clone();
    if !high.is_positive() || !proves(&high) {
        return high;
    }
    let halved = |value: &Rational, times: u32| {
        let power = Rational::integer(BigInt::from(1) << times);
        value.checked_div(&power).unwrap_or_else(Rational::zero)
    };
    let mut halvings = 1;
    let mut low = halved(&high, halvings);
    while halvings < MAX_HALVINGS && proves(&low) {
        halvings *= 2;
        high = low;
        low = halved(&high, halvings);
    }
    while halvings > 1 {
        let middle = halved(&high, halvings / 2);
        if proves(&middle) {
            high = middle;
            halvings -= halvings / 2;
        } else {
            low = middle;
            halvings /= 2;
        }
    }
    let proposals = decimal_midpoint(digits, Rounding::Up);
    let (_, high) = bisect(low, high, proposals, proves);
    high.round_to_digits(digits, Rounding::Up)
}

fn rounded_up(estimate: f64, digits: usize) -> Option<Rational> {
    let value = Rational::from_f64(estimate).ok()?;
    Some(value.round_to_digits(digits, Rounding::Up))
}

/// The least value of so many digits that is proved, if it is next to an estimate.
fn least_near(
    estimate: f64,
    digits: usize,
    proves: impl Fn(&Rational) -> bool,
) -> Option<Rational> {
    let step = Rational::new(1, 10_u64).ok()?;
    let step = step.pow(u32::try_from(digits).ok()? + 2);
    let (above, below) = (Rational::one() + &step, Rational::one() - &step);
    let mut high = rounded_up(estimate, digits)?;
    if !proves(&high) {
        high = (high * above).round_to_digits(digits, Rounding::Up);
        return proves(&high).then_some(high);
    }
    for _ in 0..2 {
        let low = (&high * &below).round_to_digits(digits, Rounding::Down);
        if !proves(&low) {
            return Some(high);
        }
        high = low;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_value_is_found_from_far_above_in_few_questions() {
        let proved: Rational = "7.3".parse().expect("a number");
        for exponent in [0u32, 1, 2, 5, 9, 30, 77, 200] {
            let threshold = &proved * &Rational::new(2, 3).expect("not by zero").pow(exponent);
            let asked = std::cell::Cell::new(0);
            let found = least(&proved, 6, |value| {
                asked.set(asked.get() + 1);
                *value >= threshold
            });
            assert!(
                found >= threshold && found <= &threshold * &"1.00001".parse().expect("a number")
            );
            assert!(asked.get() <= 34, "{exponent} {}", asked.get());
        }
    }

    #[test]
    fn an_estimate_leads_to_the_least_proved_value_or_to_none() {
        let threshold: Rational = "0.12345612".parse().expect("a number");
        let found = |estimate| least_near(estimate, 6, |value| *value >= threshold);
        for near in [0.1234555, 0.1234561, 0.123457, 0.1234571] {
            assert_eq!(found(near), "0.123457".parse().ok(), "{near}");
        }
        for far in [0.1234, 0.1235] {
            assert_eq!(found(far), None, "{far}");
        }
    }
}
