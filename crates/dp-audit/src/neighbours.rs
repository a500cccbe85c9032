//! Two neighbouring inputs: one client's measurement, replaced.

use dp_calibration::Query;
use dp_exact::ParameterError;
use dp_task::Measurement;
use serde::{Deserialize, Serialize};

/// A measurement of a client.
///
/// In JSON it is its value alone. A bucket is an integer there: [`Self::of_query`] tells them apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, from = "Read")]
pub enum OwnedMeasurement {
    /// A yes or no.
    Bit(bool),
    /// An integer.
    Integer(u128),
    /// A bucket, from 0.
    Bucket(usize),
    /// A vector of bits.
    Bits(Vec<bool>),
    /// A vector of integers.
    Integers(Vec<u128>),
}

/// A measurement in JSON. No integer has more than 64 bits there: serde tells kinds apart that have no more, and totals have 63.
#[derive(Deserialize)]
#[serde(untagged)]
enum Read {
    Bit(bool),
    Integer(u64),
    Bits(Vec<bool>),
    Integers(Vec<u64>),
}

impl From<Read> for OwnedMeasurement {
    fn from(read: Read) -> Self {
        match read {
            Read::Bit(bit) => Self::Bit(bit),
            Read::Integer(integer) => Self::Integer(integer.into()),
            Read::Bits(bits) => Self::Bits(bits),
            Read::Integers(integers) => {
                Self::Integers(integers.into_iter().map(u128::from).collect())
            }
        }
    }
}

impl OwnedMeasurement {
    /// As a policy's client takes it.
    #[must_use]
    pub fn measurement(&self) -> Measurement<'_> {
        match self {
            Self::Bit(bit) => Measurement::Bit(*bit),
            Self::Integer(integer) => Measurement::Integer(*integer),
            Self::Bucket(bucket) => Measurement::Bucket(*bucket),
            Self::Bits(bits) => Measurement::Bits(bits),
            Self::Integers(integers) => Measurement::Integers(integers),
        }
    }

    /// The same as one of this query: an integer is a bucket of a histogram.
    #[must_use]
    pub fn of_query(self, query: &Query) -> Self {
        let bucket = match (query, &self) {
            (Query::Histogram { .. }, Self::Integer(bucket)) => usize::try_from(*bucket).ok(),
            _ => None,
        };
        bucket.map_or(self, Self::Bucket)
    }

    /// Adds it to true totals.
    ///
    /// # Errors
    /// If it has other places, or a sum has more than 63 bits.
    pub fn add_to(&self, totals: &mut [i64]) -> Result<(), ParameterError> {
        let mut add = |place: usize, value: u128| {
            let sum = totals.get(place).zip(i64::try_from(value).ok());
            let sum = sum.and_then(|(total, value)| total.checked_add(value));
            let accepted = "one whose totals are 63-bit integers";
            let sum = sum.ok_or_else(|| ParameterError::new("measurement", "hidden", accepted))?;
            totals[place] = sum;
            Ok(())
        };
        match self {
            Self::Bit(bit) => add(0, u128::from(*bit)),
            Self::Integer(integer) => add(0, *integer),
            Self::Bucket(bucket) => add(*bucket, 1),
            Self::Bits(bits) => {
                let ones = bits.iter().enumerate();
                ones.into_iter().try_for_each(|(place, bit)| add(place, u128::from(*bit)))
            }
            Self::Integers(values) => {
                let mut values = values.iter().enumerate();
                values.try_for_each(|(place, value)| add(place, *value))
            }
        }
    }
}

/// What one client measures under the first input and under the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// Under the first input.
    pub first: OwnedMeasurement,
    /// Under the second.
    pub second: OwnedMeasurement,
}

impl Neighbours {
    /// Two measurements that are as far apart as any two of this query, under replacement, in the norm that the query's
    /// sensitivity is about: the worst-case difference of [`Query::difference`].
    ///
    /// ```
    /// use dp_audit::{OwnedMeasurement, Neighbours};
    /// use dp_calibration::Query;
    ///
    /// let pair = Neighbours::farthest(&Query::Histogram { length: 5 })?;
    /// assert_eq!((pair.first, pair.second), (OwnedMeasurement::Bucket(0), OwnedMeasurement::Bucket(4)));
    /// # Ok::<(), dp_exact::ParameterError>(())
    /// ```
    ///
    /// # Errors
    /// If no measurement can be replaced by another: a histogram of one bucket.
    pub fn farthest(query: &Query) -> Result<Self, ParameterError> {
        let (first, second) = match *query {
            Query::Count => (OwnedMeasurement::Bit(true), OwnedMeasurement::Bit(false)),
            Query::Sum { max_measurement } | Query::Average { max_measurement } => {
                (OwnedMeasurement::Integer(max_measurement), OwnedMeasurement::Integer(0))
            }
            Query::SumVec { length, max_measurement } => (
                OwnedMeasurement::Integers(vec![max_measurement; length]),
                OwnedMeasurement::Integers(vec![0; length]),
            ),
            Query::Histogram { length } if length > 1 => {
                (OwnedMeasurement::Bucket(0), OwnedMeasurement::Bucket(length - 1))
            }
            Query::Histogram { length } => {
                let accepted =
                    "at least 2 buckets: the measurement of a single one cannot be replaced";
                return Err(ParameterError::new("length", length, accepted));
            }
            Query::MultihotCountVec { length, max_weight } => {
                let last = max_weight.min(length.saturating_sub(max_weight));
                let first = (0..length).map(|place| place < max_weight);
                let second = (0..length).map(|place| place >= length - last);
                (OwnedMeasurement::Bits(first.collect()), OwnedMeasurement::Bits(second.collect()))
            }
            Query::L1BoundSum { length, max_measurement } => {
                let all_at = |chosen: usize| {
                    let entry = |place| if place == chosen { max_measurement } else { 0 };
                    OwnedMeasurement::Integers((0..length).map(entry).collect())
                };
                // Of one entry the reference is 0.
                let second = length.saturating_sub(1);
                let reference = OwnedMeasurement::Integers(vec![0; length]);
                (all_at(0), if second == 0 { reference } else { all_at(second) })
            }
        };
        Ok(Self { first, second })
    }

    /// The other way round.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { first: self.second, second: self.first }
    }
}

#[cfg(test)]
mod tests {
    use dp_task::{POLICIES, Task};

    use super::*;
    use crate::submissions::Submissions;

    #[test]
    fn what_is_submitted_of_every_policy_is_read_from_json_as_it_was() {
        for policy in POLICIES {
            let task = Task::new(policy.example().expect("an example")).expect("a task");
            let query = task.query();
            let submissions = Submissions::of_task(&task, None).expect("submissions");
            for number in 0..2 {
                let (held, _) = submissions.of_collection(number).expect("measurements");
                let text = serde_json::to_string(&held).expect("JSON");
                let read: Vec<OwnedMeasurement> =
                    serde_json::from_str(&text).expect("measurements");
                let read: Vec<OwnedMeasurement> =
                    read.into_iter().map(|held| held.of_query(query)).collect();
                assert_eq!(read, held, "{}", policy.name);
            }
        }
    }

    #[test]
    fn a_measurement_is_of_one_kind() {
        let read = |text| serde_json::from_str::<OwnedMeasurement>(text);
        assert_eq!(read("7").expect("an integer"), OwnedMeasurement::Integer(7));
        let largest = read("18446744073709551615").expect("an integer");
        assert_eq!(largest, OwnedMeasurement::Integer(u64::MAX.into()));
        assert_eq!(read("[0,7]").expect("integers"), OwnedMeasurement::Integers(vec![0, 7]));
        for text in ["-1", "1.5", "null", "\"1\"", "[true,1]", "[-1]", "1e30", "[[1]]"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
