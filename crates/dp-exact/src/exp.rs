//! The exponential function.
//!
//! e^x = 2^k·(e^(r/2^s))^(2^s) with k = ⌊x/ln 2⌋ and r = x − k·ln 2, so that 0 ≤ r < ln 2. The
//! inner exponential is a Taylor series in fixed point, the outer power s squarings. Errors are
//! counted in units of the last place; the enclosure is the computed value plus and minus their
//! sum.

use num_bigint::BigInt;
use num_integer::{Integer, Roots};
use num_traits::{One, Signed, Zero};

use crate::constants::ln_2_fixed;
use crate::dyadic::{Toward, shift};
use crate::{Dyadic, Interval};

/// Largest number of bits before the binary point of an exponent.
const MAX_ARGUMENT_BITS: i64 = 40;

impl Interval {
    /// e to the power of this number; `None` if it may exceed 2^(2^40). A result below 2^(−2^40) is
    /// enclosed between 0 and 2^(−2^40).
    #[must_use]
    pub fn exp(&self) -> Option<Self> {
        let precision = self.precision();
        let low = exp_of(self.lower(), precision)?;
        if self.is_point() {
            return Some(low);
        }
        // One evaluation is enough where the interval is narrow: e^d ≤ 1 + d + d² for d ≤ 1.
        let width = self.upper().add(&self.lower().negated(), 8, Toward::Above);
        let upper = if width.top() <= -8 {
            let width = Self::point(&width, precision);
            let growth = Self::integer(1, precision) + &width + width.square();
            low.upper().mul(growth.upper(), precision, Toward::Above)
        } else {
            exp_of(self.upper(), precision)?.upper().clone()
        };
        Some(Self::hull_of(low.lower().clone(), upper, precision))
    }

    /// e to the power of this number, minus 1, accurate near 0; `None` as for [`Interval::exp`].
    #[must_use]
    pub fn exp_m1(&self) -> Option<Self> {
        self.monotone(exp_m1_of)
    }
}

/// e^x, enclosed with `precision` bits; `None` if it exceeds 2^(2^40). Where |x| ≥ 2^40 and x < 0,
/// the enclosure is from 0 to 2^(−2^40).
fn exp_of(x: &Dyadic, precision: u32) -> Option<Interval> {
    if x.signum() == 0 {
        return Some(Interval::integer(1, precision));
    }
    if x.top() > MAX_ARGUMENT_BITS {
        let tiny = Dyadic::new(1, -(1 << MAX_ARGUMENT_BITS));
        return (x.signum() < 0).then(|| Interval::hull_of(Dyadic::zero(), tiny, precision));
    }
    let halvings = i64::from(precision.sqrt());
    let fraction_bits = i64::from(precision) + halvings + 24;

    // |x| < 2^40 and ln 2 > 1/2, so k has at most 41 bits, and k·ln 2, taken from 48 more bits,
    // errs by less than one unit. Together with x itself the remainder errs by less than 5.
    let fixed = x.fixed(fraction_bits);
    let ln_2 = ln_2_fixed(u32::try_from(fraction_bits + 48).ok()?);
    let mut k = fixed.div_floor(&shift(&ln_2, -48));
    let mut remainder = fixed - shift(&(&k * &ln_2), -48);
    if remainder.is_negative() {
        k -= 1;
        remainder += shift(&ln_2, -48);
    }

    // Terms err by at most 4 units each (5 from the argument, damped by at least 4 a term, and
    // the two truncations); what is left out after the last is below 2 units.
    let argument = shift(&remainder, -halvings);
    let one = BigInt::one() << fraction_bits;
    let mut term = one.clone();
    let mut sum = one;
    let mut count = 0u32;
    while !term.is_zero() {
        count += 1;
        term = shift(&(&term * &argument), -fraction_bits) / count;
        sum += &term;
    }

    // A squaring of y with error e errs by 2·y·e + 1 and a little; the product of all factors y
    // is below 2, so s squarings multiply the error by less than 2^(s+1), and add 2^(s+2).
    for _ in 0..halvings {
        sum = shift(&(&sum * &sum), -fraction_bits);
    }
    let error = BigInt::from(count + 8) << (halvings + 4);
    let exponent = i64::try_from(k).ok()? - fraction_bits;
    let lower = Dyadic::new(&sum - &error, exponent);
    Some(Interval::hull_of(lower, Dyadic::new(sum + error, exponent), precision))
}

/// e^x − 1, enclosed with `precision` bits also near 0; `None` if it exceeds 2^(2^40).
fn exp_m1_of(x: &Dyadic, precision: u32) -> Option<Interval> {
    let small = (-x.top()).max(0);
    if small > i64::from(precision) {
        // 1 + x ≤ e^x ≤ 1 + x + x² for |x| ≤ 1.
        let square = x.mul(x, precision, Toward::Above);
        let upper = x.add(&square, precision, Toward::Above);
        return Some(Interval::hull_of(x.clone(), upper, precision));
    }
    let extended = precision + u32::try_from(small).ok()? + 4;
    let difference = exp_of(x, extended)? - Interval::integer(1, extended);
    Some(difference.at_precision(precision))
}
