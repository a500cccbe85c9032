//! The trials of a run: what becomes of the reports once they are added up, and how parts of a run are put together.
//!
//! None of this needs the data: a process that has the parts of a run and its task finishes it.

mod payload;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use dp_exact::ParameterError;
use dp_prio3::{Batch, Collection, Collector, DpPolicy};
use num_traits::ToPrimitive as _;

use crate::blocks::Blocks;
use crate::memory::encoded_length;
use crate::outcome::{
    COLLECTION, Coordinate, Gathered, NOISE, Record, StageTimes, TOTALS, Units, as_f64,
};
use crate::parties::{CONTEXT, Fragment, Parties};
use crate::report::Functionality;
use crate::streams::{Purpose, stream};
use crate::{Consistency, Error, Outcome, Trial};

pub use payload::PartError;

/// Of so many different truths the probability is found that their intervals hold them.
const MAX_TRUTHS: usize = 512;

/// Trials of a policy with so many clients, cut into blocks.
///
/// Blocks are counted over all trials; where one ends follows from the policy, the number of clients and what computes the
/// totals, and never from the threads or processes that do the work. A [`BlockResults`] is what came of consecutive
/// blocks; parts are put together here, in whichever process, with the same result to the last bit.
#[derive(Debug)]
pub struct Trials<P> {
    policy: Arc<P>,
    collector: Arc<Collector<P>>,
    clients: u64,
    trials: u64,
    seed: u64,
    functionality: Functionality,
    units: Option<Units>,
    consistency: Option<Consistency>,
    /// The totals of all clients without any noise, once they are known.
    truth: OnceLock<Vec<i128>>,
}

/// The policy is shared, so it need not be `Clone`.
impl<P> Clone for Trials<P> {
    fn clone(&self) -> Self {
        Self {
            policy: Arc::clone(&self.policy),
            collector: Arc::clone(&self.collector),
            truth: self.truth.clone(),
            ..*self
        }
    }
}

impl<P: DpPolicy> Trials<P> {
    /// So many trials over real Prio3, with so many clients in each.
    ///
    /// # Errors
    /// If there are no trials or no clients, or more clients than the policy allows reports in a batch.
    pub fn new(policy: Arc<P>, clients: u64, trials: u64, seed: u64) -> Result<Self, Error> {
        if trials == 0 {
            return Err(ParameterError::new("trials", trials, "at least 1").into());
        }
        if clients == 0 {
            return Err(ParameterError::new("clients", clients, "at least 1").into());
        }
        let most = policy.max_reports();
        if clients > most {
            let accepted = format!("at most {most}, the reports that the policy allows in a batch");
            return Err(ParameterError::new("clients", clients, accepted).into());
        }
        Ok(Self {
            collector: Arc::new(Collector::new(Arc::clone(&policy), CONTEXT)?),
            policy,
            clients,
            trials,
            seed,
            functionality: Functionality::Prio3,
            units: None,
            consistency: None,
            truth: OnceLock::new(),
        })
    }

    /// The same for numbers that were measured on a grid: an integer y stands for
    /// `low` + `granularity`·y. A total of n reports is then n·`low` + `granularity`·total; where
    /// the estimates are means (`are_means`), `low` is added once.
    ///
    /// The truth is that of the values on the grid.
    #[must_use]
    pub fn in_units(self, low: f64, granularity: f64, are_means: bool) -> Self {
        let units = Some(Units { low, granularity, are_means });
        Self { units, ..self }
    }

    /// The same with post-processing beside every estimate: what is nearest to the estimates of a
    /// trial and could be true.
    #[must_use]
    pub fn consistent(self, consistency: Consistency) -> Self {
        let consistency = Some(consistency);
        Self { consistency, ..self }
    }

    /// The same where this computes the totals.
    #[must_use]
    pub fn computed_by(self, functionality: Functionality) -> Self {
        Self { functionality, ..self }
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.cut().count()
    }

    /// Adds what came of the blocks that follow. A trial of which all blocks are there then is finished: its
    /// aggregators draw their noise, and its collector estimates.
    ///
    /// # Errors
    /// [`PartError::NotAdjacent`] if the blocks do not follow, noise that cannot be drawn, or aggregate shares
    /// that the collector refuses.
    pub fn extend(&self, part: &mut BlockResults<P>, next: BlockResults<P>) -> Result<(), Error> {
        if part.blocks.end != next.blocks.start {
            return Err(Error::Part(PartError::NotAdjacent {
                end: part.blocks.end,
                start: next.blocks.start,
            }));
        }
        let cut = self.cut();
        part.add_truth(next.truth);
        self.learn_truth(part, next.blocks.end);
        part.elapsed = part.elapsed.saturating_add(next.elapsed);
        let first = cut.of_trial(cut.trial(next.blocks.start));
        if let Some(head) = next.head {
            let end = first.end.min(next.blocks.end);
            self.add_fragment(part, next.blocks.start..end, head)?;
        }
        part.records.extend(next.records);
        if let Some(tail) = next.tail {
            let start = cut.of_trial(cut.trial(next.blocks.end)).start;
            self.add_fragment(part, start..next.blocks.end, tail)?;
        }
        part.blocks.end = next.blocks.end;
        Ok(())
    }

    /// An outcome to which the parts of all blocks are added, in order.
    #[must_use]
    pub fn gather(&self) -> OutcomeBuilder<'_, P> {
        OutcomeBuilder { trials: self, open: BlockResults::empty(0), gathered: Gathered::default() }
    }

    pub(crate) fn cut(&self) -> Blocks {
        match self.functionality {
            Functionality::Prio3 => {
                Blocks::of_clients(self.clients, encoded_length(&*self.policy), self.trials)
            }
            Functionality::Ideal => Blocks::of_trials(self.clients, self.trials),
        }
    }

    pub(crate) const fn policy(&self) -> &Arc<P> {
        &self.policy
    }

    pub(crate) const fn clients(&self) -> u64 {
        self.clients
    }

    pub(crate) const fn trials(&self) -> u64 {
        self.trials
    }

    pub(crate) const fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether the clients' totals are counted while they report, in the first trial.
    pub(crate) fn counts_truth(&self) -> bool {
        self.functionality == Functionality::Prio3
    }

    /// Whether estimates are post-processed.
    pub(crate) const fn is_processed(&self) -> bool {
        self.consistency.is_some()
    }

    /// How many totals there are.
    pub(crate) fn length(&self) -> usize {
        self.policy.vdaf().output_len()
    }

    /// Everybody who takes part in a trial.
    pub(crate) fn parties(&self, trial: u64) -> Result<Parties<P>, Error> {
        Parties::new(&self.policy, self.seed, trial)
    }

    /// Whether these blocks of one trial, which follow the part, complete a trial whose truth is not known.
    pub(crate) fn lacks_truth(&self, part: &BlockResults<P>, blocks: &Range<u64>) -> bool {
        let cut = self.cut();
        let completes =
            cut.begins_trial(blocks.end) && (cut.begins_trial(blocks.start) || part.tail.is_some());
        completes && cut.trial(blocks.start) > 0 && self.truth.get().is_none()
    }

    /// Says what the totals of all clients are.
    pub(crate) fn know_truth(&self, truth: Vec<i128>) {
        // Whoever counts it counts the same.
        let _ = self.truth.set(truth);
    }

    /// A part that has the whole first trial up to this end has the truth.
    pub(crate) fn learn_truth(&self, part: &BlockResults<P>, end: u64) {
        let first = self.cut().of_trial(0);
        let is_whole = part.blocks.start == first.start && end >= first.end;
        if is_whole && !part.truth.is_empty() && self.truth.get().is_none() {
            self.know_truth(part.truth.clone());
        }
    }

    /// The probability that an interval of a run holds its truth, where every report arrives: the mean over the
    /// coordinates. `None` where the law of the noise is not known, or too many truths differ.
    pub(crate) fn coverage(&self, coordinates: &[Coordinate]) -> Option<f64> {
        let intervals = self.collector.intervals(self.clients)?;
        if let Some(coverage) = intervals.coverage_of_all() {
            return Some(coverage);
        }
        // Answers are counted: a truth is an integer.
        let mut truths: BTreeMap<u64, u64> = BTreeMap::new();
        for coordinate in coordinates {
            *truths.entry(coordinate.truth.to_u64()?).or_default() += 1;
        }
        if truths.len() > MAX_TRUTHS {
            return None;
        }
        let sum: f64 = truths
            .iter()
            .map(|(truth, times)| intervals.coverage(*truth) * as_f64(i128::from(*times)))
            .sum();
        let count = u64::try_from(coordinates.len()).unwrap_or(u64::MAX);
        Some(sum / as_f64(i128::from(count)))
    }

    /// Adds what came of some blocks of one trial, which follow the part, and finishes the trial if they
    /// complete it.
    pub(crate) fn add_fragment(
        &self,
        part: &mut BlockResults<P>,
        blocks: Range<u64>,
        fragment: Fragment<P>,
    ) -> Result<(), Error> {
        let cut = self.cut();
        if cut.begins_trial(blocks.start) {
            part.tail = Some(fragment);
        } else if let Some(open) = part.tail.as_mut().or(part.head.as_mut()) {
            open.add(fragment)?;
        } else {
            part.head = Some(fragment);
        }
        if cut.begins_trial(blocks.end)
            && let Some(whole) = part.tail.take()
        {
            let trial = cut.trial(blocks.start);
            part.records.push(self.finished(trial, whole)?);
        }
        part.blocks.end = blocks.end;
        Ok(())
    }

    /// A trial to which all clients have contributed.
    fn finished(&self, number: u64, all: Fragment<P>) -> Result<Record, Error> {
        let truth = self.truth.get().ok_or(PartError::UnknownTruth)?;
        let (rejected, dropped, reports) = all.counts();
        let (coordinates, released) = self.estimates(number, truth, all.batches)?;
        let mut stages = all.stages;
        stages.add(&released);
        let trial = Trial { coordinates, reports, dropped, rejected, stages };
        Ok(Record::of(number, trial))
    }

    /// The trial of totals over so many reports, which took so long to draw, as if Prio3 had computed them.
    pub(crate) fn released(
        &self,
        number: u64,
        truth: &[i128],
        (totals, reports): (Vec<i128>, u64),
        drawing: Duration,
    ) -> Result<Record, Error> {
        let batches = self.parties(number)?.batches_of(&totals, reports)?;
        let (coordinates, mut stages) = self.estimates(number, truth, batches)?;
        stages.0[TOTALS] = drawing;
        let trial =
            Trial { coordinates, reports, dropped: self.clients - reports, rejected: 0, stages };
        Ok(Record::of(number, trial))
    }

    /// What the aggregators release and the collector makes of it, and how long that takes.
    fn estimates(
        &self,
        trial: u64,
        truth: &[i128],
        batches: Vec<Batch<P>>,
    ) -> Result<(Vec<Coordinate>, StageTimes), Error> {
        let mut stages = StageTimes::default();
        let start = Instant::now();
        let shares = (0..)
            .zip(batches)
            .map(|(id, batch)| {
                let mut rng = stream(self.seed, Purpose::Noise, trial, id);
                batch.finish_seeded(&mut rng)
            })
            .collect::<Result<Vec<_>, _>>()?;
        stages.0[NOISE] = start.elapsed();

        let start = Instant::now();
        let collection = self.collector.collect(&shares)?;
        let divisor = self.policy.divisor(self.clients);
        stages.0[COLLECTION] = start.elapsed();
        let reports = collection.reports;
        let mut coordinates = coordinates(truth, divisor, &collection);
        if let Some(consistency) = self.consistency {
            make_consistent(&mut coordinates, consistency, reports);
        }
        if let Some(units) = &self.units {
            let rows = coordinates.iter_mut();
            rows.for_each(|row| units.apply(row, self.clients, reports));
        }
        Ok((coordinates, stages))
    }
}

/// What came of consecutive blocks: the trials that are whole, and of those that its ends cut, which are at most two,
/// what their clients have contributed. It has **both aggregators' shares without noise** of the latter.
#[derive(Debug)]
pub struct BlockResults<P: DpPolicy> {
    pub(crate) blocks: Range<u64>,
    /// Of the trial that began before these blocks.
    pub(crate) head: Option<Fragment<P>>,
    /// The trials that began and ended in these blocks.
    pub(crate) records: Vec<Record>,
    /// Of the trial that began in these blocks and goes on after them.
    pub(crate) tail: Option<Fragment<P>>,
    /// The totals, without noise, of the clients that take part in the first trial, where some do.
    pub(crate) truth: Vec<i128>,
    /// How long the work took.
    pub(crate) elapsed: Duration,
}

impl<P: DpPolicy> BlockResults<P> {
    /// Nothing yet, of the blocks from this one on.
    pub(crate) const fn empty(first: u64) -> Self {
        Self {
            blocks: first..first,
            head: None,
            records: Vec::new(),
            tail: None,
            truth: Vec::new(),
            elapsed: Duration::ZERO,
        }
    }

    /// The blocks: from the first up to, but not including, the end.
    #[must_use]
    pub const fn blocks(&self) -> &Range<u64> {
        &self.blocks
    }

    pub(crate) fn add_truth(&mut self, more: Vec<i128>) {
        self.truth = added(std::mem::take(&mut self.truth), more);
    }
}

/// Totals of more clients, as soon as there are some.
pub(crate) fn added(totals: Vec<i128>, more: Vec<i128>) -> Vec<i128> {
    match (totals.is_empty(), more.is_empty()) {
        (true, _) => more,
        (false, true) => totals,
        (false, false) => {
            let pairs = totals.into_iter().zip(more);
            pairs.map(|(total, more)| total.saturating_add(more)).collect()
        }
    }
}

/// An outcome to which parts are added in the order of their blocks. Of those that are added no more is kept than the
/// first trials and a trial that is not whole yet.
#[derive(Debug)]
pub struct OutcomeBuilder<'a, P: DpPolicy> {
    trials: &'a Trials<P>,
    /// All blocks so far, without the trials that are gathered.
    open: BlockResults<P>,
    gathered: Gathered,
}

impl<P: DpPolicy> OutcomeBuilder<'_, P> {
    /// Adds the next part.
    ///
    /// # Errors
    /// As [`Trials::extend`].
    pub fn add(&mut self, part: BlockResults<P>) -> Result<(), Error> {
        self.trials.extend(&mut self.open, part)?;
        let finished = self.open.records.drain(..);
        finished.for_each(|record| self.gathered.add(record));
        Ok(())
    }

    /// The outcome of all blocks.
    ///
    /// # Errors
    /// [`PartError::Incomplete`] if some are missing.
    pub fn outcome(self) -> Result<Outcome, Error> {
        let (found, blocks) = (self.open.blocks.end, self.trials.blocks());
        if found != blocks {
            return Err(Error::Part(PartError::Incomplete { found, blocks }));
        }
        let elapsed = self.open.elapsed;
        let mut outcome = self.gathered.outcome(self.trials.clients, elapsed);
        if let (Some(first), 0) = (outcome.trials.first(), outcome.summary.rejected) {
            outcome.summary.probability_95 = self.trials.coverage(&first.coordinates);
        }
        Ok(outcome)
    }
}

/// The estimates beside the truth. The mean is that over all clients, though not all may have
/// reported.
fn coordinates(truth: &[i128], divisor: u64, collection: &Collection) -> Vec<Coordinate> {
    let pairs = collection.estimates.iter().zip(&collection.margins_95);
    let pairs = truth.iter().zip(pairs);
    pairs
        .map(|(truth, (estimate, margin))| Coordinate {
            truth: as_f64(*truth) / as_f64(i128::from(divisor)),
            estimate: estimate.value,
            standard_error: estimate.standard_error,
            margin_95: *margin,
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
