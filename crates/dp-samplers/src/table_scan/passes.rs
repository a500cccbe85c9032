//! The tables of a scan, for whoever checks them. With the feature `verification`.

use alloc::vec;
use alloc::vec::Vec;
use core::iter::{once, zip};

use super::TableScan;
use crate::Pass;

impl TableScan {
    /// For each of the two passes, the number of words that its thresholds give to each outcome.
    /// Empty if outcomes are drawn in two digits.
    pub(crate) fn passes(&self) -> Vec<Pass> {
        if self.high.is_some() {
            return Vec::new();
        }
        // The words of an outcome are those after the threshold before its own, up to its own.
        let least = if self.word_bits < 16 { 0 } else { i16::MIN };
        let ends = self.first.iter().copied().map(i64::from);
        let starts = once(i64::from(least) - 1).chain(ends.clone());
        let masses = zip(ends, starts).map(|(end, start)| (end - start).unsigned_abs());
        // Thresholds beyond the outcomes are padding.
        let first = zip(self.origin.., masses.take(usize::from(self.full.unsigned_abs())));
        let second = self.second.counts();
        vec![
            (self.word_bits, first.filter(|cell| cell.1 > 0).collect()),
            (64, zip(second.first.., second.masses).filter(|cell| cell.1 > 0).collect()),
        ]
    }
}
