//! Amounts of bounded size.
//!
//! Sums of arbitrary fractions have denominators that grow without bound. So every amount is a
//! multiple of 10^−380: **a cost is rounded up to 30 significant digits, a limit is rounded down**.
//! Amounts lie between 10^−350 and 10^9 or are 0; thirty digits of the smallest end at 10^−379. A
//! sum within a limit is then an integer below 2^1293, whatever its entries. Rounding costs at most
//! a relative 10^−29 of each entry: a third of a limit fits twice, and not three times.

use std::sync::LazyLock;

use dp_exact::{ParameterError, Rational, Rounding};
use num_bigint::{BigInt, BigUint};

/// Significant decimal digits of a rounded amount.
const DIGITS: usize = 30;

/// 10^380, the amount 1 in multiples of 10^−380.
static UNITS: LazyLock<Rational> = LazyLock::new(|| Rational::integer(10).pow(380));

/// 10^350, one over the least amount above 0.
static INVERSE_LEAST: LazyLock<Rational> = LazyLock::new(|| Rational::integer(10).pow(350));

/// The largest amount.
const LARGEST: u64 = 1_000_000_000;

/// A multiple of 10^−380.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Amount(BigUint);

impl Amount {
    /// The amount `value`, rounded to 30 digits in the direction of `rounding`. Refuses, as the
    /// parameter `what`, a value that is neither 0 nor from 1e-350 to 1e9.
    pub(crate) fn rounded(
        what: &'static str,
        value: &Rational,
        rounding: Rounding,
    ) -> Result<Self, ParameterError> {
        if value.is_zero() {
            return Ok(Self::default());
        }
        let is_in_range = value.bits() <= Rational::MAX_BITS
            && *value <= Rational::from(LARGEST)
            && value * &*INVERSE_LEAST >= 1;
        if !is_in_range {
            let accepted = "0, or a number from 1e-350 to 1e9";
            return Err(ParameterError::new(what, value, accepted));
        }
        let units = value.round_to_digits(DIGITS, rounding) * &*UNITS;
        Ok(Self(units.numerator().magnitude().clone()))
    }

    /// Whether this amount is 0.
    pub(crate) fn is_zero(&self) -> bool {
        self.0 == BigUint::ZERO
    }

    /// This amount plus `other`.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self(&self.0 + &other.0)
    }

    /// This amount minus `other`, or 0 if `other` is larger.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        if self <= other {
            return Self::default();
        }
        Self(&self.0 - &other.0)
    }

    /// How often `part` fits into this amount, rounded down and at most `u64::MAX`; `u64::MAX` if
    /// `part` is 0.
    pub(crate) fn times(&self, part: &Self) -> u64 {
        if part.is_zero() {
            return u64::MAX;
        }
        // The largest number stands for more.
        u64::try_from(&self.0 / &part.0).unwrap_or(u64::MAX)
    }

    /// This amount as a number, rounded to 30 digits in the direction of `rounding`: a sum may have
    /// more.
    pub(crate) fn number(&self, rounding: Rounding) -> Rational {
        let units = Rational::integer(BigInt::from(self.0.clone()));
        let value = units.checked_div(&UNITS).expect("10^380 is not 0");
        value.round_to_digits(DIGITS, rounding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    fn up(text: &str) -> Result<Amount, ParameterError> {
        Amount::rounded("epsilon", &rational(text), Rounding::Up)
    }

    #[test]
    fn decimals_of_thirty_digits_are_kept_and_others_rounded_to_their_side() {
        for text in ["0.4", "1e-300", "1e-350", "1e9", "0.123456789012345678901234567891"] {
            assert_eq!(up(text).unwrap().number(Rounding::Down), rational(text));
        }
        for text in ["1/3", "1/7", "2/3", "1/999999999999999999999999999999999999"] {
            let value = rational(text);
            let above = Amount::rounded("x", &value, Rounding::Up).unwrap();
            let below = Amount::rounded("x", &value, Rounding::Down).unwrap();
            let (above, below) = (above.number(Rounding::Up), below.number(Rounding::Down));
            assert!(below < value && value < above);
            // One unit in the thirtieth digit.
            assert!((above - &below) * rational("1e29") <= value);
        }
    }

    #[test]
    fn a_sum_of_any_amounts_stays_small() {
        let mut sum = Amount::default();
        for denominator in 2..3_000_u64 {
            let part = Rational::new(1, denominator).unwrap();
            sum = sum.plus(&Amount::rounded("x", &part, Rounding::Up).unwrap());
        }
        sum = sum.plus(&up("1e9").unwrap());
        sum = sum.plus(&up("1e-350").unwrap());
        assert!(sum.0.bits() <= 1293);
    }
}
