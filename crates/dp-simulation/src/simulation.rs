//! A simulation: all parties of a task in one process, or totals drawn from their exact
//! distributions.
//!
//! Messages between parties are encoded as on the wire. Threads drop each report once it is added
//! up, and only the first trials are kept: memory grows with neither clients nor trials.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use dp_exact::ParameterError;
use dp_prio3::{Collector, Estimate, Policy};
use num_traits::ToPrimitive as _;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::ideal::Ideal;
use crate::measurements::Scratch;
use crate::memory::threads_with_room;
use crate::outcome::{
    Coordinate, Outcome, RunningOutcome, Trial, TrialRecord, TrialRecords, as_f64,
};
use crate::parties::{CONTEXT, PartialTrial, Parties};
use crate::percentiles::DistributionMargins;
use crate::streams::{Purpose, stream};
use crate::units::GridUnits;
use crate::workers::{in_chunks, pool};
use crate::{Consistency, Error, PercentilesAndRanges, Population};

/// The most different truths for which the coverage of intervals is computed.
const MAX_TRUTHS: usize = 512;

/// Number of trials of an ideal run that threads draw before they are added up.
const TRIALS_AT_ONCE: u64 = 256;

/// Called from any thread with the number of steps just done: clients, or trials of an ideal run.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// Trials of a policy over a population.
///
/// The seed and the number of a trial determine its results, on any number of threads: processes
/// that each run some of the trials ([`run_trials`](Self::run_trials)) get, put together in order
/// ([`outcome_builder`](Self::outcome_builder)), the [`Outcome`] of one process to the last bit.
#[derive(Debug)]
pub struct Simulation {
    collector: Collector,
    clients: u64,
    trials: u64,
    seed: u64,
    is_ideal: bool,
    /// The grid of real-valued measurements; `None` for integers.
    units: Option<GridUnits>,
    consistency: Option<Consistency>,
    /// The percentiles and ranges that each trial estimates, if it does.
    margins: Option<DistributionMargins>,
    /// Population and threads; `None` if the simulation only puts results together.
    runner: Option<Runner>,
}

/// Population and threads of a simulation that can run.
#[derive(Debug)]
struct Runner {
    population: Population,
    pool: ThreadPool,
    /// The distributions of an ideal run; `None` with Prio3.
    ideal: Option<Ideal>,
    /// The totals of all clients without noise, once a run with Prio3 has counted them.
    truth: OnceLock<Vec<i128>>,
}

impl Simulation {
    /// A simulation of `trials` runs over real Prio3, on `threads` threads (0: one for each
    /// processor). It uses fewer threads if the parties' vectors would exceed 640 MiB together.
    ///
    /// A seed determines totals and estimates, on any number of threads. The bytes of reports
    /// differ, because prio's sharding draws from the operating system.
    ///
    /// # Errors
    /// If there are no trials, more clients than the policy allows reports in a batch, the parties'
    /// vectors take more than 640 MiB on one thread, or the threads cannot be started.
    pub fn new(
        policy: Policy,
        population: Population,
        trials: u64,
        seed: u64,
        threads: usize,
    ) -> Result<Self, Error> {
        let simulation = Self::without_data(policy, population.clients(), trials, seed)?;
        let pool = pool(threads, |threads| threads_with_room(simulation.policy(), threads))?;
        let runner = Runner { population, pool, ideal: None, truth: OnceLock::new() };
        Ok(Self { runner: Some(runner), ..simulation })
    }

    /// A simulation of `clients` clients that cannot run: it puts the trials of other processes
    /// together.
    ///
    /// # Errors
    /// If there are no trials or no clients, or more clients than the policy allows reports in a
    /// batch.
    pub fn without_data(
        policy: Policy,
        clients: u64,
        trials: u64,
        seed: u64,
    ) -> Result<Self, Error> {
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
            seed,
            is_ideal: false,
            units: None,
            consistency: None,
            margins: None,
            runner: None,
        })
    }

    /// This simulation without reports: totals are drawn from their exact distributions. Estimates
    /// have the same distribution as with Prio3. They are equal if clients do not randomize and
    /// each row is one client.
    ///
    /// # Errors
    /// If the totals of the clients' randomization have no known distribution, there are more than
    /// 10^12 clients, or reports may be dropped and vectors are too many and too long.
    pub fn ideal(mut self) -> Result<Self, Error> {
        self.is_ideal = true;
        if let Some(runner) = &mut self.runner {
            let ideal = Ideal::new(&runner.population, self.collector.policy(), self.seed)?;
            runner.ideal = Some(ideal);
        }
        Ok(self)
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
        if self.is_ideal { trials } else { trials.saturating_mul(self.clients) }
    }

    /// Runs every trial.
    ///
    /// # Errors
    /// The first measurement that the policy does not admit, noise that cannot be drawn, or
    /// aggregate shares that the collector refuses.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Error> {
        let mut outcome = self.outcome_builder();
        let at_once = if self.is_ideal { TRIALS_AT_ONCE } else { 1 };
        let mut first = 0;
        while first < self.trials {
            let end = self.trials.min(first.saturating_add(at_once));
            outcome.add(self.run_trials(first..end, progress)?)?;
            first = end;
        }
        outcome.outcome()
    }

    /// Runs consecutive trials of the run, numbered from 0, on all threads.
    ///
    /// # Errors
    /// If the run does not have these trials or no data, and as [`run`](Self::run).
    pub fn run_trials(
        &self,
        trials: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<TrialRecords, Error> {
        if trials.is_empty() || trials.end > self.trials {
            let accepted = format!("some of the trials 0..{}", self.trials);
            return Err(ParameterError::new("trials", format!("{trials:?}"), accepted).into());
        }
        let runner = self.runner.as_ref().ok_or_else(|| {
            ParameterError::new("data", "none", "a simulation that has a population, to run it")
        })?;
        let (start, first) = (Instant::now(), trials.start);
        let records: Result<Vec<TrialRecord>, Error> = match &runner.ideal {
            Some(ideal) => {
                let draw = |trial| {
                    let record = self.ideal_trial(runner, ideal, trial);
                    progress(1);
                    record
                };
                // Collected first: the first trial with an error gives it, on any number of
                // threads.
                let drawn = trials.into_par_iter().map(draw);
                let drawn: Vec<Result<_, Error>> = runner.pool.install(|| drawn.collect());
                drawn.into_iter().collect()
            }
            None => {
                let truth = self.truth(runner)?;
                let run =
                    |trial| self.record(trial, truth, self.aggregate(runner, trial, progress)?);
                trials.map(run).collect()
            }
        };
        Ok(TrialRecords { first, elapsed: start.elapsed(), records: records? })
    }

    /// An outcome to which all trials are added, in order.
    #[must_use]
    pub fn outcome_builder(&self) -> OutcomeBuilder<'_> {
        let (running, elapsed) = (RunningOutcome::default(), Duration::ZERO);
        OutcomeBuilder { simulation: self, next: 0, running, elapsed }
    }

    const fn policy(&self) -> &Policy {
        self.collector.policy()
    }

    fn parties(&self, trial: u64) -> Result<Parties, Error> {
        Parties::new(self.policy(), self.seed, trial)
    }

    fn ideal_trial(
        &self,
        runner: &Runner,
        ideal: &Ideal,
        number: u64,
    ) -> Result<TrialRecord, Error> {
        let sent = ideal.draw(runner.population.measurements(), self.seed, number)?;
        let batches = self.parties(number)?.batches_of(&sent.totals, sent.reports)?;
        let dropped = self.clients - sent.reports;
        let unsent = sent.unsent;
        self.record(number, ideal.truth(), PartialTrial { batches, unsent, dropped, rejected: 0 })
    }

    /// Makes, verifies and adds up the reports of all clients.
    fn aggregate(
        &self,
        runner: &Runner,
        trial: u64,
        progress: Progress<'_>,
    ) -> Result<PartialTrial, Error> {
        let parties = self.parties(trial)?;
        let empty = || (PartialTrial::new(&parties), Scratch::default());
        let work = |(partial, scratch): &mut (PartialTrial, Scratch), clients: Range<u64>| {
            for client in clients {
                let Some(measurement) = runner.population.measurement(client, scratch) else {
                    continue;
                };
                let mut rng = stream(self.seed, Purpose::Client, trial, client);
                match parties.client.report_seeded(measurement, &mut rng) {
                    Ok(report) => partial.take(&parties, report),
                    Err(dp_prio3::Error::Dropped { .. }) => {
                        partial.dropped += 1;
                        partial.unsent.resize(self.policy().query().totals(), 0);
                        runner.population.add(client, &mut partial.unsent);
                    }
                    Err(source) => return Err(Error::Client { client, source }),
                }
                // After each client: one report of a million bins takes seconds.
                progress(1);
            }
            Ok(())
        };
        let states = in_chunks(&runner.pool, self.clients, empty, work)?;
        let mut partials = states.into_iter().map(|(partial, _)| partial);
        let mut all = partials.next().unwrap_or_else(|| PartialTrial::new(&parties));
        partials.try_for_each(|partial| all.add(partial))?;
        Ok(all)
    }

    /// The totals of all clients without noise in a run with Prio3, counted at the first call.
    fn truth<'a>(&self, runner: &'a Runner) -> Result<&'a [i128], Error> {
        let Runner { population, pool, truth, .. } = runner;
        if let Some(truth) = truth.get() {
            return Ok(truth);
        }
        let zeros = || vec![0; self.policy().query().totals()];
        let count = |totals: &mut Vec<i128>, clients: Range<u64>| {
            clients.for_each(|client| population.add(client, totals));
            Ok(())
        };
        let mut totals = zeros();
        for counted in in_chunks(pool, self.clients, zeros, count)? {
            let pairs = totals.iter_mut().zip(counted);
            pairs.for_each(|(total, more)| *total = total.saturating_add(more));
        }
        Ok(truth.get_or_init(|| totals))
    }

    /// Finishes a trial from the contributions of all its clients: aggregators add their noise and
    /// release their batches, and the collector estimates. A true total is over the clients that
    /// sent a report, a true mean over all, though some reports may have been rejected.
    fn record(
        &self,
        number: u64,
        truth: &[i128],
        partial: PartialTrial,
    ) -> Result<TrialRecord, Error> {
        let PartialTrial { batches, mut unsent, dropped, rejected } = partial;
        unsent.resize(truth.len(), 0);
        let truth: Vec<i128> = truth.iter().zip(unsent).map(|(all, unsent)| all - unsent).collect();
        let shares = (0..).zip(batches).map(|(id, batch)| {
            batch.finish_seeded(&mut stream(self.seed, Purpose::Noise, number, id))
        });
        let shares = shares.collect::<Result<Vec<_>, _>>()?;
        let collection = self.collector.collect(&shares)?;
        let reports = collection.reports;
        let distribution = self.margins.as_ref().and_then(|margins| {
            let estimate = self.policy().cumulative(&collection.totals, reports)?;
            Some(margins.answer(&estimate, &truth, self.consistency.is_some()))
        });
        let divisor = as_f64(self.policy().divisor(self.clients).into());
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
            rows.for_each(|row| units.apply(row, self.clients, reports));
        }
        let trial = Trial { coordinates, distribution, reports, dropped, rejected };
        Ok(TrialRecord::new(number, trial))
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

/// Puts the outcome of a run together from its trials, added in order. It keeps the first trials.
#[derive(Debug)]
pub struct OutcomeBuilder<'a> {
    simulation: &'a Simulation,
    /// The number of the trial that is added next, from 0.
    next: u64,
    running: RunningOutcome,
    elapsed: Duration,
}

impl OutcomeBuilder<'_> {
    /// Adds the next trials.
    ///
    /// # Errors
    /// [`Error::Parameter`] if they are not the next trials of the run, or not of its clients.
    pub fn add(&mut self, trials: TrialRecords) -> Result<(), Error> {
        let Simulation { clients, trials: all, .. } = *self.simulation;
        let range = trials.trials();
        if range.start != self.next || range.end > all {
            let accepted = format!("the next ones of {}..{all}", self.next);
            return Err(ParameterError::new("trials", format!("{range:?}"), accepted).into());
        }
        self.next = range.end;
        self.elapsed = self.elapsed.saturating_add(trials.elapsed);
        for record in trials.records {
            let Trial { reports, dropped, rejected, .. } = record.trial;
            let counted = reports.saturating_add(dropped).saturating_add(rejected);
            if counted != clients {
                let accepted = format!("{clients}, the clients of each trial");
                let name = "reports sent, dropped and rejected";
                return Err(ParameterError::new(name, counted, accepted).into());
            }
            self.running.add(record);
        }
        Ok(())
    }

    /// The outcome of all trials.
    ///
    /// # Errors
    /// [`Error::Parameter`] if some are missing.
    pub fn outcome(self) -> Result<Outcome, Error> {
        let (found, trials) = (self.next, self.simulation.trials);
        if found != trials {
            return Err(ParameterError::new("trials", found, format!("all {trials}")).into());
        }
        let mut outcome = self.running.outcome(self.simulation.clients, self.elapsed);
        if let (Some(first), 0) = (outcome.trials.first(), outcome.summary.rejected) {
            outcome.summary.probability_95 = self.simulation.coverage(&first.coordinates);
        }
        Ok(outcome)
    }
}
