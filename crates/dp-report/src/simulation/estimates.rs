//! The estimates of a trial as a table and as a chart.

use dp_exact::grouped;
use dp_simulation::Coordinate;
use dp_simulation::report::SimulationReport;

use crate::figures::{fixed, margin, places_of};
use crate::model::{Axis, Block, Chart, Column, Mark, Series, Table};

/// The most rows of a table of coordinates.
const MAX_ROWS: usize = 100;

/// The most coordinates in a chart.
const MAX_DRAWN: usize = 40;

/// The most characters of a label beside a chart.
const LABEL_IN_CHART: usize = 16;

/// The most characters of a label in a table.
const LABEL_IN_TABLE: usize = 40;

/// The estimates of the first trial as a chart with its table, below a sentence that they are of
/// the first trial if there are several; nothing without a trial.
pub(super) fn blocks(run: SimulationReport<'_>) -> Vec<Block> {
    let Some(first) = run.outcome.trials.first() else {
        return Vec::new();
    };
    let trials = run.outcome.summary.trials;
    let words = format!("These are the estimates of the first of {} trials.", grouped(trials));
    let words = (trials > 1).then_some(Block::Paragraph(words));
    let chart = Block::Chart(Box::new(chart(&run.plan.labels, &first.coordinates)));
    words.into_iter().chain([chart]).collect()
}

/// Chart of the first 40 estimates with their 95 % intervals and of the truths, the first on top;
/// of the errors where the largest of these estimates is more than 50 times their widest margin.
/// Its table has the first 100 estimates.
fn chart(labels: &[String], coordinates: &[Coordinate]) -> Chart {
    let table = table(labels, coordinates);
    let drawn = &coordinates[..coordinates.len().min(MAX_DRAWN)];
    let heights = (1..=u32::try_from(drawn.len()).expect("at most 40")).rev().map(f64::from);
    let points = |value: fn(&Coordinate) -> f64| -> Vec<(f64, f64)> {
        drawn.iter().map(value).zip(heights.clone()).collect()
    };
    let widest = drawn.iter().map(|one| one.margin_95).fold(0.0, f64::max);
    let largest = drawn.iter().map(|one| one.estimate.abs()).fold(0.0, f64::max);
    // Intervals that would be shorter than their marks are drawn around the error.
    let (label, estimates, truths, missed) = match 50.0 * widest < largest {
        true => (
            "estimate − truth",
            points(|one| one.estimate - one.truth),
            points(|_| 0.0),
            "Errors are drawn, as they are small beside the estimates. A line that misses 0 missed the truth.",
        ),
        false => (
            "estimate",
            points(|one| one.estimate),
            points(|one| one.truth),
            "A line that misses its diamond missed the truth.",
        ),
    };
    let names = table.rows.iter().take(drawn.len()).rev().filter_map(|row| row.first());
    let names = names.map(|label| short(label, LABEL_IN_CHART)).collect();
    Chart {
        id: "estimates-chart",
        title: match coordinates.len() {
            1 => "The estimate and its 95 % interval".to_owned(),
            _ => "The estimates and their 95 % intervals".to_owned(),
        },
        description: match drawn.len() < coordinates.len() {
            true => format!("The first {} are drawn. {missed}", drawn.len()),
            false => missed.to_owned(),
        },
        x: Axis::linear(label),
        y: Axis { names, ..Axis::linear("") },
        series: vec![
            Series {
                margins: drawn.iter().map(|one| one.margin_95).collect(),
                ..Series::new("estimate, with its 95 % interval", Mark::Interval, estimates)
            },
            Series::new("truth", Mark::Diamond, truths),
        ],
        table,
    }
}

/// Table of the first 100 coordinates: truth, estimate, the consistent estimate if any is given,
/// and 95 % margin. Its legend says how many are left out, if any are. Each column of estimates has
/// one number of decimal places.
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
        let label = short(label, LABEL_IN_TABLE);
        let mut cells = vec![label, fixed(row.truth, truth), fixed(row.estimate, estimate)];
        if is_processed {
            let value = row.consistent.map(|value| fixed(value, consistent));
            cells.push(value.unwrap_or_default());
        }
        cells.push(margin(row.margin_95));
        cells
    });
    let legend = match coordinates.len().saturating_sub(MAX_ROWS) {
        0 => String::new(),
        more => format!("Beside these, {} more are in the JSON of the run.", grouped(more)),
    };
    Table { rows: rows.collect(), legend, ..Table::new("Estimates beside the truth", columns) }
}

/// A label of at most `most` characters: a longer one is cut, and ends with an ellipsis.
fn short(label: &str, most: usize) -> String {
    match label.chars().count() > most {
        true => label.chars().take(most - 1).chain(['…']).collect(),
        false => label.to_owned(),
    }
}
