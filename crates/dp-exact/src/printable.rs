//! Which characters of a name a reader sees.

/// Whether a character is seen where it stands: not a control character, a line break, one without
/// width, or one that turns the direction of the text around it.
///
/// Refused are the general categories `Cc`, `Cs`, `Co`, `Zl` and `Zp`, spaces other than U+0020, and what
/// Unicode calls default ignorable (Unicode Standard Annex #44, `Default_Ignorable_Code_Point`), which
/// has the bidirectional controls; also interlinear annotations, the blank Braille pattern, and
/// noncharacters. Combining marks, without which many languages cannot be written, are seen; in a message
/// [`shown`](crate::shown) escapes them as well.
///
/// ```
/// use dp_exact::is_printable;
///
/// assert!("größe µ 身長".chars().all(is_printable));
/// assert!(!"\n\u{85}\u{200b}\u{202e}\u{2028}\u{feff}".chars().any(is_printable));
/// ```
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
