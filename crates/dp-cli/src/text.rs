//! Text as wide as the terminal, up to 100 columns; without a terminal 100 columns.

use std::io::{self, IsTerminal as _};

pub(crate) use dp_report::text::counted;
use dp_report::text::{COLUMNS, wrapped_to};

/// The fewest columns of a line, however narrow the terminal.
const LEAST: usize = 40;

/// The most columns of a line of prose on standard output: the width of the terminal, between 40
/// and 100; 100 without a terminal.
pub(crate) fn columns() -> usize {
    if io::stdout().is_terminal() { textwrap::termwidth().clamp(LEAST, COLUMNS) } else { COLUMNS }
}

/// The most columns of a table on standard output: the width of the terminal, at least 40; without a
/// terminal 80.
pub(crate) fn columns_of_tables() -> usize {
    if io::stdout().is_terminal() { textwrap::termwidth().max(LEAST) } else { 80 }
}

/// `words` in lines as wide as prose on standard output, each with a line break. The first line
/// begins with `first`, others with `rest`.
pub(crate) fn wrapped(first: &str, rest: &str, words: &str) -> String {
    wrapped_to(columns(), first, rest, words)
}
