//! Everybody who takes part in one trial, and what they have added up so far.

use std::sync::Arc;
use std::time::Instant;

use dp_prio3::message::Report;
use dp_prio3::releases::MemoryReleases;
use dp_prio3::simulation::{Seeded, verify_key};
use dp_prio3::verification::verify;
use dp_prio3::{Aggregator, Batch, BatchName, Client, Collector, DpPolicy, Rejection};

use crate::Error;
use crate::measurements::Scratch;
use crate::outcome::Stages;
use crate::streams::{Purpose, stream};

/// Binds simulated reports to this purpose.
const CONTEXT: &[u8] = b"dp-simulation";

/// Everybody who takes part in one trial.
pub(super) struct Parties<P> {
    pub(super) client: Client<P>,
    aggregators: Vec<Aggregator<P>>,
    pub(super) collector: Collector<P>,
    batch: BatchName,
}

impl<P: DpPolicy> Parties<P> {
    pub(super) fn new(policy: &Arc<P>, seed: u64, trial: u64) -> Result<Self, Error> {
        let verify_key = verify_key(&mut stream(seed, Purpose::VerifyKey, trial, 0));
        // Every report is made here: there are no replays to remember. What is released is
        // remembered for this run alone: others of the same task may run beside it.
        let aggregator = |id| {
            let aggregator = Aggregator::new(Arc::clone(policy), id, verify_key.clone(), CONTEXT)?;
            let aggregator = aggregator.without_replay_defence();
            let releases = Arc::new(MemoryReleases::default());
            Ok::<_, Error>(aggregator.with_releases(releases))
        };
        Ok(Self {
            client: Client::new(Arc::clone(policy), CONTEXT)?,
            aggregators: (0..policy.aggregators())
                .map(aggregator)
                .collect::<Result<_, _>>()?,
            collector: Collector::new(Arc::clone(policy), CONTEXT)?,
            batch: BatchName::new(&format!("trial {trial}"))?,
        })
    }
}

impl<P: DpPolicy> Parties<P> {
    /// A batch of each aggregator, of so many reports with these totals, which the leader's share holds.
    pub(super) fn batches_of(&self, totals: &[i128], reports: u64) -> Result<Vec<Batch<P>>, Error> {
        let nothing = vec![0; totals.len()];
        let shares = std::iter::once(totals).chain(std::iter::repeat(nothing.as_slice()));
        let batches = self.aggregators.iter().zip(shares);
        let batches = batches.map(|(aggregator, share)| {
            let batch = aggregator.new_batch(&self.batch);
            Ok(Seeded::new(batch).holding(share, reports)?.into_inner())
        });
        batches.collect()
    }
}

/// What some of the clients have contributed so far: a batch for each aggregator.
pub(super) struct Partial<P: DpPolicy> {
    pub(super) batches: Vec<Batch<P>>,
    pub(super) dropped: u64,
    /// The totals of all these clients, without any noise, where they are counted: in the first trial.
    pub(super) truth: Vec<i128>,
    pub(super) stages: Stages,
    pub(super) scratch: Scratch,
}

impl<P: DpPolicy> Partial<P> {
    pub(super) fn new(parties: &Parties<P>, truth: Vec<i128>) -> Self {
        let aggregators = parties.aggregators.iter();
        Self {
            batches: aggregators
                .map(|aggregator| aggregator.new_batch(&parties.batch))
                .collect(),
            dropped: 0,
            truth,
            stages: Stages::default(),
            scratch: Scratch::default(),
        }
    }

    /// Verifies a report at all aggregators and adds it to their batches, or counts it.
    pub(super) fn take(&mut self, parties: &Parties<P>, report: Report) {
        let start = Instant::now();
        let result = verify(&parties.aggregators, &report.into_shares());
        self.stages.verification += start.elapsed();

        let start = Instant::now();
        match result {
            Ok(outputs) => {
                for (batch, output) in self.batches.iter_mut().zip(outputs) {
                    // A refusal is counted in the batch, which is all there is to do about it.
                    let _: Result<(), Rejection> = batch.accumulate(output);
                }
            }
            Err(rejection) => {
                for batch in &mut self.batches {
                    batch.reject(&rejection);
                }
            }
        }
        self.stages.accumulation += start.elapsed();
    }

    pub(super) fn merged(mut self, other: Self) -> Result<Self, Error> {
        for (batch, more) in self.batches.iter_mut().zip(other.batches) {
            batch.merge(more)?;
        }
        self.dropped += other.dropped;
        for (one, other) in self.truth.iter_mut().zip(other.truth) {
            *one = one.saturating_add(other);
        }
        self.stages.add(&other.stages);
        Ok(self)
    }

    /// Reports rejected, dropped and aggregated. All aggregators count alike.
    pub(super) fn counts(&self) -> (u64, u64, u64) {
        let leader = self.batches.first();
        let rejected = leader.map_or(0, |batch| batch.rejections().total());
        (rejected, self.dropped, leader.map_or(0, Batch::reports))
    }
}
