//! The ranges within which the certified arithmetic answers in seconds. What lies outside is a typed
//! error that names the range, found before anything is computed.

use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};

use crate::{Error, WorstCaseDifference};

/// Bits of the numerator and the denominator of a parameter.
const MAX_BITS: u64 = 2048;

/// 10^9, the reciprocal of the smallest ε.
const EPSILON_RESOLUTION: u64 = 1_000_000_000;

/// Which ε are accepted.
pub const EPSILON: &str = "a number from 1e-9 to 100, of at most 2048 bits";
/// Which δ are accepted.
pub const DELTA: &str = "a number from 1e-40 to 0.9, of at most 2048 bits";
/// Which ρ are accepted.
pub const RHO: &str = "a number from 1e-30 to 1e6, of at most 2048 bits";

/// 1e-9 ≤ ε ≤ 100: a larger ε protects nobody.
///
/// # Errors
/// If ε is not from 1e-9 to 100, of at most 2048 bits.
pub fn epsilon(epsilon: &Epsilon) -> Result<&Rational, Error> {
    up_to(epsilon, 100, EPSILON)
}

/// 1e-9 ≤ ε ≤ 10^4: an ε that is an answer, or on the way to one. Given noise and many releases may have a
/// larger ε than anybody may ask for.
///
/// # Errors
/// If ε is not from 1e-9 to 10 000, of at most 2048 bits.
pub fn answered_epsilon(epsilon: &Epsilon) -> Result<&Rational, Error> {
    up_to(epsilon, 10_000, "a number from 1e-9 to 10000, of at most 2048 bits")
}

fn up_to<'a>(
    epsilon: &'a Epsilon,
    most: i64,
    accepted: &'static str,
) -> Result<&'a Rational, Error> {
    let value = epsilon.value();
    let scaled = value * &Rational::from(EPSILON_RESOLUTION);
    if value.bits() > MAX_BITS || scaled < 1 || *value > most {
        return Err(Error::parameter("epsilon", epsilon, accepted));
    }
    Ok(value)
}

/// 10^−40 ≤ δ ≤ 9/10. Gaussian noise of any size has δ > 0, so 0 is out of range.
///
/// # Errors
/// If δ is not from 1e-40 to 0.9, of at most 2048 bits.
pub fn delta(delta: &Delta) -> Result<&Rational, Error> {
    let value = delta.value();
    let in_range = value.bits() <= MAX_BITS
        && Rational::integer(10).pow(40) * value >= 1
        && value * &Rational::integer(10) <= 9;
    if !in_range {
        return Err(Error::parameter("delta", delta, DELTA));
    }
    Ok(value)
}

/// 10^−10 ≤ σ²/Δ₂² ≤ 10^30, and ε²σ²/Δ₂² ≤ 2^36: beyond that δ is below e^(−10^10).
pub(crate) fn variance(
    variance: &Rational,
    epsilon: &Rational,
    l2_squared: &Rational,
) -> Result<(), ParameterError> {
    let accepted = "1e-10 to 1e30 times the squared L2 sensitivity, of at most 2048 bits, and at most 2^36/epsilon^2 times it";
    let ten_billion = Rational::integer(10_000_000_000u64);
    let in_range = variance.bits() <= MAX_BITS
        && variance * &ten_billion >= *l2_squared
        && *variance <= Rational::integer(10).pow(30) * l2_squared
        && epsilon.pow(2) * variance <= Rational::from(1i64 << 36) * l2_squared;
    if in_range { Ok(()) } else { Err(ParameterError::new("variance", variance, accepted)) }
}

/// [`variance`] for the squared L2 norm of a worst-case difference.
pub(crate) fn difference_variance(
    value: &Rational,
    epsilon: &Rational,
    difference: &WorstCaseDifference,
) -> Result<(), ParameterError> {
    variance(value, epsilon, &Rational::integer(num_bigint::BigInt::from(difference.l2_squared())))
}

/// 10^−9 ≤ Δ₁/t ≤ 10^6
pub(crate) fn scale(scale: &Rational, difference: &WorstCaseDifference) -> Result<(), Error> {
    let norm = Rational::integer(num_bigint::BigInt::from(difference.l1()));
    let in_range = scale.is_positive()
        && scale.bits() <= MAX_BITS
        && scale * &Rational::integer(1_000_000) >= norm
        && *scale <= norm * Rational::from(EPSILON_RESOLUTION);
    if !in_range {
        let accepted = "1e-6 to 1e9 times the L1 sensitivity, of at most 2048 bits";
        return Err(Error::parameter("scale", scale, accepted));
    }
    Ok(())
}

/// 1 ≤ Δ₂² < 2^512
pub(crate) fn l2_squared(l2_squared: &num_bigint::BigUint) -> Result<Rational, Error> {
    if l2_squared.bits() == 0 || l2_squared.bits() > 512 {
        let accepted = "an integer of at least 1 and at most 512 bits";
        return Err(Error::parameter("l2_squared", l2_squared, accepted));
    }
    Ok(Rational::integer(num_bigint::BigInt::from(l2_squared.clone())))
}

/// 10^−30 ≤ ρ ≤ 10^6
pub(crate) fn rho(rho: &Rho) -> Result<&Rational, Error> {
    let value = rho.value();
    let in_range = value.bits() <= MAX_BITS
        && Rational::integer(10).pow(30) * value >= 1
        && *value <= 1_000_000;
    if !in_range {
        return Err(Error::parameter("rho", rho, RHO));
    }
    Ok(value)
}

/// 1 < α ≤ 10^9
pub(crate) fn alpha(alpha: &Rational) -> Result<(), Error> {
    if *alpha <= 1 || *alpha > 1_000_000_000 || alpha.bits() > MAX_BITS {
        let accepted = "a number above 1 and at most 1e9, of at most 2048 bits";
        return Err(Error::parameter("alpha", alpha, accepted));
    }
    Ok(())
}

/// 0 ≤ τ ≤ 10^6
pub(crate) fn tau(tau: &Rational) -> Result<(), Error> {
    if tau.is_negative() || *tau > 1_000_000 || tau.bits() > MAX_BITS {
        let accepted = "a number from 0 to 1e6, of at most 2048 bits";
        return Err(Error::parameter("tau", tau, accepted));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
