//! The numbers of clients for which rows stand.

use dp_exact::ParameterError;
use sha2::{Digest as _, Sha256};

/// The most clients for which all rows stand: 10^12.
pub const MAX_COUNT: u64 = 1_000_000_000_000;

/// The number of clients for which each row stands, as running totals.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Counts {
    /// At index i the number of clients of rows 0 to i.
    ends: Vec<u64>,
}

impl Counts {
    /// Row i stands for `counts[i]` clients; `Err` if they add up to more than [`MAX_COUNT`].
    pub(crate) fn new(counts: Vec<u64>) -> Result<Self, ParameterError> {
        let mut ends = counts;
        let mut end = 0_u64;
        for count in &mut ends {
            end = end.saturating_add(*count);
            *count = end;
        }
        if end > MAX_COUNT {
            let accepted = format!("counts that add up to at most {MAX_COUNT}");
            return Err(ParameterError::new("counts", end, accepted));
        }
        Ok(Self { ends })
    }

    pub(super) fn hash(&self, hash: &mut Sha256) {
        hash.update(b"counts");
        let ends = self.ends.iter();
        ends.for_each(|end| hash.update(end.to_le_bytes()));
    }

    /// The number of clients of all rows.
    pub(crate) fn total(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The number of clients of a row.
    pub(super) fn of(&self, row: usize) -> u64 {
        let before = row.checked_sub(1).and_then(|row| self.ends.get(row));
        let end = self.ends.get(row).copied().unwrap_or(0);
        end.saturating_sub(before.copied().unwrap_or(0))
    }

    /// Index of the row of client number `client`, from 0, if rows have consecutive clients; the
    /// number of rows beyond the last client.
    pub(crate) fn row(&self, client: u64) -> usize {
        self.ends.partition_point(|end| *end <= client)
    }
}
