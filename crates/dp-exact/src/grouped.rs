//! Numbers as people read them: digits in groups of three.

use alloc::string::{String, ToString as _};
use core::fmt::Display;

use crate::{Rational, Rounding};

/// A number with the digits before its point in groups of three: `250000` is `250 000`, and [`integer`] reads it.
///
/// What is no plain decimal number, such as a fraction or `1e-9`, comes back as it is written. Every text that the
/// workspace writes for people groups its numbers by this function.
///
/// ```
/// assert_eq!(dp_exact::grouped(250_000), "250 000");
/// assert_eq!(dp_exact::grouped("-1234.5678"), "-1 234.5678");
/// assert_eq!(dp_exact::grouped("1000/453"), "1000/453");
/// ```
///
/// [`integer`]: crate::integer
#[must_use]
pub fn grouped(number: impl Display) -> String {
    let text = number.to_string();
    let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(digits) => text.split_at(text.len() - digits.len()),
        None => ("", text.as_str()),
    };
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !are_digits(whole) || !are_digits(fraction.trim_start_matches('.')) {
        return text;
    }
    let mut grouped = String::with_capacity(text.len() + whole.len() / 3);
    grouped.push_str(sign);
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped.push_str(fraction);
    grouped
}

/// Integers of more digits than this are rounded like all other numbers.
const WHOLE: usize = 15;

/// A number for people: rounded to `digits` significant digits, or to an integer where more than these stand before
/// the point, written as short as it then is, and [`grouped`].
///
/// ```
/// use dp_exact::{Rational, Rounding, figure};
///
/// let text = |number: &str| Ok::<_, dp_exact::ParameterError>(figure(&number.parse()?, 4, Rounding::Up));
/// assert_eq!(text("3.95849")?, "3.959");
/// assert_eq!(text("8")?, "8");
/// assert_eq!(text("123456.7")?, "123 457");
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[must_use]
pub fn figure(value: &Rational, digits: usize, rounding: Rounding) -> String {
    let magnitude = if value.is_negative() {
        -value.clone()
    } else {
        value.clone()
    };
    let whole = magnitude.floor().to_string().len();
    let digits = if whole <= WHOLE {
        digits.max(whole)
    } else {
        digits
    };
    grouped(value.round_to_digits(digits, rounding))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_as_short_as_its_rounded_number() {
        for (value, digits, written) in [
            ("8", 4, "8"),
            ("7.99999", 4, "8"),
            ("0.906", 4, "0.906"),
            ("1939.2", 4, "1 940"),
            ("1234567.1", 4, "1 234 568"),
            ("-1234567.9", 4, "-1 234 567"),
            ("0.0057308", 4, "0.005731"),
            ("2/3", 6, "0.666667"),
            ("0", 4, "0"),
        ] {
            let value: Rational = value.parse().expect("a number");
            assert_eq!(figure(&value, digits, Rounding::Up), written);
        }
        let huge: Rational = "123456789e20".parse().expect("a number");
        let text = figure(&huge, 4, Rounding::Up);
        assert!(text.len() <= 40, "{text}");
    }

    #[test]
    fn only_plain_numbers_are_grouped() {
        for (text, written) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1 000"),
            ("12345678", "12 345 678"),
            ("1234.56789", "1 234.56789"),
            ("-1234", "-1 234"),
            ("0.123456", "0.123456"),
            ("1e100000", "1e100000"),
            ("1234567/8", "1234567/8"),
            ("2026-11-25", "2026-11-25"),
            ("nothing", "nothing"),
            ("", ""),
            ("-", "-"),
            (".5", ".5"),
            ("1.2.3456", "1.2.3456"),
        ] {
            assert_eq!(grouped(text), written);
        }
        assert_eq!(grouped(u64::MAX), "18 446 744 073 709 551 615");
    }

    #[test]
    fn what_is_grouped_is_read() {
        for number in [1_u64, 999, 1_000, 1_234_567, u64::MAX] {
            let read = crate::integer("number", &grouped(number), 1..=u64::MAX);
            assert_eq!(read, Ok(number));
        }
    }
}
