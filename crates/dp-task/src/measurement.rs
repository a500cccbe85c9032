//! The measurement of a client, for any VDAF.

use std::borrow::Cow;

use dp_exact::ParameterError;

/// A measurement of one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measurement<'a> {
    /// A yes or no: Prio3Count.
    Bit(bool),
    /// An integer: Prio3Sum, Prio3Average.
    Integer(u128),
    /// A bucket, from 0: Prio3Histogram.
    Bucket(usize),
    /// A vector of bits: Prio3MultihotCountVec.
    Bits(&'a [bool]),
    /// A vector of integers: Prio3SumVec, Prio3L1BoundSum.
    Integers(&'a [u128]),
}

impl Measurement<'_> {
    /// The error that the policy accepts another kind of measurement. It names the kind of the
    /// given measurement, not its value, which is secret.
    fn refused(&self, accepted: &'static str) -> ParameterError {
        let kind = match self {
            Self::Bit(_) => "a bit",
            Self::Integer(_) => "an integer",
            Self::Bucket(_) => "a bucket",
            Self::Bits(_) => "a vector of bits",
            Self::Integers(_) => "a vector of integers",
        };
        ParameterError::new("measurement", kind, accepted)
    }
}

/// The measurement type of a policy, `DpPolicy::Measurement`, made from a [`Measurement`].
pub trait FromMeasurement: ToOwned {
    /// The measurement in the policy's type.
    ///
    /// # Errors
    /// If the policy takes measurements of another kind.
    fn from_measurement(measurement: Measurement<'_>) -> Result<Cow<'_, Self>, ParameterError>;
}

/// Implements [`FromMeasurement`] for the measurement types of policies.
macro_rules! from_measurement {
    ($($type:ty: $accepted:literal, $pattern:pat => $value:expr;)+) => {$(
        impl FromMeasurement for $type {
            fn from_measurement(
                measurement: Measurement<'_>,
            ) -> Result<Cow<'_, Self>, ParameterError> {
                match measurement {
                    $pattern => $value,
                    other => Err(other.refused($accepted)),
                }
            }
        }
    )+};
}

from_measurement! {
    bool: "a bit", Measurement::Bit(bit) => Ok(Cow::Owned(bit));
    u64: "an integer of at most 64 bits", Measurement::Integer(integer) => {
        let hidden =
            |_| ParameterError::new("measurement", "hidden", "an integer of at most 64 bits");
        Self::try_from(integer).map(Cow::Owned).map_err(hidden)
    };
    u128: "an integer", Measurement::Integer(integer) => Ok(Cow::Owned(integer));
    usize: "a bucket", Measurement::Bucket(bucket) => Ok(Cow::Owned(bucket));
    [bool]: "a vector of bits", Measurement::Bits(bits) => Ok(Cow::Borrowed(bits));
    [u128]: "a vector of integers", Measurement::Integers(integers) => Ok(Cow::Borrowed(integers));
}
