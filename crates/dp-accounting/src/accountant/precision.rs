//! Digits of an answer, and bits of what it is computed from.

use dp_calibration::privacy_loss::PRECISION;
use dp_exact::{Delta, Rational, Rounding};

/// Significant digits of an ε.
pub(super) const DIGITS: usize = 15;

/// The precision, in bits after the binary point, with which the smallest positive one of
/// `numbers`, all from 0 to 1, keeps 128 bits.
pub(super) fn precise(numbers: impl Iterator<Item = Rational>) -> u32 {
    let small = |number: Rational| {
        let bits =
            number.denominator().bits().saturating_sub(number.numerator().magnitude().bits());
        u32::try_from(bits).unwrap_or(u32::MAX / 2)
    };
    let positive = numbers.filter(Rational::is_positive).map(small);
    PRECISION + positive.max().unwrap_or(0)
}

/// The most fractions of an exact sum. A sum of more is rounded, as its denominator grows with
/// each.
const MANY: usize = 32;

/// Significant digits of a rounded sum.
const SUM_DIGITS: usize = 40;

/// The sum of `numbers`, exact for at most 32 numbers. A sum of more is rounded to 40 digits after
/// each addition, in the direction of `rounding`, as the common denominator grows with each number.
pub(crate) fn added(numbers: &[Rational], rounding: Rounding) -> Rational {
    numbers.iter().fold(Rational::zero(), |sum, number| {
        let sum = sum + number;
        if numbers.len() > MANY { sum.round_to_digits(SUM_DIGITS, rounding) } else { sum }
    })
}

/// Whether δ is at most 0.9, and of at most 2048 bits; it may be 0.
pub(super) fn is_small(delta: &Delta) -> bool {
    let value = delta.value();
    value.bits() <= 2048 && value * &Rational::integer(10) <= 9
}
