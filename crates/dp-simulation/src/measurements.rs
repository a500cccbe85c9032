//! Rows of measurements.

use std::fmt;

use dp_calibration::Query;
use dp_exact::ParameterError;
use dp_prio3::{Inadmissible, Measurement, Policy};
use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::outcome::as_u64;

/// The most clients for which all rows stand: 10^12.
pub const MAX_COUNT: u64 = 1_000_000_000_000;

/// Rows of measurements: an integer or several for each, or a place among buckets.
///
/// The query decides what a row is: an integer 0 or 1 is a bit of a count, and a place is a bucket
/// or a vector of bits with a single one there, which is made only when a client reports.
///
/// ```
/// use dp_simulation::Measurements;
///
/// let buckets = Measurements::from(vec![0_usize, 2, 1]);
/// let vectors = Measurements::vectors([[true, false], [true, true]])?;
/// assert_eq!((buckets.len(), vectors.len()), (3, 2));
/// assert!(Measurements::vectors([vec![1_u128, 5], vec![2]]).is_err());
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone)]
pub struct Measurements {
    /// Whether each row is a place, from 0.
    are_places: bool,
    /// The number of entries of a row.
    width: usize,
    entries: Vec<u128>,
    /// The number of clients for which each row stands; `None` if each stands for one.
    counts: Option<Counts>,
    /// Rows of a file whose line is not the line of the row before plus 1, with their line from 1.
    lines: Vec<(usize, u64)>,
}

impl PartialEq for Measurements {
    /// Whether the rows and their counts are equal, from whatever lines.
    fn eq(&self, other: &Self) -> bool {
        let (one, another) = ((self.are_places, self.width), (other.are_places, other.width));
        one == another && self.entries == other.entries && self.counts == other.counts
    }
}

impl Eq for Measurements {}

/// Reused buffers for one client's vector of bits or integers.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    bits: Vec<bool>,
    integers: Vec<u128>,
}

impl Measurements {
    /// No rows yet, of `width` entries each, or of one place each.
    pub(crate) const fn new(are_places: bool, width: usize) -> Self {
        Self { are_places, width, entries: Vec::new(), counts: None, lines: Vec::new() }
    }

    /// These rows, where row i stands for `counts[i]` clients.
    ///
    /// # Errors
    /// Unless there is a count for each row, and they add up to at most [`MAX_COUNT`].
    pub fn counted(self, counts: Vec<u64>) -> Result<Self, ParameterError> {
        if counts.len() != self.len() {
            let accepted = format!("{}, one for each row", self.len());
            return Err(ParameterError::new("counts", counts.len(), accepted));
        }
        let counts = Some(Counts::new(counts)?);
        Ok(Self { counts, ..self })
    }

    /// Vectors of bits or integers.
    ///
    /// # Errors
    /// Unless all have the same length, at least 1.
    pub fn vectors<E: Copy + Into<u128>, R: AsRef<[E]>>(
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self, ParameterError> {
        let mut rows = rows.into_iter().peekable();
        let length = rows.peek().map_or(1, |row| row.as_ref().len());
        if length == 0 {
            return Err(ParameterError::new("length", length, "at least 1"));
        }
        let mut measurements = Self::new(false, length);
        for row in rows {
            let row = row.as_ref();
            if row.len() != length {
                let accepted = format!("{length}, as of the first row");
                return Err(ParameterError::new("length", row.len(), accepted));
            }
            measurements.entries.extend(row.iter().map(|entry| (*entry).into()));
        }
        Ok(measurements)
    }

    /// Adds the row in this line of a file, from 1, which must be as wide as all others. Counts of
    /// rows are not changed.
    pub(crate) fn push(&mut self, row: &[u128], line: u64) {
        let index = self.len();
        if self.line(index) != Some(line) {
            self.lines.push((index, line));
        }
        self.entries.extend(row);
    }

    /// The line of a row, from 1, or for the next row the line that follows; `None` without a file.
    fn line(&self, row: usize) -> Option<u64> {
        let gaps = self.lines.partition_point(|(first, _)| *first <= row);
        let (first, line) = self.lines.get(gaps.checked_sub(1)?)?;
        Some(line + as_u64(row - first))
    }

    /// Checks every row, also one that no client has.
    ///
    /// # Errors
    /// [`Error::Rows`] if the policy does not admit the measurement of a row.
    pub(crate) fn check(&self, policy: &Policy) -> Result<(), Error> {
        let (query, mut scratch) = (policy.query(), Scratch::default());
        let (mut found, mut refused, mut largest) = (None, 0, None);
        let mut admits_places = false;
        for row in 0..self.len() {
            // Each place makes a vector with a single one: the first vector answers for all.
            if admits_places && self.only_one(row).is_some_and(|place| place < query.totals()) {
                continue;
            }
            let Some(measurement) = self.get(row, query, &mut scratch) else { continue };
            match policy.check_measurement(measurement) {
                Ok(()) => admits_places = self.are_places,
                Err(error) => {
                    refused += 1;
                    if let Inadmissible::Value { value, .. } = error {
                        largest = largest.max(Some(value));
                    }
                    found.get_or_insert((row, error));
                }
            }
        }
        let Some((row, first)) = found else { return Ok(()) };
        let place = match self.line(row) {
            Some(line) => format!("line {line}"),
            None => format!("row {}", row + 1),
        };
        Err(Error::Rows { place, first: Box::new(first), refused, rows: self.len(), largest })
    }

    /// Hashes the rows as they are kept.
    pub(crate) fn hash(&self, hash: &mut Sha256) {
        let Self { are_places, width, entries, .. } = self;
        hash.update(format!("places {are_places}, {} entries, {width} a row", entries.len()));
        entries.iter().for_each(|entry| hash.update(entry.to_le_bytes()));
        if let Some(counts) = &self.counts {
            counts.hash(hash);
        }
    }

    /// The number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len() / self.width
    }

    /// Whether there are no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of clients for which all rows stand.
    #[must_use]
    pub fn clients(&self) -> u64 {
        match &self.counts {
            Some(counts) => counts.total(),
            None => as_u64(self.len()),
        }
    }

    /// Whether rows stand for several clients.
    pub(crate) const fn are_counted(&self) -> bool {
        self.counts.is_some()
    }

    /// The number of clients for whom `row` stands.
    fn count(&self, row: usize) -> u64 {
        self.counts.as_ref().map_or(1, |counts| counts.of(row))
    }

    /// Row of client number `client`, from 0, if rows have consecutive clients; `None` beyond
    /// `usize`.
    pub(crate) fn row_of(&self, client: u64) -> Option<usize> {
        match &self.counts {
            Some(counts) => Some(counts.row(client)),
            None => usize::try_from(client).ok(),
        }
    }

    /// The kept entries of a row.
    fn row(&self, row: usize) -> impl Iterator<Item = u128> {
        let entries = self.entries.iter().skip(row.saturating_mul(self.width));
        entries.take(self.width).copied()
    }

    /// The measurement of a row, from 0, for this query, in a buffer of `scratch`; `None` beyond
    /// the last row. A row that does not fit the query is a vector of integers, which its policy
    /// refuses.
    pub(crate) fn get<'a>(
        &self,
        row: usize,
        query: &Query,
        scratch: &'a mut Scratch,
    ) -> Option<Measurement<'a>> {
        let first = self.row(row).next()?;
        let Scratch { bits, integers } = scratch;
        let place = usize::try_from(first).ok().filter(|_| self.are_places);
        let are_bits = || !self.are_places && self.row(row).all(|bit| bit <= 1);
        Some(match (query, place) {
            (Query::Histogram { .. } | Query::HistogramRanges { .. }, Some(place)) => {
                Measurement::Bucket(place)
            }
            (Query::MultihotCountVec { length, .. }, Some(place)) if place < *length => {
                bits.clear();
                bits.extend((0..*length).map(|index| index == place));
                Measurement::Bits(bits)
            }
            (Query::MultihotCountVec { .. }, None) if are_bits() => {
                bits.clear();
                bits.extend(self.row(row).map(|bit| bit == 1));
                Measurement::Bits(bits)
            }
            (Query::Count, None) if self.width == 1 && are_bits() => Measurement::Bit(first == 1),
            (Query::Sum { .. } | Query::Average { .. }, None) if self.width == 1 => {
                Measurement::Integer(first)
            }
            _ => {
                integers.clear();
                integers.extend(self.row(row));
                Measurement::Integers(integers)
            }
        })
    }

    /// Index of the single one in a row of bits, or the place of a row that is a place; `None`
    /// unless exactly one entry of a row of bits is 1.
    pub(crate) fn only_one(&self, row: usize) -> Option<usize> {
        if self.are_places {
            return self.row(row).next().and_then(|place| usize::try_from(place).ok());
        }
        let mut ones = self.row(row).enumerate().filter(|(_, bit)| *bit == 1);
        let (place, _) = ones.next()?;
        ones.next().is_none().then_some(place)
    }

    /// For each different measurement that clients have, its first row and the number of clients.
    pub(crate) fn distinct(&self) -> Vec<(usize, u64)> {
        let mut rows: Vec<usize> = (0..self.len()).collect();
        rows.sort_by(|one, other| self.row(*one).cmp(self.row(*other)));
        let groups = rows.chunk_by(|one, other| self.row(*one).eq(self.row(*other)));
        groups
            .filter_map(|rows| {
                let clients = rows.iter().map(|row| self.count(*row)).sum();
                Some((*rows.first()?, clients)).filter(|_| clients > 0)
            })
            .collect()
    }

    /// Adds the row's measurement for `times` clients to `totals`. Saturates at `i128::MAX`.
    pub(crate) fn add(&self, row: usize, times: u64, totals: &mut [i128]) {
        for (place, entry) in self.row(row).enumerate() {
            let (place, summand) = match self.are_places {
                true => (usize::try_from(entry).unwrap_or(usize::MAX), 1),
                false => (place, entry),
            };
            if let Some(total) = totals.get_mut(place) {
                let summand = summand.saturating_mul(times.into());
                let summand = i128::try_from(summand).unwrap_or(i128::MAX);
                *total = total.saturating_add(summand);
            }
        }
    }
}

impl fmt::Debug for Measurements {
    /// The form and the number of rows, and no measurement.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.are_places { "places" } else { "entries" };
        write!(formatter, "Measurements({} rows of {} {form})", self.len(), self.width)
    }
}

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

    /// Hashes the running totals.
    fn hash(&self, hash: &mut Sha256) {
        hash.update(b"counts");
        let ends = self.ends.iter();
        ends.for_each(|end| hash.update(end.to_le_bytes()));
    }

    /// The number of clients for which all rows stand; 0 without rows.
    pub(crate) fn total(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The number of clients for which a row stands; 0 beyond the last row.
    fn of(&self, row: usize) -> u64 {
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

macro_rules! from_rows {
    ($($row:ty, $are_places:literal;)*) => {$(
        impl From<Vec<$row>> for Measurements {
            fn from(rows: Vec<$row>) -> Self {
                let entry = |row: $row| u128::try_from(row).unwrap_or(u128::MAX);
                let entries = rows.into_iter().map(entry).collect();
                Self { entries, ..Self::new($are_places, 1) }
            }
        }
    )*};
}

from_rows! {
    bool, false;
    u128, false;
    usize, true;
}
