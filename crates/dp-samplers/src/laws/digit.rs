//! A digit of a geometric number.
//!
//! If G is geometric, P(G) ∝ q^G, and G = Σ B^i·D_i in base B, then q^G = Π (q^(B^i))^(D_i): the
//! digits are independent, and D_i has P(d) = (1 − r)·r^d/(1 − r^B) on 0 ≤ d < B, r = q^(B^i).

use alloc::boxed::Box;
use core::ops::RangeInclusive;

use dp_exact::{Interval, Rational};

use super::geometric::{PRECISION, falling};
use crate::alias::{Law, LowerBounds};
use crate::enclosure::{exp_minus, one_minus_exp_minus, unit};

/// P(d) ∝ e^(−d·rate) on 0 ≤ d < 2^bits.
#[derive(Clone, Debug)]
pub(crate) struct Digit {
    pub(crate) rate: Rational,
    pub(crate) bits: u32,
}

impl Digit {
    fn base(&self) -> i64 {
        1 << self.bits
    }

    /// P(0) = (1 − r)/(1 − r^B)
    fn head(&self, precision: u32) -> Interval {
        let all = one_minus_exp_minus(&(Rational::integer(self.base()) * &self.rate), precision);
        one_minus_exp_minus(&self.rate, precision)
            .checked_div(&all)
            .unwrap_or_else(|| unit(precision))
    }
}

impl Law for Digit {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let head = self.head(precision);
        Box::new(move |d| &head * &exp_minus(&(Rational::integer(d) * &self.rate), precision))
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=self.base() - 1
    }

    fn lower_bounds(&self, _depth: u32) -> Option<LowerBounds> {
        let ratio = exp_minus(&self.rate, PRECISION);
        let base = usize::try_from(self.base()).ok()?;
        let bounds = falling(&self.head(PRECISION), &ratio).take(base);
        LowerBounds::new(0, bounds.collect())
    }
}
