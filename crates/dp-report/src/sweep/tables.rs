//! Every cell with its errors.

use dp_exact::grouped;
use dp_simulation::sweep::{Results, Row};

use crate::model::{Block, Column, Section, Table};
use crate::simulation::numbers::{figure, with_error};

/// The most cells that are listed.
pub(super) const MOST: usize = 60;

/// What every cell found.
pub(super) fn section(results: &Results) -> Section {
    let mut columns = vec![Column::numbers("cell"), Column::words("policy")];
    columns.extend(
        [
            "clients",
            "length",
            "predicted",
            "observed",
            "bias",
            "coverage",
            "seconds",
        ]
        .map(Column::numbers),
    );
    let table = Table {
        rows: results.rows.iter().take(MOST).map(cells).collect(),
        legend: format!(
            "predicted and observed are standard deviations of an estimate, with the noise of all aggregators and clients; bias is the mean error.{}",
            more(results)
        ),
        ..Table::new("Every cell", columns)
    };
    Section {
        id: "cells",
        title: "What every cell found".to_owned(),
        blocks: vec![Block::Table(table)],
    }
}

/// What is not shown of the cells.
pub(super) fn more(results: &Results) -> String {
    match results.rows.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(
            " {} more cells are not shown: the rows as CSV or JSON have them.",
            grouped(more)
        ),
    }
}

fn cells(row: &Row) -> Vec<String> {
    vec![
        grouped(row.cell),
        row.policy.clone(),
        grouped(row.clients),
        grouped(row.length),
        figure(row.predicted_std),
        with_error(row.observed_std, row.observed_std_error),
        with_error(row.bias, row.bias_error),
        format!("{} %", figure(100.0 * row.coverage_95)),
        format!("{:.3}", row.seconds),
    ]
}
