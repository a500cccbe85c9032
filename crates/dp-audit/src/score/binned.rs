//! The log likelihood ratio of one coordinate, by classes of its values.

use super::ratio;
use crate::sample::Sample;

/// The most classes: so few that each ratio is known well, so many that a wide law is not coarse.
const CLASSES: usize = 48;

/// Ratios of consecutive classes of values.
#[derive(Clone, Debug)]
pub(crate) struct Binned {
    /// The least value of every class but the first.
    ends: Vec<i64>,
    /// One more.
    ratios: Vec<f64>,
}

impl Binned {
    /// Of this coordinate: classes of about equally many views of both inputs, each value in one of them.
    pub(crate) fn fitted(samples: &[Sample; 2], place: usize) -> Self {
        let mut values: Vec<i64> = samples
            .iter()
            .flat_map(|sample| sample.column(place))
            .collect();
        values.sort_unstable();
        let size = values.len().div_ceil(CLASSES).max(1);
        // Where a value begins is the only place where a class may.
        let mut ends: Vec<i64> = values.iter().skip(size).step_by(size).copied().collect();
        ends.extend(
            values
                .iter()
                .step_by(size)
                .filter_map(|value| value.checked_add(1)),
        );
        ends.sort_unstable();
        ends.dedup();
        let mut counts = vec![[0; 2]; ends.len() + 1];
        for (input, sample) in samples.iter().enumerate() {
            for value in sample.column(place) {
                counts[class(&ends, value)][input] += 1;
            }
        }
        let ratios = counts.into_iter().map(ratio).collect();
        Self { ends, ratios }
    }

    /// The ratio of a value's class.
    pub(crate) fn of(&self, value: i64) -> f64 {
        self.ratios[class(&self.ends, value)]
    }
}

fn class(ends: &[i64], value: i64) -> usize {
    ends.partition_point(|end| *end <= value)
}
