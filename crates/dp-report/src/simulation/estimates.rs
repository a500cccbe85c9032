//! The estimates of a trial as a table, with a bar for each.

use dp_exact::grouped;
use dp_simulation::Coordinate;
use serde::Serialize;

use super::numbers::{Style, margin};
use crate::model::{Axis, Block, Chart, Column, Mark, Series, Table};

/// Coordinates that are shown; longer tables keep their first ones.
const MAX_ROWS: usize = 100;

/// Coordinates that are drawn.
const MAX_DRAWN: usize = 40;

/// Characters of a label beside a chart.
const MAX_NAME: usize = 16;

/// Characters of a label that are shown.
const MAX_LABEL: usize = 40;

/// Estimates beside their truth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimates {
    /// Of how many trials they are the first one, if there are several.
    pub of_trials: Option<u64>,
    /// A row for each of the first coordinates: label, truth, estimate, the consistent one if there is any,
    /// and the margin.
    pub table: Table,
    /// Where they lie.
    pub bars: Vec<Bar>,
    /// The largest place of a bar.
    pub largest: f64,
    /// The same as a figure.
    pub largest_in_words: String,
    /// How many coordinates are not shown.
    pub more: usize,
}

/// Where an estimate lies, for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// The truth.
    pub truth: f64,
    /// The estimate.
    pub estimate: f64,
    /// Half the width of its interval.
    pub margin: f64,
}

impl Estimates {
    pub(super) fn of(labels: &[String], coordinates: &[Coordinate], trials: u64) -> Self {
        let rows = || coordinates.iter().take(MAX_ROWS);
        let largest = rows()
            .map(|row| row.truth.max(row.estimate + row.margin_95))
            .fold(1.0, f64::max);
        Self {
            of_trials: (trials > 1).then_some(trials),
            table: table(labels, coordinates),
            bars: rows()
                .map(|row| Bar {
                    truth: row.truth,
                    estimate: row.estimate,
                    margin: row.margin_95,
                })
                .collect(),
            largest,
            largest_in_words: margin(largest),
            more: coordinates.len().saturating_sub(MAX_ROWS),
        }
    }
}

/// The estimates as a chart, and as a table.
pub(super) fn blocks(estimates: &Estimates) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(trials) = estimates.of_trials {
        let words = format!(
            "These are the estimates of the first of {} trials.",
            grouped(trials)
        );
        blocks.push(Block::Paragraph(words));
    }
    blocks.push(Block::Chart(Box::new(chart(estimates))));
    if estimates.more > 0 {
        let words = format!(
            "… and {} more, which are in the JSON of the run.",
            grouped(estimates.more)
        );
        blocks.push(Block::Paragraph(words));
    }
    blocks
}

/// The interval of every estimate, and the truth.
fn chart(estimates: &Estimates) -> Chart {
    let shown = || estimates.bars.iter().take(MAX_DRAWN);
    let rows = shown().count();
    // The first one on top.
    let height = |number: usize| as_f64(rows - number);
    let places = |value: fn(&Bar) -> f64| {
        let drawn = shown().enumerate();
        drawn
            .map(|(number, bar)| (value(bar), height(number)))
            .collect::<Vec<_>>()
    };
    let labels = estimates.table.rows.iter().take(rows);
    let mut names: Vec<String> = labels
        .filter_map(|row| row.first())
        .map(|label| cut(label))
        .collect();
    names.reverse();
    let margins = shown().map(|bar| bar.margin).collect();
    Chart {
        id: "estimates-chart",
        title: match estimates.table.rows.len() {
            1 => "The estimate and its 95 % interval".to_owned(),
            _ => "Every estimate and its 95 % interval".to_owned(),
        },
        description: match rows < estimates.table.rows.len() {
            true => format!(
                "The first {rows} are drawn. A line that misses its diamond missed the truth."
            ),
            false => "A line that misses its diamond missed the truth.".to_owned(),
        },
        x: Axis::linear("estimate"),
        y: Axis {
            names,
            ..Axis::linear("")
        },
        series: vec![
            Series {
                margins,
                ..Series::new(
                    "estimate, with its 95 % interval",
                    Mark::Interval,
                    places(|bar| bar.estimate),
                )
            },
            Series::new("truth", Mark::Diamond, places(|bar| bar.truth)),
        ],
        table: estimates.table.clone(),
    }
}

/// A label that fits beside a chart.
fn cut(label: &str) -> String {
    match label.chars().count() > MAX_NAME {
        true => label.chars().take(MAX_NAME - 1).chain(['…']).collect(),
        false => label.to_owned(),
    }
}

fn as_f64(number: usize) -> f64 {
    u32::try_from(number).map_or(0.0, f64::from)
}

fn table(labels: &[String], coordinates: &[Coordinate]) -> Table {
    let style = |value: fn(&Coordinate) -> f64| {
        let rows = || coordinates.iter().take(MAX_ROWS);
        Style::of(rows().map(value), rows().map(|row| row.margin_95))
    };
    let truth = style(|row| row.truth);
    let estimate = style(|row| row.estimate);
    let consistent = style(|row| row.consistent.unwrap_or_default());
    let is_processed = coordinates.iter().any(|row| row.consistent.is_some());
    let mut columns = vec![Column::words("")];
    columns.extend(["truth", "estimate"].map(Column::numbers));
    columns.extend(is_processed.then(|| Column::numbers("consistent")));
    columns.push(Column::numbers("± 95 %"));
    let labelled = labels.iter().zip(coordinates).take(MAX_ROWS);
    let rows = labelled.map(|(label, row)| {
        let mut cells = vec![
            short(label),
            truth.write(row.truth),
            estimate.write(row.estimate),
        ];
        if is_processed {
            let value = row.consistent.map(|value| consistent.write(value));
            cells.push(value.unwrap_or_default());
        }
        cells.push(margin(row.margin_95));
        cells
    });
    Table {
        rows: rows.collect(),
        ..Table::new("Every estimate beside the truth", columns)
    }
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
