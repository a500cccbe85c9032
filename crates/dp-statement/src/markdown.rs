//! Text from outside, in Markdown.

use dp_exact::{MARKDOWN_BREAK, markdown_breaks};

/// What a mark of Markdown or HTML may begin with.
const MARKS: &str = "\\`*_{}[]<>#|~&!$^=";

/// Text so that Markdown shows it as it is, in the middle of a line: every character that may begin a mark
/// is escaped by a backslash (CommonMark 0.31, section 2.4), and no name or address becomes a link.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (character, is_broken) in markdown_breaks(text) {
        if MARKS.contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
        if is_broken {
            escaped.push_str(MARKDOWN_BREAK);
        }
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
    format!("{}{end}", beginning(&escaped(text)))
}

/// Escaped text so that it begins no list where it begins a line: the mark of an item, before a space, is escaped as
/// well.
fn beginning(text: &str) -> String {
    let mark = text.trim_start_matches(|one: char| one.is_ascii_digit());
    let marks: &[char] = match mark.len() == text.len() {
        true => &['-', '+'],
        false => &['.', ')'],
    };
    let is_item = mark
        .strip_prefix(marks)
        .is_some_and(|rest| rest.starts_with(char::is_whitespace));
    let (number, _) = text.split_at(text.len() - mark.len());
    let backslash = if is_item { "\\" } else { "" };
    format!("{number}{backslash}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_escaped_and_words_are_not() {
        assert_eq!(
            escaped("<b>a_b*</b> [x](y) `c` # 1|2"),
            r"\<b\>a\_b\*\</b\> \[x\](y) \`c\` \#<wbr> 1\|2"
        );
        assert_eq!(escaped("größe, 5 km – über 3.5"), "größe, 5 km – über 3.5");
        assert_eq!(sentence("Every day"), "Every day.");
        assert_eq!(sentence("- item"), r"\- item.");
        assert_eq!(sentence("+ item"), r"\+ item.");
        assert_eq!(sentence("12. item"), r"12\. item.");
        assert_eq!(sentence("1) item"), r"1\) item.");
        assert_eq!(sentence("3.5 km"), "3.5 km.");
        assert_eq!(sentence("12 items, 3.5 each"), "12 items, 3.5 each.");
        assert_eq!(sentence(" Why? "), "Why?");
    }
}
