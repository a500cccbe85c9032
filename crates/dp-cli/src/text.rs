//! Text as wide as the terminal, up to 100 columns; without a terminal 100 columns.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use dp_exact::grouped;
use dp_report::text::{COLUMNS, wrapped_to};

/// The fewest columns of a line, however narrow the terminal.
const LEAST: usize = 40;

/// The most columns of a line of prose on standard output.
pub(crate) fn columns() -> usize {
    if io::stdout().is_terminal() { textwrap::termwidth().clamp(LEAST, COLUMNS) } else { COLUMNS }
}

/// The most columns of a table on standard output: the terminal's width, or no limit without one.
pub(crate) fn columns_of_tables() -> usize {
    if io::stdout().is_terminal() { textwrap::termwidth().max(LEAST) } else { usize::MAX }
}

/// A number and its noun, such as `1 client` or `2 clients`; `name` is the singular.
pub(crate) fn counted(number: u64, name: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{} {name}{end}", grouped(number))
}

/// `words` in lines of [`columns`] columns. The first line begins with `first`, others with `rest`.
pub(crate) fn wrapped(first: &str, rest: &str, words: &str) -> String {
    wrapped_to(columns(), first, rest, words)
}

/// `rows` of equal length as aligned columns; `None` if a line is longer than `columns` characters.
pub(crate) fn table(rows: &[impl AsRef<[String]>], columns: usize) -> Option<String> {
    let mut widths = vec![0; rows.first().map_or(0, |row| row.as_ref().len())];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row.as_ref()) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells = row.as_ref().iter().zip(&widths);
        let padded: Vec<String> = cells.map(|(cell, width)| format!("{cell:<width$}")).collect();
        let line = padded.join("  ");
        let line = line.trim_end();
        if line.chars().count() > columns {
            return None;
        }
        let _ = writeln!(text, "{line}");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_too_wide_for_its_columns_is_none() {
        let rows = [["ε", "b"], ["ccc", "dd"]].map(|row| row.map(str::to_owned));
        assert_eq!(table(&rows, 7).as_deref(), Some("ε    b\nccc  dd\n"));
        assert_eq!(table(&rows, 6), None);
    }
}
