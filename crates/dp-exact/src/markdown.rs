//! Where a reader of Markdown would make a link of a text, or notify a person.

use alloc::vec::Vec;

/// What stands in Markdown where a link would be made: an element of HTML that shows nothing.
pub const MARKDOWN_BREAK: &str = "<wbr>";

/// The characters of a text, each with whether [`MARKDOWN_BREAK`] has to follow it so that Markdown makes no link.
///
/// GitHub and others notify `@name`, link `#1`, `GH-1` and `!1`, and bare addresses: `https://…`, `www.…` and those
/// of mail. They look for them in the text that remains when backslashes are gone, so that a backslash prevents none.
///
/// ```
/// use dp_exact::{MARKDOWN_BREAK, markdown_breaks};
///
/// let mut text = String::new();
/// for (character, is_broken) in markdown_breaks("ask @ann, see www.example.org") {
///     text.push(character);
///     text.push_str(if is_broken { MARKDOWN_BREAK } else { "" });
/// }
/// assert_eq!(text, "ask @<wbr>ann, see www<wbr>.example.org");
/// ```
pub fn markdown_breaks(text: &str) -> impl Iterator<Item = (char, bool)> {
    let characters: Vec<char> = text.chars().collect();
    let at = move |place: usize| characters.get(place).copied().unwrap_or('\0');
    let is_broken = move |place: usize| {
        let is_digit = at(place + 1).is_ascii_digit();
        let before = |back: usize, letter: char| {
            place
                .checked_sub(back)
                .is_some_and(|place| at(place).eq_ignore_ascii_case(&letter))
        };
        match at(place) {
            '@' | '#' => true,
            ':' => at(place + 1) == '/' && at(place + 2) == '/',
            'w' | 'W' => at(place + 1) == '.' && before(1, 'w') && before(2, 'w'),
            '-' => is_digit && before(1, 'h') && before(2, 'g'),
            '!' => is_digit,
            _ => false,
        }
    };
    let places = text.chars().enumerate();
    places.map(move |(place, character)| (character, is_broken(place)))
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn what_links_or_notifies_is_broken_and_the_rest_is_not() {
        let broken = |text: &str| -> String {
            let parts = markdown_breaks(text);
            parts
                .flat_map(|(one, is_broken)| [Some(one), is_broken.then_some('·')])
                .flatten()
                .collect()
        };
        for (text, expected) in [
            (
                "@name, @org/team and a@b.example",
                "@·name, @·org/team and a@·b.example",
            ),
            (
                "#1, o/r#23, GH-4, gh-5, !6",
                "#·1, o/r#·23, GH-·4, gh-·5, !·6",
            ),
            (
                "https://x.y ftp://z HTTP://Q",
                "https:·//x.y ftp:·//z HTTP:·//Q",
            ),
            ("www.x.y WWW.X", "www·.x.y WWW·.X"),
            ("mailto:a@b.c", "mailto:a@·b.c"),
        ] {
            assert_eq!(broken(text), expected);
        }
        for plain in [
            "",
            "ε: 1/2",
            "wow. www",
            "a-1 h-2 GH-x",
            "what! 12:30",
            "30 % ∕/",
        ] {
            assert_eq!(broken(plain), plain);
        }
    }
}
