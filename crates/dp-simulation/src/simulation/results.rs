//! The results of consecutive blocks, and their encoding as JSON.
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
use crate::outcome::TrialRecord;
use crate::parties::PartialTrial;

/// The reason why results of blocks are not read or put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BlockResultsError(String);

impl BlockResultsError {
    pub(crate) const fn new(reason: String) -> Self {
        Self(reason)
    }

    /// The bytes are not results of these blocks in this run.
    fn format(reason: impl Display) -> Self {
        Self(format!("the part is not what its blocks come to: {reason}"))
    }
}

/// The results of consecutive blocks: every whole trial, and the contributions to the at most two
/// trials that the ends cut. **Of a cut trial they hold the shares of all aggregators without
/// noise.**
#[derive(Debug)]
pub struct BlockResults<P: DpPolicy> {
    /// The blocks: the first, up to but not including the end.
    pub(crate) blocks: Range<u64>,
    /// The results of each trial that has some of the blocks, in order.
    pub(crate) trials: Vec<TrialResults<P>>,
    /// The totals of all clients without noise; empty in an ideal run.
    pub(crate) truth: Vec<i128>,
    /// Wall time of the work.
    pub(crate) elapsed: Duration,
}

/// The results of consecutive blocks of one trial.
#[derive(Debug)]
pub(crate) enum TrialResults<P: DpPolicy> {
    /// All blocks: the finished trial.
    Whole(Box<TrialRecord>),
    /// Some blocks.
    Cut(PartialTrial<P>),
}

/// [`BlockResults`] as they are encoded, without their blocks.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct EncodedResults {
    elapsed: Duration,
    truth: Vec<i128>,
    trials: Vec<EncodedTrial>,
}

/// [`TrialResults`] as they are encoded.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
enum EncodedTrial {
    Whole(Box<TrialRecord>),
    Cut {
        dropped: u64,
        /// The states of all aggregators' batches, one after the other.
        #[serde(with = "crate::hexadecimal")]
        batches: Vec<u8>,
    },
}

impl<P: DpPolicy> BlockResults<P> {
    /// The results as bytes, which [`Simulation::read_results`] reads. **They hold the shares of all
    /// aggregators without noise.**
    ///
    /// # Errors
    /// None in practice: all results can be encoded.
    pub fn payload(&self) -> Result<Vec<u8>, Error> {
        let encoded = |trial: &TrialResults<P>| -> Result<_, Error> {
            Ok(match trial {
                TrialResults::Whole(record) => EncodedTrial::Whole(record.clone()),
                TrialResults::Cut(partial) => {
                    let mut batches = Vec::new();
                    partial.batches.iter().try_for_each(|batch| batch.write_state(&mut batches))?;
                    EncodedTrial::Cut { dropped: partial.dropped, batches }
                }
            })
        };
        let trials = self.trials.iter().map(encoded).collect::<Result<_, _>>()?;
        let results = EncodedResults { elapsed: self.elapsed, truth: self.truth.clone(), trials };
        Ok(serde_json::to_vec(&results).map_err(BlockResultsError::format)?)
    }
}

impl<P: DpPolicy<Measurement: FromMeasurement>> Simulation<P> {
    /// The results of these blocks, from the bytes that [`BlockResults::payload`] gave.
    ///
    /// # Errors
    /// [`Error::BlockResults`] or [`Error::Batch`] if the bytes are not such results.
    pub fn read_results(
        &self,
        blocks: Range<u64>,
        payload: &[u8],
    ) -> Result<BlockResults<P>, Error> {
        self.check_blocks(&blocks)?;
        let encoded = serde_json::from_slice(payload).map_err(BlockResultsError::format)?;
        let EncodedResults { elapsed, truth, trials } = encoded;
        let pieces: Vec<_> = self.cut.by_trial(blocks.clone()).collect();
        let totals = if self.is_ideal { 0 } else { self.length() };
        if pieces.len() != trials.len() || truth.len() != totals {
            return Err(BlockResultsError::format("it has other trials or totals").into());
        }
        let trials = pieces.into_iter().zip(trials).map(|(piece, trial)| {
            let clients = piece.clients.end - piece.clients.start;
            let is_whole = piece.blocks == self.cut.of_trial(piece.trial);
            match trial {
                EncodedTrial::Whole(record) if is_whole => {
                    let trial = &record.trial;
                    check_clients(&[trial.reports, trial.dropped, trial.rejected], clients)?;
                    Ok(TrialResults::Whole(record))
                }
                EncodedTrial::Cut { dropped, batches } if !is_whole => {
                    let batches = self.batches(piece.trial, &batches)?;
                    // Every aggregator has counted every report.
                    for batch in &batches {
                        check_clients(
                            &[batch.reports(), batch.rejections().total(), dropped],
                            clients,
                        )?;
                    }
                    Ok(TrialResults::Cut(PartialTrial { batches, dropped }))
                }
                _ => Err(BlockResultsError::format("it has other trials").into()),
            }
        });
        let trials = trials.collect::<Result<_, Error>>()?;
        Ok(BlockResults { blocks, trials, truth, elapsed })
    }

    /// The aggregators' batches of a trial, from their states one after the other.
    fn batches(&self, trial: u64, states: &[u8]) -> Result<Vec<Batch<P>>, Error> {
        let parties = self.parties(trial)?;
        let mut states = states.chunks(Batch::<P>::state_length(&*self.policy));
        let batches = parties
            .batches()
            .map(|batch| Ok(batch.with_state(states.next().unwrap_or_default())?))
            .collect::<Result<_, Error>>()?;
        match states.next() {
            None => Ok(batches),
            Some(_) => Err(BlockResultsError::format("it has more batches").into()),
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
