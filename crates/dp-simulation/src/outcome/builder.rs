//! The outcome of a run, put together from its trials.

use std::collections::BTreeMap;
use std::time::Duration;

use dp_exact::{ParameterError, hexadecimal};
use dp_prio3::{Collector, Policy};
use num_traits::ToPrimitive as _;
use sha2::{Digest as _, Sha256};

use super::distribution::DistributionSums;
use super::statistics::Statistics;
use super::{Coordinate, Outcome, Summary, Trial, TrialRecords, as_f64};
use crate::Error;
use crate::parties::CONTEXT;

/// The most different truths for which the coverage of intervals is computed.
const MAX_TRUTHS: usize = 512;

/// Puts the outcome of a run together from its trials, added in order. It keeps the first trials,
/// and sums over all.
#[derive(Clone, Debug)]
pub struct OutcomeBuilder {
    pub(crate) collector: Collector,
    /// Number of clients of each trial.
    pub(crate) clients: u64,
    /// Number of trials of the run.
    pub(crate) trials: u64,
    /// The number of the trial that is added next, from 0.
    next: u64,
    elapsed: Duration,
    kept: Vec<Trial>,
    rejected: u64,
    dropped: u64,
    statistics: Statistics,
    distribution: Option<DistributionSums>,
    /// SHA-256 over the digests of all trials so far, in order.
    digests: Sha256,
}

impl OutcomeBuilder {
    /// The outcome of `trials` trials of a policy, each of `clients` clients.
    ///
    /// # Errors
    /// If there are no trials or no clients, or more clients than the policy allows reports in a
    /// batch.
    pub fn new(policy: Policy, clients: u64, trials: u64) -> Result<Self, Error> {
        for (name, value) in [("trials", trials), ("clients", clients)] {
            if value == 0 {
                return Err(ParameterError::new(name, value, "at least 1").into());
            }
        }
        let most = policy.max_reports();
        if clients > most {
            let accepted = format!("at most {most}, the reports that the policy allows in a batch");
            return Err(ParameterError::new("clients", clients, accepted).into());
        }
        Ok(Self {
            collector: Collector::new(policy, CONTEXT)?,
            clients,
            trials,
            next: 0,
            elapsed: Duration::ZERO,
            kept: Vec::new(),
            rejected: 0,
            dropped: 0,
            statistics: Statistics::default(),
            distribution: None,
            digests: Sha256::new(),
        })
    }

    pub(crate) const fn policy(&self) -> &Policy {
        self.collector.policy()
    }

    /// Adds the next trials.
    ///
    /// # Errors
    /// [`Error::Parameter`] if they are not the next trials of the run, or not of its clients.
    pub fn add(&mut self, trials: TrialRecords) -> Result<(), Error> {
        let range = trials.trials();
        if range.start != self.next || range.end > self.trials {
            let accepted = format!("the next ones of {}..{}", self.next, self.trials);
            return Err(ParameterError::new("trials", format!("{range:?}"), accepted).into());
        }
        self.next = range.end;
        self.elapsed = self.elapsed.saturating_add(trials.elapsed);
        for record in trials.records {
            let trial = record.trial;
            let Trial { reports, dropped, rejected, .. } = trial;
            let counted = reports.saturating_add(dropped).saturating_add(rejected);
            if counted != self.clients {
                let accepted = format!("{}, the clients of each trial", self.clients);
                let name = "reports sent, dropped and rejected";
                return Err(ParameterError::new(name, counted, accepted).into());
            }
            self.rejected = self.rejected.saturating_add(rejected);
            self.dropped = self.dropped.saturating_add(dropped);
            self.statistics.add(&record.statistics);
            match (&mut self.distribution, record.distribution) {
                (Some(sums), Some(more)) => sums.add(&more),
                (sums, more) => *sums = more,
            }
            self.digests.update(record.digest);
            if !trial.coordinates.is_empty() {
                self.kept.push(trial);
            }
        }
        Ok(())
    }

    /// The outcome of all trials.
    ///
    /// # Errors
    /// [`Error::Parameter`] if some are missing.
    pub fn outcome(self) -> Result<Outcome, Error> {
        let Self { clients, trials, dropped, .. } = self;
        if self.next != trials {
            let accepted = format!("all {trials}");
            return Err(ParameterError::new("trials", self.next, accepted).into());
        }
        let rejected = self.rejected.saturating_add(dropped);
        let first = self.kept.first().filter(|_| rejected == 0);
        let probability_95 = first.and_then(|first| self.coverage(&first.coordinates));
        let mut results = Sha256::new_with_prefix(b"dp-simulation results 1");
        results.update(clients.to_le_bytes());
        results.update(trials.to_le_bytes());
        results.update(self.digests.finalize());
        let summary = Summary {
            clients,
            rejected,
            dropped,
            trials,
            estimates: self.statistics.summary(),
            probability_95,
            distribution: self.distribution.as_ref().map(DistributionSums::summary),
            results_digest: hexadecimal(&results.finalize()),
            seconds: self.elapsed.as_secs_f64(),
        };
        Ok(Outcome { summary, trials: self.kept })
    }

    /// The probability that a 95 % interval holds its truth if every report arrives: the mean over
    /// the coordinates. `None` if the distribution of the noise is unknown, or more than
    /// [`MAX_TRUTHS`] truths differ.
    fn coverage(&self, coordinates: &[Coordinate]) -> Option<f64> {
        let intervals = self.collector.intervals(self.clients)?;
        if let Some(coverage) = intervals.coverage_of_all() {
            return Some(coverage);
        }
        // If coverage depends on the truth, the truth is a count of clients.
        let mut truths: BTreeMap<u64, u64> = BTreeMap::new();
        for coordinate in coordinates {
            *truths.entry(coordinate.truth.to_u64()?).or_default() += 1;
        }
        let coverage =
            |(truth, times): (&u64, &u64)| intervals.coverage(*truth) * as_f64((*times).into());
        let count = as_f64(i128::try_from(coordinates.len()).ok()?);
        (truths.len() <= MAX_TRUTHS).then(|| truths.iter().map(coverage).sum::<f64>() / count)
    }
}
