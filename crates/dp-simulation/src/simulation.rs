//! All parties of a task in one process: clients by the thousand, aggregators, a collector.
//!
//! The parties are those of [`dp_prio3`], and what crosses between them is encoded as on the
//! wire. Clients are worked off in small chunks by all threads; each chunk's reports are gone
//! when it is done, so memory does not grow with the number of clients. Of the trials only the first
//! ones are kept, so it does not grow with their number either. The sums are over a finite field, so
//! the order of the work does not matter.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dp_prio3::DpPolicy;
use dp_task::FromMeasurement;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::measurements::Scratch;
use crate::memory::threads_with_room;
use crate::outcome::{CLIENTS, as_f64};
use crate::parties::{Fragment, Parties};
use crate::streams::{Purpose, stream};
use crate::trials::{Trials, added};
use crate::workers::in_chunks;
use crate::{Consistency, Error, Population};

/// A rehearsal that takes so long tells the time of a run.
const REHEARSAL: Duration = Duration::from_millis(100);

/// Told how many more clients are done, from any thread, after each of them.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// A policy, its clients, and how often to run them.
#[derive(Debug)]
pub struct Simulation<P> {
    trials: Trials<P>,
    population: Population,
    pool: ThreadPool,
}

impl<P: DpPolicy<Measurement: FromMeasurement>> Simulation<P> {
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
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let trials = Trials::new(policy, population.clients(), trials, seed)?;
        let threads = threads_with_room(&**trials.policy(), threads)?;
        Ok(Self {
            trials,
            population,
            pool: ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .map_err(|error| Error::Threads(error.into()))?,
        })
    }

    /// The same for numbers that were measured on a grid, as [`Trials::in_units`].
    #[must_use]
    pub fn in_units(self, low: f64, granularity: f64, are_means: bool) -> Self {
        let trials = self.trials.in_units(low, granularity, are_means);
        Self { trials, ..self }
    }

    /// The same with post-processing beside every estimate: what is nearest to the estimates of a
    /// trial and could be true.
    #[must_use]
    pub fn consistent(self, consistency: Consistency) -> Self {
        let trials = self.trials.consistent(consistency);
        Self { trials, ..self }
    }

    /// The trials, without the clients and their data.
    #[must_use]
    pub const fn trials(&self) -> &Trials<P> {
        &self.trials
    }

    /// How long all trials will take, by the reports of the first clients, which are thrown away. It takes
    /// some tenths of a second, or as long as one report of each thread.
    ///
    /// # Errors
    /// The first measurement that the policy does not admit.
    pub fn rehearse(&self) -> Result<Duration, Error> {
        let parties = self.trials.parties(0)?;
        let all = self.population.clients();
        let threads = self.pool.current_num_threads();
        let mut clients = u64::try_from(threads).unwrap_or(1).clamp(1, all.max(1));
        loop {
            let start = Instant::now();
            self.aggregate(0, &parties, 0..clients, &|_| ())?;
            let elapsed = start.elapsed();
            if elapsed >= REHEARSAL || clients == all {
                let trials = self.trials.trials();
                let times = as_f64(all.into()) * as_f64(trials.into()) / as_f64(clients.into());
                let seconds = elapsed.as_secs_f64() * times;
                return Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
            }
            clients = clients.saturating_mul(4).min(all);
        }
    }

    pub(crate) const fn pool(&self) -> &ThreadPool {
        &self.pool
    }

    pub(crate) const fn population(&self) -> &Population {
        &self.population
    }

    /// The totals of all clients, without any noise.
    pub(crate) fn truth(&self) -> Result<Vec<i128>, Error> {
        let empty = || vec![0; self.trials.length()];
        let count = |totals: &mut Vec<i128>, clients: Range<u64>| {
            clients.for_each(|client| self.population.add(client, totals));
            Ok(())
        };
        let totals = in_chunks(&self.pool, 0..self.population.clients(), empty, count)?;
        Ok(totals.into_iter().fold(Vec::new(), added))
    }

    /// The reports of these clients, sharded, verified and added up; and in the first trial the clients' totals, which
    /// are counted while they report, not before it: from its first clients on a run tells how far it is.
    pub(crate) fn aggregate(
        &self,
        trial: u64,
        parties: &Parties<P>,
        clients: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<(Fragment<P>, Vec<i128>), Error> {
        let totals = if trial == 0 { self.trials.length() } else { 0 };
        let empty = || Partial {
            fragment: Fragment::new(parties),
            truth: vec![0; totals],
            scratch: Scratch::default(),
        };
        let work = |partial: &mut Partial<P>, clients: Range<u64>| {
            for client in clients {
                self.take_report(partial, trial, parties, client)?;
                // After each: one report of a million bins takes seconds.
                progress(1);
            }
            Ok(())
        };
        let mut partials = in_chunks(&self.pool, clients, empty, work)?.into_iter();
        let Partial { mut fragment, mut truth, .. } = partials.next().unwrap_or_else(empty);
        for partial in partials {
            fragment.add(partial.fragment)?;
            truth = added(truth, partial.truth);
        }
        Ok((fragment, truth))
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
        let mut rng = stream(self.trials.seed(), Purpose::Client, trial, client);
        let start = Instant::now();
        let report = P::Measurement::from_measurement(measurement)
            .map_err(dp_prio3::Error::from)
            .and_then(|measurement| parties.client.report_seeded(&measurement, &mut rng));
        partial.fragment.stages.0[CLIENTS] += start.elapsed();
        match report {
            Ok(report) => partial.fragment.take(parties, report),
            Err(dp_prio3::Error::Dropped { .. }) => partial.fragment.dropped += 1,
            Err(source) => return Err(Error::Client { client, source }),
        }
        Ok(())
    }
}

/// What the clients of one thread have contributed so far.
struct Partial<P: DpPolicy> {
    fragment: Fragment<P>,
    /// The totals of all these clients, without any noise, where they are counted: in the first trial.
    truth: Vec<i128>,
    scratch: Scratch,
}
