//! What came of consecutive blocks of a run.

use std::ops::Range;
use std::time::Duration;

use dp_prio3::DpPolicy;

use crate::outcome::Record;
use crate::parties::Fragment;

/// What came of consecutive blocks: the trials that are whole, and of those that its ends cut, which are at most two,
/// what their clients have contributed. It has **both aggregators' shares without noise** of the latter.
#[derive(Debug)]
pub struct Part<P: DpPolicy> {
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

impl<P: DpPolicy> Part<P> {
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
        if self.truth.is_empty() {
            self.truth = more;
            return;
        }
        for (total, more) in self.truth.iter_mut().zip(more) {
            *total = total.saturating_add(more);
        }
    }
}
