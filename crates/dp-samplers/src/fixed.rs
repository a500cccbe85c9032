//! Numbers in [0, 1] as 128-bit fixed-point fractions, always rounded down.
//!
//! A value x stands for x/2^128. Every operation here returns at most the true result of its
//! operands, so results computed from lower bounds are lower bounds, without any error analysis. 1
//! itself is represented by the largest value below it.

use dp_exact::{Interval, fixed};
use num_bigint::BigUint;

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

/// value·numerator/denominator, rounded down; [`ALMOST_ONE`] if the result is larger. The
/// denominator is not 0.
pub(crate) fn mul_div(value: u128, numerator: u64, denominator: u64) -> u128 {
    u128::try_from(BigUint::from(value) * numerator / denominator).unwrap_or(ALMOST_ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_down_and_never_above_one() {
        assert_eq!(mul_div(ALMOST_ONE, 2, 3), 226_854_911_280_625_642_308_916_404_954_512_140_970);
        assert_eq!(mul_div(7, 3, 4), 5);
        assert_eq!((mul_div(ALMOST_ONE, 3, 2), mul_div(1 << 127, 2, 1)), (ALMOST_ONE, ALMOST_ONE));
    }

    #[test]
    fn bounds_stay_within_zero_and_one() {
        let of = |value: i64| lower_bound(&Interval::integer(value, 64));
        assert_eq!((of(-3), of(0), of(1), of(7)), (0, 0, ALMOST_ONE, ALMOST_ONE));
    }
}
