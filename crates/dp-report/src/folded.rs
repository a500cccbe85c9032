//! Tables as text: what does not fit into a line follows as a further table.

use std::fmt::Write as _;

use crate::model::Table;

/// The table in lines of at most so many characters: what does not fit follows as a further table, which
/// begins with the same first column.
pub(crate) fn folded(table: &Table, most: usize) -> String {
    let head: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    let rows = table.rows.iter();
    let rows = rows.map(|row| row.iter().map(String::as_str).collect());
    lines(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), most)
}

fn lines(lines: &[Vec<&str>], most: usize) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let first = widths.first().copied().unwrap_or(0);
    let mut tables = Vec::new();
    let mut next = 1;
    while next < columns {
        let begin = next;
        let mut wide = first;
        while next < columns && (next == begin || wide + 2 + widths[next] <= most) {
            wide += 2 + widths[next];
            next += 1;
        }
        let mut text = String::new();
        for line in lines {
            let shown = std::iter::once(0).chain(begin..next);
            let padded: Vec<String> = shown
                .filter_map(|column| line.get(column).zip(widths.get(column)))
                .map(|(cell, width)| format!("{cell:<width$}"))
                .collect();
            let _ = writeln!(text, "{}", padded.join("  ").trim_end());
        }
        tables.push(text);
    }
    tables.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_too_wide_goes_on_below_with_its_first_column() {
        let line = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        let rows = [line("policy ε b c"), line("x 1.5 22 333")];
        let whole = "policy  ε    b   c\nx       1.5  22  333\n";
        assert_eq!(lines(&rows, 20), whole);
        let folded = "policy  ε    b\nx       1.5  22\n\npolicy  c\nx       333\n";
        assert_eq!(lines(&rows, 19), folded);
        // A column that does not fit at all stands alone.
        assert_eq!(lines(&rows, 1).matches("policy").count(), 3);
    }
}
