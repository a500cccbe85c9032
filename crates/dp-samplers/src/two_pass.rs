//! Draws from a table of which each reads one cell, by words of 16 bits, with a second table for what
//! these do not decide.
//!
//! The first pass is an alias table (Walker 1977, Vose 1991) for the whole words c(x) of each outcome
//! and, as one outcome more, the undecided words, built in integers without any rounding. The second
//! pass is the table of 64-bit words of [`alias`](crate::alias) for the remainder. Exactness and timing
//! are those of [`blocks`](crate::blocks).
//!
//! What the outcome decides is which line of the tables is read. The cells are dealt out so that
//! likely and unlikely outcomes lead to each line about equally often, and a first table of at most
//! 16 KiB is read as a whole before each block, so that every line of it is in the cache.

mod cells;

use alloc::sync::Arc;
use alloc::vec::Vec;

use rand_core::Rng;

use self::cells::Cells;
use crate::alias::{Alias, Law, Remainder, Whole};
use crate::blocks::{Blocks, Second, UNDECIDED};
use crate::engine::Engine;
use crate::laws::Magnitude;
use crate::variant::collect;
use crate::words::Source;
use crate::{Error, FromDraw, Pass, Touch, Variant};

/// An engine of two tables.
#[derive(Clone, Debug)]
pub(crate) struct TwoPass<L> {
    blocks: Blocks<Cells, Rest<L>>,
}

/// The second table, with positions counted from an outcome.
#[derive(Clone, Debug)]
pub(crate) struct Rest<L> {
    table: Alias<Remainder<Arc<L>>>,
    origin: i64,
}

impl<L: Law> TwoPass<Magnitude<L>> {
    /// The engine for a law that is symmetric about 0; `None` if it does not fit.
    pub(crate) fn symmetric(law: L) -> Option<Self> {
        Self::with_sign(Magnitude(law), 1)
    }
}

impl<L: Law> TwoPass<L> {
    /// The engine for any law; `None` if it does not fit.
    pub(crate) fn new(law: L) -> Option<Self> {
        Self::with_sign(law, 0)
    }

    fn with_sign(law: L, sign_bits: u32) -> Option<Self> {
        let law = Arc::new(law);
        let whole = Whole::new(&law.lower_bounds(32)?, 16 - sign_bits)?;
        let first = Cells::new(&whole)?;
        let origin = whole.first;
        let table = Alias::new(Remainder {
            law,
            whole: whole.clone(),
        })?;
        // Every outcome of the second table has a position.
        let last = table.first() + i64::try_from(table.masses().len()).ok()?;
        for outcome in [table.first(), last] {
            i16::try_from(outcome - origin).ok()?;
        }
        Some(Self {
            blocks: Blocks::new(&whole, first, Rest { table, origin })?,
        })
    }
}

impl<L: Law> Second for Rest<L> {
    #[inline(never)]
    fn positions(&self, words: &[u64], positions: &mut [i16]) {
        for (&word, position) in words.iter().zip(positions) {
            let outcome = self.table.look_up(word);
            let outcome = outcome.map(|outcome| outcome.wrapping_sub(self.origin));
            *position = outcome
                .and_then(|p| i16::try_from(p).ok())
                .unwrap_or(UNDECIDED);
        }
    }

    fn look_up(&self, word: u64) -> Option<i64> {
        self.table.look_up(word)
    }

    fn draw_undecided(&self, source: &mut dyn Source) -> i64 {
        self.table.draw_remainder(source)
    }

    fn undecided(&self) -> u64 {
        self.table.undecided()
    }

    fn words(&self) -> (i64, Vec<u64>) {
        (self.table.first(), self.table.masses())
    }
}

impl<L: Law> Engine for TwoPass<L> {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        T::from_i64(self.blocks.draw(rng))
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        self.blocks.fill_and_end(rng, out, |rng| self.single(rng))
    }

    fn bytes(&self) -> usize {
        self.blocks.first.bytes() + self.blocks.second.table.bytes()
    }

    fn undecided(&self) -> Option<u64> {
        Some(self.blocks.undecided())
    }

    fn variant(&self) -> Variant {
        Variant::TwoPass
    }

    fn passes(&self) -> Vec<Pass> {
        self.blocks.passes()
    }

    /// Of the first table. Words that it does not decide stand for no outcome, and are left out.
    fn touches(&self) -> Vec<Touch> {
        let words = 0..=u16::MAX;
        collect(words.filter_map(|word| {
            let outcome = self.blocks.outcome(word)?;
            Some((self.blocks.first.line(word), outcome, 1))
        }))
    }
}

#[cfg(test)]
impl<L: Law> crate::blocks::tests::InBlocks for TwoPass<L> {
    type First = Cells;
    type Second = Rest<L>;

    fn blocks(&self) -> &Blocks<Self::First, Self::Second> {
        &self.blocks
    }
}

#[cfg(test)]
mod tests;
