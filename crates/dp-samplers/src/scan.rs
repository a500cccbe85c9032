//! Draws whose addresses do not depend on any secret: every threshold is compared with every word.
//!
//! The first pass of a block counts, for each word, the thresholds that it exceeds: with
//! c(0), c(1), … whole words for the outcomes in order, the thresholds are their cumulative sums, and
//! the count is the position of the outcome, or the number of thresholds for an undecided word. The
//! second pass, and a single draw, do the same with thresholds of 64 or 63 bits ([`row`]). Exactness
//! and timing are those of [`blocks`](crate::blocks).

mod row;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::zip;

use rand_core::Rng;

use self::row::Row;
use crate::alias::{Law, Remainder, Whole};
use crate::blocks::{Blocks, First};
use crate::engine::Engine;
use crate::laws::Magnitude;
use crate::words::Direct;
use crate::{Error, FromDraw, Pass, Variant};

/// The most thresholds of 16 bits.
const MAX_THRESHOLDS: usize = 64;

/// Thresholds that are compared with a word at a time.
const AT_A_TIME: usize = 8;

/// An engine without secret addresses.
#[derive(Clone, Debug)]
pub(crate) struct Scan<L> {
    blocks: Blocks<Thresholds, Row<Remainder<Arc<L>>>>,
    one: Row<Arc<L>>,
    /// 1 if a word of a single draw ends in a sign.
    sign_bits: u32,
}

impl<L: Law> Scan<Magnitude<L>> {
    /// The engine for a law that is symmetric about 0; `None` if it has too many thresholds.
    pub(crate) fn symmetric(law: L) -> Option<Self> {
        Self::with_sign(Magnitude(law), 1)
    }
}

impl<L: Law> Scan<L> {
    /// The engine for any law; `None` if it has too many thresholds.
    pub(crate) fn new(law: L) -> Option<Self> {
        Self::with_sign(law, 0)
    }

    fn with_sign(law: L, sign_bits: u32) -> Option<Self> {
        let law = Arc::new(law);
        let whole = Whole::new(&law.lower_bounds(32)?, 16 - sign_bits)?;
        let first = Thresholds::new(&whole)?;
        let remainder = Remainder {
            law: Arc::clone(&law),
            whole: whole.clone(),
        };
        let second = Row::new(remainder, 64, whole.first)?;
        Some(Self {
            blocks: Blocks::new(&whole, first, second)?,
            one: Row::new(law, 64 - sign_bits, 0)?,
            sign_bits,
        })
    }

    #[inline]
    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> i64 {
        let word = rng.next_u64();
        let negative = -((word & 1).cast_signed() & i64::from(self.sign_bits));
        let outcome = match self.one.look_up(word >> self.sign_bits) {
            Some(outcome) => outcome,
            None => self.one.draw_remainder(&mut Direct(rng)),
        };
        (outcome ^ negative).wrapping_sub(negative)
    }
}

impl<L: Law> Engine for Scan<L> {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        T::from_i64(self.draw(rng))
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        self.blocks.fill_and_end(rng, out, |rng| self.single(rng))
    }

    fn bytes(&self) -> usize {
        self.blocks.first.bytes() + self.blocks.second.bytes() + self.one.bytes()
    }

    fn undecided(&self) -> Option<u64> {
        let one = self.one.undecided() << self.sign_bits;
        Some(self.blocks.undecided().max(one))
    }

    fn variant(&self) -> Variant {
        Variant::Scan
    }

    fn passes(&self) -> Vec<Pass> {
        self.blocks.passes()
    }
}

/// The last word of each outcome, as a signed number of 16 bits.
#[derive(Clone, Debug)]
pub(crate) struct Thresholds(Box<[i16]>);

impl Thresholds {
    fn new(whole: &Whole) -> Option<Self> {
        if whole.masses.len() > MAX_THRESHOLDS {
            return None;
        }
        // Words of 16 bits are compared as signed ones: a uniform one is uniform in either reading.
        let least = if whole.word_bits < 16 {
            0
        } else {
            i64::from(i16::MIN)
        };
        let mut sum = least - 1;
        let thresholds = whole.masses.iter().map(|&mass| {
            sum += i64::try_from(mass).ok()?;
            i16::try_from(sum).ok()
        });
        let mut thresholds = thresholds.collect::<Option<Vec<i16>>>()?;
        // No word exceeds the largest.
        thresholds.resize(thresholds.len().next_multiple_of(AT_A_TIME), i16::MAX);
        Some(Self(thresholds.into()))
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

impl First for Thresholds {
    #[inline(never)]
    fn positions(&self, words: &[i16], positions: &mut [i16]) {
        positions.fill(0);
        for thresholds in self.0.as_chunks::<AT_A_TIME>().0 {
            for (&word, position) in zip(words, &mut *positions) {
                *position += thresholds
                    .iter()
                    .fold(0, |sum, &threshold| sum + i16::from(word > threshold));
            }
        }
    }
}

#[cfg(test)]
impl<L: Law> crate::blocks::tests::InBlocks for Scan<L> {
    type First = Thresholds;
    type Second = Row<Remainder<Arc<L>>>;

    fn blocks(&self) -> &Blocks<Self::First, Self::Second> {
        &self.blocks
    }
}

#[cfg(test)]
mod tests;
