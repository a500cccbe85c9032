//! The natural logarithm.
//!
//! ln(y·2^k) = k·ln 2 + 2·artanh((y − 1)/(y + 1)) with 2^(−1/2) ≤ y ≤ 2^(1/2), roughly, so that
//! the argument of artanh is below 0.18 and its series gains five bits a term.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::constants::ln_2_fixed;
use crate::dyadic::{Toward, bits, shift};
use crate::{Dyadic, Interval};

impl Interval {
    /// The natural logarithm; `None` unless the lower end is greater than 0.
    #[must_use]
    pub fn ln(&self) -> Option<Self> {
        if self.is_positive() { self.monotone(ln_of) } else { None }
    }
}

/// ln x for x > 0, enclosed with `precision` significant bits; `None` only if that takes more than
/// 2^32 bits.
fn ln_of(x: &Dyadic, precision: u32) -> Option<Interval> {
    // x = y·2^k with y in [0.7, 1.4): 0.7 < 181/256 < 2^(−1/2) decides on the leading bits.
    let length = bits(x.mantissa());
    let leading = shift(x.mantissa(), 8 - length);
    let above = i64::from(leading < BigInt::from(181));
    let k = x.top() - above;
    let y = x.shifted(-k);
    let precision_of_y = u32::try_from(length + 2).ok()?;
    let one = Dyadic::one();
    let difference = y.add(&one.negated(), precision_of_y, Toward::Below);
    if difference.signum() == 0 && k == 0 {
        return Some(Interval::integer(0, precision));
    }

    // Near 1 the logarithm is about y − 1: as many bits more as that is small.
    let small = if k == 0 { -difference.top() } else { 0 };
    let fraction_bits = i64::from(precision) + small.max(0) + 32;

    // z is cut off once; each of at most 2^20 terms errs by less than 4 units.
    let numerator = difference.fixed(2 * fraction_bits);
    let denominator = y.add(&one, precision_of_y, Toward::Below).fixed(fraction_bits);
    let z = numerator / denominator;
    let square = shift(&(&z * &z), -fraction_bits);
    let mut power = z.abs();
    let mut sum = BigInt::zero();
    let mut odd = 1u32;
    while !power.is_zero() {
        sum += &power / odd;
        power = shift(&(&power * &square), -fraction_bits);
        odd += 2;
    }
    let series = if z.is_negative() { -sum } else { sum } * 2;

    // k has at most 64 bits, so 72 more bits of ln 2 leave less than one unit of error.
    let multiple = if k == 0 {
        BigInt::zero()
    } else {
        let bits = u32::try_from(fraction_bits + 72).ok()?;
        shift(&(ln_2_fixed(bits) * k), -72)
    };
    let value = series + multiple;
    let error = BigInt::one() + 8 * odd;
    let lower = Dyadic::new(&value - &error, -fraction_bits);
    let upper = Dyadic::new(value + error, -fraction_bits);
    Some(Interval::hull_of(lower, upper, precision))
}
