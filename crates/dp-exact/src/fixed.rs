//! Fixed-point numbers from 0 to 1: sums of a million terms without an allocation. A number is a
//! `u128` in units of 2^−128; the result of a series is two bounds in units of 2^−64.

use crate::{Interval, Rational};
use num_bigint::BigInt;

/// 1 in units of 2^−64.
pub const ONE: u128 = 1 << 64;

/// Upper bound on the error of [`series`], in units of 2^−64: each step turns an error e into at
/// most e/4 + 2, and the omitted rest is at most (1/4)^15/15!.
const SERIES_ERROR: u128 = 4;

/// ⌊a·b·2^−128⌋
pub fn product(a: u128, b: u128) -> u128 {
    let mask = ONE - 1;
    let (a1, a0, b1, b0) = (a >> 64, a & mask, b >> 64, b & mask);
    let (m1, m2) = (a1 * b0, a0 * b1);
    let carry = ((a0 * b0) >> 64) + (m1 & mask) + (m2 & mask);
    a1 * b1 + (m1 >> 64) + (m2 >> 64) + (carry >> 64)
}

/// Lower bound of number·2^`bits`: ⌊lower end·2^`bits`⌋, at least 0. `None` if it does not fit.
pub fn floor(number: &Interval, bits: u32) -> Option<u128> {
    let floor = number.lower().floor_shifted(u64::from(bits));
    u128::try_from(floor.max(BigInt::ZERO)).ok()
}

/// Upper bound of number·2^`bits`: an integer above upper end·2^`bits`. `None` if it does not fit.
pub fn ceil(number: &Interval, bits: u32) -> Option<u128> {
    let floor = number.upper().floor_shifted(u64::from(bits));
    u128::try_from(floor.max(BigInt::ZERO)).ok()?.checked_add(1)
}

/// ⌊number·2^64⌋, for 0 ≤ number < 1/4.
pub fn small(number: &Rational) -> Option<u64> {
    let floor = u64::try_from((number * &Rational::integer(BigInt::from(ONE))).floor()).ok()?;
    (floor < 1 << 62).then_some(floor)
}

/// 1 − t/n·(1 − t/(n+1)·(1 − …)) for t < 1/4, in units of 2^−64: e^−t for n = 1, and (1 − e^−t)/t
/// for n = 2.
fn series(t: u128, n: u64) -> u128 {
    let mut sum = ONE;
    for k in (n..n + 14).rev() {
        // As t < 2^62 and sum ≤ 2^64; dividing 64 bits is quick.
        let term = u64::try_from((t * sum) >> 64).expect("below 2^62");
        sum = ONE - u128::from(term / k);
    }
    sum
}

/// Bounds of a number in units of 2^−64.
#[derive(Clone, Copy, Debug)]
pub struct UnitBounds {
    /// Lower bound of the number.
    pub lower: u128,
    /// Upper bound of the number.
    pub upper: u128,
}

/// Bounds of e^(−rate·distance). `rate` is below 1/4 and rounded down; both arguments are in units
/// of 2^−64.
pub fn decay(rate: u64, distance: u128) -> UnitBounds {
    let (t, slack) = exponent(rate, distance);
    // e^−t is the square of e^(−t/2): squaring doubles an error, and adds a rounding.
    let mut halvings = 0;
    while t >> halvings >= 1 << 62 {
        halvings += 1;
    }
    let mut power = series(t >> halvings, 1);
    let mut error = SERIES_ERROR + 1;
    for _ in 0..halvings {
        power = ((power * power) >> 64).min(ONE);
        error = 2 * error + 2;
    }
    UnitBounds { lower: power.saturating_sub(error + slack), upper: (power + error).min(ONE) }
}

/// Bounds of (1 − e^−t)/t at t = rate·distance, which falls in t with a slope of at most 1/2.
/// `rate` is below 1/4 and rounded down; both arguments are in units of 2^−64.
pub fn mean_decay(rate: u64, distance: u128) -> UnitBounds {
    let (t, slack) = exponent(rate, distance);
    if t >= 1 << 62 {
        // From the bounds of e^−t itself.
        let power = decay(rate, distance);
        return UnitBounds {
            lower: ((ONE - power.upper) << 63) / ((t + slack) / 2 + 1),
            upper: ((ONE - power.lower) << 63).div_ceil(t / 2).min(ONE),
        };
    }
    let mean = series(t, 2);
    UnitBounds {
        lower: mean.saturating_sub(SERIES_ERROR + slack),
        upper: (mean + SERIES_ERROR).min(ONE),
    }
}

/// A lower bound of rate·distance and its largest error, in units of 2^−64. `rate` was rounded
/// down, which costs a unit for every whole unit of distance; each rounding here costs one more.
fn exponent(rate: u64, distance: u128) -> (u128, u128) {
    let (whole, part) = (distance >> 64, distance % ONE);
    let rate = u128::from(rate);
    (rate * whole + ((rate * part) >> 64), whole + 2)
}

#[cfg(test)]
mod tests;
