//! From a table of people to measurements.

mod bins;
mod code;
mod columns;
mod counting;
mod decimal;
mod delimiter;
mod error;
mod header;
mod lines;
mod missing;
mod placed;
mod reading;
mod record;
mod table;
mod tally;

pub use bins::{Bins, MAX_BINS, MAX_LABEL_BITS, Outside};
pub use code::Code;
pub use columns::{Beyond, cells, indicators, integers};
pub use delimiter::Delimiter;
pub use error::DataError;
pub use lines::MAX_LINE;
pub use missing::{MARKERS, Missing, MissingValues};
pub use placed::MAX_DATA;
pub use reading::Reading;
pub use table::{MAX_COLUMNS, Table};

use crate::Measurements;

/// The name of the shipped data.
pub const SHIPPED: &str = "nhefs.csv";

/// The shipped data, a CSV file: 1629 people of the NHANES I Epidemiologic Follow-up Study. Its
/// columns are described in `data/README.md`.
#[must_use]
pub const fn shipped() -> &'static [u8] {
    include_bytes!("../data/nhefs.csv")
}

/// A measurement for each row that is kept, and a label for each coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// One for each coordinate of the aggregate.
    pub labels: Vec<String>,
    /// One for each person, or for several who have the same.
    pub measurements: Measurements,
    /// How many rows there are, and what was changed on the way.
    pub reading: Reading,
}
