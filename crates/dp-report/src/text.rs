//! Prose and tables in lines of bounded length.

use std::fmt::Write as _;

use dp_exact::grouped;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

pub use crate::figures::up;
use crate::model::Table;

/// The default number of columns of a line.
pub const COLUMNS: usize = 100;

const NO_BREAK: char = '\u{a0}';

/// A number and its noun, such as `1 client` or `2 clients`; `name` is the singular.
#[must_use]
pub fn counted(number: u64, name: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{} {name}{end}", grouped(number))
}

/// `words` in lines of at most `columns` characters, each with a line break at its end. The first
/// line begins with `first`, all others with `rest`. A word longer than a line stays whole.
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

/// `words` with no-break spaces within grouped numbers and before percent signs.
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

/// [`split_table`] in lines of `columns_of_table`, and the legend in lines of `columns`.
pub(crate) fn with_legend(table: &Table, columns: usize, columns_of_table: usize) -> String {
    split_table(table, columns_of_table) + &wrapped_to(columns, "", "", &table.legend)
}

/// The table in lines of at most `most` characters, unless two columns alone exceed them. Columns
/// that do not fit follow as further tables, each with the first column repeated.
#[must_use]
pub fn split_table(table: &Table, most: usize) -> String {
    let head = table.columns.iter().map(|column| &*column.name).collect();
    let rows = table.rows.iter();
    let rows = rows.map(|row| row.iter().map(String::as_str).collect());
    let lines: Vec<Vec<&str>> = std::iter::once(head).chain(rows).collect();
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let mut tables = Vec::new();
    let mut next = 1;
    while next < widths.len() {
        let (begin, mut wide) = (next, widths[0]);
        while next < widths.len() && (next == begin || wide + 2 + widths[next] <= most) {
            wide += 2 + widths[next];
            next += 1;
        }
        let mut text = String::new();
        for line in &lines {
            let shown = std::iter::once(0).chain(begin..next);
            let shown = shown.filter_map(|column| line.get(column).zip(widths.get(column)));
            let padded: Vec<String> =
                shown.map(|(cell, width)| format!("{cell:<width$}")).collect();
            let _ = writeln!(text, "{}", padded.join("  ").trim_end());
        }
        tables.push(text);
    }
    tables.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Column;

    #[test]
    fn a_line_is_full_and_no_number_is_broken() {
        let text = wrapped_to(COLUMNS, "- ", "  ", &"ε of ".repeat(60));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("- ε") && lines[1].starts_with("  "));
        let (_, full) = lines.split_last().expect("lines");
        let width = |line: &&str| (COLUMNS - 2..=COLUMNS).contains(&line.chars().count());
        assert!(full.iter().all(width), "{text}");
        assert_eq!(text.split_whitespace().count(), 121, "the words and a dash");
        let words = "about 250 000 of them, 12 345 678 in 30 days, 5 % of 1 000";
        let text = wrapped_to(12, "", "", words);
        for number in ["250 000", "12 345 678", "5 %", "1 000"] {
            assert!(text.lines().any(|line| line.contains(number)), "{text}");
        }
        assert_eq!(unbroken("30 days, 2 3000, a 100"), "30 days, 2 3000, a 100");
        let long = "x".repeat(2 * COLUMNS);
        let text = wrapped_to(COLUMNS, "  ", "    ", &format!("a {long} b"));
        assert_eq!(text, format!("  a\n    {long}\n    b\n"));
    }

    #[test]
    fn a_table_that_is_too_wide_goes_on_below_with_its_first_column() {
        let line = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let columns = line("policy ε b c").into_iter().map(Column::words);
        let table = Table { rows: vec![line("x 1.5 22 333")], ..Table::new("", columns.collect()) };
        let whole = "policy  ε    b   c\nx       1.5  22  333\n";
        assert_eq!(split_table(&table, 20), whole);
        let lines = "policy  ε    b\nx       1.5  22\n\npolicy  c\nx       333\n";
        assert_eq!(split_table(&table, 19), lines);
        // A column that does not fit at all stands alone.
        assert_eq!(split_table(&table, 1).matches("policy").count(), 3);
    }
}
