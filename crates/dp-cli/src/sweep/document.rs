//! What came of a sweep, for programs.

use dp_simulation::sweep::{LeftOut, Results, Row, Summary};
use serde::Serialize;

use crate::json::{Document, Inputs};

/// What the document says in its first field.
pub(crate) const FORMAT: &str = "dp-cli sweep";

/// The version of the document.
const SCHEMA_VERSION: u32 = 1;

/// What came of a sweep.
#[derive(Debug, Serialize)]
pub(super) struct Answer<'a> {
    functionality: &'static str,
    data: &'a str,
    seed: u64,
    /// How many cells the sweep has; those that ran have a row.
    cells: usize,
    left_out: &'a [LeftOut],
    summary: &'a Summary,
    rows: &'a [Row],
}

pub(super) fn document<'a>(results: &'a Results, inputs: &'a Inputs) -> Document<'a, Answer<'a>> {
    Document {
        format: FORMAT.to_owned(),
        schema_version: SCHEMA_VERSION,
        inputs,
        answer: Answer {
            functionality: results.sweep.functionality.name(),
            data: results.sweep.data.name(),
            seed: results.grid.seed,
            cells: results.grid.cells.len(),
            left_out: &results.grid.left_out,
            summary: &results.summary,
            rows: &results.rows,
        },
    }
}
