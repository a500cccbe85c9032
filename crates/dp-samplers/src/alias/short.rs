//! Tables with words of 16 or 32 bits, for simulations.
//!
//! Short words are cheaper, several come out of 64 random bits, but the undecided ones come with a
//! probability of C·2^−16 or C·2^−32, and which outcomes they stand for is far from uniform: an
//! outcome less likely than a word always takes the longer path. The law is exact all the same.
//! An undecided word is followed by a draw from a second table, of 64-bit words, for the remainder.

use std::mem::size_of;

use super::build::{Shares, fill_cells, share_out};
use super::{Alias, Law, Remainder, Whole};
use crate::words::Source;

/// At most 2^15 cells, so that outcomes fit 16 bits.
const MAX_CELL_BITS: u32 = 15;

/// A cell in memory, half the size of one for 64-bit words.
#[derive(Clone, Copy, Debug)]
struct Cell {
    threshold: u32,
    outcomes: [i16; 2],
}

/// An exact alias table with words of 16 or 32 bits.
#[derive(Clone)]
pub(crate) struct Short<L> {
    cells: Box<[Cell]>,
    /// Words from here on are undecided.
    limit: u32,
    origin: i64,
    rest: Alias<Remainder<L>>,
}

impl<L: Law> Short<L> {
    /// The table with words of 16 bits if the law fits 1024 cells, else of 32 bits.
    pub(crate) fn new(law: L, word_bits: u32) -> Option<Self> {
        let max_cell_bits = if word_bits == 16 { 10 } else { MAX_CELL_BITS };
        let Shares {
            first,
            masses,
            cell_bits,
        } = share_out(&law.lower_bounds(64)?, word_bits, max_cell_bits)?;
        let capacity = (1_u64 << (word_bits - cell_bits)) - 1;
        let cells: Option<Box<[Cell]>> = fill_cells(&masses, cell_bits, capacity)
            .into_iter()
            .map(|cell| {
                Some(Cell {
                    threshold: u32::try_from(cell.threshold << cell_bits).ok()?,
                    outcomes: [
                        i16::try_from(cell.below).ok()?,
                        i16::try_from(cell.above).ok()?,
                    ],
                })
            })
            .collect();
        let whole = Whole {
            word_bits,
            first,
            masses,
            undecided: 1 << cell_bits,
        };
        Some(Self {
            cells: cells?,
            limit: u32::try_from(capacity << cell_bits).ok()?,
            origin: first,
            rest: Alias::new(Remainder { law, whole })?,
        })
    }

    /// The size of both tables in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.cells.len() * size_of::<Cell>() + self.rest.bytes()
    }

    #[cfg(test)]
    pub(crate) fn rest(&self) -> &Alias<Remainder<L>> {
        &self.rest
    }

    /// The outcome of a word, unless the word is undecided.
    #[inline]
    pub(crate) fn look_up(&self, word: u32) -> Option<i64> {
        self.decides(word).then(|| self.outcome(word))
    }

    /// Whether the word is decided.
    #[inline]
    pub(crate) fn decides(&self, word: u32) -> bool {
        word < self.limit
    }

    /// The outcome of a decided word.
    #[inline]
    pub(crate) fn outcome(&self, word: u32) -> i64 {
        let position = word as usize & (self.cells.len().wrapping_sub(1));
        // There are 2^b cells.
        let Some(cell) = self.cells.get(position) else {
            return self.origin;
        };
        let outcome = cell.outcomes[usize::from(word >= cell.threshold)];
        self.origin.wrapping_add(i64::from(outcome))
    }

    /// Draws from the remainder, after an undecided word.
    #[cold]
    pub(crate) fn draw_remainder<S: Source>(&self, source: &mut S) -> i64 {
        self.rest.draw(source)
    }
}
