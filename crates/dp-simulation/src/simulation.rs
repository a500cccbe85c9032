//! All parties of a task in one process: clients by the thousand, aggregators, a collector.
//!
//! The parties are those of [`dp_prio3`], and what crosses between them is encoded as on the
//! wire. Clients are worked off in small chunks by all threads; each chunk's reports are gone
//! when it is done, so memory does not grow with the number of clients. Of the trials only the first
//! ones are kept, so it does not grow with their number either. The sums are over a finite field, so
//! the order of the work does not matter.

mod parties;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dp_exact::ParameterError;
use dp_prio3::simulation::Seeded;
use dp_prio3::{Batch, Collection, Collector, DpPolicy};
use dp_task::Measured;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::memory::threads_with_room;
use crate::outcome::{Coordinate, Gathered, Stages, Units, as_f64};
use crate::streams::{Purpose, stream};
use crate::workers::in_chunks;
use crate::{Consistency, Error, Outcome, Population, Trial};
use parties::{Partial, Parties};

/// A rehearsal that takes so long tells the time of a run.
const REHEARSAL: Duration = Duration::from_millis(100);

/// Told how many more clients are done, from any thread, after each of them.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// A policy, its clients, and how often to run them.
#[derive(Debug)]
pub struct Simulation<P> {
    policy: Arc<P>,
    population: Population,
    trials: u64,
    seed: u64,
    units: Option<Units>,
    consistency: Option<Consistency>,
    pool: ThreadPool,
}

impl<P: DpPolicy<Measurement: Measured>> Simulation<P> {
    /// A simulation of `trials` runs on `threads` threads (0: one for each processor), or on fewer if
    /// the parties' vectors would take more than 640 MiB together.
    ///
    /// The same seed gives the same totals and estimates, on any number of threads. The bytes of
    /// reports differ, because prio's sharding draws from the operating system.
    ///
    /// # Errors
    /// If there are no trials, more clients than the policy allows reports in a batch, the parties'
    /// vectors take more than 640 MiB on one thread, or the threads cannot be started.
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
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let threads = threads_with_room(&*policy, threads)?;
        Ok(Self {
            policy,
            population,
            trials,
            seed,
            units: None,
            consistency: None,
            pool: ThreadPoolBuilder::new().num_threads(threads).build()?,
        })
    }

    /// The same for numbers that were measured on a grid: an integer y stands for
    /// `low` + `granularity`·y. A total of n reports is then n·`low` + `granularity`·total; where
    /// the estimates are means (`are_means`), `low` is added once.
    ///
    /// The truth is that of the values on the grid.
    #[must_use]
    pub fn in_units(self, low: f64, granularity: f64, are_means: bool) -> Self {
        let units = Some(Units {
            low,
            granularity,
            are_means,
        });
        Self { units, ..self }
    }

    /// The same with post-processing beside every estimate: what is nearest to the estimates of a
    /// trial and could be true.
    #[must_use]
    pub fn consistent(self, consistency: Consistency) -> Self {
        let consistency = Some(consistency);
        Self {
            consistency,
            ..self
        }
    }

    /// Runs every trial.
    ///
    /// # Errors
    /// The first measurement that the policy does not admit, noise that cannot be drawn, or
    /// aggregate shares that the collector refuses.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Error> {
        let start = Instant::now();
        let mut truth = Vec::new();
        let mut gathered = Gathered::default();
        for trial in 0..self.trials {
            gathered.add(self.trial(trial, &mut truth, progress)?);
        }
        Ok(gathered.outcome(self.population.clients(), start.elapsed()))
    }

    /// How long all trials will take, by the reports of the first clients, which are thrown away. It takes
    /// some tenths of a second, or as long as one report of each thread.
    ///
    /// # Errors
    /// The first measurement that the policy does not admit.
    pub fn rehearse(&self) -> Result<Duration, Error> {
        let parties = Parties::new(&self.policy, self.seed, 0)?;
        let all = self.population.clients();
        let threads = self.pool.current_num_threads();
        let mut clients = u64::try_from(threads).unwrap_or(1).clamp(1, all.max(1));
        loop {
            let start = Instant::now();
            self.aggregate(0, &parties, clients, &|_| ())?;
            let elapsed = start.elapsed();
            if elapsed >= REHEARSAL || clients == all {
                let times =
                    as_f64(all.into()) * as_f64(self.trials.into()) / as_f64(clients.into());
                let seconds = elapsed.as_secs_f64() * times;
                return Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
            }
            clients = clients.saturating_mul(4).min(all);
        }
    }

    pub(crate) fn policy(&self) -> &P {
        &self.policy
    }

    pub(crate) const fn population(&self) -> &Population {
        &self.population
    }

    pub(crate) const fn trials(&self) -> u64 {
        self.trials
    }

    pub(crate) const fn seed(&self) -> u64 {
        self.seed
    }

    /// One trial. The clients' totals are counted while they report in the first one, not before: from
    /// its first clients on a run tells how far it is.
    fn trial(
        &self,
        trial: u64,
        truth: &mut Vec<i128>,
        progress: Progress<'_>,
    ) -> Result<Trial, Error> {
        let parties = Parties::new(&self.policy, self.seed, trial)?;
        let clients = self.population.clients();
        let mut partial = self.aggregate(trial, &parties, clients, progress)?;
        if trial == 0 {
            *truth = std::mem::take(&mut partial.truth);
        }
        let (rejected, dropped, reports) = partial.counts();
        let mut stages = partial.stages;

        let batches = partial.batches;
        let (coordinates, released) = self.estimates(trial, truth, batches, &parties.collector)?;
        stages.add(&released);
        Ok(Trial {
            coordinates,
            reports,
            dropped,
            rejected,
            stages,
        })
    }

    /// The trial of totals over so many reports, which took so long to draw, as if Prio3 had computed them.
    pub(crate) fn released(
        &self,
        trial: u64,
        truth: &[i128],
        (totals, reports): (Vec<i128>, u64),
        drawing: Duration,
    ) -> Result<Trial, Error> {
        let parties = Parties::new(&self.policy, self.seed, trial)?;
        let batches = parties.batches_of(&totals, reports)?;
        let (coordinates, mut stages) =
            self.estimates(trial, truth, batches, &parties.collector)?;
        stages.totals = drawing;
        Ok(Trial {
            coordinates,
            reports,
            dropped: self.population.clients() - reports,
            rejected: 0,
            stages,
        })
    }

    /// What the aggregators release and the collector makes of it, and how long that takes.
    fn estimates(
        &self,
        trial: u64,
        truth: &[i128],
        batches: Vec<Batch<P>>,
        collector: &Collector<P>,
    ) -> Result<(Vec<Coordinate>, Stages), Error> {
        let mut stages = Stages::default();
        let start = Instant::now();
        let shares = (0..)
            .zip(batches)
            .map(|(id, batch)| {
                let mut rng = stream(self.seed, Purpose::Noise, trial, id);
                Seeded::new(batch).finish(&mut rng)
            })
            .collect::<Result<Vec<_>, _>>()?;
        stages.noise = start.elapsed();

        let start = Instant::now();
        let collection = collector.collect(&shares)?;
        let clients = self.population.clients();
        let divisor = self.policy.divisor(clients);
        stages.collection = start.elapsed();
        let reports = collection.reports;
        let mut coordinates = coordinates(truth, divisor, &collection);
        if let Some(consistency) = self.consistency {
            make_consistent(&mut coordinates, consistency, reports);
        }
        if let Some(units) = &self.units {
            let rows = coordinates.iter_mut();
            rows.for_each(|row| units.apply(row, clients, reports));
        }
        Ok((coordinates, stages))
    }

    /// The reports of the first clients, sharded, verified and added up.
    fn aggregate(
        &self,
        trial: u64,
        parties: &Parties<P>,
        clients: u64,
        progress: Progress<'_>,
    ) -> Result<Partial<P>, Error> {
        let totals = if trial == 0 {
            self.policy.vdaf().output_len()
        } else {
            0
        };
        let empty = || Partial::new(parties, vec![0; totals]);
        let work = |partial: &mut Partial<P>, clients: Range<u64>| {
            for client in clients {
                self.take_report(partial, trial, parties, client)?;
                // After each: one report of a million bins takes seconds.
                progress(1);
            }
            Ok(())
        };
        let partials = in_chunks(&self.pool, clients, empty, work)?;
        let mut partials = partials.into_iter();
        let first = partials.next().unwrap_or_else(empty);
        partials.try_fold(first, Partial::merged)
    }

    fn take_report(
        &self,
        partial: &mut Partial<P>,
        trial: u64,
        parties: &Parties<P>,
        client: u64,
    ) -> Result<(), Error> {
        if trial == 0 {
            self.population.add(client, &mut partial.truth);
        }
        let Some(measurement) = self.population.measurement(client, &mut partial.scratch) else {
            return Ok(());
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
            consistent: None,
        })
        .collect()
}

/// Puts beside the estimates of so many reports what is nearest to them and could be true.
fn make_consistent(coordinates: &mut [Coordinate], consistency: Consistency, reports: u64) {
    let estimates = coordinates.iter().map(|coordinate| coordinate.estimate);
    let mut estimates: Vec<f64> = estimates.collect();
    consistency.project(reports, &mut estimates);
    for (coordinate, consistent) in coordinates.iter_mut().zip(estimates) {
        coordinate.consistent = Some(consistent);
    }
}
