//! Numbers as people read them, and input in messages: grouped or hexadecimal digits, escaped
//! text.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::Display;
use core::{iter, str};
#[cfg(feature = "std")]
use std::ffi::OsStr;

use crate::{Rational, Rounding};

/// The most characters that [`shown`] returns.
const MOST: usize = 200;

/// The characters that [`shown`] keeps from the beginning of a longer text.
const HEAD: usize = 120;

/// A text or a path from outside, escaped and shortened to one line of at most 200 characters.
///
/// Escaped (`\n`, `\u{202e}`): control characters, line ends, changes of the writing direction,
/// invisible and unassigned characters, combining marks. Bytes that are not UTF-8 become `\xff`. A
/// longer text loses its middle. A backslash is not escaped: what was shown stays.
///
/// ```
/// use std::path::Path;
///
/// assert_eq!(dp_exact::shown("two\nlines\u{202e}"), "two\\nlines\\u{202e}");
/// assert_eq!(dp_exact::shown(Path::new("data/people.csv")), "data/people.csv");
/// assert_eq!(dp_exact::shown("9".repeat(1000)).chars().count(), 200);
/// ```
#[cfg(feature = "std")]
#[must_use]
pub fn shown(text: impl AsRef<OsStr>) -> String {
    shown_bytes(text.as_ref().as_encoded_bytes())
}

/// A text or a path from outside, escaped as by [`shown`], of any length.
#[cfg(feature = "std")]
#[must_use]
pub fn escaped(text: impl AsRef<OsStr>) -> String {
    escaped_bytes(text.as_ref().as_encoded_bytes())
}

/// One line of at most 200 characters that shows these bytes, which are mostly UTF-8: escaped, and
/// without the middle of a longer text ([`shown`]).
pub(crate) fn shown_bytes(text: &[u8]) -> String {
    let line = escaped_bytes(text);
    let length = line.chars().count();
    if length <= MOST {
        return line;
    }
    let tail = length - (MOST - HEAD - 1);
    let head = line.chars().take(HEAD);
    head.chain(iter::once('…')).chain(line.chars().skip(tail)).collect()
}

/// One line of any length that shows these bytes, which are mostly UTF-8, with what is invisible or
/// no UTF-8 escaped ([`escaped`]).
pub(crate) fn escaped_bytes(text: &[u8]) -> String {
    let mut line = String::new();
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' | '\'' | '"' => line.push(character),
                // Letters by their class, and yet blank.
                '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' => {
                    line.extend(character.escape_unicode());
                }
                _ => line.extend(character.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            line += &format!("\\x{byte:02x}");
        }
    }
    line
}

/// A number with groups of three digits before its point: `250000` becomes `250 000`, which
/// [`parse_integer`](crate::parse_integer) reads. Anything but a plain decimal number comes back
/// unchanged.
///
/// ```
/// assert_eq!(dp_exact::grouped(250_000), "250 000");
/// assert_eq!(dp_exact::grouped("-1234.5678"), "-1 234.5678");
/// assert_eq!(dp_exact::grouped("1000/453"), "1000/453");
/// ```
#[must_use]
pub fn grouped(number: impl Display) -> String {
    let text = number.to_string();
    let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(digits) => text.split_at(text.len() - digits.len()),
        None => ("", text.as_str()),
    };
    // Without a point all digits stand before it.
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !are_digits(whole) || !are_digits(fraction.trim_start_matches('.')) {
        return text;
    }
    let groups = whole.as_bytes().rchunks(3).rev();
    // Digits are ASCII: nothing is lost.
    let groups = groups.map(String::from_utf8_lossy);
    format!("{sign}{}{fraction}", groups.collect::<Vec<_>>().join(" "))
}

/// [`figure`] keeps all digits before the point, if there are at most this many.
const WHOLE: usize = 15;

/// A number for people, [`grouped`]: rounded to `digits` significant digits, or to an integer if it
/// has more digits than that before the point.
#[must_use]
pub fn figure(value: &Rational, digits: usize, rounding: Rounding) -> String {
    let whole = value.abs().floor().to_string().len();
    let digits = if whole <= WHOLE { digits.max(whole) } else { digits };
    grouped(value.round_to_digits(digits, rounding))
}

/// The bytes in lower-case hexadecimal digits, the upper four bits of each first.
///
/// ```
/// assert_eq!(dp_exact::hexadecimal(&[0, 10, 255]), "000aff");
/// ```
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The `N` bytes that 2·`N` lower-case hexadecimal digits stand for; `None` for any other text.
#[must_use]
pub fn parse_hexadecimal<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    for (byte, digits) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    }
    (hexadecimal(&bytes).as_bytes() == digits).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_reorders_is_escaped() {
        for plain in ["", "epsilon 0.5", "Ü \"é\" 'x' \\ 月曜日", "a…b", "−1 × 2²"] {
            assert_eq!(shown(plain), plain);
        }
        let ends = "\0\u{7}\t\n\u{b}\r\u{1b}\u{7f}\u{85}\u{9b}\u{2028}\u{2029}";
        let order =
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2069}";
        let blank = "\u{a0}\u{ad}\u{34f}\u{115f}\u{180e}\u{200b}\u{2060}\u{2800}\u{3000}\u{fe0f}\u{feff}\u{e0041}";
        for hidden in ends.chars().chain(order.chars()).chain(blank.chars()) {
            let text = format!("a{hidden}b");
            let line = shown(&text);
            assert!(line.starts_with("a\\") && !line.contains(hidden), "{line}");
        }
    }

    #[test]
    fn a_long_text_loses_its_middle_and_what_was_shown_once_stays() {
        let long = format!("begin{}end", "\u{202e}".repeat(1 << 16));
        for text in [long, "x".repeat(200), "x".repeat(201), "\n".repeat(67)] {
            let line = shown(&text);
            assert!(line.chars().count() <= MOST, "{line}");
            assert_eq!(line.contains('…'), escaped(&text).chars().count() > MOST);
            assert_eq!(shown(&line), line);
        }
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt as _;
            let bytes = OsStr::from_bytes(b"a\xff\xc3.csv");
            assert_eq!(shown(bytes), "a\\xff\\xc3.csv");
        }
    }

    #[test]
    fn figures_are_short_grouped_and_read_again() {
        for (value, digits, written) in [
            ("7.99999", 4, "8"),
            ("0.906", 4, "0.906"),
            ("1939.2", 4, "1 940"),
            ("-1234567.9", 4, "-1 234 567"),
            ("0", 4, "0"),
        ] {
            assert_eq!(figure(&value.parse().unwrap(), digits, Rounding::Up), written);
        }
        for text in ["999", "1e100000", "2026-11-25", ".5", ""] {
            assert_eq!(grouped(text), text);
        }
        for number in [1_u64, 1_000, 1_234_567, u64::MAX] {
            let read = crate::parse_integer("number", &grouped(number), 1..=u64::MAX);
            assert_eq!(read, Ok(number));
        }
    }
}
