//! What checks the samplers: the tables of a scan, and marks for Memcheck. With the feature
//! `verification`.

use alloc::vec::Vec;

use crate::masks;

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

/// Whether a flag of 0 or 1 is set, at a point where it is declassified: accept or reject, and the
/// exceptional path. With the feature `verification`.
///
/// Under Memcheck the flag is marked as known; elsewhere this does nothing.
#[inline(always)]
#[must_use]
pub fn declassify(flag: u64) -> bool {
    masks::declassify(flag)
}
