//! What clients measure, of whichever kind.

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
    const fn kind(&self) -> &'static str {
        match self {
            Self::Bit(_) => "a bit",
            Self::Integer(_) => "an integer",
            Self::Bucket(_) => "a bucket",
            Self::Bits(_) => "a vector of bits",
            Self::Integers(_) => "a vector of integers",
        }
    }

    /// That another kind is expected. The value is the client's secret.
    fn not(&self, accepted: &'static str) -> ParameterError {
        ParameterError::new("measurement", self.kind(), accepted)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for bool {}
    impl Sealed for u64 {}
    impl Sealed for u128 {}
    impl Sealed for usize {}
    impl Sealed for [bool] {}
    impl Sealed for [u128] {}
}

/// What a client of some policy measures, `DpPolicy::Measurement`: made from a [`Measurement`].
pub trait FromMeasurement: sealed::Sealed + ToOwned {
    /// The measurement as the policy takes it.
    ///
    /// # Errors
    /// If it is of another kind.
    fn from_measurement(measurement: Measurement<'_>) -> Result<Cow<'_, Self>, ParameterError>;
}

impl FromMeasurement for bool {
    fn from_measurement(measurement: Measurement<'_>) -> Result<Cow<'_, Self>, ParameterError> {
        match measurement {
            Measurement::Bit(bit) => Ok(Cow::Owned(bit)),
            other => Err(other.not("a bit")),
        }
    }
}

impl FromMeasurement for u64 {
    fn from_measurement(measurement: Measurement<'_>) -> Result<Cow<'_, Self>, ParameterError> {
        let accepted = "an integer of at most 64 bits";
        match measurement {
            Measurement::Integer(integer) => Self::try_from(integer)
                .map(Cow::Owned)
                .map_err(|_| ParameterError::new("measurement", "hidden", accepted)),
            other => Err(other.not(accepted)),
        }
    }
}

impl FromMeasurement for u128 {
    fn from_measurement(measurement: Measurement<'_>) -> Result<Cow<'_, Self>, ParameterError> {
        match measurement {
            Measurement::Integer(integer) => Ok(Cow::Owned(integer)),
            other => Err(other.not("an integer")),
        }
    }
}

impl FromMeasurement for usize {
    fn from_measurement(measurement: Measurement<'_>) -> Result<Cow<'_, Self>, ParameterError> {
        match measurement {
            Measurement::Bucket(bucket) => Ok(Cow::Owned(bucket)),
            other => Err(other.not("a bucket")),
        }
    }
}

impl FromMeasurement for [bool] {
    fn from_measurement(measurement: Measurement<'_>) -> Result<Cow<'_, Self>, ParameterError> {
        match measurement {
            Measurement::Bits(bits) => Ok(Cow::Borrowed(bits)),
            other => Err(other.not("a vector of bits")),
        }
    }
}

impl FromMeasurement for [u128] {
    fn from_measurement(measurement: Measurement<'_>) -> Result<Cow<'_, Self>, ParameterError> {
        match measurement {
            Measurement::Integers(integers) => Ok(Cow::Borrowed(integers)),
            other => Err(other.not("a vector of integers")),
        }
    }
}
