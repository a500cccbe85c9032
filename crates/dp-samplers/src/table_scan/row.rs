//! Thresholds of 63 or 64 bits. Each word is compared with all of them.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::zip;

use rand_core::CryptoRng;

use super::UNDECIDED;
use crate::masks::less;
use crate::word_counts::{Distribution, LowerBounds, WordCounts, draw_remainder};

/// The most undecided words of a row.
const MAX_UNDECIDED: u64 = 1 << 11;

/// Words that are compared with a threshold, or thresholds with a word, at a time.
const AT_A_TIME: usize = 4;

/// Thresholds for words of 63 or 64 bits. The words of each outcome are successive; the last words
/// are undecided.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The distribution that is drawn.
    pub(super) distribution: Arc<dyn Distribution>,
    /// Bits of a word: 63 or 64.
    word_bits: u32,
    /// The number of undecided words.
    pub(super) undecided: u64,
    /// The outcome of the least words.
    first: i64,
    /// The position of the outcome of the least words: its distance from the origin of the scan.
    position: i16,
    /// For each outcome, the first word after the words of that outcome and of all outcomes before
    /// it.
    thresholds: Box<[u64]>,
}

impl Row {
    /// The row for words of `word_bits` bits, by `bounds` on the probabilities of `distribution`.
    /// Positions are distances from the outcome `origin`. `None` if more than [`MAX_UNDECIDED`]
    /// words would be undecided, or positions exceed 16 bits.
    pub(super) fn new(
        distribution: Arc<dyn Distribution>,
        bounds: &LowerBounds,
        word_bits: u32,
        origin: i64,
    ) -> Option<Self> {
        let counts = WordCounts::new(bounds, word_bits)?;
        if counts.undecided > MAX_UNDECIDED {
            return None;
        }
        let sums = counts.masses.iter().scan(0, |sum, mass| {
            *sum += mass;
            Some(*sum)
        });
        Some(Self {
            thresholds: sums.collect(),
            distribution,
            word_bits,
            undecided: counts.undecided,
            first: counts.first,
            position: i16::try_from(counts.first.checked_sub(origin)?).ok()?,
        })
    }

    /// One more than the largest position; `None` if it does not fit 16 bits.
    pub(super) fn end(&self) -> Option<i16> {
        self.position.checked_add(i16::try_from(self.thresholds.len()).ok()?)
    }

    /// The outcome of a word, and 0; or an arbitrary number, and 1 if the word is undecided.
    #[inline]
    pub(super) fn look_up(&self, word: u64) -> (i64, u64) {
        // Sums that do not wait for each other.
        let mut counts = [0; AT_A_TIME];
        let (chunks, rest) = self.thresholds.as_chunks::<AT_A_TIME>();
        for thresholds in chunks {
            for (count, &threshold) in zip(&mut counts, thresholds) {
                *count += u64::from(word >= threshold);
            }
        }
        for (count, &threshold) in zip(&mut counts, rest) {
            *count += u64::from(word >= threshold);
        }
        let count: u64 = counts.iter().sum();
        let undecided = 1 ^ less(count, self.thresholds.len() as u64);
        (self.first.wrapping_add(count.cast_signed()), undecided)
    }

    /// Fills `positions` with the position of each word's outcome, or [`UNDECIDED`]. There are a
    /// multiple of 4 words.
    #[inline(never)]
    pub(super) fn positions(&self, words: &[u64], positions: &mut [i16]) {
        let full = self.thresholds.len() as u64;
        let words = words.as_chunks::<AT_A_TIME>().0;
        let places = positions.as_chunks_mut::<AT_A_TIME>().0;
        for (words, places) in zip(words, places) {
            let mut counts = [0; AT_A_TIME];
            for &threshold in &self.thresholds {
                for (count, &word) in zip(&mut counts, words) {
                    *count += u64::from(word >= threshold);
                }
            }
            *places = counts.map(|count| {
                let decided = narrow(less(count, full).wrapping_neg());
                ((narrow(count) + self.position) & decided) | (UNDECIDED & !decided)
            });
        }
    }

    /// A draw from the remainder, to be made after an undecided word.
    pub(super) fn draw_remainder<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> i64 {
        draw_remainder(&*self.distribution, &self.counts(), rng)
    }

    /// How many words yield each outcome, counted in the thresholds as they are in memory.
    pub(super) fn counts(&self) -> WordCounts {
        let starts = core::iter::once(&0).chain(&self.thresholds);
        let masses: Vec<u64> =
            zip(&self.thresholds, starts).map(|(end, start)| end - start).collect();
        WordCounts {
            word_bits: self.word_bits,
            first: self.first,
            masses,
            undecided: self.undecided,
        }
    }
}

/// `number` as 16 bits: a small count, or a mask.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a small count, or a mask")]
fn narrow(number: u64) -> i16 {
    number as i16
}
