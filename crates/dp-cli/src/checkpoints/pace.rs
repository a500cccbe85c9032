//! How much is worked at before it is written.

use std::time::Duration;

/// What is written is at least so much work, unless it is the last.
const LEAST: Duration = Duration::from_millis(1500);

/// And so many times the work that writing is.
const TIMES: u32 = 60;

/// Each batch has at most so many times as many blocks as the one before: how long blocks take is known by them.
const GROWTH: u64 = 32;

/// How long blocks and files have taken.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// The blocks of the last batch, and how long they took.
    batch: (u64, Duration),
    /// Work that is not written yet.
    unwritten: Duration,
    /// How long the last file took.
    writing: Duration,
}

impl Pace {
    /// How many blocks to work at next.
    pub(super) fn blocks(&self) -> u64 {
        let (blocks, time) = self.batch;
        let most = blocks.saturating_mul(GROWTH).max(1);
        let left = self.interval().saturating_sub(self.unwritten);
        let wanted = left.as_nanos().saturating_mul(blocks.into()) / time.as_nanos().max(1);
        u64::try_from(wanted).unwrap_or(u64::MAX).clamp(1, most)
    }

    /// So many blocks took so long.
    pub(super) const fn worked(&mut self, blocks: u64, time: Duration) {
        self.batch = (blocks, time);
        self.unwritten = self.unwritten.saturating_add(time);
    }

    /// Whether what was worked at is to be written.
    pub(super) fn is_due(&self) -> bool {
        // A little sooner rather than a block later.
        self.unwritten.saturating_add(self.unwritten / 8) >= self.interval()
    }

    /// Writing took so long.
    pub(super) const fn wrote(&mut self, time: Duration) {
        self.writing = time;
        self.unwritten = Duration::ZERO;
    }

    fn interval(&self) -> Duration {
        self.writing.saturating_mul(TIMES).max(LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of a run: how many blocks each adds, if a block takes so long, and writing.
    fn files(block: Duration, writing: Duration) -> Vec<u64> {
        let mut pace = Pace::default();
        let mut files = Vec::new();
        let mut blocks = 0;
        while files.len() < 12 {
            let batch = pace.blocks();
            pace.worked(
                batch,
                block.saturating_mul(u32::try_from(batch).expect("few")),
            );
            blocks += batch;
            if pace.is_due() {
                pace.wrote(writing);
                files.push(std::mem::take(&mut blocks));
            }
        }
        files
    }

    #[test]
    fn files_are_written_every_second_or_two() {
        let quick = Duration::from_millis(3);
        for block in [20, 1_000, 300_000, 900_000].map(Duration::from_micros) {
            for blocks in files(block, quick) {
                let time = block.as_secs_f64() * f64::from(u32::try_from(blocks).expect("few"));
                assert!((1.3..=2.5).contains(&time), "{block:?}: {time} s");
            }
        }
        // A block that takes longer is written alone, and writing takes less than a fiftieth of the time.
        assert_eq!(files(Duration::from_secs(7), quick), [1; 12]);
        let slow = files(Duration::from_millis(100), Duration::from_millis(400));
        assert!(slow[1..].iter().all(|blocks| *blocks >= 200), "{slow:?}");
    }
}
