//! The estimates as a table, with a bar for each.

use std::fmt::{self, Formatter};

use super::lines::{COLUMNS, wrapped_to};
use super::numbers::{Style, margin};
use crate::Coordinate;

/// Columns of the longest bar, and of the longest one in a narrow text.
const BARS: (usize, usize) = (40, 8);

/// Coordinates that are printed; longer tables keep their first ones.
const MAX_ROWS: usize = 100;

/// Characters of a label that are printed.
const MAX_LABEL: usize = 40;

/// A line for each coordinate.
pub(super) fn write(
    formatter: &mut Formatter<'_>,
    labels: &[String],
    coordinates: &[Coordinate],
) -> fmt::Result {
    let labels: Vec<String> = labels
        .iter()
        .take(MAX_ROWS)
        .map(|label| short(label))
        .collect();
    let shown = || labels.iter().zip(coordinates);
    let label_width = shown()
        .map(|(label, _)| label.chars().count())
        .max()
        .unwrap_or(0)
        .max(5);
    let largest = shown()
        .map(|(_, row)| row.truth.max(row.estimate + row.margin_95))
        .fold(1.0, f64::max);
    let style = |value: fn(&Coordinate) -> f64| {
        let rows = || coordinates.iter().take(MAX_ROWS);
        Style::of(rows().map(value), rows().map(|row| row.margin_95))
    };
    let truth = style(|row| row.truth);
    let estimate = style(|row| row.estimate);
    let consistent = style(|row| row.consistent.unwrap_or_default());
    let is_processed = coordinates.iter().any(|row| row.consistent.is_some());
    let processed = |text: String| match is_processed {
        true => format!(" {text:>12}"),
        false => String::new(),
    };
    let columns = formatter.width().unwrap_or(COLUMNS);
    let beside = label_width + if is_processed { 55 } else { 42 };
    let bar_width = columns.saturating_sub(beside).clamp(BARS.1, BARS.0);

    writeln!(
        formatter,
        "  {:<label_width$} {:>12} {:>12}{} {:>10}  0{:>bar_width$}",
        "",
        "truth",
        "estimate",
        processed("consistent".to_owned()),
        "± 95 %",
        margin(largest),
    )?;
    for (label, row) in shown() {
        let consistent = row.consistent.map(|value| consistent.write(value));
        writeln!(
            formatter,
            "  {label:<label_width$} {:>12} {:>12}{} {:>10}  {}",
            truth.write(row.truth),
            estimate.write(row.estimate),
            processed(consistent.unwrap_or_default()),
            margin(row.margin_95),
            bar(row, largest, bar_width),
        )?;
    }
    if coordinates.len() > MAX_ROWS {
        writeln!(formatter, "  … and {} more", coordinates.len() - MAX_ROWS)?;
    }
    let legend = "█ up to the lower end of the interval, ▒ the interval, ◆ the truth";
    formatter.write_str(&wrapped_to(columns, "  ", "    ", legend))
}

/// The interval of an estimate, and the truth, on a scale from 0 to `largest`.
fn bar(row: &Coordinate, largest: f64, width: usize) -> String {
    let low = column(row.estimate - row.margin_95, largest, width);
    let high = column(row.estimate + row.margin_95, largest, width);
    let truth = column(row.truth, largest, width);
    let cell = |place: usize| match place {
        _ if place == truth => '◆',
        _ if place < low => '█',
        _ if place <= high => '▒',
        _ => ' ',
    };
    (0..=width)
        .map(cell)
        .collect::<String>()
        .trim_end()
        .to_owned()
}

/// The column of a value, at the nearer end of the scale if it lies outside.
fn column(value: f64, largest: f64, width: usize) -> usize {
    (0..width)
        .take_while(|&place| value * as_place(width) > largest * (as_place(place) + 0.5))
        .count()
}

fn as_place(place: usize) -> f64 {
    u32::try_from(place).map_or(f64::MAX, f64::from)
}

/// A label, or its beginning: texts and names of columns are as long as their line.
fn short(label: &str) -> String {
    if label.chars().count() <= MAX_LABEL {
        return label.to_owned();
    }
    label.chars().take(MAX_LABEL - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_takes_no_more_than_its_column() {
        assert_eq!(short("größe"), "größe");
        let long = "é".repeat(MAX_LABEL);
        assert_eq!(short(&long), long);
        let text = short(&format!("{long}!"));
        assert!(
            text.ends_with("é…") && text.chars().count() == MAX_LABEL,
            "{text}"
        );
    }
}
