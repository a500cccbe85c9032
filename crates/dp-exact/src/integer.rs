//! Integers as people type them.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt::Display;
use core::ops::RangeInclusive;

use num_bigint::BigInt;

use crate::{ParameterError, Rational};

/// The integer in the `accepted` range that a person wrote: `250000`, `2.5e5`, `250_000`,
/// `250,000`, `250 000` and `250k` are one number.
///
/// One of `_`, `,`, a space or an apostrophe may separate groups of three digits before the point.
/// `k` or `K` behind a decimal number is a thousand, `m` or `M` a million.
///
/// ```
/// for text in ["250000", "2.5e5", "250_000", "250,000", "250 000", "250k", "0.25M"] {
///     let clients: u64 = dp_exact::parse_integer("clients", text, 1..=10_000_000_000)?;
///     assert_eq!(clients, 250_000);
/// }
/// let refused = dp_exact::parse_integer::<u64>("clients", "1.5", 1..=10).unwrap_err();
/// assert_eq!(refused.to_string(), "clients is 1.5: expected an integer from 1 to 10");
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
///
/// # Errors
/// If the text is no integer in the range. A point before the last three digits, as in `12.000`, may
/// group digits or begin a fraction: the error has both readings.
pub fn parse_integer<T>(
    name: &'static str,
    text: &str,
    accepted: RangeInclusive<T>,
) -> Result<T, ParameterError>
where
    T: TryFrom<BigInt> + PartialOrd + Display,
{
    let digits = text.trim().trim_end_matches(SUFFIXES);
    if let Some(readings) = two_readings(digits.trim_end(), '.') {
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

/// Suffixes of thousands and millions.
const SUFFIXES: [char; 4] = ['k', 'K', 'm', 'M'];

/// Characters that may separate groups of three digits.
const SEPARATORS: [char; 8] = ['_', ',', ' ', '\'', '\u{2019}', '\u{a0}', '\u{2009}', '\u{202f}'];

/// The exact value of a number as [`parse_integer`] reads it, which may have a fraction. `None` if
/// the text is no such number.
#[must_use]
pub fn parse_number(text: &str) -> Option<Rational> {
    let text = text.trim();
    let unit = match text.chars().next_back()? {
        'k' | 'K' => 1_000u64,
        'm' | 'M' => 1_000_000,
        _ => return ungrouped(text)?.parse().ok(),
    };
    let digits = ungrouped(text.get(..text.len() - 1)?.trim_end())?;
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: Rational = digits.parse().ok().filter(|_| is_decimal)?;
    Some(value * Rational::from(unit))
}

/// Both readings of a number with this one `mark`, a point or a comma, before its last three digits:
/// the mark groups digits or begins a fraction. `None` for any other text.
///
/// ```
/// let readings = dp_exact::two_readings("12.000", '.').expect("a mark before three digits");
/// assert!(readings.starts_with("12000 or 12, as "));
/// assert_eq!(dp_exact::two_readings("0.125", '.'), None);
/// ```
#[must_use]
pub fn two_readings(text: &str, mark: char) -> Option<String> {
    let (whole, thousandths) = text.trim().split_once(mark)?;
    let digits = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_group =
        (1..=3).contains(&digits.len()) && !digits.starts_with('0') && are_digits(digits);
    if !is_group || thousandths.len() != 3 || !are_digits(thousandths) {
        return None;
    }
    let decimal: Rational = format!("{whole}.{thousandths}").parse().ok()?;
    let reason = match mark {
        ',' => "its comma may group digits or begin a fraction",
        _ => "its point may group digits or begin a fraction",
    };
    Some(format!("{whole}{thousandths} or {decimal}, as {reason}"))
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
    let first = groups.next().expect("a text has a first part, however it is split");
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped = (1..=3).contains(&first.len())
        && are_digits(first)
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
            ("12/4", 3),
            ("250 K", 250_000),
            ("1.5M", 1_500_000),
            ("2m", 2_000_000),
            ("250\u{a0}000", 250_000),
            ("1'000'000", 1_000_000),
            ("10,000.0", 10_000),
            ("2,500k", 2_500_000),
        ] {
            assert_eq!(read(text), Some(value), "{text}");
        }
        let refused = "|1|10000000001|-3|2.5|1e2500|1e99999|two|0x10|3,0|2,5|25,00|1,000_000|1000,000|,000|250,|\
            1,000e3|1,00,000|k|1e3k|1/2k|1.2345k|2kk|250 k k|1,000.5|5B|0,000.1|-1,000|é000|1,000.0,0";
        for text in refused.split('|') {
            assert_eq!(read(text), None, "{text}");
        }
        let one = parse_integer::<u64>("length", "2", 1..=1).unwrap_err();
        assert_eq!(one.to_string(), "length is 2: expected 1");
    }
}
