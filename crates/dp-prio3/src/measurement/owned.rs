//! A measurement that is checked, and owned by a step of a client.

use std::ops::RangeInclusive;

use dp_calibration::Query;
use dp_exact::ParameterError;
use zeroize::Zeroize;

use super::Measurement;
use crate::Error;
use crate::error::within;

/// The reason why a policy does not admit a measurement. **It shows the measurement's value.**
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Inadmissible {
    /// The measurement has another kind or length than the policy's query.
    #[error(transparent)]
    Form(#[from] ParameterError),
    /// An integer, a bucket, an entry, the sum or the weight of the measurement is out of range.
    #[error("{quantity} is {value}: expected {accepted}")]
    Value {
        /// The quantity that is out of range.
        quantity: &'static str,
        /// The value of the quantity.
        value: u128,
        /// The accepted range, in words.
        accepted: String,
    },
}

impl From<Inadmissible> for Error {
    /// The error of a client, which hides the value.
    fn from(error: Inadmissible) -> Self {
        Self::Parameter(match error {
            Inadmissible::Form(error) => error,
            Inadmissible::Value { quantity, accepted, .. } => {
                ParameterError::new(quantity, "hidden", accepted)
            }
        })
    }
}

/// `Ok` if `value` is in `accepted`; else the error that `quantity` is out of range.
fn admits(
    quantity: &'static str,
    value: u128,
    accepted: RangeInclusive<u128>,
) -> Result<(), Inadmissible> {
    match within(quantity, value, accepted) {
        Ok(_) => Ok(()),
        Err(error) => {
            let accepted = error.accepted().to_owned();
            Err(Inadmissible::Value { quantity, value, accepted })
        }
    }
}

/// A measurement as prio shards it. It is wiped by its holder.
#[derive(Clone)]
pub(crate) enum Owned {
    Bit(bool),
    Integer(u128),
    Bucket(usize),
    Bits(Vec<bool>),
    Integers(Vec<u128>),
}

impl Zeroize for Owned {
    fn zeroize(&mut self) {
        match self {
            Self::Bit(bit) => bit.zeroize(),
            Self::Integer(integer) => integer.zeroize(),
            Self::Bucket(bucket) => bucket.zeroize(),
            Self::Bits(bits) => bits.zeroize(),
            Self::Integers(integers) => integers.zeroize(),
        }
    }
}

impl Measurement<'_> {
    /// The measurement, if it is valid for `query`; vectors of bits have at least `lightest` ones.
    /// A bucket stands for its one-hot vector where `lightest` is 1.
    pub(crate) fn check(self, query: &Query, lightest: usize) -> Result<Owned, Inadmissible> {
        match (self, query) {
            (Self::Bit(bit), Query::Count) => Ok(Owned::Bit(bit)),
            (Self::Integer(integer), Query::Sum { .. } | Query::Average { .. }) => {
                admits("measurement", integer, 0..=query.max_entry())?;
                Ok(Owned::Integer(integer))
            }
            (Self::Bucket(bucket), Query::Histogram { .. } | Query::HistogramRanges { .. }) => {
                admits("measurement", bucket as u128, 0..=query.totals() as u128 - 1)?;
                Ok(Owned::Bucket(bucket))
            }
            (Self::Bits(bits), Query::MultihotCountVec { length, max_weight }) => {
                within("measurement length", bits.len(), *length..=*length)?;
                let accepted = lightest as u128..=*max_weight as u128;
                admits("measurement weight, the number of ones,", weight(bits) as u128, accepted)?;
                Ok(Owned::Bits(bits.to_vec()))
            }
            (Self::Bucket(bucket), Query::MultihotCountVec { length, .. }) if lightest == 1 => {
                admits("measurement", bucket as u128, 0..=*length as u128 - 1)?;
                Ok(Owned::Bits((0..*length).map(|place| place == bucket).collect()))
            }
            (Self::Integers(entries), Query::SumVec { length, max_measurement }) => {
                within("measurement length", entries.len(), *length..=*length)?;
                for entry in entries {
                    admits("measurement entry", *entry, 0..=*max_measurement)?;
                }
                Ok(Owned::Integers(entries.to_vec()))
            }
            (Self::Integers(entries), Query::L1BoundSum { length, max_measurement }) => {
                within("measurement length", entries.len(), *length..=*length)?;
                // A sum beyond 2^128 is above every bound as well.
                let sum = entries.iter().fold(0, |sum: u128, entry| sum.saturating_add(*entry));
                admits("sum of the measurement", sum, 0..=*max_measurement)?;
                Ok(Owned::Integers(entries.to_vec()))
            }
            (other, _) => {
                Err(ParameterError::new("measurement", other.kind(), expected(query)).into())
            }
        }
    }

    /// The kind of the measurement, not its value, which is secret.
    const fn kind(self) -> &'static str {
        match self {
            Self::Bit(_) => "a bit",
            Self::Integer(_) => "an integer",
            Self::Bucket(_) => "a bucket",
            Self::Bits(_) => "a vector of bits",
            Self::Integers(_) => "a vector of integers",
        }
    }
}

/// The kind of measurement that `query` takes, in words.
const fn expected(query: &Query) -> &'static str {
    match query {
        Query::Count => "a bit",
        Query::Sum { .. } | Query::Average { .. } => "an integer",
        Query::Histogram { .. } | Query::HistogramRanges { .. } => "a bucket",
        Query::MultihotCountVec { .. } => "a vector of bits",
        Query::SumVec { .. } | Query::L1BoundSum { .. } => "a vector of integers",
    }
}

/// The number of ones among the bits.
pub(crate) fn weight(bits: &[bool]) -> usize {
    bits.iter().filter(|bit| **bit).count()
}
