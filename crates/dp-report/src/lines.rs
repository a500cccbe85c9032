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
    textwrap::fill(&words.join(" "), options) + "\n"
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
    fn a_word_that_is_longer_than_a_line_is_not_broken() {
        let long = "x".repeat(2 * COLUMNS);
        assert_eq!(
            wrapped_to(COLUMNS, "  ", "    ", &format!("a {long} b")),
            format!("  a\n    {long}\n    b\n")
        );
    }
}
