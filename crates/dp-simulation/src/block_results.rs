//! The results of consecutive blocks, and their encoding.
//!
//! ```text
//! results = version | nanoseconds
//!      | truth           if they include blocks of the first trial: two words for each total
//!      | partial trial   if a trial that began before them ends in them or goes on
//!      | trial …         one for each trial that is whole
//!      | partial trial   if a trial that begins in them goes on
//! partial trial = dropped | nanoseconds by stage | state of each aggregator's batch
//! trial = reports, dropped, rejected | nanoseconds by stage | statistics | digest (32 bytes)
//!        | statistics of cumulative counts, percentiles and ranges   if the run estimates some
//!        | coordinates, percentiles, ranges   of the first trials
//!        | cumulative counts   of the first trial
//! ```
//!
//! All are 64-bit words, little-endian; floats are their bits. Which fields there are, and how long
//! each is, follows from the task and the blocks: no length is read, and nothing is allocated
//! before its bytes are there. The encoding has no checksum: files of results have one
//! ([`checkpoints`](crate::checkpoints)).

use std::ops::Range;
use std::time::Duration;

use dp_prio3::DpPolicy;

use crate::Error;
use crate::outcome::{Coordinate, Statistics, TrialRecord};
use crate::parties::PartialTrial;

/// The version of the encoding, its first word.
pub(crate) const VERSION: u64 = 2;

/// The reason why results of blocks are not read or put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockResultsError {
    /// Another version of this program wrote the results.
    #[error("the part has version {found}: expected {VERSION}")]
    Version {
        /// The version of the results.
        found: u64,
    },
    /// The results have fewer or more bytes than their blocks take.
    #[error("the part has {found} bytes than its blocks take")]
    Length {
        /// `fewer` or `more`.
        found: &'static str,
    },
    /// The results are of blocks that the run does not have.
    #[error("the part has blocks {start} to {end}: the run has {blocks}")]
    Blocks {
        /// The first block.
        start: u64,
        /// The block after the last.
        end: u64,
        /// The number of blocks in the run.
        blocks: u64,
    },
    /// Not every client of a trial is counted once.
    #[error("the part counts {found} clients in trial {trial}: expected {clients}")]
    Clients {
        /// The trial, from 0.
        trial: u64,
        /// The clients that the results count.
        found: u64,
        /// The clients of their blocks.
        clients: u64,
    },
    /// A percentile lies in a bucket that the histogram does not have.
    #[error("the part has a percentile in bucket {found}: the histogram has {buckets} buckets")]
    Bucket {
        /// The bucket, counted from 0.
        found: u64,
        /// The number of buckets.
        buckets: usize,
    },
    /// Results are not put together in the order of their blocks.
    #[error("a part ends at block {end}, and the next one begins at block {start}")]
    NotAdjacent {
        /// The block after the last of the first results.
        end: u64,
        /// The first block of the next results.
        start: u64,
    },
    /// A trial is whole, and the true totals are unknown: the results of the first trial have them.
    #[error("the first trial is not there, which has the totals of all clients")]
    UnknownTruth,
    /// Results of some blocks are missing.
    #[error("{found} of {blocks} blocks are there")]
    Incomplete {
        /// The number of blocks with results, from the first on.
        found: u64,
        /// The number of blocks in the run.
        blocks: u64,
    },
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
    /// The totals without noise over the clients of the first trial in these blocks; empty, for
    /// zeros, without blocks of that trial.
    pub(crate) truth: Vec<i128>,
    /// Wall time of the work.
    pub(crate) elapsed: Duration,
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

    /// Adds `more` to the totals without noise; an empty vector stands for zeros.
    pub(crate) fn add_truth(&mut self, more: Vec<i128>) {
        self.truth = added(std::mem::take(&mut self.truth), more);
    }

    /// The results as bytes, which [`Simulation::read_results`](crate::Simulation::read_results)
    /// reads. **They hold the shares of all aggregators without noise.**
    ///
    /// # Errors
    /// None in practice: field elements can be encoded.
    pub fn payload(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        put(&mut bytes, [VERSION, nanoseconds(self.elapsed)]);
        for total in &self.truth {
            bytes.extend_from_slice(&total.to_le_bytes());
        }
        if let Some(partial) = &self.head {
            put_partial(partial, &mut bytes)?;
        }
        self.records.iter().for_each(|record| put_record(record, &mut bytes));
        if let Some(partial) = &self.tail {
            put_partial(partial, &mut bytes)?;
        }
        Ok(bytes)
    }
}

/// The sum of two lists of totals, entry by entry; an empty list stands for zeros. Saturates at
/// `i128::MAX` and `i128::MIN`.
pub(crate) fn added(totals: Vec<i128>, more: Vec<i128>) -> Vec<i128> {
    match (totals.is_empty(), more.is_empty()) {
        (true, _) => more,
        (_, true) => totals,
        _ => totals.into_iter().zip(more).map(|(one, more)| one.saturating_add(more)).collect(),
    }
}

/// Appends words, little-endian.
fn put(bytes: &mut Vec<u8>, words: impl IntoIterator<Item = u64>) {
    words.into_iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
}

/// Nanoseconds, at most 2^64 − 1: more than five hundred years.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Appends a partial trial as the module documentation lays it out.
fn put_partial<P: DpPolicy>(partial: &PartialTrial<P>, bytes: &mut Vec<u8>) -> Result<(), Error> {
    put(bytes, [partial.dropped]);
    put(bytes, partial.stages.0.map(nanoseconds));
    for batch in &partial.batches {
        batch.write_state(bytes)?;
    }
    Ok(())
}

/// Appends a whole trial as the module documentation lays it out.
fn put_record(record: &TrialRecord, bytes: &mut Vec<u8>) {
    let TrialRecord { trial, statistics, cumulative, digest } = record;
    put(bytes, [trial.reports, trial.dropped, trial.rejected]);
    put(bytes, trial.stages.0.map(nanoseconds));
    put_statistics(statistics, bytes);
    bytes.extend_from_slice(digest);
    if let Some(sums) = cumulative {
        put_statistics(&sums.counts, bytes);
        sums.percentiles.iter().for_each(|one| put(bytes, [one.covered, one.width]));
        sums.ranges.iter().for_each(|range| put_statistics(range, bytes));
    }
    trial.coordinates.iter().for_each(|row| put_coordinate(row, bytes));
    if let Some(cumulative) = &trial.cumulative {
        for one in &cumulative.percentiles {
            let estimate = one.estimate;
            let buckets = [one.truth, estimate.bucket, estimate.lowest, estimate.highest];
            put(bytes, buckets.map(|bucket| u64::try_from(bucket).unwrap_or(u64::MAX)));
        }
        let rows = cumulative.ranges.iter().chain(&cumulative.counts);
        rows.for_each(|row| put_coordinate(row, bytes));
    }
}

fn put_statistics(statistics: &Statistics, bytes: &mut Vec<u8>) {
    let (raw, processed) = (&statistics.errors, &statistics.processed_errors);
    for mean in
        [&statistics.variances, &raw.errors, &raw.squares, &processed.errors, &processed.squares]
    {
        put(bytes, [mean.sum, mean.mean, mean.squared_deviations].map(f64::to_bits));
    }
    put(bytes, [statistics.covered]);
}

fn put_coordinate(row: &Coordinate, bytes: &mut Vec<u8>) {
    let floats = [row.truth, row.estimate, row.standard_error, row.margin_95];
    put(bytes, floats.map(f64::to_bits));
    put(bytes, row.consistent.map(f64::to_bits));
}
