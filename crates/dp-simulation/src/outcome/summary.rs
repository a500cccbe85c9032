//! The statistics over all coordinates of all trials, as running sums: none of them is kept.

use std::time::Duration;

use serde::Serialize;

use super::{Stages, Trial};

/// Predicted beside observed, over all coordinates of all trials.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Clients in each trial.
    pub clients: u64,
    /// Reports that are missing from the aggregates, over all trials: those that clients did not
    /// send and those that aggregators rejected.
    pub rejected: u64,
    /// Of these, the reports that clients did not send.
    pub dropped: u64,
    /// Trials.
    pub trials: u64,
    /// The standard deviation of an estimate that the policy predicts (root mean square).
    pub predicted_std: f64,
    /// The root mean square of the errors.
    pub observed_std: f64,
    /// The standard error of `observed_std` itself; `None` for a single error.
    pub observed_std_error: Option<f64>,
    /// The mean error.
    pub bias: f64,
    /// The standard error of `bias`; `None` for a single error.
    pub bias_error: Option<f64>,
    /// The fraction of 95 % intervals that contain the truth.
    pub coverage_95: f64,
    /// The errors of the estimates after post-processing, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consistent: Option<Processed>,
    /// Wall time of all trials, in seconds.
    pub seconds: f64,
    /// Time by stage over all trials, summed over threads, in seconds, of the stages that ran.
    pub stage_seconds: Vec<(&'static str, f64)>,
}

/// The errors of estimates after post-processing, over all coordinates of all trials.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Processed {
    /// The root mean square of the errors.
    pub observed_std: f64,
    /// The standard error of `observed_std` itself; `None` for a single error.
    pub observed_std_error: Option<f64>,
    /// The mean error.
    pub bias: f64,
    /// The standard error of `bias`; `None` for a single error.
    pub bias_error: Option<f64>,
}

/// What the trials so far add up to.
#[derive(Debug, Default)]
pub(crate) struct Running {
    trials: u64,
    rejected: u64,
    dropped: u64,
    stages: Stages,
    variances: Mean,
    errors: Errors,
    of_consistent: Errors,
    covered: u64,
}

impl Running {
    pub(crate) fn add(&mut self, trial: &Trial) {
        self.trials += 1;
        self.rejected += trial.rejected;
        self.dropped += trial.dropped;
        self.stages.add(&trial.stages);
        for coordinate in &trial.coordinates {
            self.variances.add(coordinate.standard_error.powi(2));
            self.errors.add(coordinate.error());
            if let Some(consistent) = coordinate.consistent {
                self.of_consistent.add(consistent - coordinate.truth);
            }
            self.covered += u64::from(coordinate.is_covered());
        }
    }

    pub(crate) fn summary(&self, clients: u64, elapsed: Duration) -> Summary {
        let Processed {
            observed_std,
            observed_std_error,
            bias,
            bias_error,
        } = self.errors.summary();
        let is_processed = self.of_consistent.errors.count > 0;
        Summary {
            clients,
            rejected: self.rejected + self.dropped,
            dropped: self.dropped,
            trials: self.trials,
            predicted_std: self.variances.mean().sqrt(),
            observed_std,
            observed_std_error,
            bias,
            bias_error,
            coverage_95: float(self.covered) / float(self.errors.errors.count),
            consistent: is_processed.then(|| self.of_consistent.summary()),
            seconds: elapsed.as_secs_f64(),
            stage_seconds: self
                .stages
                .named()
                .into_iter()
                .filter(|(_, time)| !time.is_zero())
                .map(|(name, time)| (name, time.as_secs_f64()))
                .collect(),
        }
    }
}

/// Errors of estimates.
#[derive(Debug, Default)]
struct Errors {
    errors: Mean,
    squares: Mean,
}

impl Errors {
    fn add(&mut self, error: f64) {
        self.errors.add(error);
        self.squares.add(error * error);
    }

    fn summary(&self) -> Processed {
        let observed_std = self.squares.mean().sqrt();
        // The square root halves a relative error.
        let of_root = |error: f64| error / (2.0 * observed_std);
        let of_squares = self.squares.error().filter(|_| observed_std > 0.0);
        Processed {
            observed_std,
            observed_std_error: of_squares.map(of_root),
            bias: self.errors.mean(),
            bias_error: self.errors.error(),
        }
    }
}

/// The mean of values and its standard error. The sum of the squared deviations is updated as each
/// value comes, without cancellation (Welford 1962, "Note on a method for calculating corrected sums
/// of squares and products").
#[derive(Debug, Default)]
struct Mean {
    count: u64,
    sum: f64,
    mean: f64,
    squared_deviations: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        let before = value - self.mean;
        self.mean += before / float(self.count);
        self.squared_deviations += before * (value - self.mean);
    }

    fn mean(&self) -> f64 {
        self.sum / float(self.count)
    }

    /// The standard error of the mean of independent values.
    fn error(&self) -> Option<f64> {
        let degrees = self.count.checked_sub(1).filter(|degrees| *degrees > 0)?;
        Some((self.squared_deviations / float(degrees) / float(self.count)).sqrt())
    }
}

#[expect(clippy::cast_precision_loss, reason = "statistics of a simulation")]
fn float(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_of(values: &[f64]) -> Mean {
        let mut mean = Mean::default();
        values.iter().for_each(|value| mean.add(*value));
        mean
    }

    /// Both passes over the values, as the textbook has it.
    fn error_by_two_passes(values: &[f64]) -> f64 {
        let count = float(u64::try_from(values.len()).expect("few"));
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (squares / (count - 1.0) / count).sqrt()
    }

    #[test]
    fn one_pass_gives_what_two_passes_give() {
        let wild = |place: u32| f64::from(place.wrapping_mul(2_654_435_761) >> 7);
        for offset in [0.0, 1e9] {
            let values: Vec<f64> = (0..1000).map(|place| wild(place) + offset).collect();
            let mean = mean_of(&values);
            assert_eq!(
                mean.mean().to_bits(),
                (values.iter().sum::<f64>() / 1000.0).to_bits()
            );
            let (one, two) = (mean.error().expect("many"), error_by_two_passes(&values));
            assert!((one / two - 1.0).abs() < 1e-12, "{one} {two}");
        }
    }

    #[test]
    fn the_error_of_a_mean_survives_an_offset_that_squares_would_not() {
        // The sum of squares minus the square of the sum would be a multiple of 2^67.
        let mean = mean_of(&[1e18, 1e18 + 256.0]);
        assert_eq!(mean.error(), Some(128.0));
        assert_eq!(mean_of(&[1.0]).error(), None);
    }
}
