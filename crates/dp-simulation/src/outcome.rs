//! What a simulation observed: every estimate beside its truth, and what follows over all trials.

use std::time::Duration;

use serde::Serialize;

/// One total of one trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinate {
    /// The total over all clients, or their mean where that is estimated, without any noise.
    pub truth: f64,
    /// The collector's estimate.
    pub estimate: f64,
    /// The standard error that the collector states.
    pub standard_error: f64,
    /// Half the width of the 95 % interval that the collector states.
    pub margin_95: f64,
}

impl Coordinate {
    /// How far the estimate is from the truth.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.estimate - self.truth
    }

    fn is_covered(&self) -> bool {
        self.error().abs() <= self.margin_95
    }
}

/// Where the time of a trial went, summed over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// Clients randomize, shard and encode.
    pub clients: Duration,
    /// Aggregators decode, verify, exchange.
    pub verification: Duration,
    /// Aggregators add up verified shares.
    pub accumulation: Duration,
    /// Aggregators draw and add their noise, and encode.
    pub noise: Duration,
    /// The collector decodes, adds up, estimates.
    pub collection: Duration,
}

impl Stages {
    /// The stages by name, in the order in which a measurement travels.
    #[must_use]
    pub fn named(&self) -> [(&'static str, Duration); 5] {
        [
            ("clients", self.clients),
            ("verification", self.verification),
            ("accumulation", self.accumulation),
            ("noise", self.noise),
            ("collection", self.collection),
        ]
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.clients += other.clients;
        self.verification += other.verification;
        self.accumulation += other.accumulation;
        self.noise += other.noise;
        self.collection += other.collection;
    }
}

/// One run of all clients through the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Every total.
    pub coordinates: Vec<Coordinate>,
    /// Reports in the aggregate.
    pub reports: u64,
    /// Reports that clients did not send, because their randomized measurement was not valid.
    pub dropped: u64,
    /// Reports that the aggregators rejected.
    pub rejected: u64,
    /// Where the time went.
    pub stages: Stages,
}

/// All trials, and what they say together.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The trials, in order.
    pub trials: Vec<Trial>,
    /// The observed figures beside the predicted ones.
    pub summary: Summary,
}

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
    /// Wall time of all trials, in seconds.
    pub seconds: f64,
    /// Time by stage over all trials, summed over threads, in seconds.
    pub stage_seconds: Vec<(&'static str, f64)>,
}

impl Outcome {
    pub(crate) fn new(clients: u64, trials: Vec<Trial>, elapsed: Duration) -> Self {
        let coordinates = || trials.iter().flat_map(|trial| &trial.coordinates);
        let errors: Vec<f64> = coordinates().map(Coordinate::error).collect();
        let squares: Vec<f64> = errors.iter().map(|error| error * error).collect();
        let variances: Vec<f64> = coordinates()
            .map(|coordinate| coordinate.standard_error.powi(2))
            .collect();
        let covered = coordinates().filter(|coordinate| coordinate.is_covered());

        let mut stages = Stages::default();
        for trial in &trials {
            stages.add(&trial.stages);
        }
        let observed_std = mean(&squares).sqrt();
        let dropped = trials.iter().map(|trial| trial.dropped).sum();
        let rejected: u64 = trials.iter().map(|trial| trial.rejected).sum();
        let summary = Summary {
            clients,
            rejected: rejected + dropped,
            dropped,
            trials: u64::try_from(trials.len()).unwrap_or(u64::MAX),
            predicted_std: mean(&variances).sqrt(),
            observed_std,
            // The square root halves a relative error.
            observed_std_error: error_of_mean(&squares)
                .filter(|_| observed_std > 0.0)
                .map(|error| error / (2.0 * observed_std)),
            bias: mean(&errors),
            bias_error: error_of_mean(&errors),
            coverage_95: count(covered.count()) / count(errors.len()),
            seconds: elapsed.as_secs_f64(),
            stage_seconds: stages
                .named()
                .map(|(name, time)| (name, time.as_secs_f64()))
                .to_vec(),
        };
        Self { trials, summary }
    }
}

impl Outcome {
    /// The same for numbers that were measured on a grid: an integer y stood for
    /// `low` + `granularity`·y. A total of n reports is then n·`low` + `granularity`·total; where
    /// the estimates are means (`are_means`), `low` is added once.
    ///
    /// The truth is that of the values on the grid.
    #[must_use]
    pub fn in_units(mut self, low: f64, granularity: f64, are_means: bool) -> Self {
        let clients = self.summary.clients;
        let offset = |reports: u64| {
            let times = if are_means { 1 } else { reports };
            low * as_f64(times.into())
        };
        for trial in &mut self.trials {
            for coordinate in &mut trial.coordinates {
                coordinate.truth = coordinate.truth.mul_add(granularity, offset(clients));
                coordinate.estimate = coordinate
                    .estimate
                    .mul_add(granularity, offset(trial.reports));
                coordinate.standard_error *= granularity;
                coordinate.margin_95 *= granularity;
            }
        }
        let elapsed = Duration::try_from_secs_f64(self.summary.seconds).unwrap_or_default();
        Self::new(clients, self.trials, elapsed)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values.len())
}

/// The standard error of the mean of independent values.
fn error_of_mean(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let degrees = values.len().checked_sub(1).filter(|&degrees| degrees > 0)?;
    Some((squares / count(degrees) / count(values.len())).sqrt())
}

#[expect(clippy::cast_precision_loss, reason = "statistics of a simulation")]
fn count(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "the nearest float is meant")]
pub(crate) fn as_f64(integer: i128) -> f64 {
    integer as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome() -> Outcome {
        let coordinate = Coordinate {
            truth: 30.0,
            estimate: 34.0,
            standard_error: 2.0,
            margin_95: 4.5,
        };
        let trial = Trial {
            coordinates: vec![coordinate],
            reports: 4,
            dropped: 0,
            rejected: 0,
            stages: Stages::default(),
        };
        Outcome::new(4, vec![trial], Duration::from_secs(1))
    }

    #[test]
    fn a_total_has_the_low_end_once_for_each_report_and_a_mean_once() {
        for (are_means, truth, estimate) in [(false, 175.0, 177.0), (true, 55.0, 57.0)] {
            let scaled = outcome().in_units(40.0, 0.5, are_means);
            let row = scaled.trials[0].coordinates[0];
            assert_eq!((row.truth, row.estimate), (truth, estimate));
            assert_eq!((row.standard_error, row.margin_95), (1.0, 2.25));
            assert_eq!(scaled.summary.predicted_std, 1.0);
            assert_eq!(scaled.summary.bias, 2.0);
            assert_eq!(scaled.summary.coverage_95, 1.0);
            assert_eq!(scaled.summary.seconds, 1.0);
        }
    }
}
