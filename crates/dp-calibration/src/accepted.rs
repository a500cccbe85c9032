//! The ranges within which the certified arithmetic answers in seconds. A parameter outside is
//! refused, before anything is computed, by a typed error that names the range.

use std::fmt::Display;

use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use num_bigint::BigUint;

use crate::{Error, Result, WorstCaseDifference};

/// The most bits of a parameter's numerator or denominator.
const MAX_BITS: u64 = 2048;

/// `value` itself. `Err` unless 10^−`digits` ≤ `value` ≤ `most`, of at most [`MAX_BITS`] bits; it
/// shows the parameter `name` as `written`, and what is `accepted`.
fn between<'a>(
    (name, written): (&'static str, &impl Display),
    value: &'a Rational,
    (digits, most): (u32, &Rational),
    accepted: &'static str,
) -> Result<&'a Rational> {
    let is_enough = Rational::integer(10).pow(digits) * value >= 1;
    Error::check(value.bits() <= MAX_BITS && is_enough && value <= most, name, written, accepted)?;
    Ok(value)
}

/// The value of an ε; `Err` unless it is from 1e-9 to 100: a larger ε protects nobody.
pub(crate) fn epsilon(epsilon: &Epsilon) -> Result<&Rational> {
    let accepted = "a number from 1e-9 to 100, of at most 2048 bits";
    between(("epsilon", epsilon), epsilon.value(), (9, &Rational::integer(100)), accepted)
}

/// The value of a computed ε; `Err` unless it is from 1e-9 to 10 000. The ε of given noise and many
/// releases may be larger than an ε that a caller may ask for.
pub(crate) fn answered_epsilon(epsilon: &Epsilon) -> Result<&Rational> {
    let accepted = "a number from 1e-9 to 10000, of at most 2048 bits";
    between(("epsilon", epsilon), epsilon.value(), (9, &Rational::integer(10_000)), accepted)
}

/// The value of a δ; `Err` unless it is from 1e-40 to 0.9. Gaussian noise of any size has δ > 0.
pub(crate) fn delta(delta: &Delta) -> Result<&Rational> {
    let accepted = "a number from 1e-40 to 0.9, of at most 2048 bits";
    between(("delta", delta), delta.value(), (40, &Rational::new(9, 10)?), accepted)
}

/// The value of ρ, the parameter of zero-concentrated privacy; `Err` unless 1e-30 ≤ ρ ≤ 1e6.
pub(crate) fn rho(rho: &Rho) -> Result<&Rational> {
    let accepted = "a number from 1e-30 to 1e6, of at most 2048 bits";
    between(("rho", rho), rho.value(), (30, &Rational::integer(1_000_000)), accepted)
}

/// `Err` unless 1e-10 ≤ σ²/Δ₂² ≤ 1e30 and ε²σ²/Δ₂² ≤ 2^36, for σ² = `variance` and the squared L2
/// sensitivity Δ₂² = `l2_squared`. Beyond 2^36, δ is below e^(−10^10).
pub(crate) fn variance(
    variance: &Rational,
    epsilon: &Rational,
    l2_squared: &Rational,
) -> Result<(), ParameterError> {
    let accepted = "1e-10 to 1e30 times the squared L2 sensitivity, of at most 2048 bits, and at most 2^36/epsilon^2 times it";
    let in_range = variance.bits() <= MAX_BITS
        && variance * &Rational::integer(10_000_000_000u64) >= *l2_squared
        && *variance <= Rational::integer(10).pow(30) * l2_squared
        && epsilon.pow(2) * variance <= Rational::from(1i64 << 36) * l2_squared;
    if in_range { Ok(()) } else { Err(ParameterError::new("variance", variance, accepted)) }
}

/// `Err` unless 1e-9 ≤ Δ₁/t ≤ 1e6, for Laplace noise of scale t and the L1 norm Δ₁ of `difference`.
pub(crate) fn scale(scale: &Rational, difference: &WorstCaseDifference) -> Result<()> {
    let norm = Rational::integer(difference.l1());
    let in_range = scale.is_positive()
        && scale.bits() <= MAX_BITS
        && scale * &Rational::integer(1_000_000) >= norm
        && *scale <= norm * Rational::from(1_000_000_000u64);
    let accepted = "1e-6 to 1e9 times the L1 sensitivity, of at most 2048 bits";
    Error::check(in_range, "scale", scale, accepted)
}

/// A sensitivity as a fraction; `Err` if it is 0. `name` is the parameter in the message.
pub(crate) fn positive(name: &'static str, value: &BigUint) -> Result<Rational> {
    Error::check(*value != BigUint::ZERO, name, 0, "an integer of at least 1")?;
    Ok(Rational::integer(value.clone()))
}

/// The squared L2 sensitivity Δ₂² as a fraction; `Err` unless Δ₂² is from 1 to 2^512 − 1.
pub(crate) fn l2_squared(l2_squared: &BigUint) -> Result<Rational> {
    let accepted = "an integer of at least 1 and at most 512 bits";
    Error::check((1..=512).contains(&l2_squared.bits()), "l2_squared", l2_squared, accepted)?;
    Ok(Rational::integer(l2_squared.clone()))
}

/// `Err` unless 1 < α ≤ 1e9 for the order α of a Rényi divergence.
pub(crate) fn alpha(alpha: &Rational) -> Result<()> {
    let in_range = *alpha > 1 && *alpha <= 1_000_000_000 && alpha.bits() <= MAX_BITS;
    let accepted = "a number above 1 and at most 1e9, of at most 2048 bits";
    Error::check(in_range, "alpha", alpha, accepted)
}

/// `Err` unless 0 ≤ τ ≤ 1e6 for a Rényi divergence τ.
pub(crate) fn tau(tau: &Rational) -> Result<()> {
    let in_range = !tau.is_negative() && *tau <= 1_000_000 && tau.bits() <= MAX_BITS;
    let accepted = "a number from 0 to 1e6, of at most 2048 bits";
    Error::check(in_range, "tau", tau, accepted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number;

    /// Fails unless both ends are accepted, and a hair beyond them and too many bits refused.
    fn assert_range(low: &str, high: &str, accepts: impl Fn(&Rational) -> bool) {
        let (low, high) = (number(low), number(high));
        let (hair, long) = (number("1e-30"), number("1/3").pow(1300) * &low);
        assert!(accepts(&low) && accepts(&high), "{low} {high}");
        assert!(!accepts(&(&low - &low * &hair)) && !accepts(&(&high + &high * &hair)), "{low}");
        assert!(!accepts(&((&low + &high) * number("1/2") + long)), "{low}");
    }

    #[test]
    fn both_ends_of_every_range_are_accepted_and_nothing_beyond() {
        let of = |check: fn(&Epsilon) -> Result<&Rational>| {
            move |value: &Rational| Epsilon::new(value.clone()).is_ok_and(|it| check(&it).is_ok())
        };
        assert_range("1e-9", "100", of(epsilon));
        assert_range("1e-9", "10000", of(answered_epsilon));
        assert_range("1e-40", "0.9", |value| {
            Delta::new(value.clone()).is_ok_and(|value| delta(&value).is_ok())
        });
        assert_range("1e-30", "1e6", |value| {
            Rho::new(value.clone()).is_ok_and(|value| rho(&value).is_ok())
        });
        let one_hot = WorstCaseDifference::one_hot();
        assert_range("2e-6", "2e9", |value| scale(value, &one_hot).is_ok());
        let two = Rational::integer(2);
        for (epsilon, most) in [("1e-12", "2e30"), ("1", "137438953472")] {
            let epsilon = number(epsilon);
            assert_range("2e-10", most, |value| variance(value, &epsilon, &two).is_ok());
        }
        let accepts = |value: &str| alpha(&number(value)).is_ok();
        assert!(accepts("1.00000000000000001") && accepts("1e9"));
        assert!(!accepts("1") && !accepts("1000000000.1"));
        let accepts = |value: &str| tau(&number(value)).is_ok();
        assert!(accepts("0") && accepts("1e6") && !accepts("-1e-400") && !accepts("1000000.1"));
        let power = |bits: u32| BigUint::from(1u32) << bits;
        assert!(l2_squared(&power(0)).is_ok() && l2_squared(&(power(512) - 1u32)).is_ok());
        assert!(l2_squared(&BigUint::ZERO).is_err() && l2_squared(&power(512)).is_err());
    }
}
