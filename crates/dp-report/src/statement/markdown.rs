//! Texts of a deployment in the Markdown of a page.

use dp_calibration::is_printable;

/// `text` for the middle of a line: marks of Markdown and HTML are escaped, line breaks are spaces,
/// mentions and links stay plain text, and invisible characters appear as `\u{…}`.
pub(super) fn escaped(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut safe = String::with_capacity(text.len());
    for (place, character) in characters.iter().enumerate() {
        match *character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '$' => {
                safe.push('\\');
                safe.push(*character);
            }
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\n' | '\r' => safe.push(' '),
            other if is_printable(other) => safe.push(other),
            hidden => safe.extend(hidden.escape_unicode()),
        }
        if makes_link(&characters, place) {
            safe.push_str("<wbr>");
        }
    }
    safe
}

/// Whether a Markdown reader may turn the text around the character at index `place` into a link or
/// a mention: `@name`, `#1`, `GH-1`, `!1`, a bare address. An invisible element behind it prevents
/// that, a backslash does not.
fn makes_link(characters: &[char], place: usize) -> bool {
    let next = characters.get(place + 1).copied().unwrap_or_default();
    let before = place.checked_sub(1).map_or(' ', |before| characters[before]);
    match characters[place] {
        '@' | '#' => true,
        ':' => next == '/',
        'w' | 'W' => next == '.' && before.eq_ignore_ascii_case(&'w'),
        '-' => next.is_ascii_digit() && before.eq_ignore_ascii_case(&'h'),
        '!' => next.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_in_markdown_is_text() {
        assert_eq!(escaped("a|b\n*c* <d>"), "a\\|b \\*c\\* &lt;d&gt;");
        assert_eq!(
            escaped("@ann #1 https://x www.y a@b.c \u{202e}\u{200b}"),
            "@<wbr>ann \\#<wbr>1 https:<wbr>//x www<wbr>.y a@<wbr>b.c \\u{202e}\\u{200b}"
        );
        for (text, expected) in [
            ("@org/team", "@·org/team"),
            ("#1, o/r#23, GH-4, gh-5, !6", "#·1, o/r#·23, GH-·4, gh-·5, !·6"),
            ("ftp://z HTTP://Q", "ftp:·//z HTTP:·//Q"),
            ("WWW.X", "WWW·.X"),
            (
                "wow. www a-1 1e-9 GH-x what! 12:30 30 % /",
                "wow. www a-1 1e-9 GH-x what! 12:30 30 % /",
            ),
        ] {
            let escaped = escaped(text).replace("<wbr>", "·").replace('\\', "");
            assert_eq!(escaped, expected);
        }
    }
}
