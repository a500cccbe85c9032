//! Statistics of estimates over trials. Each trial has its own, which are added up in order: they
//! do not depend on which process ran which trials.

use dp_exact::{directed, elementary};
use serde::{Deserialize, Serialize};

use super::{Coordinate, CountSummary};

/// Means over the coordinates of some trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(crate) struct Statistics {
    /// Of the squared standard errors that the collector states; of the errors (estimate minus
    /// truth) and their squares; of the errors after post-processing and their squares; of the
    /// absolute errors.
    means: [Mean; 6],
    /// The largest absolute error.
    largest: f64,
    /// The number of 95 % intervals that hold the truth.
    covered: u64,
}

impl Statistics {
    /// The means over the coordinates of one trial.
    pub(crate) fn of(coordinates: &[Coordinate]) -> Self {
        let mut all = Self::default();
        for coordinate in coordinates {
            let error = coordinate.error();
            let processed = coordinate.consistent.map(|consistent| consistent - coordinate.truth);
            let values = [
                Some(elementary::powi(coordinate.standard_error, 2)),
                Some(error),
                Some(error * error),
                processed,
                processed.map(|error| error * error),
                Some(error.abs()),
            ];
            all.largest = all.largest.max(error.abs());
            for (mean, value) in all.means.iter_mut().zip(values) {
                value.into_iter().for_each(|value| mean.push(value));
            }
            all.covered += u64::from(coordinate.is_covered());
        }
        all
    }

    /// Adds the coordinates of other trials.
    pub(super) fn add(&mut self, other: &Self) {
        self.means.iter_mut().zip(&other.means).for_each(|(mean, more)| mean.add(more));
        self.largest = self.largest.max(other.largest);
        self.covered = self.covered.saturating_add(other.covered);
    }

    /// The number of errors, at most one for each coordinate.
    pub(super) const fn count(&self) -> u64 {
        self.means[1].count
    }

    /// Root mean squares, means and fractions; errors after post-processing only if there are any.
    pub(super) fn summary(&self) -> CountSummary {
        let [variances, errors, squares, processed, processed_squares, absolute] = &self.means;
        let is_processed = processed.count > 0;
        CountSummary {
            predicted_std: variances.mean().sqrt(),
            errors: ErrorStatistics::of(errors, squares),
            mean_absolute_error: absolute.mean(),
            largest_error: self.largest,
            coverage_95: directed::count(self.covered) / directed::count(self.count()),
            consistent: is_processed.then(|| ErrorStatistics::of(processed, processed_squares)),
        }
    }
}

/// The errors of estimates, over all coordinates of all trials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ErrorStatistics {
    /// The root mean square of the errors.
    pub observed_std: f64,
    /// The standard error of `observed_std` itself; `None` for a single error.
    pub observed_std_error: Option<f64>,
    /// The mean error.
    pub bias: f64,
    /// The standard error of `bias`; `None` for a single error.
    pub bias_error: Option<f64>,
}

impl ErrorStatistics {
    /// Bias, root mean square and their standard errors, in the unit of the estimates.
    fn of(errors: &Mean, squares: &Mean) -> Self {
        let observed_std = squares.mean().sqrt();
        let of_squares = squares.error().filter(|_| observed_std > 0.0);
        Self {
            observed_std,
            // The square root halves a relative error.
            observed_std_error: of_squares.map(|error| error / (2.0 * observed_std)),
            bias: errors.mean(),
            bias_error: errors.error(),
        }
    }
}

/// The mean of values and its standard error. Each value updates the sum of squared deviations,
/// without cancellation (Welford 1962, "Note on a method for calculating corrected sums of squares
/// and products").
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
struct Mean {
    count: u64,
    sum: f64,
    /// Running mean, from which deviations are taken. [`Self::mean`] is `sum` by `count`.
    mean: f64,
    /// Sum over all values of the squared deviation from their mean.
    squared_deviations: f64,
}

impl Mean {
    /// Adds one value.
    fn push(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        let before = value - self.mean;
        self.mean += before / directed::count(self.count);
        self.squared_deviations += before * (value - self.mean);
    }

    /// Adds the values of another mean (Chan, Golub and LeVeque 1982, "Updating formulae and a
    /// pairwise algorithm for computing sample variances").
    fn add(&mut self, other: &Self) {
        if self.count == 0 {
            *self = *other;
            return;
        }
        let count = self.count.saturating_add(other.count);
        let between = other.mean - self.mean;
        let share = directed::count(other.count) / directed::count(count);
        self.squared_deviations +=
            other.squared_deviations + between * between * directed::count(self.count) * share;
        self.mean += between * share;
        self.sum += other.sum;
        self.count = count;
    }

    /// The mean; NaN without values.
    fn mean(&self) -> f64 {
        self.sum / directed::count(self.count)
    }

    /// The standard error of the mean if the values are independent; `None` for fewer than two.
    fn error(&self) -> Option<f64> {
        let degrees = self.count.checked_sub(1).filter(|degrees| *degrees > 0)?;
        Some(
            (self.squared_deviations / directed::count(degrees) / directed::count(self.count))
                .sqrt(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_of(values: &[f64]) -> Mean {
        let mut mean = Mean::default();
        values.iter().for_each(|value| mean.push(*value));
        mean
    }

    /// The standard error by the textbook's two passes over the values.
    fn error_by_two_passes(values: &[f64]) -> f64 {
        let count = directed::count(u64::try_from(values.len()).expect("few"));
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (squares / (count - 1.0) / count).sqrt()
    }

    #[test]
    fn one_pass_gives_what_two_passes_give() {
        let wild = |place: u32| f64::from(place.wrapping_mul(2_654_435_761) >> 7);
        for offset in [0.0, 1e9] {
            let values: Vec<f64> = (0..1000).map(|place| wild(place) + offset).collect();
            let two = error_by_two_passes(&values);
            // In parts of different sizes; the first is empty.
            let mut parts = Mean::default();
            for part in [&values[..0], &values[..7], &values[7..600], &values[600..]] {
                parts.add(&mean_of(part));
            }
            assert_eq!(parts.count, 1000);
            for mean in [parts, mean_of(&values)] {
                assert!((mean.mean() / (values.iter().sum::<f64>() / 1000.0) - 1.0).abs() < 1e-12);
                assert!((mean.error().expect("many") / two - 1.0).abs() < 1e-12);
            }
        }
    }
}
