//! The results of consecutive blocks, their encoding as JSON, and the outcome of all blocks.
//!
//! The encoding has no checksum: files of results have one ([`checkpoints`](crate::checkpoints)).

use std::fmt::Display;
use std::ops::Range;
use std::time::Duration;

use dp_prio3::{Batch, DpPolicy};
use dp_task::FromMeasurement;
use serde::{Deserialize, Serialize};

use super::Simulation;
use crate::Error;
use crate::outcome::{Outcome, RunningOutcome, TrialRecord};
use crate::parties::PartialTrial;

/// The reason why results of blocks are not read or put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BlockResultsError(String);

impl BlockResultsError {
    /// The bytes are not results of these blocks in this run.
    fn format(reason: impl Display) -> Self {
        Self(format!("the part is not what its blocks come to: {reason}"))
    }
}

/// The results of consecutive blocks: every whole trial, and the contributions to the at most two
/// trials that the ends cut. **Of a cut trial they hold the totals without noise.**
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BlockResults {
    /// The blocks: the first, up to but not including the end.
    #[serde(skip)]
    pub(super) blocks: Range<u64>,
    pub(super) elapsed: Duration,
    /// The totals of all clients without noise; empty in an ideal run.
    pub(super) truth: Vec<i128>,
    /// The results of each trial that has some of the blocks, in order.
    pub(super) trials: Vec<TrialResults>,
}

/// The results of consecutive blocks of one trial.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) enum TrialResults {
    /// All blocks: the finished trial.
    Whole(Box<TrialRecord>),
    /// Some blocks.
    Cut {
        /// Reports that clients did not send.
        dropped: u64,
        /// Reports that the aggregators rejected.
        rejected: u64,
        /// Reports that the aggregators added up.
        reports: u64,
        /// The totals of these reports without noise.
        totals: Vec<i128>,
    },
}

impl TrialResults {
    pub(super) fn cut<P: DpPolicy>(partial: &PartialTrial<P>) -> Self {
        Self::Cut {
            dropped: partial.dropped,
            rejected: partial.rejected,
            reports: partial.reports(),
            totals: Batch::totals(&partial.batches),
        }
    }
}

impl BlockResults {
    /// The results as bytes, which [`read`](Self::read) reads. **They hold totals without noise.**
    ///
    /// # Errors
    /// None in practice: all results can be encoded.
    pub fn payload(&self) -> Result<Vec<u8>, Error> {
        Ok(serde_json::to_vec(self).map_err(BlockResultsError::format)?)
    }

    /// The results of these blocks, from the bytes that [`payload`](Self::payload) gave.
    ///
    /// # Errors
    /// [`Error::BlockResults`] if the bytes are no results.
    pub fn read(blocks: Range<u64>, payload: &[u8]) -> Result<Self, Error> {
        let results: Self = serde_json::from_slice(payload).map_err(BlockResultsError::format)?;
        Ok(Self { blocks, ..results })
    }
}

/// Puts an outcome together from results, added in the order of their blocks. It keeps the first
/// trials and the trial that is not whole yet.
#[derive(Debug)]
pub struct OutcomeBuilder<'a, P: DpPolicy> {
    simulation: &'a Simulation<P>,
    next: u64,
    /// The contributions so far to the trial that is not whole.
    open: Option<PartialTrial<P>>,
    running: RunningOutcome,
    elapsed: Duration,
}

impl<P: DpPolicy<Measurement: FromMeasurement>> OutcomeBuilder<'_, P> {
    /// Adds the results of the next blocks. A trial that becomes whole is finished: its aggregators
    /// draw their noise, and its collector estimates.
    ///
    /// # Errors
    /// [`Error::BlockResults`] or [`Error::Batch`] if they are no results of the next blocks, noise
    /// cannot be drawn, or the collector refuses the aggregate shares.
    pub fn add(&mut self, results: BlockResults) -> Result<(), Error> {
        let BlockResults { blocks, elapsed, truth, trials } = results;
        let simulation = self.simulation;
        simulation.check_blocks(&blocks)?;
        let (next, start) = (self.next, blocks.start);
        if next != start {
            let reason =
                format!("a part ends at block {next}, and the next one begins at block {start}");
            return Err(BlockResultsError(reason).into());
        }
        self.next = blocks.end;
        self.elapsed = self.elapsed.saturating_add(elapsed);
        let pieces: Vec<_> = simulation.cut.by_trial(blocks).collect();
        let totals = if simulation.is_ideal { 0 } else { simulation.length() };
        if pieces.len() != trials.len() || truth.len() != totals {
            return Err(BlockResultsError::format("it has other trials or totals").into());
        }
        for (piece, trial) in pieces.into_iter().zip(trials) {
            let clients = piece.clients.end - piece.clients.start;
            let record = match trial {
                TrialResults::Whole(record) if piece.is_whole => {
                    let trial = &record.trial;
                    check_clients(&[trial.reports, trial.dropped, trial.rejected], clients)?;
                    *record
                }
                TrialResults::Cut { dropped, rejected, reports, totals } if !piece.is_whole => {
                    check_clients(&[reports, rejected, dropped], clients)?;
                    let batches = simulation.parties(piece.trial)?.batches_of(&totals, reports)?;
                    let mut partial = PartialTrial { batches, dropped, rejected };
                    if let Some(open) = self.open.take() {
                        partial.add(open)?;
                    }
                    if !piece.is_last {
                        self.open = Some(partial);
                        continue;
                    }
                    simulation.record(piece.trial, &truth, partial)?
                }
                _ => return Err(BlockResultsError::format("it has other trials").into()),
            };
            self.running.add(record);
        }
        Ok(())
    }

    /// The outcome of all blocks.
    ///
    /// # Errors
    /// [`Error::BlockResults`] if some are missing.
    pub fn outcome(self) -> Result<Outcome, Error> {
        let (found, blocks) = (self.next, self.simulation.blocks());
        if found != blocks {
            return Err(BlockResultsError(format!("{found} of {blocks} blocks are there")).into());
        }
        let mut outcome = self.running.outcome(self.simulation.clients, self.elapsed);
        if let (Some(first), 0) = (outcome.trials.first(), outcome.summary.rejected) {
            outcome.summary.probability_95 = self.simulation.coverage(&first.coordinates);
        }
        Ok(outcome)
    }
}

impl<P: DpPolicy<Measurement: FromMeasurement>> Simulation<P> {
    /// An outcome to which the results of all blocks are added, in order.
    #[must_use]
    pub fn outcome_builder(&self) -> OutcomeBuilder<'_, P> {
        OutcomeBuilder {
            simulation: self,
            next: 0,
            open: None,
            running: RunningOutcome::default(),
            elapsed: Duration::ZERO,
        }
    }
}

/// Refuses counts of reports, dropped and rejected that do not add up to `clients`.
fn check_clients(counts: &[u64], clients: u64) -> Result<(), BlockResultsError> {
    let found = counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
    match found == clients {
        true => Ok(()),
        false => Err(BlockResultsError::format(format!("{found} clients, expected {clients}"))),
    }
}
