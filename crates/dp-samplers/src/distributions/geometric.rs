//! The geometric distribution, and the distribution of the magnitude of discrete Laplace draws.

use alloc::boxed::Box;
use core::ops::RangeInclusive;

use dp_exact::fixed::product;
use dp_exact::{Interval, Rational};

use crate::distribution::{Distribution, LowerBounds, PRECISION};
use crate::enclosure::{exp_minus, one_minus_exp_minus, unit};
use crate::fixed::lower_bound;

/// P(v) = (1 − q)·q^v on v ≥ 0, with q = e^(−rate).
#[derive(Clone, Debug)]
pub(crate) struct OneSided {
    pub(crate) rate: Rational,
}

/// Lower bounds for first·ratio^v, v = 0, 1, …, in units of 2^−128.
fn falling(first: &Interval, ratio: &Interval) -> impl Iterator<Item = u128> + use<> {
    let ratio = lower_bound(ratio);
    core::iter::successors(Some(lower_bound(first)), move |&power| Some(product(power, ratio)))
}

impl Distribution for OneSided {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let first = one_minus_exp_minus(&self.rate, precision);
        Box::new(move |v| &first * &exp_minus(&(Rational::integer(v) * &self.rate), precision))
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=i64::MAX
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        let first = one_minus_exp_minus(&self.rate, PRECISION);
        LowerBounds::falling(depth, falling(&first, &exp_minus(&self.rate, PRECISION)))
    }
}

/// The distribution of |X| for a discrete Laplace X with q = e^(−`rate`): (1 − q)/(1 + q) at 0, and
/// 2·q^m·(1 − q)/(1 + q) at m > 0. A fair sign makes X of it; 0 is the same number with both signs.
#[derive(Clone, Debug)]
pub(crate) struct LaplaceMagnitude {
    pub(crate) rate: Rational,
}

impl LaplaceMagnitude {
    /// The probability of 0, (1 − q)/(1 + q).
    fn centre(&self, precision: u32) -> Interval {
        let odds = exp_minus(&self.rate, precision);
        one_minus_exp_minus(&self.rate, precision)
            .checked_div(&(Interval::integer(1, precision) + &odds))
            .unwrap_or_else(|| unit(precision))
    }
}

impl Distribution for LaplaceMagnitude {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let precision = precision.saturating_add(1);
        let centre = self.centre(precision);
        Box::new(move |m| {
            let power = exp_minus(&(Rational::integer(m) * &self.rate), precision);
            (&centre * &power).shifted(i64::from(m > 0))
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=i64::MAX
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        let falling = falling(&self.centre(PRECISION), &exp_minus(&self.rate, PRECISION));
        let doubled = (0..).zip(falling).map(|(m, bound)| match m {
            0 => bound,
            _ => bound.saturating_mul(2),
        });
        LowerBounds::falling(depth, doubled)
    }
}

/// The low digit d of a geometric draw, or of a discrete Laplace draw together with its side. On 0
/// ≤ d < b, P(d) ∝ e^(−`rate`·d). If there is a side rate, P(−1 − d) ∝ e^(−`side_rate` − `rate`·d).
#[derive(Clone, Debug)]
pub(crate) struct LowDigit {
    pub(crate) rate: Rational,
    pub(crate) side_rate: Option<Rational>,
    /// b, the number of digits.
    pub(crate) base: i64,
}

impl LowDigit {
    /// r ≥ 0 such that P(`outcome`) ∝ e^−r.
    fn exponent(&self, outcome: i64) -> Rational {
        let digits = |count: i64| Rational::integer(count) * &self.rate;
        match &self.side_rate {
            Some(side_rate) if outcome < 0 => digits(!outcome) + side_rate,
            _ => digits(outcome),
        }
    }
}

impl Distribution for LowDigit {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let precision = precision.saturating_add(16);
        let weights = self.support().map(|outcome| exp_minus(&self.exponent(outcome), precision));
        let total = weights.fold(Interval::integer(0, precision), |sum, weight| sum + weight);
        Box::new(move |outcome| {
            let weight = exp_minus(&self.exponent(outcome), precision);
            weight.checked_div(&total).unwrap_or_else(|| unit(precision))
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        let first = if self.side_rate.is_some() { -self.base } else { 0 };
        first..=self.base - 1
    }
}
