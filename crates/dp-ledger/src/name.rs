//! Names of releases.

use std::borrow::Borrow;
use std::sync::Arc;

use dp_exact::ParameterError;

/// The most bytes of a name.
pub const MAX_NAME: usize = 256;

/// A checked name. Copies share the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name(Arc<str>);

impl Name {
    /// A name of 1 to 256 bytes without control characters.
    pub(crate) fn new(text: &str) -> Result<Self, ParameterError> {
        check("name", text).map(|()| Self(text.into()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Refuses a text that is empty, longer than [`MAX_NAME`] bytes, or not a plain line of text: with a
/// control character, one that ends a line, or one that changes the order in which others are shown.
///
/// # Errors
/// If it is refused; the error calls it `what`.
pub fn check(what: &'static str, text: &str) -> Result<(), ParameterError> {
    if (1..=MAX_NAME).contains(&text.len()) && !text.chars().any(is_control) {
        return Ok(());
    }
    let accepted = "1 to 256 bytes without control characters";
    Err(ParameterError::new(what, text, accepted))
}

/// What ends a line, moves a cursor, or changes the order in which characters are shown: the class
/// Cc, the separators U+2028 and U+2029, the byte order mark and all that Unicode's property
/// `Bidi_Control` lists.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_plain_line_of_at_most_256_bytes() {
        for good in ["monday", "2026-07-01/visits", "Ü ber \"all\"\\", "月曜日"] {
            assert!(Name::new(good).is_ok(), "{good}");
        }
        assert!(Name::new(&"x".repeat(256)).is_ok());
        let long = ["x".repeat(257), "x".repeat(66_000), "é".repeat(129)];
        let forged = ["", "a\nb", "a\r", "\u{1b}[2J", "\u{0}", "\u{7f}", "\u{85}"];
        let hidden = ["\u{2028}", "\u{2029}", "a\u{202e}b", "\u{2066}", "\u{feff}"];
        for bad in long.iter().map(String::as_str).chain(forged).chain(hidden) {
            let error = Name::new(bad).unwrap_err().to_string();
            assert!(error.chars().count() < 300, "{error}");
            assert!(!error.chars().any(is_control), "{error:?}");
        }
    }
}
