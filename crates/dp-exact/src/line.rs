//! The one rule for names, and for other texts of one line.

use alloc::format;
use alloc::string::String;

use crate::{ParameterError, is_printable};

/// The most bytes of a name.
pub const MAX_NAME: usize = 256;

/// Refuses what is no name of a task, a batch, a release or another thing: a text that is blank, longer than
/// [`MAX_NAME`] bytes, or has a character that is not [printable](is_printable).
///
/// ```
/// assert!(dp_exact::check_name("name", "2026-07-01/visits").is_ok());
/// let error = dp_exact::check_name("name", "a\u{200b}b").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "name is a\\u{200b}b: expected a text of 1 to 256 bytes without control characters or invisible ones",
/// );
/// ```
///
/// # Errors
/// If it is refused; the error calls it `what`.
pub fn check_name(what: impl Into<String>, text: &str) -> Result<(), ParameterError> {
    check_line(what, text, MAX_NAME)
}

/// Refuses what is no line of text of at most `longest` bytes, by the rule for names.
///
/// # Errors
/// As of [`check_name`].
pub fn check_line(
    what: impl Into<String>,
    text: &str,
    longest: usize,
) -> Result<(), ParameterError> {
    let is_blank = text.trim().is_empty();
    if !is_blank && text.len() <= longest && text.chars().all(is_printable) {
        return Ok(());
    }
    let accepted =
        format!("a text of 1 to {longest} bytes without control characters or invisible ones");
    Err(ParameterError::new(what.into(), text, accepted))
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString as _};

    use super::*;

    #[test]
    fn names_are_one_plain_line_of_at_most_256_bytes() {
        for good in [
            "monday",
            "2026-07-01/visits",
            "Ü ber \"all\"\\",
            "月曜日",
            "étude",
        ] {
            assert!(check_name("name", good).is_ok(), "{good}");
        }
        assert!(check_name("name", &"x".repeat(256)).is_ok());
        let long = ["x".repeat(257), "x".repeat(66_000), "é".repeat(129)];
        let forged = [
            "",
            " ",
            "a\nb",
            "a\r",
            "a\tb",
            "\u{1b}[2J",
            "\u{0}",
            "\u{7f}",
            "\u{85}",
        ];
        let ordered =
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2069}";
        let blank = "\u{a0}\u{ad}\u{34f}\u{115f}\u{180e}\u{200b}\u{200c}\u{200d}\u{2028}\u{2029}\u{2060}\
                     \u{2800}\u{3000}\u{3164}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\u{1d173}\u{e0041}\u{e0100}";
        let hidden = ordered.chars().chain(blank.chars());
        let hidden: alloc::vec::Vec<String> = hidden.map(|one| format!("a{one}b")).collect();
        let bad = long.iter().chain(&hidden).map(String::as_str).chain(forged);
        for bad in bad {
            let error = check_name("name", bad).expect_err(bad).to_string();
            assert!(error.starts_with("name is "), "{error}");
            assert!(error.chars().count() < 300, "{error}");
            assert!(
                error
                    .bytes()
                    .all(|byte| byte.is_ascii_graphic() || byte == b' ')
                    || bad.len() > 256,
                "{error:?}"
            );
        }
    }
}
