//! What checks the samplers: the tables of a scan. With the feature `verification`.

use alloc::vec::Vec;

/// One of the two passes by which a scan draws slices. Words that yield no outcome lead from the
/// first pass to the second, and from the second to a draw from the remainder of the distribution.
/// With the feature `verification`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// w, the bits of a random word of this pass.
    pub word_bits: u32,
    /// Outcomes, and how many of the 2^w words yield each, counted in the thresholds. No outcome
    /// twice.
    pub words: Vec<(i64, u64)>,
}
