//! Rates as fractions of few digits.

use dp_exact::{Interval, Rational, Rounding};

/// The upper end of an enclosure in so many digits; `None` if it is too long for a fraction.
pub(super) fn rounded_up(rate: &Interval, digits: usize) -> Option<Rational> {
    let upper = rate.upper().to_rational()?;
    Some(upper.round_to_digits(digits, Rounding::Up))
}
