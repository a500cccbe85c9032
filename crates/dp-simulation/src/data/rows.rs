//! The rows of a table as measurements: each row, or each different row with the number of its occurrences.

use std::collections::HashMap;

use dp_exact::ParameterError;

use crate::Measurements;
use crate::measurements::RowFormat;

/// The most bytes that the measurements of all rows take: 128 MiB. A number takes as many bytes as the
/// largest of the table: 1, 2, 4, 8 or 16. So 10^8 rows of one column of bits or of up to 256 bins fit.
pub const MAX_DATA: usize = 1 << 27;

/// Bytes of memory that a row takes in a hash table, beside its integers, at most.
const OVERHEAD: usize = 96;

/// The rows that were read so far. Once the hash table of counted rows takes [`MAX_DATA`] bytes,
/// further different rows are kept as they come.
#[derive(Debug)]
pub(super) struct Rows {
    /// The rows that are kept.
    rows: Measurements,
    /// How many people each of these rows stands for, if rows are counted.
    counts: Vec<u64>,
    /// The place of each different row, if rows are counted.
    places: Option<HashMap<Box<[u128]>, usize>>,
    /// An estimate of the bytes that `places` takes.
    bytes: usize,
}

impl Rows {
    /// No rows yet; equal rows are kept once if `is_counted`.
    pub(super) fn new(format: RowFormat, is_counted: bool) -> Self {
        Self {
            rows: Measurements::new(format),
            counts: Vec::new(),
            places: is_counted.then(HashMap::new),
            bytes: 0,
        }
    }

    /// Adds a row that stands for `times` people.
    ///
    /// # Errors
    /// If the rows that are kept take more than [`MAX_DATA`] bytes.
    pub(super) fn add(
        &mut self,
        row: impl Iterator<Item = u128> + Clone,
        times: u64,
    ) -> Result<(), ParameterError> {
        if let Some(places) = &mut self.places {
            let key: Box<[u128]> = row.clone().collect();
            if let Some(count) = places.get(&key).and_then(|place| self.counts.get_mut(*place)) {
                *count = count.saturating_add(times);
                return Ok(());
            }
            let bytes = self.bytes.saturating_add(size_of_val(&*key) + OVERHEAD);
            if bytes <= MAX_DATA {
                self.bytes = bytes;
                places.insert(key, self.counts.len());
            }
            self.counts.push(times);
        }
        row.for_each(|entry| self.rows.push(entry));
        if self.rows.bytes() <= MAX_DATA {
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

    /// The rows in order of first occurrence.
    ///
    /// # Errors
    /// If they stand for too many people together.
    pub(super) fn into_measurements(self) -> Result<Measurements, ParameterError> {
        match self.places {
            Some(_) => self.rows.counted(self.counts),
            None => Ok(self.rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_are_kept_once_while_there_is_room_to_find_them() {
        let mut rows = Rows::new(RowFormat::IntegerVectors(2), true);
        for (row, times) in [([1, 2], 3), ([2, 1], 1), ([1, 2], 4)] {
            rows.add(row.into_iter(), times).expect("few");
        }
        rows.bytes = MAX_DATA;
        for (row, times) in [([3, 3], 1), ([2, 1], 4), ([3, 3], 5)] {
            rows.add(row.into_iter(), times).expect("few");
        }
        let rows = rows.into_measurements().expect("few");
        let expected = Measurements::integer_vectors([[1, 2], [2, 1], [3, 3], [3, 3]]);
        let expected = expected.and_then(|rows| rows.counted(vec![7, 5, 1, 5]));
        assert_eq!(Ok(rows), expected);
    }
}
