//! From a table of people to measurements.

mod bins;
mod columns;
mod table;

pub use bins::{Bins, MAX_BINS};
pub use columns::{indicators, integers, numbers};
pub use table::{DataError, Table};

/// The name of the shipped data.
pub const SHIPPED: &str = "nhefs.csv";

/// The shipped data, a CSV file: 1629 people of the NHANES I Epidemiologic Follow-up Study. Its
/// columns are described in `data/README.md`.
#[must_use]
pub const fn shipped() -> &'static [u8] {
    include_bytes!("../data/nhefs.csv")
}

/// A measurement for each row, and a label for each coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled<T> {
    /// One for each coordinate of the aggregate.
    pub labels: Vec<String>,
    /// One for each person.
    pub rows: Vec<T>,
}
