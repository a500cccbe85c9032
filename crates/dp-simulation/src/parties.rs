//! The parties of one trial, and the contributions of some of its clients.

use dp_prio3::message::Report;
use dp_prio3::verification::verify;
use dp_prio3::{Aggregator, Batch, BatchName, Client, Policy, Stores, VerifyKey};

use crate::Error;
use crate::streams::{Purpose, stream};

/// The application context that binds simulated reports to simulations.
pub(crate) const CONTEXT: &[u8] = b"dp-simulation";

/// The client and the aggregators of one trial. One client makes the reports of all.
pub(crate) struct Parties {
    pub(crate) client: Client,
    aggregators: Vec<Aggregator>,
    /// The trial's batch, the same at all aggregators.
    batch: BatchName,
}

impl Parties {
    /// Parties of trial `trial`, from 0; `seed` determines their verification key.
    pub(crate) fn new(policy: &Policy, seed: u64, trial: u64) -> Result<Self, Error> {
        let verify_key = VerifyKey::seeded(&mut stream(seed, Purpose::VerifyKey, trial, 0));
        let aggregator = |id| {
            // No report is made twice. Releases are remembered for this trial alone: other runs may
            // release batches of the task again.
            let stores = Stores::forgotten_at_restart().without_replay_defence();
            Aggregator::new(policy.clone(), id, verify_key.clone(), CONTEXT, stores)
        };
        Ok(Self {
            client: Client::new(policy.clone(), CONTEXT)?,
            aggregators: (0..policy.aggregators()).map(aggregator).collect::<Result<_, _>>()?,
            batch: format!("trial {trial}").parse()?,
        })
    }

    /// An empty batch for each aggregator, leader first.
    pub(crate) fn batches(&self) -> impl Iterator<Item = Batch> {
        self.aggregators.iter().map(|aggregator| aggregator.new_batch(&self.batch))
    }

    /// A batch for each aggregator over `reports` reports that have `totals` without noise. The
    /// leader's share is the totals, all other shares are 0.
    pub(crate) fn batches_of(&self, totals: &[i128], reports: u64) -> Result<Vec<Batch>, Error> {
        let nothing = vec![0; totals.len()];
        let shares = std::iter::once(totals).chain(std::iter::repeat(nothing.as_slice()));
        self.batches()
            .zip(shares)
            .map(|(batch, share)| Ok(batch.holding(share, reports)?))
            .collect()
    }
}

/// Contributions of some clients of a trial: a batch for each aggregator, without noise.
#[derive(Debug)]
pub(crate) struct PartialTrial {
    /// In the order of aggregators, leader first.
    pub(crate) batches: Vec<Batch>,
    /// The totals over the clients that sent a report, without randomization and noise.
    pub(crate) truth: Vec<i128>,
    pub(crate) dropped: u64,
    pub(crate) rejected: u64,
}

impl PartialTrial {
    /// Empty batches of `totals` totals, and no client that was counted.
    pub(crate) fn new(parties: &Parties, totals: usize) -> Self {
        let (batches, truth) = (parties.batches().collect(), vec![0; totals]);
        Self { batches, truth, dropped: 0, rejected: 0 }
    }

    /// Verifies a report at all aggregators, and adds it to their batches or counts its rejection.
    pub(crate) fn take(&mut self, parties: &Parties, report: Report) {
        let outputs = verify(&parties.aggregators, &report.into_shares());
        let is_taken = outputs.is_ok_and(|outputs| {
            // All batches hold the same number of reports: each takes the report, or none.
            let mut batches = self.batches.iter_mut().zip(outputs);
            batches.all(|(batch, output)| batch.accumulate(output).is_ok())
        });
        self.rejected += u64::from(!is_taken);
    }

    /// Adds the contributions of other clients of the same trial.
    pub(crate) fn add(&mut self, other: Self) -> Result<(), Error> {
        for (batch, more) in self.batches.iter_mut().zip(other.batches) {
            batch.merge(more)?;
        }
        let truth = self.truth.iter_mut().zip(other.truth);
        truth.for_each(|(total, more)| *total = total.saturating_add(more));
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.rejected = self.rejected.saturating_add(other.rejected);
        Ok(())
    }
}
