//! Measurements from a table of people.

mod bins;
mod category;
mod columns;
mod error;
mod rows;
mod table;

pub use bins::{Bins, MAX_BINS};
pub use category::{Category, MARKERS, MissingAction, MissingRule, names};
pub use columns::{OutOfRange, grid_cells, indicators, integers, number};
pub use error::DataError;
pub use rows::MAX_DATA;
pub use table::{CsvTable, Delimiter};

use serde::Serialize;

use crate::Measurements;

/// The name of the shipped data.
pub const SHIPPED: &str = "nhefs.csv";

/// The shipped data, a CSV file: 1629 people of the NHANES I Epidemiologic Follow-up Study.
/// `data/README.md` describes the columns.
#[must_use]
pub const fn shipped() -> &'static [u8] {
    include_bytes!("../data/nhefs.csv")
}

/// Measurements of a table, and a label for each coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledMeasurements {
    /// A label for each coordinate of the aggregate.
    pub labels: Vec<String>,
    /// The measurements of the rows that are kept.
    pub measurements: Measurements,
    /// The numbers of rows and of changed values.
    pub reading: RowCounts,
}

/// The numbers of rows of a file, and of values that are not measured as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RowCounts {
    /// The rows of the file.
    pub rows: u64,
    /// Rows that were left out because a value is missing.
    pub rows_skipped: u64,
    /// Values below the range that count as its lower end, or in its first bin.
    pub values_clamped_below: u64,
    /// Values above the range that count as its upper end, or in its last bin.
    pub values_clamped_above: u64,
}

impl RowCounts {
    /// Sentences on the changed values and their effect on the estimates.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let Self {
            rows,
            rows_skipped: skipped,
            values_clamped_below: below,
            values_clamped_above: above,
        } = self;
        if *skipped > 0 {
            remarks.push(format!(
                "Rows left out because a value is missing: {skipped} of {rows}. The estimates are \
                 about the other people, and who is left out is not protected."
            ));
        }
        if *below > 0 || *above > 0 {
            remarks.push(format!(
                "Clamped values: {below} below the range and {above} above, which count as its ends: \
                 the truth and the estimates are those of the clamped values."
            ));
        }
        remarks
    }
}
