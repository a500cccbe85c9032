//! Rows of measurements of one format.

use std::fmt;

use dp_exact::ParameterError;
use dp_prio3::Measurement;
use sha2::{Digest as _, Sha256};

/// The most clients for which all rows stand: 10^12.
pub const MAX_COUNT: u64 = 1_000_000_000_000;

/// Rows of measurements.
///
/// One-hot vectors are kept as the index of their one, and made only when a client reports.
///
/// ```
/// use dp_simulation::Measurements;
///
/// let buckets = Measurements::from(vec![0_usize, 2, 1]);
/// assert_eq!(buckets.clone().one_hot(3)?.len(), 3);
/// assert!(buckets.one_hot(2).is_err());
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Measurements {
    format: RowFormat,
    entries: Vec<u128>,
    /// The number of clients for which each row stands; `None` if each stands for one.
    counts: Option<Counts>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFormat {
    /// A yes or no.
    Bits,
    /// An integer.
    Integers,
    /// A bucket, from 0.
    Buckets,
    /// A vector of bits with a single one, kept as the one's index.
    OneHot(usize),
    /// A vector of bits.
    BitVectors(usize),
    /// A vector of integers.
    IntegerVectors(usize),
}

/// Reused buffers for one client's vector of bits or integers.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    bits: Vec<bool>,
    integers: Vec<u128>,
}

impl Measurements {
    pub(crate) const fn new(format: RowFormat) -> Self {
        Self { format, entries: Vec::new(), counts: None }
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

    /// Vectors of bits.
    ///
    /// # Errors
    /// Unless all have the same length, at least 1.
    pub fn bit_vectors<R: AsRef<[bool]>>(
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self, ParameterError> {
        let entries = |row: R| row.as_ref().iter().map(|bit| u128::from(*bit)).collect();
        Self::vectors(RowFormat::BitVectors, rows.into_iter().map(entries))
    }

    /// Vectors of integers.
    ///
    /// # Errors
    /// Unless all have the same length, at least 1.
    pub fn integer_vectors<R: AsRef<[u128]>>(
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self, ParameterError> {
        Self::vectors(RowFormat::IntegerVectors, rows.into_iter().map(|row| row.as_ref().to_vec()))
    }

    /// Vectors of equal length, from which `format` makes the format.
    fn vectors(
        format: fn(usize) -> RowFormat,
        rows: impl Iterator<Item = Vec<u128>>,
    ) -> Result<Self, ParameterError> {
        let mut rows = rows.peekable();
        let length = rows.peek().map_or(1, Vec::len);
        if length == 0 {
            return Err(ParameterError::new("length", length, "at least 1"));
        }
        let mut measurements = Self::new(format(length));
        for row in rows {
            if row.len() != length {
                let accepted = format!("{length}, as of the first row");
                return Err(ParameterError::new("length", row.len(), accepted));
            }
            measurements.entries.extend(row);
        }
        Ok(measurements)
    }

    pub(crate) fn push(&mut self, row: &[u128]) {
        self.entries.extend(row);
    }

    /// Hashes the rows as they are kept: equal measurements in other formats differ.
    pub(crate) fn hash(&self, hash: &mut Sha256) {
        hash.update(format!("{:?}, {} entries", self.format, self.entries.len()));
        self.entries.iter().for_each(|entry| hash.update(entry.to_le_bytes()));
        if let Some(counts) = &self.counts {
            counts.hash(hash);
        }
    }

    /// Buckets as vectors of bits with a single one, at the bucket's index; other rows unchanged.
    ///
    /// # Errors
    /// If a bucket is not below `length`.
    pub fn one_hot(mut self, length: usize) -> Result<Self, ParameterError> {
        if self.format == RowFormat::Buckets {
            let most = self.entries.iter().copied().max().unwrap_or(0);
            if usize::try_from(most).map_or(true, |most| most >= length) {
                let accepted = format!("at least {}, with bucket {most}", most.saturating_add(1));
                return Err(ParameterError::new("length", length, accepted));
            }
            self.format = RowFormat::OneHot(length);
        }
        Ok(self)
    }

    /// Vectors of length 1 as their entry. Other measurements stay as they are.
    #[must_use]
    pub fn single(mut self) -> Self {
        self.format = match self.format {
            RowFormat::BitVectors(1) => RowFormat::Bits,
            RowFormat::IntegerVectors(1) => RowFormat::Integers,
            other => other,
        };
        self
    }

    /// Bits as integers, 0 and 1, in vectors or not. Other measurements stay as they are.
    #[must_use]
    pub fn as_integers(mut self) -> Self {
        self.format = match self.format {
            RowFormat::BitVectors(length) => RowFormat::IntegerVectors(length),
            RowFormat::Bits => RowFormat::Integers,
            other => other,
        };
        self
    }

    /// The number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.width() {
            0 => 0,
            width => self.entries.len() / width,
        }
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
            None => u64::try_from(self.len()).unwrap_or(u64::MAX),
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

    const fn width(&self) -> usize {
        match self.format {
            RowFormat::Bits | RowFormat::Integers | RowFormat::Buckets | RowFormat::OneHot(_) => 1,
            RowFormat::BitVectors(length) | RowFormat::IntegerVectors(length) => length,
        }
    }

    /// The kept entries of a row.
    fn row(&self, row: usize) -> impl Iterator<Item = u128> {
        let width = self.width();
        let entries = self.entries.iter().skip(row.saturating_mul(width));
        entries.take(width).copied()
    }

    /// The measurement of a row, from 0, in a buffer of `scratch`; `None` beyond the last row.
    pub(crate) fn get<'a>(&self, row: usize, scratch: &'a mut Scratch) -> Option<Measurement<'a>> {
        let first = self.row(row).next()?;
        let place = usize::try_from(first).ok()?;
        let Scratch { bits, integers } = scratch;
        Some(match self.format {
            RowFormat::Bits => Measurement::Bit(first == 1),
            RowFormat::Integers => Measurement::Integer(first),
            RowFormat::Buckets => Measurement::Bucket(place),
            RowFormat::OneHot(length) => {
                bits.clear();
                bits.resize(length, false);
                *bits.get_mut(place)? = true;
                Measurement::Bits(bits)
            }
            RowFormat::BitVectors(_) => {
                bits.clear();
                bits.extend(self.row(row).map(|bit| bit == 1));
                Measurement::Bits(bits)
            }
            RowFormat::IntegerVectors(_) => {
                integers.clear();
                integers.extend(self.row(row));
                Measurement::Integers(integers)
            }
        })
    }

    /// Index of the single one in a row of bits; `None` unless exactly one bit is set.
    pub(crate) fn only_one(&self, row: usize) -> Option<usize> {
        if let RowFormat::OneHot(_) = self.format {
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
        let are_places = matches!(self.format, RowFormat::Buckets | RowFormat::OneHot(_));
        for (place, entry) in self.row(row).enumerate() {
            let (place, summand) = match are_places {
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
    /// The format and the number of rows, and no measurement.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Measurements({:?}, {})", self.format, self.len())
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

    fn hash(&self, hash: &mut Sha256) {
        hash.update(b"counts");
        let ends = self.ends.iter();
        ends.for_each(|end| hash.update(end.to_le_bytes()));
    }

    pub(crate) fn total(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

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
    ($($row:ty => $variant:ident;)*) => {$(
        impl From<Vec<$row>> for Measurements {
            fn from(rows: Vec<$row>) -> Self {
                let entry = |row: $row| u128::try_from(row).unwrap_or(u128::MAX);
                let entries = rows.into_iter().map(entry).collect();
                Self { format: RowFormat::$variant, entries, counts: None }
            }
        }
    )*};
}

from_rows! {
    bool => Bits;
    u128 => Integers;
    usize => Buckets;
}
