//! Prose in lines of bounded length.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// Columns of a line.
const WIDTH: usize = 96;

/// The words in lines, the first of which begins with `first`, the others with `rest`. Every line ends
/// with a line break; a word that is longer than a line is not broken.
#[must_use]
pub fn wrapped(first: &str, rest: &str, words: &str) -> String {
    let options = Options::new(WIDTH)
        .initial_indent(first)
        .subsequent_indent(rest)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    let words: Vec<&str> = words.split_whitespace().collect();
    textwrap::fill(&words.join(" "), options) + "\n"
}
