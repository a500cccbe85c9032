//! ln 2 and π, to any precision.
//!
//! Both are sums of inverse tangents of small fractions:
//!
//! - π = 16·arctan(1/5) − 4·arctan(1/239) (Machin 1706),
//! - ln 2 = 18·artanh(1/26) − 2·artanh(1/4801) + 8·artanh(1/8749).

use alloc::boxed::Box;

use num_bigint::BigInt;
use num_traits::{One, Zero};
use once_cell::race::OnceBox;

use crate::{Dyadic, Interval};

/// Bits beyond the requested ones. Each of at most 2^17 terms of a series errs by less than 2
/// units, and coefficients add up to at most 28: the error is less than 2^23 units.
const GUARD_BITS: u32 = 32;

/// An enclosure of π, to `precision` bits.
#[must_use]
pub fn pi(precision: u32) -> Interval {
    static CACHE: Cache = Cache::new();
    let fixed = CACHE.get(precision + 2, |bits| {
        inverse_tangent(5, bits, true) * 16 - inverse_tangent(239, bits, true) * 4
    });
    let exponent = -i64::from(precision + 2);
    let lower = Dyadic::new(&fixed - 2u32, exponent);
    Interval::hull_of(lower, Dyadic::new(fixed + 2u32, exponent), precision + 2)
}

/// ln 2 in units of 2^−`fraction_bits`, at most two units off.
pub(crate) fn ln_2_fixed(fraction_bits: u32) -> BigInt {
    static CACHE: Cache = Cache::new();
    CACHE.get(fraction_bits, |bits| {
        let artanh = |n| inverse_tangent(n, bits, false);
        artanh(26) * 18 - artanh(4801) * 2 + artanh(8749) * 8
    })
}

/// arctan(1/n) if `alternating`, else artanh(1/n), in units of 2^−`fraction_bits`: Σ
/// (±1)^i/((2i+1)·n^(2i+1)). Each term is cut off, by less than two units.
fn inverse_tangent(n: u32, fraction_bits: u32, alternating: bool) -> BigInt {
    let square = n * n;
    let mut power = (BigInt::one() << fraction_bits) / n;
    let mut sum = BigInt::zero();
    let mut odd = 1u32;
    while !power.is_zero() {
        let term = &power / odd;
        if alternating && odd % 4 == 3 {
            sum -= term;
        } else {
            sum += term;
        }
        power /= square;
        odd += 2;
    }
    sum
}

/// Levels of the cache, for precisions of up to 2^31 bits.
const LEVELS: usize = 32;

/// One constant with 2^level bits after the binary point, for each level in use. Threads compute a
/// missing level at the same time, and none waits.
struct Cache([OnceBox<BigInt>; LEVELS]);

impl Cache {
    const fn new() -> Self {
        Self([const { OnceBox::new() }; LEVELS])
    }

    /// The constant in units of 2^−`fraction_bits`, at most two units off. `compute` returns it in
    /// units of 2^−bits, for the number of bits that is passed.
    fn get(&self, fraction_bits: u32, compute: impl Fn(u32) -> BigInt) -> BigInt {
        let bits = (fraction_bits + GUARD_BITS).next_power_of_two();
        let level = &self.0[bits.trailing_zeros() as usize];
        level.get_or_init(|| Box::new(compute(bits))) >> (bits - fraction_bits)
    }
}
