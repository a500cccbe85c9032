//! Thresholds of 64 bits, all of which are compared with each word.
//!
//! The construction is that of [`alias`](crate::alias) with the words of each outcome in one run
//! instead of spread over cells: m(x) of the 2^w words yield x, the last 2^b are undecided and followed
//! by a draw from the remainder.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::iter::zip;

use crate::alias::{Law, Shares, remainder, share_out};
use crate::blocks::{Second, UNDECIDED};
use crate::words::Source;

/// At most 2^b undecided words, and as many outcomes.
const MAX_CELL_BITS: u32 = 9;

/// Words that are compared with a threshold, or thresholds with a word, at a time.
const AT_A_TIME: usize = 4;

/// Words of 63 or 64 bits in order.
#[derive(Clone, Debug)]
pub(crate) struct Row<L> {
    law: L,
    word_bits: u32,
    /// b
    cell_bits: u32,
    /// The first outcome.
    first: i64,
    /// The same, counted from where positions are.
    position: i16,
    /// The first word that does not belong to the outcomes up to each.
    thresholds: Box<[u64]>,
}

impl<L: Law> Row<L> {
    /// Words of `word_bits` bits for this law, with positions counted from an outcome.
    pub(super) fn new(law: L, word_bits: u32, origin: i64) -> Option<Self> {
        let Shares {
            first,
            masses,
            cell_bits,
        } = share_out(&law.lower_bounds(64)?, word_bits, MAX_CELL_BITS)?;
        let mut sum = 0;
        let thresholds = masses.iter().map(|mass| {
            sum += mass;
            sum
        });
        Some(Self {
            thresholds: thresholds.collect(),
            law,
            word_bits,
            cell_bits,
            first,
            position: i16::try_from(first.checked_sub(origin)?).ok()?,
        })
    }

    /// How many of its words are undecided.
    pub(super) fn undecided(&self) -> u64 {
        1 << self.cell_bits
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.thresholds)
    }

    /// The number of thresholds that each word reaches.
    #[inline]
    fn counts(&self, words: &[u64; AT_A_TIME]) -> [u32; AT_A_TIME] {
        let mut counts = [0; AT_A_TIME];
        for &threshold in &self.thresholds {
            for (count, &word) in zip(&mut counts, words) {
                *count += u32::from(word >= threshold);
            }
        }
        counts
    }

    /// The same for one word, in sums that do not wait for each other.
    #[inline]
    fn count(&self, word: u64) -> u32 {
        let mut counts = [0; AT_A_TIME];
        let (chunks, rest) = self.thresholds.as_chunks::<AT_A_TIME>();
        for thresholds in chunks {
            for (count, &threshold) in zip(&mut counts, thresholds) {
                *count += u32::from(word >= threshold);
            }
        }
        for (count, &threshold) in zip(&mut counts, rest) {
            *count += u32::from(word >= threshold);
        }
        counts.iter().sum()
    }

    /// The outcome of a word, unless the word is undecided.
    #[inline]
    pub(super) fn look_up(&self, word: u64) -> Option<i64> {
        let count = self.count(word);
        let decided = (count as usize) < self.thresholds.len();
        decided.then(|| self.first.wrapping_add(i64::from(count)))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn draw_remainder(&self, source: &mut dyn Source) -> i64 {
        let sizes = (self.word_bits, self.cell_bits);
        remainder::draw(&self.law, sizes, (self.first, &self.masses()), source)
    }

    /// How many words yield the first outcome, the next, and so on, counted in memory.
    pub(super) fn masses(&self) -> Vec<u64> {
        let starts = core::iter::once(&0).chain(&self.thresholds);
        zip(&self.thresholds, starts)
            .map(|(end, start)| end - start)
            .collect()
    }
}

impl<L: Law> Second for Row<L> {
    #[inline(never)]
    fn positions(&self, words: &[u64], positions: &mut [i16]) {
        let (words, places) = (words.as_chunks().0, positions.as_chunks_mut().0);
        for (words, places) in zip(words, places) {
            *places = self.counts(words).map(|count| match i16::try_from(count) {
                Ok(count) if usize::from(count.unsigned_abs()) < self.thresholds.len() => {
                    self.position + count
                }
                _ => UNDECIDED,
            });
        }
    }

    fn look_up(&self, word: u64) -> Option<i64> {
        self.look_up(word)
    }

    fn draw_undecided(&self, source: &mut dyn Source) -> i64 {
        self.draw_remainder(source)
    }

    fn undecided(&self) -> u64 {
        self.undecided()
    }

    fn words(&self) -> (i64, Vec<u64>) {
        (self.first, self.masses())
    }
}

#[cfg(test)]
impl<L> Row<L> {
    pub(super) fn law(&self) -> &L {
        &self.law
    }

    /// w and b.
    pub(super) fn sizes(&self) -> (u32, u32) {
        (self.word_bits, self.cell_bits)
    }

    pub(super) fn first(&self) -> i64 {
        self.first
    }

    pub(super) fn position(&self) -> i16 {
        self.position
    }
}
