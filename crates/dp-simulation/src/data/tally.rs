//! Rows of the same measurements, counted: in the memory of those that differ.
//!
//! Where more rows differ than can be found again in [`MAX_DATA`] bytes, the others are kept as they come.

use std::collections::HashMap;

use dp_exact::ParameterError;

use super::MAX_DATA;
use crate::Measurements;
use crate::measurements::Kind;

/// Bytes beside its own that a row takes in a table of rows, at most.
const OVERHEAD: usize = 96;

/// Bytes that an integer of 128 bits takes in groups of seven bits, at most.
const GROUPS: usize = 19;

/// The rows that differ, and how many there are of each.
#[derive(Debug)]
pub(super) struct Tally {
    rows: Measurements,
    counts: Vec<u64>,
    places: HashMap<Box<[u8]>, usize>,
    key: Vec<u8>,
    bytes: usize,
}

impl Tally {
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            rows: Measurements::new(kind),
            counts: Vec::new(),
            places: HashMap::new(),
            key: Vec::new(),
            bytes: 0,
        }
    }

    /// Adds a row that stands for so many.
    ///
    /// # Errors
    /// If the rows that are kept take more than [`MAX_DATA`] bytes.
    pub(super) fn add(&mut self, row: &[u128], times: u64) -> Result<(), ParameterError> {
        if times == 0 {
            return Ok(());
        }
        self.key.clear();
        row.iter().for_each(|entry| write(*entry, &mut self.key));
        if let Some(place) = self.places.get(self.key.as_slice()) {
            if let Some(count) = self.counts.get_mut(*place) {
                *count = count.saturating_add(times);
            }
            return Ok(());
        }
        let bytes = self.bytes.saturating_add(self.key.len() + OVERHEAD);
        if bytes <= MAX_DATA {
            self.bytes = bytes;
            self.places
                .insert(self.key.as_slice().into(), self.counts.len());
        }
        self.counts.push(times);
        row.iter().for_each(|entry| self.rows.push(*entry));
        if self.rows.bytes() <= MAX_DATA {
            return Ok(());
        }
        let rows = format!("{} rows that differ", self.counts.len());
        let accepted = format!("fewer rows, columns or bins: {MAX_DATA} bytes of measurements");
        Err(ParameterError::new("data", rows, accepted))
    }

    /// The rows that differ, in the order in which they came, each for as many as there are of it.
    ///
    /// # Errors
    /// If these are too many together.
    pub(super) fn into_measurements(self) -> Result<Measurements, ParameterError> {
        self.rows.counted(self.counts)
    }
}

/// An integer in groups of seven bits, the least first, each but the last one marked: integers one after the
/// other are told apart.
fn write(mut integer: u128, to: &mut Vec<u8>) {
    for _ in 0..GROUPS {
        let [group, ..] = (integer & 0x7f).to_le_bytes();
        integer >>= 7;
        if integer == 0 {
            to.push(group);
            return;
        }
        to.push(group | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_rows_have_different_keys() {
        let numbers = [0, 1, 127, 128, 255, 16_383, 16_384, 1 << 64, u128::MAX];
        let mut keys = std::collections::HashSet::new();
        for one in numbers {
            for other in numbers {
                let mut key = Vec::new();
                write(one, &mut key);
                write(other, &mut key);
                assert!(keys.insert(key), "{one} {other}");
            }
        }
    }

    #[test]
    fn rows_beyond_those_that_are_found_again_are_kept_as_they_come() {
        let mut tally = Tally::new(Kind::Integers);
        tally.add(&[1], 3).expect("few");
        tally.bytes = MAX_DATA;
        for (row, times) in [(2, 1), (1, 4), (2, 5)] {
            tally.add(&[row], times).expect("few");
        }
        let rows = tally.into_measurements().expect("few");
        let expected = Measurements::from(vec![1_u128, 2, 2]);
        assert_eq!(rows, expected.counted(vec![7, 1, 5]).expect("few"));
        let distinct: Vec<u64> = rows.distinct().iter().map(|(_, count)| *count).collect();
        assert_eq!(distinct, [7, 6]);
    }

    #[test]
    fn rows_that_differ_are_kept_once() {
        let mut tally = Tally::new(Kind::IntegerVectors(2));
        for (row, times) in [([1, 2], 3), ([2, 1], 1), ([1, 2], 4), ([9, 9], 0)] {
            tally.add(&row, times).expect("few");
        }
        let rows = tally.into_measurements().expect("few");
        let expected = Measurements::integer_vectors([[1, 2], [2, 1]]).expect("vectors");
        assert_eq!(rows, expected.counted(vec![7, 1]).expect("few"));
        assert_eq!((rows.len(), rows.clients()), (2, 8));
    }
}
