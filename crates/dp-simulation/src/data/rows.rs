//! The rows of a table as measurements: each row, or each different row with its count.

use std::collections::HashMap;

use dp_exact::ParameterError;

use crate::Measurements;

/// The most bytes that the measurements of all rows take: 1 GiB. A number takes 16 bytes.
pub const MAX_DATA: usize = 1 << 30;

/// Bytes of memory that a row takes in a hash table, beside its integers, at most.
const OVERHEAD: usize = 96;

#[derive(Debug)]
pub(super) struct Rows {
    rows: Measurements,
    /// How many people each of these rows stands for, if rows are counted.
    counts: Vec<u64>,
    /// The place of each different row, if rows are counted.
    places: Option<HashMap<Box<[u128]>, usize>>,
    /// An estimate of the bytes that all of this takes.
    bytes: usize,
}

impl Rows {
    /// No rows yet, as [`Measurements::new`]; equal rows are kept once if `is_counted`.
    pub(super) fn new(are_places: bool, width: usize, is_counted: bool) -> Self {
        Self {
            rows: Measurements::new(are_places, width),
            counts: Vec::new(),
            places: is_counted.then(HashMap::new),
            bytes: 0,
        }
    }

    /// Adds a row that stands for `times` people; `Err` if all take more than [`MAX_DATA`] bytes.
    pub(super) fn add(&mut self, row: &[u128], times: u64) -> Result<(), ParameterError> {
        let size = size_of_val(row);
        if let Some(places) = &mut self.places {
            if let Some(count) = places.get(row).and_then(|place| self.counts.get_mut(*place)) {
                *count = count.saturating_add(times);
                return Ok(());
            }
            places.insert(row.into(), self.counts.len());
            self.counts.push(times);
            self.bytes += size + OVERHEAD;
        }
        self.bytes += size;
        self.rows.push(row);
        if self.bytes <= MAX_DATA {
            return Ok(());
        }
        let (rows, accepted) = match self.places {
            Some(_) => ("rows that differ", "fewer rows, columns or bins"),
            None => (
                "rows",
                "--ideal or --counts, which keep one of those that are the same, or fewer rows, columns or bins",
            ),
        };
        let rows = format!("{} {rows}", self.rows.len());
        let accepted = format!("at most {MAX_DATA} bytes of measurements: {accepted}");
        Err(ParameterError::new("data", rows, accepted))
    }

    /// The rows in order of first occurrence; `Err` if they are counted and stand for more than
    /// [`MAX_COUNT`](crate::MAX_COUNT) people together.
    pub(super) fn into_measurements(self) -> Result<Measurements, ParameterError> {
        match self.places {
            Some(_) => self.rows.counted(self.counts),
            None => Ok(self.rows),
        }
    }
}
