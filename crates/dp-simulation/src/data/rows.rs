//! From the rows of a table to measurements.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use dp_exact::{ParameterError, parse_integer};

use super::category::{MissingAction, MissingRule, is_marker};
use super::{CsvTable, DataError, LabelledMeasurements, RowCounts};
use crate::measurements::{MAX_COUNT, Measurements};

/// The most bytes that the measurements of all rows take: 1 GiB. A number takes 16 bytes.
pub const MAX_DATA: usize = 1 << 30;

/// Largest number of different values whose conversion is remembered: most columns have few values.
const REMEMBERED: usize = 1 << 16;
/// The most bytes of a value whose conversion is remembered.
const SHORT: usize = 32;

/// The integer that stands for a value, and whether the value is below the range and counts as its
/// lower end (`Less`), within it, or above it (`Greater`).
pub(super) type Converted = (u128, Ordering);

impl CsvTable<'_> {
    /// This table with this rule for missing values; without one they are refused.
    #[must_use]
    pub fn with_missing(self, missing: MissingRule) -> Self {
        let mut table = self;
        table.missing = missing;
        table
    }

    /// This table, where each row stands for the number of people in this column, up to
    /// [`MAX_COUNT`](crate::MAX_COUNT). The values of a row that stands for nobody are not read.
    ///
    /// # Errors
    /// A [`ParameterError`] that lists the columns if there is no such column.
    pub fn counted_by(self, column: &str) -> Result<Self, ParameterError> {
        let counts = self.column(column).map_err(|error| error.renamed("count-column"))?;
        let mut table = self;
        table.counts = Some(counts);
        Ok(table)
    }

    /// The measurements of all rows, with the columns as labels. `convert` makes an integer of each
    /// value in these columns, or a place of the value in a single column.
    ///
    /// It may be called once for all equal values. A value that it refuses may be missing.
    pub(super) fn read(
        mut self,
        columns: &[String],
        are_places: bool,
        convert: impl Fn(&str) -> Result<Converted, ParameterError>,
    ) -> Result<LabelledMeasurements, DataError> {
        let places = self.places(columns)?;
        let mut rows = Measurements::new(are_places, columns.len());
        let mut counts = Vec::new();
        let mut reading = RowCounts::default();
        // The conversions of short values; `None` of a value whose row is left out.
        let mut known: HashMap<String, Option<Converted>> = HashMap::new();
        let mut row = Vec::with_capacity(columns.len());
        while let Some(record) = self.next_row()? {
            let refused =
                |column: &str, error: ParameterError| self.error(error.renamed(column.to_owned()));
            let times = self.counts.map_or(Ok(1), |place| {
                let times = parse_integer("value", &record[place], 0..=MAX_COUNT);
                times.map_err(|error| refused(&self.header()[place], error))
            })?;
            if times == 0 {
                continue;
            }
            reading.rows = reading.rows.saturating_add(times);
            row.clear();
            for (place, column) in places.iter().zip(columns) {
                let text = record[*place].as_str();
                let value = match known.get(text) {
                    Some(value) => *value,
                    None => {
                        let value = self.converted(text, &convert);
                        let value = value.map_err(|error| refused(column, error))?;
                        if known.len() < REMEMBERED && text.len() <= SHORT {
                            known.insert(text.to_owned(), value);
                        }
                        value
                    }
                };
                row.extend(value);
            }
            if row.len() < columns.len() {
                reading.rows_skipped = reading.rows_skipped.saturating_add(times);
                continue;
            }
            for (_, side) in &row {
                let count = match side {
                    Ordering::Less => &mut reading.values_clamped_below,
                    Ordering::Greater => &mut reading.values_clamped_above,
                    Ordering::Equal => continue,
                };
                *count = count.saturating_add(times);
            }
            let numbers: Vec<u128> = row.iter().map(|(number, _)| *number).collect();
            rows.push(&numbers, self.line());
            counts.extend(self.counts.map(|_| times));
            let numbers = rows.len().saturating_mul(columns.len());
            if numbers > MAX_DATA / size_of::<u128>() {
                let accepted = format!(
                    "at most {MAX_DATA} bytes of measurements: --counts, where a row stands for all \
                     people who have it, or fewer rows or columns"
                );
                let rows = format!("{} rows", rows.len());
                return Err(ParameterError::new("data", rows, accepted).into());
            }
        }
        if reading.rows == reading.rows_skipped {
            let reason = match reading.rows {
                0 => "no rows: expected a header line and data, with a count above 0",
                _ => "no rows are left: in each of them a value is missing",
            };
            return Err(self.error_of_file(reason));
        }
        let labels = columns.to_vec();
        let measurements = if self.counts.is_some() { rows.counted(counts)? } else { rows };
        Ok(LabelledMeasurements { labels, measurements, reading })
    }

    /// The conversion of a value; `None` if it is missing and its row is left out. `Err` if
    /// `convert` refuses it, or it is missing and the rule is to refuse.
    fn converted(
        &self,
        text: &str,
        convert: &impl Fn(&str) -> Result<Converted, ParameterError>,
    ) -> Result<Option<Converted>, ParameterError> {
        if !self.missing.names(text) {
            match convert(text) {
                Err(_) if is_marker(text) => {}
                converted => return converted.map(Some),
            }
        }
        match self.missing.values {
            MissingAction::Skip => Ok(None),
            MissingAction::Refuse => {
                let accepted = "a value, or --missing skip, as this says that there is none";
                Err(ParameterError::new("value", text, accepted))
            }
        }
    }

    /// The indices of these columns; `Err` if there are none, or one is not the name of exactly one
    /// column, is named twice or is the column of counts.
    fn places(&self, columns: &[String]) -> Result<Vec<usize>, ParameterError> {
        if columns.is_empty() {
            let accepted = "at least one column";
            return Err(ParameterError::new("columns", "none", accepted));
        }
        let mut seen = HashSet::new();
        let place = |column: &String| {
            let place = self.column(column)?;
            let accepted = match seen.insert(place) {
                false => "each column once",
                true if self.counts == Some(place) => "one that is not --count-column",
                true => return Ok(place),
            };
            Err(ParameterError::new("column", column, accepted))
        };
        columns.iter().map(place).collect()
    }
}
