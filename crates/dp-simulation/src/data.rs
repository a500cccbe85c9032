//! From a table of people to measurements.

mod bins;
mod columns;
mod table;

pub use bins::{Bins, MAX_BINS};
pub use columns::{indicators, integers, numbers};
pub use table::{DataError, Table};

/// A measurement for each row, and a label for each coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled<T> {
    /// One for each coordinate of the aggregate.
    pub labels: Vec<String>,
    /// One for each person.
    pub rows: Vec<T>,
}
