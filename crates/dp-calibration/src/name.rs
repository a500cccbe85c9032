//! Names of mechanisms, tasks and releases: one visible line.

use dp_exact::ParameterError;

/// Whether a character is visible: no control, line break, zero width or change of direction.
///
/// False for the general categories `Cc`, `Cs`, `Co`, `Zl` and `Zp`, for spaces other than U+0020,
/// for the property `Default_Ignorable_Code_Point` (Unicode Standard Annex #44), interlinear
/// annotations, the blank Braille pattern, and noncharacters. True for combining marks.
#[must_use]
pub const fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    !matches!(
        character,
        '\u{80}'..='\u{a0}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{1680}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3000}'
            | '\u{3164}'
            | '\u{e000}'..='\u{f8ff}'
            | '\u{fdd0}'..='\u{fdef}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{10ffff}'
    ) && (character as u32) & 0xfffe != 0xfffe
}

/// The most bytes of a name.
pub const MAX_NAME: usize = 256;

/// Refuses a name that is blank, of more than [`MAX_NAME`] bytes, or not [printable](is_printable).
///
/// # Errors
/// If the name is refused. The error's parameter is `what`.
pub fn check_name(what: impl Into<String>, text: &str) -> Result<(), ParameterError> {
    check_line(what, text, MAX_NAME)
}

/// [`check_name`] for a text of at most `most` bytes.
///
/// # Errors
/// As [`check_name`].
pub fn check_line(what: impl Into<String>, text: &str, most: usize) -> Result<(), ParameterError> {
    let is_blank = text.trim().is_empty();
    if !is_blank && text.len() <= most && text.chars().all(is_printable) {
        return Ok(());
    }
    let accepted =
        format!("a text of 1 to {most} bytes without control characters or invisible ones");
    Err(ParameterError::new(what.into(), text, accepted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_reorders_is_refused_in_names() {
        for plain in ["epsilon 0.5", "Ü \"é\" 'x' \\ 月曜日", "a…b", "−1 × 2²"] {
            assert!(check_name("name", plain).is_ok());
        }
        let ends = "\0\u{7}\t\n\u{b}\r\u{1b}\u{7f}\u{85}\u{9b}\u{2028}\u{2029}";
        let order =
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2069}";
        let blank = "\u{a0}\u{ad}\u{34f}\u{115f}\u{180e}\u{200b}\u{2060}\u{2800}\u{3000}\u{fe0f}\u{feff}\u{e0041}";
        for hidden in ends.chars().chain(order.chars()).chain(blank.chars()) {
            assert!(check_name("name", &format!("a{hidden}b")).is_err(), "{hidden:?}");
        }
        for bad in ["", " ", &"é".repeat(129)] {
            assert!(check_name("name", bad).is_err());
        }
        assert!(check_name("name", &"x".repeat(256)).is_ok());
    }
}
