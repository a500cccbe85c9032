//! Complex numbers of modulus at most 1 in units of 2^−62, and how far off they may be.

use std::sync::OnceLock;

use dp_exact::Interval;
use dp_exact::fixed;

/// Bits after the binary point of the real and of the imaginary part.
pub(super) const BITS: u32 = 62;

/// Bits after the binary point of an angle and of its series.
const ANGLE_BITS: u32 = 66;

/// The constant 2π in units of 2^−61, rounded down.
const TWO_PI: u128 = 0xc90f_daa2_2168_c234;

/// Upper bound on the error of each part of [`turn`], in units of 2^−62: three times two.
pub(super) const TURN_ERROR: u64 = 6;

/// Upper bound on the rounding error of each part of a product, in units of 2^−62.
pub(super) const PRODUCT_ERROR: u64 = 2;

/// The complex number re + i·im, both parts in units of 2^−62.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Complex {
    pub(super) re: i64,
    pub(super) im: i64,
}

impl Complex {
    /// The number 1.
    pub(super) const ONE: Self = Self { re: 1 << BITS, im: 0 };

    /// The number 0.
    pub(super) const ZERO: Self = Self { re: 0, im: 0 };

    /// The product, each part rounded down to a unit of 2^−62.
    pub(super) fn times(self, other: Self) -> Self {
        let (a, b) = (i128::from(self.re), i128::from(self.im));
        let (c, d) = (i128::from(other.re), i128::from(other.im));
        Self { re: low((a * c - b * d) >> BITS), im: low((a * d + b * c) >> BITS) }
    }

    /// `self`·`factor`·2^−62, each part rounded down to a unit of 2^−62; `factor` is at most 2^62.
    pub(super) fn scaled(self, factor: u64) -> Self {
        let scaled = |part: i64| low((i128::from(part) * i128::from(factor)) >> BITS);
        Self { re: scaled(self.re), im: scaled(self.im) }
    }

    /// This number to the power n = `exponent` ≥ 1. An error of e units becomes at most n·(e + 2).
    pub(super) fn power(self, mut exponent: u32) -> Self {
        let (mut base, mut result) = (self, Self::ONE);
        while exponent > 0 {
            if exponent & 1 == 1 {
                // A product with 1 is exact.
                result = result.times(base);
            }
            exponent >>= 1;
            base = base.times(base);
        }
        result
    }
}

/// The low 64 bits of `value`: the value itself, as it is below 2^63 in modulus.
#[expect(
    clippy::cast_possible_truncation,
    reason = "products of parts of at most 2^62 and a little, shifted by 62 bits"
)]
const fn low(value: i128) -> i64 {
    value as i64
}

/// The root of unity e^(2πi·phase/2^128), each part off by [`TURN_ERROR`] units of 2^−62 at most.
/// Eight bits look up a root; the angle left is below 0.0246, what its series leave out below
/// 2^−75.
pub(super) fn turn(phase: u128) -> Complex {
    let index = usize::try_from(phase >> 120).expect("eight bits are left");
    let rest = (phase << 8) >> 64;
    let angle = (rest * TWO_PI) >> (64 + 61 + 8 - ANGLE_BITS);
    let one = 1u128 << ANGLE_BITS;
    let square = (angle * angle) >> ANGLE_BITS;
    let series = |divisors: [u128; 4]| {
        divisors
            .iter()
            .rev()
            .fold(one, |inner, divisor| one - ((square * inner) >> ANGLE_BITS) / divisor)
    };
    let sine = (angle * series([6, 20, 42, 72])) >> ANGLE_BITS;
    let cosine = series([2, 12, 30, 56]);
    let shift = ANGLE_BITS - BITS;
    let part = |value: u128| i64::try_from(value >> shift).expect("sine and cosine are at most 1");
    roots()[index].times(Complex { re: part(cosine), im: part(sine) })
}

/// The roots of unity of order 256, e^(2πi·k/256) at index k.
fn roots() -> &'static [Complex] {
    static ROOTS: OnceLock<Vec<Complex>> = OnceLock::new();
    ROOTS.get_or_init(|| {
        let mut all = quadrant();
        for place in 0..192 {
            let root: Complex = all[place];
            // A quarter turn farther.
            all.push(Complex { re: -root.im, im: root.re });
        }
        all
    })
}

/// The roots of unity of order 256 in the first quadrant, e^(2πi·k/256) for 0 ≤ k < 64, each part
/// rounded down: by halving a right angle six times and multiplying.
fn quadrant() -> Vec<Complex> {
    const PRECISION: u32 = 128;
    let root = |square: Interval| square.sqrt().expect("a positive number has a root");
    let one = Interval::integer(1, PRECISION);
    let mut cosine = Interval::integer(0, PRECISION);
    for _ in 0..6 {
        cosine = root((&one + &cosine).shifted(-1));
    }
    let sine = root(&one - cosine.square());
    let (mut re, mut im) = (one, Interval::integer(0, PRECISION));
    let mut roots = Vec::with_capacity(64);
    for _ in 0..64 {
        let part = |value: &Interval| {
            let units = fixed::floor(value, BITS).expect("a part is from 0 to 1");
            i64::try_from(units).expect("a part is at most 1")
        };
        roots.push(Complex { re: part(&re), im: part(&im) });
        let next = &re * &cosine - &im * &sine;
        im = &re * &sine + &im * &cosine;
        re = next;
    }
    roots
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "compared to fifteen digits")]
mod tests {
    use super::*;

    #[test]
    fn turns_are_cosines_and_sines() {
        let unit = (1u64 << BITS) as f64;
        for step in 0..1000u128 {
            let phase = step.wrapping_mul(0x0004_1893_74bc_6a7e_f9db_22d0_e560_4189);
            let angle = phase as f64 / 2f64.powi(128) * std::f64::consts::TAU;
            let found = turn(phase);
            assert!((found.re as f64 / unit - angle.cos()).abs() < 1e-15, "{step}");
            assert!((found.im as f64 / unit - angle.sin()).abs() < 1e-15, "{step}");
        }
    }

    #[test]
    fn turns_add_up_within_their_errors() {
        // e^(ia)·e^(ib) = e^(i(a+b)), to the few units that are guaranteed.
        for step in 1..500u128 {
            let (a, b) = (step << 117, step.wrapping_mul(0x1234_5678_9abc_def0_1122_3344));
            let (product, sum) = (turn(a).times(turn(b)), turn(a.wrapping_add(b)));
            let off = (product.re - sum.re).abs().max((product.im - sum.im).abs());
            assert!(u64::try_from(off).is_ok_and(|off| off <= 3 * TURN_ERROR + PRODUCT_ERROR));
        }
        assert_eq!(turn(1 << 126).im, 1 << BITS);
    }

    #[test]
    fn a_power_is_the_product() {
        let root = turn(0x0123_4567_89ab_cdef << 64).scaled((1 << BITS) - (1 << 50));
        let mut product = Complex::ONE;
        for count in 1..100u32 {
            product = product.times(root);
            let power = root.power(count);
            let off = (power.re - product.re).abs().max((power.im - product.im).abs());
            assert!(u64::try_from(off).is_ok_and(|off| off <= 4 * u64::from(count)));
        }
    }
}
