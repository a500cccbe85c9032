//! Measurements in rows, of whichever kind, in little memory.

mod counts;
mod entries;

use dp_exact::ParameterError;
use dp_task::Measurement;
use sha2::{Digest as _, Sha256};

use counts::Counts;
pub use counts::MAX_COUNT;
use entries::Entries;

/// What each row of data measures.
///
/// A row takes as many bytes as its numbers need; one-hot vectors are made only when a client
/// reports.
///
/// ```
/// use dp_simulation::Measurements;
///
/// let buckets = Measurements::from(vec![0_usize, 2, 1]);
/// let vectors = buckets.one_hot(3)?;
/// let spelled_out = [[true, false, false], [false, false, true], [false, true, false]];
/// assert_eq!(vectors, Measurements::bit_vectors(spelled_out)?);
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Measurements {
    kind: Kind,
    entries: Entries,
    /// How many clients each row stands for, if not for one.
    counts: Option<Counts>,
}

/// What a row is, and of vectors their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A yes or no.
    Bits,
    /// An integer.
    Integers,
    /// A bucket, from 0.
    Buckets,
    /// A vector of bits of which one is set: its place.
    OneHot(usize),
    /// A vector of bits.
    BitVectors(usize),
    /// A vector of integers.
    IntegerVectors(usize),
}

/// Where a row is put together.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    bits: Vec<bool>,
    integers: Vec<u128>,
}

impl Measurements {
    pub(crate) const fn new(kind: Kind) -> Self {
        Self { kind, entries: Entries::new(), counts: None }
    }

    /// The same where each row stands for so many clients, in place of one.
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
        Self::vectors(Kind::BitVectors, rows, |bit| u128::from(*bit))
    }

    /// Vectors of integers.
    ///
    /// # Errors
    /// Unless all have the same length, at least 1.
    pub fn integer_vectors<R: AsRef<[u128]>>(
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self, ParameterError> {
        Self::vectors(Kind::IntegerVectors, rows, |integer| *integer)
    }

    fn vectors<T, R: AsRef<[T]>>(
        kind: impl Fn(usize) -> Kind,
        rows: impl IntoIterator<Item = R>,
        number: impl Fn(&T) -> u128,
    ) -> Result<Self, ParameterError> {
        let mut rows = rows.into_iter().peekable();
        let length = rows.peek().map_or(1, |row| row.as_ref().len());
        if length == 0 {
            return Err(ParameterError::new("length", length, "at least 1"));
        }
        let mut measurements = Self::new(kind(length));
        for row in rows {
            let row = row.as_ref();
            if row.len() != length {
                let accepted = format!("{length}, as of the first row");
                return Err(ParameterError::new("length", row.len(), accepted));
            }
            row.iter().map(&number).for_each(|entry| measurements.push(entry));
        }
        Ok(measurements)
    }

    /// Adds an entry of the last row, or of the next one if that is complete.
    pub(crate) fn push(&mut self, entry: u128) {
        self.entries.push(entry);
    }

    /// The bytes that all rows take.
    pub(crate) const fn bytes(&self) -> usize {
        self.entries.bytes()
    }

    /// Hashes the rows as they are kept.
    pub(crate) fn hash(&self, hash: &mut Sha256) {
        let (kind, length) = match self.kind {
            Kind::Bits => (0_u8, 1),
            Kind::Integers => (1, 1),
            Kind::Buckets => (2, 1),
            Kind::OneHot(length) => (3, length),
            Kind::BitVectors(length) => (4, length),
            Kind::IntegerVectors(length) => (5, length),
        };
        hash.update([kind]);
        for length in [length, self.entries.len()] {
            hash.update(u64::try_from(length).unwrap_or(u64::MAX).to_le_bytes());
        }
        self.entries.hash(hash);
        if let Some(counts) = &self.counts {
            counts.hash(hash);
        }
    }

    /// Buckets as vectors of bits of this length, of which the bucket's one is set. Other measurements
    /// stay as they are.
    ///
    /// # Errors
    /// If a bucket is not below `length`.
    pub fn one_hot(mut self, length: usize) -> Result<Self, ParameterError> {
        if self.kind == Kind::Buckets {
            let most = self.entries.from(0).max().unwrap_or(0);
            if usize::try_from(most).map_or(true, |most| most >= length) {
                let accepted = format!("at least {}, with bucket {most}", most.saturating_add(1));
                return Err(ParameterError::new("length", length, accepted));
            }
            self.kind = Kind::OneHot(length);
        }
        Ok(self)
    }

    /// Buckets `i` as buckets `to[i]`, of which there are as many.
    pub(crate) fn renumbered(mut self, to: &[u128]) -> Self {
        let other = |bucket| usize::try_from(bucket).ok().and_then(|place| to.get(place));
        self.entries.replace(|bucket| *other(bucket).unwrap_or(&bucket));
        self
    }

    /// Vectors of one entry as that entry. Other measurements stay as they are.
    #[must_use]
    pub fn single(mut self) -> Self {
        self.kind = match self.kind {
            Kind::BitVectors(1) => Kind::Bits,
            Kind::IntegerVectors(1) => Kind::Integers,
            other => other,
        };
        self
    }

    /// Bits as integers, 0 and 1, in vectors or not. Other measurements stay as they are.
    #[must_use]
    pub fn as_integers(mut self) -> Self {
        self.kind = match self.kind {
            Kind::BitVectors(length) => Kind::IntegerVectors(length),
            Kind::Bits => Kind::Integers,
            other => other,
        };
        self
    }

    /// How many rows there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.width() {
            0 => 0,
            width => self.entries.len() / width,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many clients all rows stand for.
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

    /// How many clients a row stands for.
    fn count(&self, row: usize) -> u64 {
        self.counts.as_ref().map_or(1, |counts| counts.of(row))
    }

    /// The row of a client, from 0, of those that the rows stand for.
    pub(crate) fn row_of(&self, client: u64) -> Option<usize> {
        match &self.counts {
            Some(counts) => Some(counts.row(client)),
            None => usize::try_from(client).ok(),
        }
    }

    /// How many entries of a row are kept.
    const fn width(&self) -> usize {
        match self.kind {
            Kind::Bits | Kind::Integers | Kind::Buckets | Kind::OneHot(_) => 1,
            Kind::BitVectors(length) | Kind::IntegerVectors(length) => length,
        }
    }

    fn row(&self, row: usize) -> impl Iterator<Item = u128> {
        let width = self.width();
        self.entries.from(row.saturating_mul(width)).take(width)
    }

    /// The measurement of a row, from 0.
    pub(crate) fn get<'a>(&self, row: usize, scratch: &'a mut Scratch) -> Option<Measurement<'a>> {
        let first = self.entries.get(row.checked_mul(self.width())?)?;
        let place = usize::try_from(first).ok()?;
        let Scratch { bits, integers } = scratch;
        Some(match self.kind {
            Kind::Bits => Measurement::Bit(first == 1),
            Kind::Integers => Measurement::Integer(first),
            Kind::Buckets => Measurement::Bucket(place),
            Kind::OneHot(length) => {
                bits.clear();
                bits.resize(length, false);
                *bits.get_mut(place)? = true;
                Measurement::Bits(bits)
            }
            Kind::BitVectors(_) => {
                bits.clear();
                bits.extend(self.row(row).map(|bit| bit == 1));
                Measurement::Bits(bits)
            }
            Kind::IntegerVectors(_) => {
                integers.clear();
                integers.extend(self.row(row));
                Measurement::Integers(integers)
            }
        })
    }

    /// The place of the only one in a row of bits, if there is just one.
    pub(crate) fn only_one(&self, row: usize) -> Option<usize> {
        if let Kind::OneHot(_) = self.kind {
            return self.row(row).next().and_then(|place| usize::try_from(place).ok());
        }
        let mut ones = self.row(row).enumerate().filter(|(_, bit)| *bit == 1);
        let (place, _) = ones.next()?;
        ones.next().is_none().then_some(place)
    }

    /// The bits of a row.
    pub(crate) fn bits(&self, row: usize) -> Vec<bool> {
        match (self.kind, self.row(row).next()) {
            (Kind::OneHot(length), Some(place)) => {
                let places = 0..u128::try_from(length).unwrap_or(u128::MAX);
                places.map(|other| other == place).collect()
            }
            _ => self.row(row).map(|bit| bit == 1).collect(),
        }
    }

    /// The first row of each measurement that there is, and how many clients have it.
    pub(crate) fn distinct(&self) -> Vec<(usize, u64)> {
        let mut rows: Vec<usize> = (0..self.len()).collect();
        rows.sort_by(|one, other| self.row(*one).cmp(self.row(*other)));
        let alike = rows.chunk_by(|one, other| self.row(*one).eq(self.row(*other)));
        alike
            .filter_map(|rows| {
                let clients = rows.iter().map(|row| self.count(*row)).sum();
                Some((*rows.first()?, clients)).filter(|_| clients > 0)
            })
            .collect()
    }

    /// Adds the measurements of `times` clients with this row to the totals of the aggregate. Totals beyond the range of
    /// `i128` stay at its end.
    pub(crate) fn add(&self, row: usize, times: u64, totals: &mut [i128]) {
        let mut add = |place: usize, summand: u128| {
            if let Some(total) = totals.get_mut(place) {
                let summand = summand.saturating_mul(times.into());
                let summand = i128::try_from(summand).unwrap_or(i128::MAX);
                *total = total.saturating_add(summand);
            }
        };
        let row = self.row(row);
        match self.kind {
            Kind::Buckets | Kind::OneHot(_) => {
                let buckets = row.filter_map(|bucket| usize::try_from(bucket).ok());
                buckets.for_each(|bucket| add(bucket, 1));
            }
            Kind::Bits | Kind::Integers | Kind::BitVectors(_) | Kind::IntegerVectors(_) => {
                row.enumerate().for_each(|(place, entry)| add(place, entry));
            }
        }
    }
}

/// The same rows are equal however they are kept.
impl PartialEq for Measurements {
    fn eq(&self, other: &Self) -> bool {
        let are_counted = self.are_counted() || other.are_counted();
        if are_counted && (0..self.len()).any(|row| self.count(row) != other.count(row)) {
            return false;
        }
        if self.kind == other.kind {
            return self.entries == other.entries;
        }
        let (mut one, mut two) = (Scratch::default(), Scratch::default());
        self.len() == other.len()
            && (0..self.len()).all(|row| self.get(row, &mut one) == other.get(row, &mut two))
    }
}

impl Eq for Measurements {}

macro_rules! from_rows {
    ($($row:ty => $variant:ident;)*) => {$(
        impl From<Vec<$row>> for Measurements {
            fn from(rows: Vec<$row>) -> Self {
                let mut measurements = Self::new(Kind::$variant);
                rows.into_iter().for_each(|row| measurements.push(number(row)));
                measurements
            }
        }
    )*};
}

from_rows! {
    bool => Bits;
    u128 => Integers;
    usize => Buckets;
}

/// No row has an integer of more than 128 bits.
fn number(row: impl TryInto<u128>) -> u128 {
    row.try_into().unwrap_or(u128::MAX)
}
