//! The blocks of a run: work in pieces whose boundaries follow from the task and the number of clients alone.
//!
//! Blocks are counted over all trials, those of the first trial first. In a run of Prio3 a trial is cut into
//! blocks of a fixed number of clients, of which the last may have fewer, so that a block is some tenths of a
//! second of work. Where totals are drawn from their laws, a block is a trial.

use std::ops::Range;

/// Work of a block: so many times that of one number that a report encodes. It takes about a microsecond.
const WORK: u64 = 1 << 18;

/// Work of a report beside the numbers that it encodes.
const REPORT: u64 = 64;

/// Where blocks begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocks {
    clients: u64,
    /// Clients of a block.
    width: u64,
    trials: u64,
}

/// Some blocks of one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) trial: u64,
    pub(crate) blocks: Range<u64>,
    pub(crate) clients: Range<u64>,
}

impl Blocks {
    /// Of clients whose reports encode so many numbers.
    pub(crate) fn of_clients(clients: u64, encoded: usize, trials: u64) -> Self {
        let encoded = u64::try_from(encoded).unwrap_or(u64::MAX);
        Self { clients, width: (WORK / encoded.saturating_add(REPORT)).max(1), trials }
    }

    /// Of whole trials.
    pub(crate) const fn of_trials(clients: u64, trials: u64) -> Self {
        Self { clients, width: clients, trials }
    }

    /// How many there are in a trial.
    pub(crate) fn in_trial(&self) -> u64 {
        self.clients.div_ceil(self.width.max(1)).max(1)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        self.trials.saturating_mul(self.in_trial())
    }

    /// The blocks of a trial.
    pub(crate) fn of_trial(&self, trial: u64) -> Range<u64> {
        let first = trial.saturating_mul(self.in_trial());
        first..first.saturating_add(self.in_trial())
    }

    /// Whether a trial begins with this block; and so whether one ends before it.
    pub(crate) fn begins_trial(&self, block: u64) -> bool {
        block.is_multiple_of(self.in_trial())
    }

    /// The trial of a block.
    pub(crate) fn trial(&self, block: u64) -> u64 {
        block / self.in_trial()
    }

    /// The blocks of a range, trial by trial.
    pub(crate) fn pieces(self, range: Range<u64>) -> impl Iterator<Item = Piece> {
        let mut first = range.start;
        std::iter::from_fn(move || {
            (first < range.end).then(|| {
                let trial = self.trial(first);
                let blocks = first..range.end.min(self.of_trial(trial).end);
                first = blocks.end;
                Piece { trial, clients: self.clients(&blocks), blocks }
            })
        })
    }

    /// The clients of blocks of one trial.
    fn clients(&self, blocks: &Range<u64>) -> Range<u64> {
        let first = self.of_trial(self.trial(blocks.start)).start;
        let client = |block: u64| (block - first).saturating_mul(self.width).min(self.clients);
        client(blocks.start)..client(blocks.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_of_every_trial_is_in_one_block_however_a_run_is_cut() {
        for (clients, encoded, trials) in
            [(1, 1, 1), (10_000, 12, 3), (9, 100_000, 2), (4032, 1, 4)]
        {
            let blocks = Blocks::of_clients(clients, encoded, trials);
            for cuts in 1..=blocks.count().min(7) {
                let end = |cut: u64| blocks.count() * cut / cuts;
                let mut next = (0, 0);
                for piece in (0..cuts).flat_map(|cut| blocks.pieces(end(cut)..end(cut + 1))) {
                    assert_eq!((piece.trial, piece.clients.start), next);
                    assert!(piece.clients.end > piece.clients.start, "{piece:?}");
                    next = match piece.clients.end {
                        end if end == clients => (piece.trial + 1, 0),
                        end => (piece.trial, end),
                    };
                    assert_eq!(blocks.begins_trial(piece.blocks.end), next.1 == 0);
                }
                assert_eq!(next, (trials, 0));
            }
        }
    }
}
