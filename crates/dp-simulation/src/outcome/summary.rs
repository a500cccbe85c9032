//! The statistics over all coordinates of all trials, as running sums: none of them is kept.

use std::time::Duration;

use dp_exact::hexadecimal;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::statistics::{ErrorStatistics, Statistics, float};
use super::{Record, StageTimes};

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
    /// The probability that a 95 % interval contains its truth, by the exact law of the noise: the mean over the
    /// coordinates. `None` where reports are missing, the law is not known, or more than 512 truths differ.
    pub probability_95: Option<f64>,
    /// The errors of the estimates after post-processing, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consistent: Option<ErrorStatistics>,
    /// SHA-256 over the estimates and the counts of reports of all trials in order, in hexadecimal digits: it is the same
    /// for the same seed, whatever the number of threads, processes and restarts.
    pub results_digest: String,
    /// Wall time of all trials, in seconds; of a run in several processes, that of all of them together.
    pub seconds: f64,
    /// Time by stage over all trials, summed over threads, in seconds, of the stages that ran.
    pub stage_seconds: Vec<(&'static str, f64)>,
}

/// What the trials so far add up to.
#[derive(Debug, Default)]
pub(crate) struct Running {
    trials: u64,
    rejected: u64,
    dropped: u64,
    stages: StageTimes,
    statistics: Statistics,
    digests: Sha256,
}

impl Running {
    /// Adds the next trial.
    pub(crate) fn add(&mut self, record: &Record) {
        let trial = &record.trial;
        self.trials += 1;
        self.rejected = self.rejected.saturating_add(trial.rejected);
        self.dropped = self.dropped.saturating_add(trial.dropped);
        self.stages.add(&trial.stages);
        self.statistics.add(&record.statistics);
        self.digests.update(record.digest);
    }

    pub(crate) fn summary(self, clients: u64, elapsed: Duration) -> Summary {
        let ErrorStatistics { observed_std, observed_std_error, bias, bias_error } =
            self.statistics.errors.summary();
        Summary {
            clients,
            rejected: self.rejected.saturating_add(self.dropped),
            dropped: self.dropped,
            trials: self.trials,
            predicted_std: self.statistics.variances.mean().sqrt(),
            observed_std,
            observed_std_error,
            bias,
            bias_error,
            coverage_95: float(self.statistics.covered) / float(self.statistics.count()),
            probability_95: None,
            consistent: self.statistics.processed(),
            results_digest: results_digest(clients, self.trials, self.digests),
            seconds: elapsed.as_secs_f64(),
            stage_seconds: self
                .stages
                .named()
                .filter(|(_, time)| !time.is_zero())
                .map(|(name, time)| (name, time.as_secs_f64()))
                .collect(),
        }
    }
}

/// SHA-256 over the numbers of clients and trials and the digest over those of the trials, in hexadecimal digits.
fn results_digest(clients: u64, trials: u64, digests: Sha256) -> String {
    let mut hash = Sha256::new();
    hash.update(b"dp-simulation results 1");
    hash.update(clients.to_le_bytes());
    hash.update(trials.to_le_bytes());
    hash.update(digests.finalize());
    hexadecimal(&hash.finalize())
}
