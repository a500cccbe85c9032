//! The estimates of a trial as a table and as a chart.

use dp_exact::grouped;
use dp_simulation::Coordinate;
use dp_simulation::report::SimulationReport;

use crate::figures::{fixed, margin, places_of};
use crate::model::{Axis, Block, Chart, Column, Mark, Series, Table};

/// The most coordinates in a table.
const MAX_ROWS: usize = 100;

/// The most coordinates in a chart.
const MAX_DRAWN: usize = 40;

const INTERVAL: &str = "estimate, with its 95 % interval";

/// The most characters of a label beside a chart, and in a table.
const MAX_LABEL: (usize, usize) = (16, 40);

/// The estimates of the first trial as a chart with its table, and in words how many are left out;
/// nothing without a trial.
pub(super) fn blocks(run: SimulationReport<'_>) -> Vec<Block> {
    let Some(first) = run.outcome.trials.first() else {
        return Vec::new();
    };
    let mut blocks = Vec::new();
    let trials = run.outcome.summary.trials;
    if trials > 1 {
        let trials = grouped(trials);
        let words = format!("These are the estimates of the first of {trials} trials.");
        blocks.push(Block::Paragraph(words));
    }
    blocks.push(Block::Chart(Box::new(chart(&run.plan.labels, &first.coordinates))));
    if let Some(more) = more(&first.coordinates) {
        let words = format!("… and {more} more, which are in the JSON of the run.");
        blocks.push(Block::Paragraph(words));
    }
    blocks
}

/// The number of coordinates beyond the 100 that a table has; `None` if it has all.
pub(super) fn more(coordinates: &[Coordinate]) -> Option<String> {
    coordinates.len().checked_sub(MAX_ROWS).filter(|more| *more > 0).map(grouped)
}

/// Chart of the first 40 estimates with their 95 % intervals and of the truths, the first on top, or
/// of the errors where estimates are more than 50 times as large as their margins. Its table has
/// the first 100.
fn chart(labels: &[String], coordinates: &[Coordinate]) -> Chart {
    let table = table(labels, coordinates);
    let bars = &coordinates[..coordinates.len().min(MAX_DRAWN)];
    let heights = (1..=u32::try_from(bars.len()).expect("at most 40")).rev().map(f64::from);
    let places =
        |value: fn(&Coordinate) -> f64| bars.iter().map(value).zip(heights.clone()).collect();
    // Intervals that would be shorter than their marks are drawn around the error.
    let widest = bars.iter().map(|bar| bar.margin_95).fold(0.0, f64::max);
    let largest = bars.iter().map(|bar| bar.estimate.abs()).fold(0.0, f64::max);
    let of_errors = 50.0 * widest < largest;
    let (label, estimates, truths): (_, _, fn(&Coordinate) -> f64) = match of_errors {
        true => ("estimate − truth", places(|bar| bar.estimate - bar.truth), |_| 0.0),
        false => ("estimate", places(|bar| bar.estimate), |bar| bar.truth),
    };
    let names = table.rows.iter().take(bars.len()).rev().filter_map(|row| row.first());
    let names = names.map(|label| short(label, MAX_LABEL.0)).collect();
    let missed = match of_errors {
        true => {
            "Errors are drawn, as they are small beside the estimates. A line that misses 0 missed the truth."
        }
        false => "A line that misses its diamond missed the truth.",
    };
    Chart {
        id: "estimates-chart",
        title: match table.rows.len() {
            1 => "The estimate and its 95 % interval".to_owned(),
            _ => "Every estimate and its 95 % interval".to_owned(),
        },
        description: match bars.len() < table.rows.len() {
            true => format!("The first {} are drawn. {missed}", bars.len()),
            false => missed.to_owned(),
        },
        x: Axis::linear(label),
        y: Axis { names, ..Axis::linear("") },
        series: vec![
            Series {
                margins: bars.iter().map(|bar| bar.margin_95).collect(),
                ..Series::new(INTERVAL, Mark::Interval, estimates)
            },
            Series::new("truth", Mark::Diamond, places(truths)),
        ],
        table,
    }
}

/// Table of the first 100 coordinates: truth, estimate, 95 % margin and, if any is given, the
/// consistent estimate. Each column of estimates has one number of decimal places.
pub(super) fn table(labels: &[String], coordinates: &[Coordinate]) -> Table {
    let shown = coordinates.iter().take(MAX_ROWS);
    let places = |value: fn(&Coordinate) -> f64| {
        places_of(shown.clone().map(value), shown.clone().map(|row| row.margin_95))
    };
    let (truth, estimate) = (places(|row| row.truth), places(|row| row.estimate));
    let consistent = places(|row| row.consistent.unwrap_or_default());
    let is_processed = coordinates.iter().any(|row| row.consistent.is_some());
    let mut columns = vec![Column::words("")];
    columns.extend(["truth", "estimate"].map(Column::numbers));
    columns.extend(is_processed.then(|| Column::numbers("consistent")));
    columns.push(Column::numbers("± 95 %"));
    let rows = labels.iter().zip(shown.clone()).map(|(label, row)| {
        let mut cells =
            vec![short(label, MAX_LABEL.1), fixed(row.truth, truth), fixed(row.estimate, estimate)];
        if is_processed {
            let value = row.consistent.map(|value| fixed(value, consistent));
            cells.push(value.unwrap_or_default());
        }
        cells.push(margin(row.margin_95));
        cells
    });
    Table { rows: rows.collect(), ..Table::new("Every estimate beside the truth", columns) }
}

/// A label of at most `most` characters: a longer one is cut, and ends with an ellipsis.
fn short(label: &str, most: usize) -> String {
    match label.chars().count() > most {
        true => label.chars().take(most - 1).chain(['…']).collect(),
        false => label.to_owned(),
    }
}
