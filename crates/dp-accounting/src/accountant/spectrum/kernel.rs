//! λ(1+λ)·ŵ(t) = 1/((1 + it/λ)(1 + it/(1+λ))) at the nodes.

use dp_exact::{Interval, Rational, pi};
use num_bigint::BigInt;

use super::complex::{BITS, Complex};
use dp_calibration::privacy_loss::PRECISION;

/// Upper bound on the error of each part of a value of the kernel, in units of 2^−62: one for
/// rounding down, one for the width of the enclosure.
pub(super) const KERNEL_ERROR: u64 = 2;

/// The time of a value of the kernel, in units of about a nanosecond.
pub(super) const KERNEL_COST: u64 = 3000;

/// Enclosures of 2π/(Lλ) and 2π/(L(1+λ)). In the kernel 1/((1 + ix)(1 + iy)) x is a multiple of the
/// first, and y of the second.
#[derive(Debug)]
pub(super) struct Kernel([Interval; 2]);

impl Kernel {
    /// The kernel for the period L and the tilt λ. `None` if one of them is 0.
    pub(super) fn new(period: &Rational, tilt: &Rational) -> Option<Self> {
        let turn = pi(PRECISION).shifted(1);
        let step =
            |rate: &Rational| turn.checked_div(&Interval::rational(&(period * rate), PRECISION));
        Some(Self([step(tilt)?, step(&(tilt + &Rational::one()))?]))
    }

    /// The kernel λ(1+λ)·ŵ at the node j = `node`, off by at most [`KERNEL_ERROR`] units of 2^−62:
    /// (a − ib)/(a² + b²) with a = 1 − xy and b = x + y. `None` if a number is too large.
    pub(super) fn at(&self, node: u32) -> Option<Complex> {
        let node = Interval::integer(node, PRECISION);
        let [x, y] = self.0.each_ref().map(|step| step * &node);
        let (a, b) = (Interval::integer(1, PRECISION) - &x * &y, x + y);
        let square = a.square() + b.square();
        let part = |value: Interval| {
            let units: BigInt = value.checked_div(&square)?.lower().floor_shifted(BITS.into());
            i64::try_from(units).ok()
        };
        Some(Complex { re: part(a)?, im: part(-b)? })
    }
}
