//! The magnitude of a discrete Gaussian, and of the buckets that a wide one is drawn through.
//!
//! P(x) = w(x)/Z with w(x) = e^(−x²/2σ²), by the recurrence w(x + 1) = w(x)·h(x),
//! h(x + 1) = h(x)·e^(−1/σ²), h(0) = e^(−1/2σ²).

use alloc::boxed::Box;

use dp_exact::fixed::product;
use dp_exact::{Interval, Rational, Shift, gaussian_sum};

use crate::enclosure::{exp_minus, unit};
use crate::fixed::{ALMOST_ONE, lower_bound};
use crate::word_counts::{Distribution, LowerBounds, PRECISION};

/// The distribution of a magnitude m ≥ 0 with P(m) ∝ w(m) = e^(−m²/2σ²) for m > 0, and with the
/// weight w(0) or w(0)/2 of 0.
#[derive(Clone, Debug)]
pub(crate) struct GaussianMagnitude {
    variance: Rational,
    /// 1/2σ² for the variance parameter σ².
    rate: Rational,
    /// Whether 0 has half of its weight: then m is the magnitude |X| of a discrete Gaussian X. A
    /// fair sign makes X of it; 0 is the same number with both signs.
    is_signed: bool,
}

impl GaussianMagnitude {
    /// The magnitude of a discrete Gaussian of variance parameter σ²; `None` if σ² is 0.
    pub(crate) fn signed(variance: &Rational) -> Option<Self> {
        Self::new(variance, true)
    }

    /// P(m) ∝ e^(−m²/2σ²) on all m ≥ 0; `None` if σ² is 0.
    pub(crate) fn half(variance: &Rational) -> Option<Self> {
        Self::new(variance, false)
    }

    fn new(variance: &Rational, is_signed: bool) -> Option<Self> {
        let rate = (variance + variance).reciprocal()?;
        Some(Self { rate, variance: variance.clone(), is_signed })
    }

    /// The sum Z of w(m) = e^(−m²/2σ²) over all integers m for a signed magnitude, enclosed; else
    /// the sum over m ≥ 0, which is (Z + 1)/2.
    fn total(&self, precision: u32) -> Interval {
        // The constructor refuses a variance of 0, for which there is no sum.
        let all = gaussian_sum(&self.variance, Shift::Zero, precision);
        let all = all.unwrap_or_else(|| unit(precision));
        match self.is_signed {
            true => all,
            false => (all + Interval::integer(1, precision)).shifted(-1),
        }
    }

    /// Lower bounds for w(0)/`total`, w(1)/`total`, …, in units of 2^−128, where w(m) =
    /// e^(−m²/2σ²).
    fn falling(&self, total: &Interval) -> impl Iterator<Item = u128> + use<> {
        let inverse = Interval::integer(1, PRECISION).checked_div(total);
        let first = inverse.map_or(0, |inverse| lower_bound(&inverse));
        let step = lower_bound(&exp_minus(&self.rate, PRECISION));
        let change = lower_bound(&exp_minus(&(&self.rate + &self.rate), PRECISION));
        let steps = core::iter::successors(Some(step), move |&step| Some(product(step, change)));
        core::iter::once(ALMOST_ONE)
            .chain(steps.scan(ALMOST_ONE, |weight, step| {
                *weight = product(*weight, step);
                Some(*weight)
            }))
            .map(move |weight| product(weight, first))
    }
}

impl Distribution for GaussianMagnitude {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let precision = precision.saturating_add(1);
        let total = self.total(precision.saturating_add(8));
        Box::new(move |magnitude| {
            let square = Rational::integer(magnitude).pow(2);
            exp_minus(&(square * &self.rate), precision)
                .checked_div(&total)
                .unwrap_or_else(|| unit(precision))
                .shifted(i64::from(self.is_signed && magnitude > 0))
        })
    }

    fn is_signed(&self) -> bool {
        self.is_signed
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        LowerBounds::falling(depth, self.is_signed, self.falling(&self.total(PRECISION)))
    }
}
