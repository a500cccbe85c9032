//! λ(1+λ)·ŵ(t) = 1/((1 + it/λ)(1 + it/(1+λ))) at the nodes.

use dp_exact::fixed;
use dp_exact::{Interval, Rational, pi};

use super::complex::{BITS, Complex};
use dp_calibration::privacy_loss::PRECISION;

/// Bits after the binary point of the inverse 1/x in a factor 1/(1 + i·j·x) of the kernel.
const WIDE_BITS: u32 = 88;

/// Upper bound on the error of each part of a value of the kernel, in units of 2^−62: six for each
/// factor, two for the product.
pub(super) const KERNEL_ERROR: u64 = 14;

/// The factors 1/(1 + it/λ) and 1/(1 + it/(1+λ)) at the nodes: 1/x of each in units of 2^−88, rounded down, with
/// x = 2π/(Lλ) and 2π/(L(1+λ)).
#[derive(Debug)]
pub(super) struct Kernel([u128; 2]);

impl Kernel {
    /// Both factors for the period L and the tilt λ. `None` if 1/x of a factor is not from 2^−26 to
    /// 2^30.
    pub(super) fn new(period: &Rational, tilt: &Rational) -> Option<Self> {
        let turn = pi(PRECISION).shifted(1);
        let inverse = |rate: &Rational| {
            let inverse = Interval::rational(&(period * rate), PRECISION).checked_div(&turn)?;
            let inverse = fixed::floor(&inverse, WIDE_BITS)?;
            (inverse >> 118 == 0 && inverse >> BITS > 0).then_some(inverse)
        };
        Some(Self([inverse(tilt)?, inverse(&(tilt + &Rational::one()))?]))
    }

    /// The kernel λ(1+λ)·ŵ, the product of both factors, at the node j = `node`, off by at most
    /// [`KERNEL_ERROR`] units of 2^−62.
    pub(super) fn at(&self, node: u32) -> Complex {
        let [one, other] = self.0.map(|inverse| factor(inverse, node));
        one.times(other)
    }
}

/// The factor 1/(1 + i·j·x) at the node j = `node`, off by at most six units of 2^−62; `inverse` is
/// 1/x in units of 2^−88. With x for j·x the factor is (1 − ix)/(1 + x²), or (r² − ir)/(1 + r²)
/// with r = 1/x where that is smaller.
fn factor(inverse: u128, node: u32) -> Complex {
    let node = u128::from(node);
    if node == 0 {
        return Complex::ONE;
    }
    let one = 1u128 << BITS;
    let inverse = (inverse / node) >> (WIDE_BITS - BITS);
    let (large, small) =
        if inverse <= one { (false, inverse) } else { (true, (one << BITS) / inverse) };
    let square = (small * small) >> BITS;
    let whole = one + square;
    let over = |value: u128| ((value << BITS) / whole).min(one);
    let real = over(if large { one } else { square });
    let part = |value: u128| i64::try_from(value).unwrap_or(i64::MAX);
    Complex { re: part(real), im: -part(over(small)) }
}
