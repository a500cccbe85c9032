//! A client's measurement, for every Prio3 type.

#[cfg(feature = "parties")]
mod owned;

#[cfg(feature = "parties")]
pub use owned::Inadmissible;
#[cfg(feature = "parties")]
pub(crate) use owned::{Owned, weight};

/// A client's measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measurement<'a> {
    /// A yes or no: Prio3Count.
    Bit(bool),
    /// An integer: Prio3Sum, Prio3Average.
    Integer(u128),
    /// A bucket, from 0: Prio3Histogram, or Prio3MultihotCountVec with a one-hot randomizer.
    Bucket(usize),
    /// A vector of bits: Prio3MultihotCountVec.
    Bits(&'a [bool]),
    /// A vector of integers: Prio3SumVec, Prio3L1BoundSum.
    Integers(&'a [u128]),
}
