//! The working memory of a block of 256 draws.

use zeroize::optimization_barrier;

use super::MAX_SPARE;
use super::lanes::LANES;

/// The working memory of a block of 256 draws. Wiped when dropped.
pub(crate) struct Block {
    /// Words as they come from the generator: for the first pass, then for the second.
    pub(super) bytes: [u8; 2 * LANES + 8 * MAX_SPARE],
    /// Words of the first pass, without signs.
    pub(super) words: [i16; LANES],
    /// Positions of outcomes; at the end outcomes, less their origin.
    pub(crate) outcomes: [i16; LANES],
    /// High digits.
    pub(super) high: [i16; LANES],
    /// Numbers of the undecided draws, from 1; 0 for all other draws.
    pub(super) ranks: [i16; LANES],
    /// All ones for undecided draws, else 0.
    pub(super) masks: [i16; LANES],
    /// Words of the second pass.
    pub(super) spare_words: [u64; MAX_SPARE],
    /// Positions that the second pass drew, or [`UNDECIDED`](super::UNDECIDED).
    pub(super) spare: [i16; MAX_SPARE],
}

impl Default for Block {
    fn default() -> Self {
        Self {
            bytes: [0; _],
            words: [0; _],
            outcomes: [0; _],
            high: [0; _],
            ranks: [0; _],
            masks: [0; _],
            spare_words: [0; _],
            spare: [0; _],
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.bytes = [0; _];
        self.words = [0; _];
        self.outcomes = [0; _];
        self.high = [0; _];
        self.ranks = [0; _];
        self.masks = [0; _];
        self.spare_words = [0; _];
        self.spare = [0; _];
        optimization_barrier(self);
    }
}
