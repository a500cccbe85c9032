//! Integers as people type them.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt::Display;
use core::ops::RangeInclusive;

use num_bigint::BigInt;

use crate::{ParameterError, Rational};

/// The integer in the `accepted` range that a person wrote: `250000`, `2.5e5`, `250_000`,
/// `250 000` and `250k` are one number.
///
/// One of `_`, `,`, a space or an apostrophe may separate groups of three digits before the point.
/// `k` or `K` behind a decimal number is a thousand, `m` or `M` a million.
///
/// ```
/// for text in ["1250000", "1.25e6", "1_250_000", "1,250,000", "1 250 000", "1250k", "1.25M"] {
///     let clients: u64 = dp_exact::parse_integer("clients", text, 1..=10_000_000_000)?;
///     assert_eq!(clients, 1_250_000);
/// }
/// let refused = dp_exact::parse_integer::<u64>("clients", "1.5", 1..=10).unwrap_err();
/// assert_eq!(refused.to_string(), "clients is 1.5: expected an integer from 1 to 10");
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
///
/// # Errors
/// If the text is no integer in the range. A single point or comma before the last three digits, as
/// in `12.000` and `12,000`, may group digits or begin a fraction: the error has both readings.
pub fn parse_integer<T>(
    name: &'static str,
    text: &str,
    accepted: RangeInclusive<T>,
) -> Result<T, ParameterError>
where
    T: TryFrom<BigInt> + PartialOrd + Display,
{
    if let Some(readings) = two_readings(text, '.').or_else(|| two_readings(text, ',')) {
        return Err(ParameterError::new(name, text, readings));
    }
    let value = parse_number(text).filter(Rational::is_integer);
    let value = value.and_then(|value| T::try_from(value.numerator().clone()).ok());
    value.filter(|value| accepted.contains(value)).ok_or_else(|| {
        let range = match accepted.into_inner() {
            (only, end) if only == end => only.to_string(),
            (start, end) => format!("an integer from {start} to {end}"),
        };
        ParameterError::new(name, text, range)
    })
}

/// Characters that may separate groups of three digits.
const SEPARATORS: [char; 8] = ['_', ',', ' ', '\'', '\u{2019}', '\u{a0}', '\u{2009}', '\u{202f}'];

/// The exact value of a number as [`parse_integer`] reads it, which may have a fraction; a comma
/// always groups digits. `None` if the text is no such number.
#[must_use]
pub fn parse_number(text: &str) -> Option<Rational> {
    let (digits, unit) = without_suffix(text);
    let digits = ungrouped(digits)?;
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    // A suffix is no second exponent, and a stroke may be of a date.
    let is_number = is_plain || unit == 1 && !digits.contains('/');
    let value: Rational = digits.parse().ok().filter(|_| is_number)?;
    Some(value * Rational::from(unit))
}

/// The text of a number without a suffix, and the number that the suffix stands for: 1 without one.
fn without_suffix(text: &str) -> (&str, u64) {
    let text = text.trim();
    let of = |suffixes: [char; 2]| text.strip_suffix(suffixes).map(str::trim_end);
    match (of(['k', 'K']), of(['m', 'M'])) {
        (Some(digits), _) => (digits, 1_000),
        (None, Some(digits)) => (digits, 1_000_000),
        (None, None) => (text, 1),
    }
}

/// Both readings of a number with this one `mark`, a point or a comma, before its last three
/// digits: the mark groups digits or begins a fraction. `None` for any other text.
///
/// ```
/// let readings = dp_exact::two_readings("12.000k", '.').expect("a mark before three digits");
/// assert!(readings.starts_with("12000000 or 12000, as its point "));
/// assert_eq!(dp_exact::two_readings("0.125", '.'), None);
/// ```
#[must_use]
pub fn two_readings(text: &str, mark: char) -> Option<String> {
    let (digits, unit) = without_suffix(text);
    let (whole, thousandths) = digits.split_once(mark)?;
    if !is_first_group(whole) || thousandths.len() != 3 || !are_digits(thousandths) {
        return None;
    }
    let value = |digits: String| Some(digits.parse::<Rational>().ok()? * Rational::from(unit));
    let integer = value(format!("{whole}{thousandths}"))?;
    let decimal = value(format!("{whole}.{thousandths}"))?;
    let name = if mark == ',' { "comma" } else { "point" };
    Some(format!("{integer} or {decimal}, as its {name} may group digits or begin a fraction"))
}

fn are_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the text is one to three digits that do not begin with 0, behind a sign or none.
fn is_first_group(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    (1..=3).contains(&digits.len()) && are_digits(digits) && !digits.starts_with('0')
}

/// The text without the characters that separate groups of digits. `None` if the groups before the
/// point are not of three digits, or two separators are mixed.
fn ungrouped(text: &str) -> Option<Cow<'_, str>> {
    let Some(separator) = text.chars().find(|one| SEPARATORS.contains(one)) else {
        return Some(Cow::Borrowed(text));
    };
    // Without a point there is no fraction.
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(separator);
    let is_grouped = groups.next().is_some_and(is_first_group)
        && groups.all(|group| group.len() == 3 && are_digits(group));
    (is_grouped && are_digits(fraction)).then(|| Cow::Owned(text.replace(separator, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three_digits_suffixes_and_exponents_are_read() {
        let read = |text: &str| parse_integer::<u64>("number", text, 2..=10_000_000_000).ok();
        for (text, value) in [
            ("2", 2),
            (" 1e6 ", 1_000_000),
            ("0.5e1", 5),
            ("250 K", 250_000),
            ("1.5M", 1_500_000),
            ("2m", 2_000_000),
            ("250\u{a0}000", 250_000),
            ("1'000'000", 1_000_000),
            ("10,000.0", 10_000),
            ("1,000,000", 1_000_000),
            ("2 500k", 2_500_000),
            ("+2_500", 2_500),
        ] {
            assert_eq!(read(text), Some(value), "{text}");
        }
        let refused = "|1|10000000001|-3|2.5|1e2500|1e99999|two|0x10|3,0|2,5|25,00|1,000_000|1000,000|,000|250,|\
            1,000e3|1,00,000|k|1e3k|1/2k|1.2345k|2kk|250 k k|1,000.5|5B|0,000.1|0_125|-1_000|é000|1,000.0,0|12/4";
        for text in refused.split('|') {
            assert_eq!(read(text), None, "{text}");
        }
        for (text, readings) in [
            ("250,000", "250000 or 250"),
            ("1.500", "1500 or 1.5"),
            ("-12,345", "-12345 or -12.345"),
            ("1.000k", "1000000 or 1000"),
        ] {
            let refused = parse_integer::<i64>("number", text, 0..=1).unwrap_err();
            let is_both = refused.accepted().starts_with(&format!("{readings}, as its "));
            assert!(is_both && refused.value() == text, "{refused}");
        }
        let one = parse_integer::<u64>("length", "2", 1..=1).unwrap_err();
        assert_eq!(one.to_string(), "length is 2: expected 1");
    }
}
