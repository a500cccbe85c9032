//! Measurements in rows, of whichever kind.

use dp_task::Measurement;

/// What each row of data measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measurements {
    /// A yes or no.
    Bits(Vec<bool>),
    /// An integer.
    Integers(Vec<u128>),
    /// A bucket, from 0.
    Buckets(Vec<usize>),
    /// A vector of bits.
    BitVectors(Vec<Vec<bool>>),
    /// A vector of integers.
    IntegerVectors(Vec<Vec<u128>>),
}

impl Measurements {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Bits(rows) => rows.len(),
            Self::Integers(rows) => rows.len(),
            Self::Buckets(rows) => rows.len(),
            Self::BitVectors(rows) => rows.len(),
            Self::IntegerVectors(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The measurement of a row, from 0.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Measurement<'_>> {
        match self {
            Self::Bits(rows) => rows.get(row).copied().map(Measurement::Bit),
            Self::Integers(rows) => rows.get(row).copied().map(Measurement::Integer),
            Self::Buckets(rows) => rows.get(row).copied().map(Measurement::Bucket),
            Self::BitVectors(rows) => rows.get(row).map(|row| Measurement::Bits(row)),
            Self::IntegerVectors(rows) => rows.get(row).map(|row| Measurement::Integers(row)),
        }
    }
}

macro_rules! from_rows {
    ($($row:ty => $variant:ident;)*) => {$(
        impl From<Vec<$row>> for Measurements {
            fn from(rows: Vec<$row>) -> Self {
                Self::$variant(rows)
            }
        }
    )*};
}

from_rows! {
    bool => Bits;
    u128 => Integers;
    usize => Buckets;
    Vec<bool> => BitVectors;
    Vec<u128> => IntegerVectors;
}

/// Adds a measurement, as it is, to the totals, one for each coordinate of the aggregate. Totals beyond
/// the range of `i128` stay at its end.
pub(crate) fn add(measurement: Measurement<'_>, totals: &mut [i128]) {
    let mut add = |place: usize, summand: u128| {
        if let Some(total) = totals.get_mut(place) {
            let summand = i128::try_from(summand).unwrap_or(i128::MAX);
            *total = total.saturating_add(summand);
        }
    };
    match measurement {
        Measurement::Bit(bit) => add(0, bit.into()),
        Measurement::Integer(integer) => add(0, integer),
        Measurement::Bucket(bucket) => add(bucket, 1),
        Measurement::Bits(bits) => {
            let places = bits.iter().enumerate();
            places.for_each(|(place, bit)| add(place, (*bit).into()));
        }
        Measurement::Integers(integers) => {
            let places = integers.iter().enumerate();
            places.for_each(|(place, integer)| add(place, *integer));
        }
    }
}
