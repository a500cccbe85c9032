//! A simulation: all parties of a task in one process, or totals drawn from their exact
//! distributions.
//!
//! Messages between parties are encoded as on the wire. Threads drop each report once it is added
//! up, and only the first trials are kept: memory grows with neither clients nor trials.

use std::ops::Range;
use std::time::Instant;

use dp_exact::ParameterError;
use dp_prio3::{Estimate, Policy};
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::ideal::Ideal;
use crate::measurements::Scratch;
use crate::outcome::{
    Coordinate, Outcome, OutcomeBuilder, Trial, TrialRecord, TrialRecords, as_f64,
};
use crate::parties::{PartialTrial, Parties};
use crate::percentiles::DistributionMargins;
use crate::streams::{Purpose, stream};
use crate::units::GridUnits;
use crate::workers::{in_chunks, pool};
use crate::{Consistency, Error, PercentilesAndRanges, Population};

/// Number of trials that threads run before they are added up.
const TRIALS_AT_ONCE: u64 = 256;

/// Called from any thread with the number of steps just done: clients, or trials of an ideal run.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// Trials of a policy over a population.
///
/// The seed and the number of a trial determine its results, on any number of threads: processes
/// that each run some of the trials ([`run_trials`](Self::run_trials)) get, put together in order
/// by an [`OutcomeBuilder`], the [`Outcome`] of one process to the last bit.
#[derive(Debug)]
pub struct Simulation {
    /// The outcome of the run before its first trial, with the collector and the clients.
    empty: OutcomeBuilder,
    seed: u64,
    population: Population,
    pool: ThreadPool,
    /// The distributions of an ideal run; `None` with Prio3.
    ideal: Option<Ideal>,
    /// The grid of real-valued measurements; `None` for integers.
    units: Option<GridUnits>,
    consistency: Option<Consistency>,
    /// The percentiles and ranges that each trial estimates, if it does.
    margins: Option<DistributionMargins>,
}

impl Simulation {
    /// A simulation of `trials` runs over real Prio3, on `threads` threads (0: one for each
    /// processor). It uses fewer threads if the parties' vectors would exceed 640 MiB together.
    ///
    /// A seed determines totals and estimates, on any number of threads. The bytes of reports
    /// differ, because prio's sharding draws from the operating system.
    ///
    /// # Errors
    /// If there are no trials, more clients than the policy allows reports in a batch, a row that
    /// the policy does not admit, the parties' vectors take more than 640 MiB on one thread, or the
    /// threads cannot be started.
    pub fn new(
        policy: Policy,
        population: Population,
        trials: u64,
        seed: u64,
        threads: usize,
    ) -> Result<Self, Error> {
        let empty = OutcomeBuilder::new(policy, population.clients(), trials)?;
        population.measurements().check(empty.policy())?;
        let pool = pool(empty.policy(), threads)?;
        Ok(Self {
            empty,
            seed,
            population,
            pool,
            ideal: None,
            units: None,
            consistency: None,
            margins: None,
        })
    }

    /// This simulation without reports: totals are drawn from their exact distributions. Estimates
    /// have the same distribution as with Prio3. They are equal if clients do not randomize and
    /// each row is one client.
    ///
    /// # Errors
    /// If the totals of the clients' randomization have no known distribution, there are more than
    /// 10^12 clients, or reports may be dropped and vectors are too many and too long.
    pub fn ideal(self) -> Result<Self, Error> {
        let ideal = Some(Ideal::new(&self.population, self.policy(), self.seed)?);
        Ok(Self { ideal, ..self })
    }

    /// This simulation for numbers on a grid. The truth is about values on the grid.
    #[must_use]
    pub fn in_units(self, units: GridUnits) -> Self {
        Self { units: Some(units), ..self }
    }

    /// This simulation with post-processing: each estimate also has its nearest consistent one.
    #[must_use]
    pub fn consistent(self, consistency: Consistency) -> Self {
        let consistency = Some(consistency);
        Self { consistency, ..self }
    }

    /// This simulation of a histogram with percentiles, ranges and the distribution function beside
    /// the buckets.
    ///
    /// # Errors
    /// If clients add noise or do not report buckets, there is a single bucket, or the question has
    /// a percentile or a range that the histogram does not have.
    pub fn percentiles_and_ranges(self, question: PercentilesAndRanges) -> Result<Self, Error> {
        let margins = Some(DistributionMargins::new(self.policy(), question)?);
        Ok(Self { margins, ..self })
    }

    /// Number of steps of this many trials that `progress` counts: clients, or trials of an ideal
    /// run.
    #[must_use]
    pub const fn steps(&self, trials: u64) -> u64 {
        if self.ideal.is_some() { trials } else { trials.saturating_mul(self.empty.clients) }
    }

    /// Runs every trial.
    ///
    /// # Errors
    /// Noise that cannot be drawn, or aggregate shares that the collector refuses.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Error> {
        let mut outcome = self.empty.clone();
        let mut first = 0;
        while first < self.empty.trials {
            let end = self.empty.trials.min(first.saturating_add(TRIALS_AT_ONCE));
            outcome.add(self.run_trials(first..end, progress)?)?;
            first = end;
        }
        outcome.outcome()
    }

    /// Runs consecutive trials of the run, numbered from 0, on all threads.
    ///
    /// # Errors
    /// If the run does not have these trials, and as [`run`](Self::run).
    pub fn run_trials(
        &self,
        trials: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<TrialRecords, Error> {
        let all = self.empty.trials;
        if trials.is_empty() || trials.end > all {
            let accepted = format!("some of the trials 0..{all}");
            return Err(ParameterError::new("trials", format!("{trials:?}"), accepted).into());
        }
        let (start, first) = (Instant::now(), trials.start);
        let records: Result<Vec<TrialRecord>, Error> = match &self.ideal {
            Some(ideal) => {
                let draw = |trial| {
                    let record = self.ideal_trial(ideal, trial);
                    progress(1);
                    record
                };
                // Collected first: the first trial with an error gives it, on any number of
                // threads.
                let drawn = trials.into_par_iter().map(draw);
                let drawn: Vec<Result<_, Error>> = self.pool.install(|| drawn.collect());
                drawn.into_iter().collect()
            }
            None => {
                trials.map(|trial| self.record(trial, self.aggregate(trial, progress)?)).collect()
            }
        };
        Ok(TrialRecords { first, elapsed: start.elapsed(), records: records? })
    }

    const fn policy(&self) -> &Policy {
        self.empty.policy()
    }

    /// Runs trial `number` with totals that `ideal` draws in place of reports; aggregators add
    /// noise and release as with Prio3.
    fn ideal_trial(&self, ideal: &Ideal, number: u64) -> Result<TrialRecord, Error> {
        let sent = ideal.draw(self.population.measurements(), self.seed, number);
        let parties = Parties::new(self.policy(), self.seed, number)?;
        let batches = parties.batches_of(&sent.totals, sent.reports)?;
        let (truth, dropped) = (sent.truth, self.empty.clients - sent.reports);
        self.record(number, PartialTrial { batches, truth, dropped, rejected: 0 })
    }

    /// Makes, verifies and adds up the reports of all clients in one trial. A report that is
    /// dropped is counted. `Err` if a report cannot be made.
    fn aggregate(&self, trial: u64, progress: Progress<'_>) -> Result<PartialTrial, Error> {
        let parties = Parties::new(self.policy(), self.seed, trial)?;
        let query = self.policy().query();
        let nothing = || PartialTrial::new(&parties, query.totals());
        let empty = || (nothing(), Scratch::default());
        let work = |(partial, scratch): &mut (PartialTrial, Scratch), clients: Range<u64>| {
            for client in clients {
                let Some(measurement) = self.population.measurement(client, query, scratch) else {
                    continue;
                };
                let mut rng = stream(self.seed, Purpose::Client, trial, client);
                match parties.client.report_seeded(measurement, &mut rng) {
                    Ok(report) => {
                        partial.take(&parties, report);
                        self.population.add(client, &mut partial.truth);
                    }
                    Err(dp_prio3::Error::Dropped { .. }) => partial.dropped += 1,
                    Err(error) => return Err(error.into()),
                }
                // After each client: one report of a million bins takes seconds.
                progress(1);
            }
            Ok(())
        };
        let states = in_chunks(&self.pool, self.empty.clients, empty, work)?;
        let mut partials = states.into_iter().map(|(partial, _)| partial);
        let mut all = partials.next().unwrap_or_else(nothing);
        partials.try_for_each(|partial| all.add(partial))?;
        Ok(all)
    }

    /// Finishes a trial from the contributions of all its clients: aggregators add their noise and
    /// release their batches, and the collector estimates. A true total is over the clients that
    /// sent a report, a true mean over all, though some reports may have been rejected.
    fn record(&self, number: u64, partial: PartialTrial) -> Result<TrialRecord, Error> {
        let PartialTrial { batches, truth, dropped, rejected } = partial;
        let shares = (0..).zip(batches).map(|(id, batch)| {
            batch.finish_seeded(&mut stream(self.seed, Purpose::Noise, number, id))
        });
        let shares = shares.collect::<Result<Vec<_>, _>>()?;
        let collection = self.empty.collector.collect(&shares)?;
        let reports = collection.reports;
        let distribution = self.margins.as_ref().and_then(|margins| {
            let estimate = self.policy().cumulative(&collection.totals, reports)?;
            Some(margins.answer(&estimate, &truth, self.consistency.is_some()))
        });
        let divisor = as_f64(self.policy().divisor(self.empty.clients).into());
        let estimates = collection.estimates.iter().zip(&collection.margins_95);
        let row = |(truth, (estimate, margin)): (&i128, (&Estimate, &f64))| Coordinate {
            truth: as_f64(*truth) / divisor,
            estimate: estimate.value,
            standard_error: estimate.standard_error,
            margin_95: *margin,
            consistent: None,
        };
        let mut coordinates: Vec<Coordinate> = truth.iter().zip(estimates).map(row).collect();
        if let Some(consistency) = self.consistency {
            let mut estimates: Vec<f64> = coordinates.iter().map(|row| row.estimate).collect();
            consistency.project(reports, &mut estimates);
            let rows = coordinates.iter_mut().zip(estimates);
            rows.for_each(|(row, consistent)| row.consistent = Some(consistent));
        }
        if let Some(units) = &self.units {
            let rows = coordinates.iter_mut();
            rows.for_each(|row| units.apply(row, self.empty.clients, reports));
        }
        let trial = Trial { coordinates, distribution, reports, dropped, rejected };
        Ok(TrialRecord::new(number, trial))
    }
}
