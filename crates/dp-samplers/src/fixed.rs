//! Lower bounds of numbers in [0, 1] as 128-bit fixed-point fractions: a value x stands for
//! x/2^128. 1 itself is represented by the largest value below it.

use dp_exact::{Interval, fixed};

/// Bits after the binary point.
pub(crate) const FRACTION_BITS: u32 = 128;

/// The fraction just below 1, the best lower bound for 1 itself.
pub(crate) const ALMOST_ONE: u128 = u128::MAX;

/// ⌊lower end of the enclosure·2^128⌋: a lower bound for a number in [0, 1], in units of 2^−128. It
/// is 0 for a negative end, and [`ALMOST_ONE`] for an end of 1 or more.
pub(crate) fn lower_bound(number: &Interval) -> u128 {
    // Of an enclosure that reaches beyond 1, the best bound for a number in [0, 1].
    fixed::floor(number, FRACTION_BITS).unwrap_or(ALMOST_ONE)
}
