//! What comes from outside, such as a value, a name or a path, in a message of one line.

use alloc::format;
use alloc::string::String;
use core::iter;
#[cfg(feature = "std")]
use std::ffi::OsStr;

/// The most characters of it that are shown.
const MOST: usize = 200;

/// How many of them are the beginning of a longer text; one is the mark of what is left out.
const HEAD: usize = 120;

/// A text or a path from outside on one line of at most 200 characters, in which every character is
/// visible and stands where it is read.
///
/// Escaped (`\n`, `\u{202e}`) are control characters, all that ends a line, changes the order of
/// writing or is invisible, combining marks, and what Unicode has not assigned; bytes that are not
/// UTF-8 are written `\xff`. Of a longer text the middle is left out. A text that was shown once is
/// shown unchanged: a backslash is not escaped.
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

/// The same, of any length.
///
/// ```
/// assert_eq!(dp_exact::escaped("a\u{feff}b"), "a\\u{feff}b");
/// ```
#[cfg(feature = "std")]
#[must_use]
pub fn escaped(text: impl AsRef<OsStr>) -> String {
    escaped_bytes(text.as_ref().as_encoded_bytes())
}

/// The same for what is UTF-8 for the most part.
pub(crate) fn shown_bytes(text: &[u8]) -> String {
    let line = escaped_bytes(text);
    let length = line.chars().count();
    if length <= MOST {
        return line;
    }
    let tail = length - (MOST - HEAD - 1);
    let head = line.chars().take(HEAD);
    head.chain(iter::once('…'))
        .chain(line.chars().skip(tail))
        .collect()
}

/// The same, of any length.
pub(crate) fn escaped_bytes(text: &[u8]) -> String {
    let mut line = String::new();
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            push(&mut line, character);
        }
        for byte in chunk.invalid() {
            line += &format!("\\x{byte:02x}");
        }
    }
    line
}

fn push(line: &mut String, character: char) {
    match character {
        '\\' | '\'' | '"' => line.push(character),
        // Letters by their class, and yet blank.
        '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' => {
            line.extend(character.escape_unicode());
        }
        _ => line.extend(character.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_reorders_is_escaped_and_what_is_read_is_not() {
        for plain in ["", "epsilon 0.5", "Ü \"é\" 'x' \\ 月曜日", "a…b", "−1 × 2²"] {
            assert_eq!(shown(plain), plain);
        }
        let ends = "\0\u{7}\t\n\u{b}\r\u{1b}\u{7f}\u{85}\u{9b}\u{2028}\u{2029}";
        let order = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}";
        let order = format!("{order}\u{2066}\u{2067}\u{2068}\u{2069}");
        let blank = "\u{a0}\u{ad}\u{34f}\u{115f}\u{180e}\u{200b}\u{200d}\u{2060}\u{2800}\u{3000}";
        let blank = format!("{blank}\u{3164}\u{fe0f}\u{feff}\u{ffa0}\u{e0041}\u{e0100}");
        for hidden in ends.chars().chain(order.chars()).chain(blank.chars()) {
            let line = shown(format!("a{hidden}b"));
            assert!(line.starts_with("a\\") && !line.contains(hidden), "{line}");
            assert!(line.bytes().all(|byte| byte.is_ascii_graphic()), "{line}");
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
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_not_utf_8_are_shown() {
        use std::os::unix::ffi::OsStrExt as _;
        assert_eq!(
            shown(OsStr::from_bytes(b"a\xff\xc3.csv")),
            "a\\xff\\xc3.csv"
        );
    }
}
