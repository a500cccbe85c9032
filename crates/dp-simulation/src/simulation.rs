//! All parties of a task in one process: clients by the thousand, aggregators, a collector.
//!
//! The parties are those of [`dp_prio3`], and what crosses between them is encoded as on the
//! wire. Clients are worked off in small chunks by all threads; each chunk's reports are gone
//! when it is done, so memory does not grow with the number of clients. The sums are over a
//! finite field, so the order of the work does not matter.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use dp_exact::ParameterError;
use dp_prio3::releases::MemoryReleases;
use dp_prio3::simulation::{Seeded, verify_key};
use dp_prio3::verification::verify;
use dp_prio3::{Aggregator, Batch, BatchName, Client, Collection, Collector, DpPolicy};
use dp_task::Measured;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::measurements::add;
use crate::outcome::{Coordinate, Stages, as_f64};
use crate::streams::{Purpose, stream};
use crate::{Error, Outcome, Population, Trial};

/// Clients that one thread takes at a time.
const CHUNK: u64 = 32;

/// Binds simulated reports to this purpose.
const CONTEXT: &[u8] = b"dp-simulation";

/// Told how many more clients are done, from any thread.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// A policy, its clients, and how often to run them.
#[derive(Debug)]
pub struct Simulation<P> {
    policy: Arc<P>,
    population: Population,
    trials: u64,
    seed: u64,
    pool: ThreadPool,
}

impl<P: DpPolicy<Measurement: Measured>> Simulation<P> {
    /// A simulation of `trials` runs on `threads` threads (0: one for each processor).
    ///
    /// The same seed gives the same totals and estimates, on any number of threads. The bytes of
    /// reports differ, because prio's sharding draws from the operating system.
    ///
    /// # Errors
    /// If there are no trials, more clients than the policy allows reports in a batch, or the
    /// threads cannot be started.
    pub fn new(
        policy: Arc<P>,
        population: Population,
        trials: u64,
        seed: u64,
        threads: usize,
    ) -> Result<Self, Error> {
        if trials == 0 {
            return Err(ParameterError::new("trials", trials, "at least 1").into());
        }
        let (clients, most) = (population.clients(), policy.max_reports());
        if clients > most {
            let accepted = format!("at most {most}, the reports that the policy allows in a batch");
            return Err(ParameterError::new("clients", clients, accepted).into());
        }
        Ok(Self {
            policy,
            population,
            trials,
            seed,
            pool: ThreadPoolBuilder::new().num_threads(threads).build()?,
        })
    }

    /// Runs every trial.
    ///
    /// # Errors
    /// The first measurement that the policy does not admit, noise that cannot be drawn, or
    /// aggregate shares that the collector refuses.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Error> {
        let start = Instant::now();
        let truth = self.truth();
        let trials = (0..self.trials)
            .map(|trial| self.trial(trial, &truth, progress))
            .collect::<Result<_, _>>()?;
        Ok(Outcome::new(
            self.population.clients(),
            trials,
            start.elapsed(),
        ))
    }

    /// The clients' totals, without any noise.
    fn truth(&self) -> Vec<i128> {
        let length = self.policy.vdaf().output_len();
        let clients = 0..self.population.clients();
        let sum = |mut totals: Vec<i128>, client| {
            if let Some(measurement) = self.population.measurement(client) {
                add(measurement, &mut totals);
            }
            totals
        };
        let merge = |one: Vec<i128>, other: Vec<i128>| {
            let pairs = one.into_iter().zip(other);
            pairs
                .map(|(one, other)| one.saturating_add(other))
                .collect()
        };
        let zeros = || vec![0; length];
        self.pool.install(|| {
            clients
                .into_par_iter()
                .fold(zeros, sum)
                .reduce(zeros, merge)
        })
    }

    fn trial(&self, trial: u64, truth: &[i128], progress: Progress<'_>) -> Result<Trial, Error> {
        let parties = Parties::new(&self.policy, self.seed, trial)?;
        let partial = self.aggregate(trial, &parties, progress)?;
        let (rejected, dropped, reports) = partial.counts();
        let mut stages = partial.stages;

        let start = Instant::now();
        let shares = (0..)
            .zip(partial.batches)
            .map(|(id, batch)| {
                let mut rng = stream(self.seed, Purpose::Noise, trial, id);
                Seeded::new(batch).finish(&mut rng)
            })
            .collect::<Result<Vec<_>, _>>()?;
        stages.noise = start.elapsed();

        let start = Instant::now();
        let collection = parties.collector.collect(&shares)?;
        let divisor = self.policy.divisor(self.population.clients());
        stages.collection = start.elapsed();
        Ok(Trial {
            coordinates: coordinates(truth, divisor, &collection),
            reports,
            dropped,
            rejected,
            stages,
        })
    }

    /// Every client's report, sharded, verified and added up.
    fn aggregate(
        &self,
        trial: u64,
        parties: &Parties<P>,
        progress: Progress<'_>,
    ) -> Result<Partial<P>, Error> {
        let clients = self.population.clients();
        let empty = || Partial::new(parties);
        self.pool.install(|| {
            (0..clients.div_ceil(CHUNK))
                .into_par_iter()
                .try_fold(empty, |mut partial, chunk| {
                    let first = chunk * CHUNK;
                    let chunk = first..clients.min(first.saturating_add(CHUNK));
                    let size = chunk.end - chunk.start;
                    self.take_reports(&mut partial, trial, parties, chunk)?;
                    progress(size);
                    Ok(partial)
                })
                .try_reduce(empty, Partial::merged)
        })
    }

    fn take_reports(
        &self,
        partial: &mut Partial<P>,
        trial: u64,
        parties: &Parties<P>,
        clients: Range<u64>,
    ) -> Result<(), Error> {
        for client in clients {
            let Some(measurement) = self.population.measurement(client) else {
                continue;
            };
            let mut rng = stream(self.seed, Purpose::Client, trial, client);
            let start = Instant::now();
            let seeded = Seeded::new(&parties.client);
            let report = P::Measurement::of(measurement)
                .map_err(dp_prio3::Error::from)
                .and_then(|measurement| seeded.report(&measurement, &mut rng));
            partial.stages.clients += start.elapsed();
            match report {
                Ok(report) => partial.take(parties, report),
                Err(dp_prio3::Error::Dropped { .. }) => partial.dropped += 1,
                Err(source) => return Err(Error::Client { client, source }),
            }
        }
        Ok(())
    }
}

/// The estimates beside the truth. The mean is that over all clients, though not all may have
/// reported.
fn coordinates(truth: &[i128], divisor: u64, collection: &Collection) -> Vec<Coordinate> {
    let pairs = truth.iter().zip(&collection.estimates);
    pairs
        .map(|(truth, estimate)| Coordinate {
            truth: as_f64(*truth) / as_f64(i128::from(divisor)),
            estimate: estimate.value,
            standard_error: estimate.standard_error,
            margin_95: estimate.margin_95(),
        })
        .collect()
}

/// Everybody who takes part in one trial.
struct Parties<P> {
    client: Client<P>,
    aggregators: Vec<Aggregator<P>>,
    collector: Collector<P>,
    batch: BatchName,
}

impl<P: DpPolicy> Parties<P> {
    fn new(policy: &Arc<P>, seed: u64, trial: u64) -> Result<Self, Error> {
        let verify_key = verify_key(&mut stream(seed, Purpose::VerifyKey, trial, 0));
        // Every report is made here: there are no replays to remember. What is released is
        // remembered for this run alone: others of the same task may run beside it.
        let aggregator = |id| {
            let aggregator = Aggregator::new(Arc::clone(policy), id, verify_key.clone(), CONTEXT)?;
            let releases = Arc::new(MemoryReleases::default());
            let aggregator = aggregator.without_replay_defence();
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

/// What some of the clients have contributed so far: a batch for each aggregator.
struct Partial<P: DpPolicy> {
    batches: Vec<Batch<P>>,
    dropped: u64,
    stages: Stages,
}

impl<P: DpPolicy> Partial<P> {
    fn new(parties: &Parties<P>) -> Self {
        Self {
            batches: parties
                .aggregators
                .iter()
                .map(|aggregator| aggregator.new_batch(&parties.batch))
                .collect(),
            dropped: 0,
            stages: Stages::default(),
        }
    }

    /// Verifies a report at all aggregators and adds it to their batches, or counts it.
    fn take(&mut self, parties: &Parties<P>, report: dp_prio3::message::Report) {
        let start = Instant::now();
        let result = verify(&parties.aggregators, &report.into_shares());
        self.stages.verification += start.elapsed();

        let start = Instant::now();
        match result {
            Ok(outputs) => {
                for (batch, output) in self.batches.iter_mut().zip(outputs) {
                    // A refusal is counted in the batch, which is all there is to do about it.
                    let _: Result<(), dp_prio3::Rejection> = batch.accumulate(output);
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

    fn merged(mut self, other: Self) -> Result<Self, Error> {
        for (batch, more) in self.batches.iter_mut().zip(other.batches) {
            batch.merge(more)?;
        }
        self.dropped += other.dropped;
        self.stages.add(&other.stages);
        Ok(self)
    }

    /// Reports rejected, dropped and aggregated. All aggregators count alike.
    fn counts(&self) -> (u64, u64, u64) {
        let leader = self.batches.first();
        let rejected = leader.map_or(0, |batch| batch.rejections().total());
        (rejected, self.dropped, leader.map_or(0, Batch::reports))
    }
}
