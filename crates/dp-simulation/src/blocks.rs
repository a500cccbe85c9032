//! The blocks of a run, numbered over all trials: their boundaries follow from the task and the
//! number of clients alone. A run of Prio3 cuts each trial into blocks of a fixed number of
//! clients, some tenths of a second of work; the last one may have fewer.

use std::ops::Range;

/// Work of a block, in encoded numbers of about a microsecond each.
const WORK: u64 = 1 << 18;

/// Fixed work of a report, in encoded numbers.
const REPORT: u64 = 64;

/// The cut of a run into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocks {
    clients: u64,
    clients_per_block: u64,
    trials: u64,
}

/// Consecutive blocks of one trial, and the clients that they cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrialBlocks {
    pub(crate) trial: u64,
    /// Numbers of the clients, from 0 within the trial.
    pub(crate) clients: Range<u64>,
    /// Whether these are all blocks of the trial.
    pub(crate) is_whole: bool,
    pub(crate) is_last: bool,
}

impl Blocks {
    /// Blocks of a run of Prio3, where each report encodes `encoded` numbers.
    pub(crate) fn of_clients(clients: u64, encoded: usize, trials: u64) -> Self {
        let encoded = u64::try_from(encoded).unwrap_or(u64::MAX);
        let clients_per_block = (WORK / encoded.saturating_add(REPORT)).max(1);
        Self { clients, clients_per_block, trials }
    }

    /// Blocks of an ideal run: one for each trial.
    pub(crate) const fn of_trials(clients: u64, trials: u64) -> Self {
        Self { clients, clients_per_block: clients, trials }
    }

    /// The number of blocks of a trial, at least 1.
    pub(crate) fn in_trial(&self) -> u64 {
        self.clients.div_ceil(self.clients_per_block.max(1)).max(1)
    }

    pub(crate) fn count(&self) -> u64 {
        self.trials.saturating_mul(self.in_trial())
    }

    pub(crate) fn of_trial(&self, trial: u64) -> Range<u64> {
        let first = trial.saturating_mul(self.in_trial());
        first..first.saturating_add(self.in_trial())
    }

    /// `range` cut at the boundaries of trials, in order.
    pub(crate) fn by_trial(self, range: Range<u64>) -> impl Iterator<Item = TrialBlocks> {
        let mut first = range.start;
        std::iter::from_fn(move || {
            (first < range.end).then(|| {
                let trial = first / self.in_trial();
                let of_trial = self.of_trial(trial);
                let blocks = first..range.end.min(of_trial.end);
                first = blocks.end;
                let client = |block: u64| {
                    let clients = (block - of_trial.start).saturating_mul(self.clients_per_block);
                    clients.min(self.clients)
                };
                TrialBlocks {
                    trial,
                    clients: client(blocks.start)..client(blocks.end),
                    is_whole: blocks == of_trial,
                    is_last: blocks.end == of_trial.end,
                }
            })
        })
    }
}
