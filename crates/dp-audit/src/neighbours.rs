//! Measurements, and pairs of neighbouring inputs: one client's measurement is replaced.

use dp_calibration::Query;
use dp_calibration::strategy_matrix::{StrategyFamily, StrategyMatrix};
use dp_exact::ParameterError;
use dp_prio3::Measurement;
use serde::{Deserialize, Deserializer, Serialize};

/// A measurement of a client. In JSON it is its value alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OwnedMeasurement {
    /// A bit: yes or no.
    Bit(bool),
    /// An integer as it is measured, or the index of a bucket, from 0.
    Integer(#[serde(deserialize_with = "integer")] u128),
    /// A vector of bits.
    Bits(Vec<bool>),
    /// A vector of integers.
    Integers(#[serde(deserialize_with = "integers")] Vec<u128>),
}

/// An integer of at most 64 bits, as in all untagged enums of serde.
fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
    u64::deserialize(deserializer).map(u128::from)
}

/// Integers of at most 64 bits.
fn integers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u128>, D::Error> {
    let integers = Vec::<u64>::deserialize(deserializer)?;
    Ok(integers.into_iter().map(u128::from).collect())
}

impl OwnedMeasurement {
    /// The measurement as a client of this query takes it: of a histogram an integer is a bucket.
    #[must_use]
    pub fn measurement(&self, query: &Query) -> Measurement<'_> {
        match self {
            Self::Bit(bit) => Measurement::Bit(*bit),
            Self::Integer(integer) => match usize::try_from(*integer) {
                Ok(bucket) if is_histogram(query) => Measurement::Bucket(bucket),
                // Clients refuse an integer in the place of a bucket.
                _ => Measurement::Integer(*integer),
            },
            Self::Bits(bits) => Measurement::Bits(bits),
            Self::Integers(integers) => Measurement::Integers(integers),
        }
    }

    /// Adds the measurement to the true totals of this query.
    ///
    /// # Errors
    /// If it has more entries than there are totals, or a sum has more than 63 bits.
    pub fn add_to(&self, query: &Query, totals: &mut [i64]) -> Result<(), ParameterError> {
        let mut add = |index: usize, value: u128| {
            let sum = totals.get(index).zip(i64::try_from(value).ok());
            let sum = sum.and_then(|(total, value)| total.checked_add(value));
            let accepted = "one whose totals are 63-bit integers";
            let sum = sum.ok_or_else(|| ParameterError::new("measurement", "hidden", accepted))?;
            totals[index] = sum;
            Ok(())
        };
        match self {
            Self::Bit(bit) => add(0, u128::from(*bit)),
            // No total has the largest index.
            Self::Integer(bucket) if is_histogram(query) => {
                add(usize::try_from(*bucket).unwrap_or(usize::MAX), 1)
            }
            Self::Integer(integer) => add(0, *integer),
            Self::Bits(bits) => {
                (0..).zip(bits).try_for_each(|(index, bit)| add(index, (*bit).into()))
            }
            Self::Integers(values) => {
                (0..).zip(values).try_for_each(|(index, value)| add(index, *value))
            }
        }
    }

    /// Two measurements whose difference is the worst-case difference of the query under
    /// replacement: of one client under the first input and under the second.
    ///
    /// ```
    /// use dp_audit::OwnedMeasurement;
    /// use dp_calibration::Query;
    ///
    /// let pair = OwnedMeasurement::farthest_pair(&Query::Histogram { length: 5 })?;
    /// assert_eq!(pair, [0, 4].map(OwnedMeasurement::Integer));
    /// # Ok::<(), dp_exact::ParameterError>(())
    /// ```
    ///
    /// # Errors
    /// If no measurement can be replaced by another: a histogram of one bucket.
    pub fn farthest_pair(query: &Query) -> Result<[Self; 2], ParameterError> {
        use OwnedMeasurement::{Bit, Bits, Integer, Integers};

        let (first, second) = match *query {
            Query::Count => (Bit(true), Bit(false)),
            Query::Sum { max_measurement } | Query::Average { max_measurement } => {
                (Integer(max_measurement), Integer(0))
            }
            Query::SumVec { length, max_measurement } => {
                (Integers(vec![max_measurement; length]), Integers(vec![0; length]))
            }
            Query::HistogramRanges { length, .. } => {
                StrategyMatrix::check_length(length)?;
                (Integer(0), Integer(farthest_bucket(query) as u128))
            }
            Query::Histogram { length } if length > 1 => (Integer(0), Integer(length as u128 - 1)),
            Query::Histogram { length } => {
                let accepted =
                    "at least 2 buckets: the measurement of a single one cannot be replaced";
                return Err(ParameterError::new("length", length, accepted));
            }
            Query::MultihotCountVec { length, max_weight } => {
                // Fewer bits than ones leave none for the second measurement.
                let last = max_weight.min(length.saturating_sub(max_weight));
                let first = (0..length).map(|index| index < max_weight);
                let second = (0..length).map(|index| index >= length - last);
                (Bits(first.collect()), Bits(second.collect()))
            }
            Query::L1BoundSum { length, max_measurement } => {
                let with_all_at = |chosen: usize| {
                    let entry = |index| if index == chosen { max_measurement } else { 0 };
                    Integers((0..length).map(entry).collect())
                };
                // With a single entry all of it is replaced by 0.
                let second = if length == 1 { 1 } else { length.saturating_sub(1) };
                (with_all_at(0), with_all_at(second))
            }
        };
        Ok([first, second])
    }
}

/// Whether measurements are buckets.
const fn is_histogram(query: &Query) -> bool {
    matches!(query, Query::Histogram { .. } | Query::HistogramRanges { .. })
}

/// Index, from 0, of the bucket whose column of the query's strategy matrix is farthest from the
/// first column, in L1 for a folded tree, which goes with Laplace noise, otherwise in L2; among
/// about 17 candidates.
fn farthest_bucket(query: &Query) -> usize {
    let matrix = query.strategy_matrix().expect("ranges of an accepted length");
    let last = matrix.length() - 1;
    let candidates = (1..last).step_by(last.div_ceil(16)).chain([last - 1, last]);
    let power = if matrix.family() == StrategyFamily::FoldedTree { 1 } else { 2 };
    let distance = |bucket: &usize| -> u64 {
        // The difference of the two columns: the matrix times the difference of two unit vectors.
        let mut difference = vec![0_i64; matrix.length()];
        difference[0] += 1;
        difference[*bucket] -= 1;
        let change = matrix.multiply(&difference).into_iter();
        change.map(|entry| entry.unsigned_abs().pow(power)).sum()
    };
    candidates.max_by_key(distance).expect("the last bucket is a candidate")
}

#[cfg(test)]
mod tests {
    use dp_task::{POLICIES, Task};

    use super::*;
    use crate::submissions::Submissions;

    #[test]
    fn submissions_to_every_policy_are_read_from_json_as_they_were() {
        for policy in POLICIES {
            let task = Task::new(policy.example()).expect("a task");
            let submissions = Submissions::of_task("a test", &task, None).expect("submissions");
            for number in 0..2 {
                let (request, _) = submissions.of_collection(number).expect("a request");
                let measurements = request.measurements;
                let text = serde_json::to_string(&measurements).expect("JSON");
                let read: Vec<OwnedMeasurement> =
                    serde_json::from_str(&text).expect("measurements");
                assert_eq!(read, measurements, "{}", policy.name);
            }
        }
    }

    #[test]
    fn a_measurement_in_json_is_of_one_kind() {
        let read = |text| serde_json::from_str::<OwnedMeasurement>(text);
        let largest = read("18446744073709551615").expect("an integer");
        assert_eq!(largest, OwnedMeasurement::Integer(u64::MAX.into()));
        assert_eq!(read("[0,7]").expect("integers"), OwnedMeasurement::Integers(vec![0, 7]));
        for text in ["-1", "1.5", "null", "\"1\"", "[true,1]", "[-1]", "1e30", "[[1]]"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
