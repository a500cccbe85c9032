//! Texts of a deployment in the Markdown of a page.

use dp_calibration::is_printable;

/// The text in Markdown, escaped, with a full stop unless it ends a sentence already.
pub(super) fn sentence(text: &str) -> String {
    escaped(&with_full_stop(text))
}

/// The text with a full stop, unless it ends a sentence already.
pub(super) fn with_full_stop(text: &str) -> String {
    let text = text.trim();
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    text.to_owned() + end
}

/// `text` for the middle of a line: marks of Markdown and HTML are escaped, line breaks are spaces,
/// and invisible characters appear as `\u{…}`. A reader may make links of addresses.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '$' => {
                safe.push('\\');
                safe.push(character);
            }
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\n' | '\r' => safe.push(' '),
            other if is_printable(other) => safe.push(other),
            hidden => safe.extend(hidden.escape_unicode()),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_in_markdown_is_text() {
        assert_eq!(escaped("a|b\n*c* <d>"), "a\\|b \\*c\\* &lt;d&gt;");
        assert_eq!(escaped("#1 a@b.c \u{202e}\u{200b}"), "\\#1 a@b.c \\u{202e}\\u{200b}");
    }
}
