//! Statistics of estimates over trials. Each trial has its own, which are added up in order: they
//! do not depend on which process ran which trials.
//!
//! Trials are independent, but estimates of one trial need not be: K-norm noise scales all of them
//! by one draw. With x_t the mean over the coordinates of trial t, of errors or of their squares,
//! and x̄ the mean over T trials, the standard error of x̄ is √(Σ(x_t − x̄)² / (T·(T − 1))). The
//! root mean square √x̄ has this standard error divided by 2√x̄. Few squares of Laplace noise are
//! skewed: a low x̄ then comes with a low standard error. In 50 trials of a count with Laplace
//! noise of two aggregators, of a scale of several units, the true value is beyond 2 standard
//! errors in about 9 % of runs and beyond 3 in 3 %; with fewer trials there are no standard errors.

use dp_exact::{directed, elementary};
use serde::{Deserialize, Serialize};

use super::{Coordinate, CountSummary};

/// The fewest trials for which standard errors over all trials are stated.
pub const MIN_TRIALS: u64 = 50;

/// Means over some trials of the means over the coordinates of a trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(crate) struct Statistics {
    /// Of the squared standard errors that the collector states; of the errors (estimate minus
    /// truth) and their squares; of the errors after post-processing and their squares; of the
    /// absolute errors; of 1 for each 95 % interval that holds the truth, else 0.
    means: [Mean; 7],
    /// The largest absolute error.
    largest: f64,
}

impl Statistics {
    /// The means over the coordinates of one trial.
    pub(crate) fn of(coordinates: &[Coordinate]) -> Self {
        let mut largest = 0.0_f64;
        let mut of_coordinates = [Mean::default(); 7];
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
                Some(f64::from(u8::from(coordinate.is_covered()))),
            ];
            largest = largest.max(error.abs());
            for (mean, value) in of_coordinates.iter_mut().zip(values) {
                value.into_iter().for_each(|value| mean.push(value));
            }
        }
        // A trial counts once, however many coordinates it has.
        let means = of_coordinates.map(|coordinates| {
            let mut trials = Mean::default();
            if coordinates.count > 0 {
                trials.push(coordinates.mean());
            }
            trials
        });
        Self { means, largest }
    }

    /// Adds the coordinates of other trials.
    pub(super) fn add(&mut self, other: &Self) {
        self.means.iter_mut().zip(&other.means).for_each(|(mean, more)| mean.add(more));
        self.largest = self.largest.max(other.largest);
    }

    /// Root mean squares, means and fractions; errors after post-processing only if there are any.
    pub(super) fn summary(&self) -> CountSummary {
        let [variances, errors, squares, processed, processed_squares, absolute, covered] =
            &self.means;
        let is_processed = processed.count > 0;
        CountSummary {
            predicted_std: variances.mean().sqrt(),
            errors: ErrorStatistics::of(errors, squares),
            mean_absolute_error: absolute.mean(),
            largest_error: self.largest,
            coverage_95: covered.mean(),
            consistent: is_processed.then(|| ErrorStatistics::of(processed, processed_squares)),
        }
    }
}

/// The errors of estimates, over all coordinates of all trials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ErrorStatistics {
    /// The root mean square of the errors.
    pub observed_std: f64,
    /// The standard error of `observed_std` itself; `None` for fewer than 50 trials.
    pub observed_std_error: Option<f64>,
    /// The mean error.
    pub bias: f64,
    /// The standard error of `bias`; `None` for fewer than 50 trials.
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

    /// The standard error of the mean of independent values; `None` for fewer than [`MIN_TRIALS`].
    fn error(&self) -> Option<f64> {
        let [count, degrees] = [self.count, self.count.saturating_sub(1)].map(directed::count);
        let variance = self.squared_deviations / degrees / count;
        (self.count >= MIN_TRIALS).then(|| variance.sqrt())
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

    fn error_of_one(error: f64) -> Coordinate {
        let (truth, standard_error, margin_95) = (0.0, 1.0, 2.0);
        Coordinate { truth, estimate: error, standard_error, margin_95, consistent: None }
    }

    /// The errors of a trial are equal, as if one draw of Laplace noise scaled them: its square is
    /// 2 on average. A run is beyond 2.5 standard errors with a probability below 0.08 (0.062
    /// measured over 4 000 runs), and P(Bin(300, 0.08) > 60) < 1e-9. Standard errors of independent
    /// coordinates are too small in most runs.
    #[test]
    fn estimates_of_one_trial_that_depend_on_each_other_count_once() {
        let mut state = 1_u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (f64::from(u32::try_from(state >> 33).expect("31 bits")) + 0.5) / f64::from(1_u32 << 31)
        };
        let (mut off, mut off_if_independent) = (0, 0);
        for _ in 0..300 {
            let (mut trials, mut independent) = (Statistics::default(), Mean::default());
            for trial in 0..MIN_TRIALS {
                assert_eq!(trials.summary().errors.bias_error, None, "{trial} trials");
                let error = -uniform().ln();
                trials.add(&Statistics::of(&[error_of_one(error); 12]));
                (0..12).for_each(|_| independent.push(error * error));
            }
            let found = trials.summary().errors;
            let away = |error: f64| (found.observed_std - 2_f64.sqrt()).abs() > 2.5 * error;
            off += u32::from(away(found.observed_std_error.expect("enough trials")));
            let error = independent.error().expect("many") / (2.0 * found.observed_std);
            off_if_independent += u32::from(away(error));
        }
        assert!(off <= 60 && off_if_independent > 120, "{off} and {off_if_independent} of 300");
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
