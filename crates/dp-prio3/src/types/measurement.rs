//! Measurements and their ranges.

use dp_calibration::Query;
use dp_exact::ParameterError;
use zeroize::Zeroize;

use crate::error::{admits, within};

/// A measurement as prio shards it.
pub trait OwnedMeasurement: Zeroize + Sized {
    /// The form in which a client gives it: a number, or a slice.
    type Borrowed: ?Sized;

    /// The measurement, if it is valid for `query`.
    ///
    /// # Errors
    /// If it is out of range. The error shows no value of the measurement.
    fn check(query: &Query, measurement: &Self::Borrowed) -> Result<Self, ParameterError>;
}

impl OwnedMeasurement for bool {
    type Borrowed = Self;

    fn check(_: &Query, measurement: &Self) -> Result<Self, ParameterError> {
        Ok(*measurement)
    }
}

/// The number of a bucket, from 0.
impl OwnedMeasurement for usize {
    type Borrowed = Self;

    fn check(query: &Query, measurement: &Self) -> Result<Self, ParameterError> {
        admits("measurement", measurement, 0..=query.totals() - 1)?;
        Ok(*measurement)
    }
}

/// Integers.
macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl OwnedMeasurement for $integer {
            type Borrowed = Self;

            fn check(query: &Query, measurement: &Self) -> Result<Self, ParameterError> {
                admits("measurement", &u128::from(*measurement), 0..=query.max_entry())?;
                Ok(*measurement)
            }
        }
    )*};
}

integers!(u64, u128);

/// The entries of a vector.
impl OwnedMeasurement for Vec<u128> {
    type Borrowed = [u128];

    fn check(query: &Query, measurement: &[u128]) -> Result<Self, ParameterError> {
        check_length(query, measurement.len())?;
        if let Query::L1BoundSum { max_measurement, .. } = query {
            let sum = measurement.iter().fold(0, |sum: u128, entry| sum.saturating_add(*entry));
            admits("sum of the measurement", &sum, 0..=*max_measurement)?;
        } else {
            for entry in measurement {
                admits("measurement entry", entry, 0..=query.max_entry())?;
            }
        }
        Ok(measurement.to_vec())
    }
}

/// The bits of a vector.
impl OwnedMeasurement for Vec<bool> {
    type Borrowed = [bool];

    fn check(query: &Query, measurement: &[bool]) -> Result<Self, ParameterError> {
        check_length(query, measurement.len())?;
        admits("measurement weight", &weight(measurement), 0..=max_weight(query))?;
        Ok(measurement.to_vec())
    }
}

/// Returns `found`, the length of a measurement; `Err` unless it is the number of the query's
/// totals.
fn check_length(query: &Query, found: usize) -> Result<usize, ParameterError> {
    within("measurement length", found, query.totals()..=query.totals())
}

/// The most ones of a measurement of bits.
pub(super) const fn max_weight(query: &Query) -> usize {
    match query {
        Query::MultihotCountVec { max_weight, .. } => *max_weight,
        _ => query.totals(),
    }
}

/// The number of ones among the bits.
pub(crate) fn weight(bits: &[bool]) -> usize {
    bits.iter().filter(|bit| **bit).count()
}
