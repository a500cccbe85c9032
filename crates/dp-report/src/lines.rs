//! Prose in lines of bounded length.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// Columns of a line of text where nobody asks for others.
pub const COLUMNS: usize = 100;

/// The words in lines of so many columns, the first of which begins with `first`, the others with `rest`. Every line
/// ends with a line break; a word that is longer than a line is not broken.
#[must_use]
pub fn wrapped_to(columns: usize, first: &str, rest: &str, words: &str) -> String {
    let options = Options::new(columns)
        .initial_indent(first)
        .subsequent_indent(rest)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    let words: Vec<&str> = words.split_whitespace().collect();
    textwrap::fill(&unbroken(&words.join(" ")), options).replace(NO_BREAK, " ") + "\n"
}

/// A space at which no line ends.
const NO_BREAK: char = '\u{a0}';

/// Words in which no line ends within a number of several groups of digits, or before a percent sign.
pub(crate) fn unbroken(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, after)) = rest.split_once(' ') {
        text.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let is_group = digits == 3 && before.ends_with(|last: char| last.is_ascii_digit());
        text.push(match is_group || after.starts_with('%') {
            true => NO_BREAK,
            false => ' ',
        });
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_full_or_its_next_word_does_not_fit() {
        let words = "ε of ".repeat(60);
        let text = wrapped_to(COLUMNS, "- ", "  ", &words);
        let lines: Vec<&str> = text.lines().collect();
        let width = |line: &str| line.chars().count();
        assert!(lines[0].starts_with("- ε") && lines[1].starts_with("  "));
        assert!(lines.iter().all(|line| width(line) <= COLUMNS), "{text}");
        let (_, full) = lines.split_last().expect("lines");
        assert!(full.iter().all(|line| width(line) > COLUMNS - 3), "{text}");
        assert_eq!(text.split_whitespace().count(), 121, "the words and a dash");
    }

    #[test]
    fn a_number_is_in_one_line() {
        let text = wrapped_to(
            12,
            "",
            "",
            "about 250 000 of them, 12 345 678 in 30 days, 5 % of 1 000",
        );
        let lines: Vec<&str> = text.lines().collect();
        for number in ["250 000", "12 345 678", "5 %", "1 000"] {
            assert!(
                lines.iter().any(|line| line.contains(number)),
                "{number}: {text}"
            );
        }
        assert_eq!(unbroken("30 days, 2 3000, a 100"), "30 days, 2 3000, a 100");
    }

    #[test]
    fn a_word_that_is_longer_than_a_line_is_not_broken() {
        let long = "x".repeat(2 * COLUMNS);
        assert_eq!(
            wrapped_to(COLUMNS, "  ", "    ", &format!("a {long} b")),
            format!("  a\n    {long}\n    b\n")
        );
    }
}
