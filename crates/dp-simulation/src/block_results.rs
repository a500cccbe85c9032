//! The results of consecutive blocks, and their encoding as JSON.
//!
//! The encoding has no checksum: files of results have one ([`checkpoints`](crate::checkpoints)).

use std::fmt::Display;
use std::ops::Range;
use std::time::Duration;

use dp_prio3::DpPolicy;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::outcome::{StageTimes, TrialRecord};
use crate::parties::PartialTrial;

/// The version of the encoding.
pub(crate) const VERSION: u64 = 3;

/// The reason why results of blocks are not read or put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BlockResultsError(String);

impl BlockResultsError {
    pub(crate) const fn new(reason: String) -> Self {
        Self(reason)
    }

    /// The bytes are not results of these blocks in this run.
    pub(crate) fn format(reason: impl Display) -> Self {
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
    /// Contributions to the trial that began before these blocks.
    pub(crate) head: Option<PartialTrial<P>>,
    /// The trials that began and ended in these blocks.
    pub(crate) records: Vec<TrialRecord>,
    /// Contributions to the trial that began in these blocks and goes on after them.
    pub(crate) tail: Option<PartialTrial<P>>,
    /// The totals of all clients without noise; empty in an ideal run, and without blocks.
    pub(crate) truth: Vec<i128>,
    /// Wall time of the work.
    pub(crate) elapsed: Duration,
}

/// The results of blocks as they are encoded.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EncodedResults {
    pub(crate) version: u64,
    pub(crate) elapsed: Duration,
    pub(crate) truth: Vec<i128>,
    /// The trial that began before the blocks and the trial that goes on after them, if there are.
    pub(crate) partials: Vec<EncodedPartialTrial>,
    pub(crate) records: Vec<TrialRecord>,
}

/// A [`PartialTrial`] as it is encoded.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EncodedPartialTrial {
    pub(crate) dropped: u64,
    pub(crate) stages: StageTimes,
    /// The states of all aggregators' batches, one after the other.
    #[serde(with = "crate::hexadecimal")]
    pub(crate) batches: Vec<u8>,
}

impl<P: DpPolicy> BlockResults<P> {
    /// Results of no blocks; the results of block `first` and its successors can be added.
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

    /// The results as bytes, which [`Simulation::read_results`](crate::Simulation::read_results)
    /// reads. **They hold the shares of all aggregators without noise.**
    ///
    /// # Errors
    /// None in practice: all results can be encoded.
    pub fn payload(&self) -> Result<Vec<u8>, Error> {
        let encoded = |partial: &PartialTrial<P>| -> Result<_, Error> {
            let mut batches = Vec::new();
            partial.batches.iter().try_for_each(|batch| batch.write_state(&mut batches))?;
            let PartialTrial { dropped, stages, .. } = *partial;
            Ok(EncodedPartialTrial { dropped, stages, batches })
        };
        let partials = self.head.iter().chain(&self.tail).map(encoded);
        let results = EncodedResults {
            version: VERSION,
            elapsed: self.elapsed,
            truth: self.truth.clone(),
            partials: partials.collect::<Result<_, _>>()?,
            records: self.records.clone(),
        };
        Ok(serde_json::to_vec(&results).map_err(BlockResultsError::format)?)
    }
}
