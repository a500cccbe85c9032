//! Text from outside, in Markdown.

/// What a mark of Markdown or HTML may begin with.
const MARKS: &str = "\\`*_{}[]<>#|~&!$^=";

/// Text so that Markdown shows it as it is, in the middle of a line: every character that may begin a mark
/// is escaped by a backslash (CommonMark 0.31, section 2.4).
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if MARKS.contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// The same as a sentence: it ends with a mark of punctuation.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let end = if text.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{}{end}", escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_escaped_and_words_are_not() {
        assert_eq!(
            escaped("<b>a_b*</b> [x](y) `c` # 1|2"),
            r"\<b\>a\_b\*\</b\> \[x\](y) \`c\` \# 1\|2"
        );
        assert_eq!(escaped("größe, 5 km – über 3.5"), "größe, 5 km – über 3.5");
        assert_eq!(sentence("Every day"), "Every day.");
        assert_eq!(sentence(" Why? "), "Why?");
    }
}
