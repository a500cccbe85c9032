//! The distributions of the magnitude of discrete Laplace draws, and of its digits.

use alloc::boxed::Box;
use core::ops::RangeInclusive;

use dp_exact::fixed::product;
use dp_exact::{Interval, Rational};

use crate::enclosure::{exp_minus, one_minus_exp_minus, unit};
use crate::fixed::lower_bound;
use crate::word_counts::{Distribution, LowerBounds, PRECISION};

/// The distribution of a magnitude m ≥ 0 with P(m) ∝ q^m for m > 0, q = e^(−rate), and with the
/// weight 1 or 1/2 of 0.
#[derive(Clone, Debug)]
pub(crate) struct LaplaceMagnitude {
    pub(crate) rate: Rational,
    /// Whether 0 has half of its weight: then m is the magnitude |X| of a discrete Laplace X. A fair
    /// sign makes X of it; 0 is the same number with both signs. Else m is geometric.
    pub(crate) is_signed: bool,
}

impl LaplaceMagnitude {
    /// The probability of 0: (1 − q)/(1 + q) for a signed magnitude, else 1 − q, where q =
    /// e^(−rate).
    fn first(&self, precision: u32) -> Interval {
        let complement = one_minus_exp_minus(&self.rate, precision);
        if !self.is_signed {
            return complement;
        }
        let odds = exp_minus(&self.rate, precision);
        complement
            .checked_div(&(Interval::integer(1, precision) + &odds))
            .unwrap_or_else(|| unit(precision))
    }
}

impl Distribution for LaplaceMagnitude {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let precision = precision.saturating_add(1);
        let first = self.first(precision);
        Box::new(move |m| {
            let power = exp_minus(&(Rational::integer(m) * &self.rate), precision);
            (&first * &power).shifted(i64::from(self.is_signed && m > 0))
        })
    }

    fn is_signed(&self) -> bool {
        self.is_signed
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        let first = lower_bound(&self.first(PRECISION));
        let ratio = lower_bound(&exp_minus(&self.rate, PRECISION));
        let powers = core::iter::successors(Some(first), |&power| Some(product(power, ratio)));
        LowerBounds::falling(depth, self.is_signed, powers)
    }
}

/// The low digit d of a discrete Laplace draw together with its side. On 0 ≤ d < b, P(d) ∝
/// e^(−`rate`·d) and P(−1 − d) ∝ e^(−`side_rate` − `rate`·d).
#[derive(Clone, Debug)]
pub(crate) struct LowDigit {
    pub(crate) rate: Rational,
    pub(crate) side_rate: Rational,
    /// b, the number of digits.
    pub(crate) base: i64,
}

impl LowDigit {
    /// r ≥ 0 such that P(`outcome`) ∝ e^−r.
    fn exponent(&self, outcome: i64) -> Rational {
        let digits = |count: i64| Rational::integer(count) * &self.rate;
        if outcome < 0 { digits(!outcome) + &self.side_rate } else { digits(outcome) }
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
        -self.base..=self.base - 1
    }
}
