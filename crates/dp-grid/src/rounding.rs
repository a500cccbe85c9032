//! Rounding of rationals to integers, exactly.

use std::cmp::Ordering;

use dp_exact::Rational;
use num_bigint::{BigInt, Sign};

/// A number from 0 to a bound below 2^127: `whole` + `remainder`/`divisor`, 0 ≤ remainder < divisor.
pub(crate) struct Steps {
    pub(crate) whole: u128,
    remainder: BigInt,
    divisor: BigInt,
}

impl Steps {
    /// `numerator`/`divisor` clamped to [0, `bound`], for a divisor above 0. Nothing is reduced to
    /// lowest terms, which would take most of the time.
    pub(crate) fn clamped(numerator: BigInt, divisor: BigInt, bound: u128) -> Self {
        if numerator.sign() != Sign::Plus {
            return Self::on_grid(0);
        }
        let quotient = &numerator / &divisor;
        match u128::try_from(&quotient) {
            Ok(whole) if whole < bound => Self {
                whole,
                remainder: numerator - quotient * &divisor,
                divisor,
            },
            _ => Self::on_grid(bound),
        }
    }

    fn on_grid(whole: u128) -> Self {
        Self {
            whole,
            remainder: BigInt::ZERO,
            divisor: BigInt::from(1),
        }
    }

    /// remainder/divisor, if it is not 0.
    pub(crate) fn fraction(&self) -> Option<Rational> {
        let divisor = Rational::integer(self.divisor.clone());
        Rational::integer(self.remainder.clone())
            .checked_div(&divisor)
            .filter(Rational::is_positive)
    }

    /// The nearest integer; of two the even one.
    pub(crate) fn nearest(&self) -> u128 {
        let up = match (&self.remainder * 2u32).cmp(&self.divisor) {
            Ordering::Less => false,
            Ordering::Equal => self.whole % 2 == 1,
            Ordering::Greater => true,
        };
        self.whole + u128::from(up)
    }
}
