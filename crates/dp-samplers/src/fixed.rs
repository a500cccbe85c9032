//! Numbers in [0, 1] as 128-bit fixed-point fractions, always rounded down.
//!
//! A value x stands for x/2^128. Every operation here returns at most the true result of its
//! operands, so results computed from lower bounds are lower bounds, without any error analysis. 1
//! itself is represented by the largest value below it.

use dp_exact::{Interval, fixed};

/// Bits after the binary point.
pub(crate) const FRACTION_BITS: u32 = 128;

/// The fraction just below 1, the best lower bound for 1 itself.
pub(crate) const ALMOST_ONE: u128 = u128::MAX;

/// ⌊lower end of the enclosure·2^128⌋: a lower bound for a number in [0, 1], in units of 2^−128.
pub(crate) fn lower_bound(number: &Interval) -> u128 {
    fixed::floor(number, FRACTION_BITS).unwrap_or(ALMOST_ONE)
}

/// value·numerator/denominator, rounded down; [`ALMOST_ONE`] if the result is larger. The
/// denominator is not 0.
pub(crate) fn mul_div(value: u128, numerator: u64, denominator: u64) -> u128 {
    let (numerator, divisor) = (u128::from(numerator), u128::from(denominator));
    // The product in limbs of 64 bits, the upper two in one number.
    let low = (value & MASK) * numerator;
    let high = (value >> 64) * numerator + (low >> 64);
    if high >> 64 >= divisor {
        return ALMOST_ONE;
    }
    // Long division by limbs; every remainder is below the divisor, so each quotient fits its limb.
    let rest = ((high % divisor) << 64) | (low & MASK);
    ((high / divisor) << 64) | (rest / divisor)
}

/// The lower 64 bits.
const MASK: u128 = u64::MAX as u128;

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;

    /// Arguments of [`mul_div`] around the borders of 64-bit limbs, and one in between.
    const VALUES: [u128; 8] = [
        0,
        1,
        MASK,
        MASK + 1,
        ALMOST_ONE,
        ALMOST_ONE - 1,
        1 << 127,
        0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978,
    ];

    #[test]
    fn quotients_are_those_of_big_integers_rounded_down() {
        let limit = BigUint::from(ALMOST_ONE);
        for value in VALUES {
            for (numerator, denominator) in [
                (0, 1),
                (1, 3),
                (u64::MAX, 1),
                (1, u64::MAX),
                (u64::MAX - 1, u64::MAX),
                (1_000_000_007, 999_999_937),
            ] {
                let exact = BigUint::from(value) * numerator / denominator;
                let quotient = BigUint::from(mul_div(value, numerator, denominator));
                assert_eq!(quotient, exact.min(limit.clone()));
            }
        }
    }

    #[test]
    fn bounds_stay_within_zero_and_one() {
        let of = |value: i64| lower_bound(&Interval::integer(value, 64));
        assert_eq!((of(-3), of(0), of(1), of(7)), (0, 0, ALMOST_ONE, ALMOST_ONE));
    }
}
