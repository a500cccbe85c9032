//! Floating point arithmetic with directed rounding: results certainly above, or below, the exact
//! one.
//!
//! IEEE 754 rounds each of +, −, ·, / and √ to the nearest number, within half a unit in the last
//! place of the exact result. So the next float up is not below it, and the next one down not above
//! it. This holds for subnormal numbers too, and for results that overflow to infinity.
//!
//! A hot loop counts its roundings instead. While no intermediate result leaves the normal range,
//! each of m roundings of positive numbers changes the result by a factor between 1 − u and 1 + u,
//! u = 2^−53. Multiplying by 1 ± 2(m+2)·u, rounded again, gives a bound on that side (Higham,
//! *Accuracy and Stability of Numerical Algorithms*, 2002, Lemma 3.1).
//!
//! The functions are inlined in other crates, whose curves call them a hundred million times.

#[cfg(not(feature = "std"))]
use num_traits::Float as _;

use crate::{Dyadic, Interval, Rational};

/// The unit roundoff 2^−53.
pub const UNIT: f64 = f64::EPSILON / 2.0;

/// Two floats that enclose a real number.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Lower bound of the number.
    pub lower: f64,
    /// Upper bound of the number.
    pub upper: f64,
}

impl Bounds {
    /// The ends of an enclosure, rounded outward; `None` if it has no finite upper bound.
    pub fn of(enclosure: &Interval) -> Option<Self> {
        let (lower, upper) = (below(enclosure.lower()), above(enclosure.upper()));
        (lower.is_finite() && upper.is_finite()).then_some(Self { lower, upper })
    }

    /// Bounds of e^`exponent`; `None` if it is too large for a float.
    pub fn exp(exponent: &Rational) -> Option<Self> {
        Self::of(&Interval::rational(exponent, 128).exp()?)
    }
}

/// A float that is at least `value`.
pub fn above(value: &Dyadic) -> f64 {
    let mut number = value.to_f64();
    while Rational::from_f64(number).is_ok_and(|number| value.cmp_rational(&number).is_gt()) {
        number = number.next_up();
    }
    number
}

/// A float that is at most `value`.
pub fn below(value: &Dyadic) -> f64 {
    let mut number = value.to_f64().min(f64::MAX);
    while Rational::from_f64(number).is_ok_and(|number| value.cmp_rational(&number).is_lt()) {
        number = number.next_down();
    }
    number
}

/// At least a + b.
#[inline]
pub fn add_up(a: f64, b: f64) -> f64 {
    (a + b).next_up()
}

/// At most a + b.
#[inline]
pub fn add_down(a: f64, b: f64) -> f64 {
    (a + b).next_down()
}

/// At least a − b.
#[inline]
pub fn sub_up(a: f64, b: f64) -> f64 {
    (a - b).next_up()
}

/// At most a − b.
#[inline]
pub fn sub_down(a: f64, b: f64) -> f64 {
    (a - b).next_down()
}

/// At least a·b.
#[inline]
pub fn mul_up(a: f64, b: f64) -> f64 {
    (a * b).next_up()
}

/// At most a·b.
#[inline]
pub fn mul_down(a: f64, b: f64) -> f64 {
    (a * b).next_down()
}

/// At least a/b.
#[inline]
pub fn div_up(a: f64, b: f64) -> f64 {
    (a / b).next_up()
}

/// At most a/b.
#[inline]
pub fn div_down(a: f64, b: f64) -> f64 {
    (a / b).next_down()
}

/// At least √a.
#[inline]
pub fn sqrt_up(a: f64) -> f64 {
    a.sqrt().next_up()
}

/// At most √a.
#[inline]
pub fn sqrt_down(a: f64) -> f64 {
    a.sqrt().next_down()
}

/// `value` as a float, exactly; it must be below 2^53.
#[expect(clippy::cast_precision_loss, reason = "exact below 2^53")]
#[inline]
pub fn count(value: u64) -> f64 {
    debug_assert!(value < 1 << 53);
    value as f64
}

/// The integer part of `value`, clamped to 0..=`most`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates, and the value is clamped"
)]
pub fn floor_to_count(value: f64, most: u64) -> u64 {
    (value.max(0.0) as u64).min(most)
}

/// `value` as a float, exactly; it must be below 2^53.
#[inline]
pub fn index(value: usize) -> f64 {
    count(value as u64)
}

/// `value` as an index; the largest index if it does not fit.
pub fn to_index(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
