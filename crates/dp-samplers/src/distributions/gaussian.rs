//! The discrete Gaussian, and the distribution of the buckets that a wide one is drawn through.
//!
//! P(x) = w(x)/Z with w(x) = e^(−x²/2σ²), by the recurrence w(x + 1) = w(x)·h(x),
//! h(x + 1) = h(x)·e^(−1/σ²), h(0) = e^(−1/2σ²).

use alloc::boxed::Box;
use core::ops::RangeInclusive;

use dp_exact::fixed::product;
use dp_exact::{Interval, Rational, Shift, gaussian_sum};

use crate::distribution::{Distribution, LowerBounds, PRECISION};
use crate::enclosure::{exp_minus, unit};
use crate::fixed::{ALMOST_ONE, lower_bound};

/// The discrete Gaussian: P(x) ∝ e^(−x²/2σ²).
#[derive(Clone, Debug)]
struct Gaussian {
    variance: Rational,
    /// 1/2σ² for the variance parameter σ².
    rate: Rational,
}

impl Gaussian {
    /// The distribution of this variance parameter σ²; `None` if it is 0.
    fn new(variance: &Rational) -> Option<Self> {
        Some(Self { rate: (variance + variance).reciprocal()?, variance: variance.clone() })
    }

    /// Z, the sum of the weights over the integers.
    fn total(&self, precision: u32) -> Interval {
        // The constructor refuses a variance of 0, for which there is no sum.
        gaussian_sum(&self.variance, Shift::Zero, precision).unwrap_or_else(|| unit(precision))
    }

    /// w(x)/`total` for each x, enclosed with a width of about 2^−`precision`.
    fn over(&self, total: Interval, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        Box::new(move |outcome| {
            let square = Rational::integer(outcome).pow(2);
            exp_minus(&(square * &self.rate), precision)
                .checked_div(&total)
                .unwrap_or_else(|| unit(precision))
        })
    }

    /// Lower bounds for w(0)/`total`, w(1)/`total`, …, in units of 2^−128.
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

/// The distribution of |X| for a discrete Gaussian X: p(0) at 0, and 2p(m) at m > 0. A fair sign
/// makes X of it; 0 is the same number with both signs.
#[derive(Clone, Debug)]
pub(crate) struct GaussianMagnitude(Gaussian);

impl GaussianMagnitude {
    /// The distribution for variance parameter σ² of X; `None` if σ² is 0.
    pub(crate) fn new(variance: &Rational) -> Option<Self> {
        Gaussian::new(variance).map(Self)
    }
}

impl Distribution for GaussianMagnitude {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let precision = precision.saturating_add(1);
        let total = self.0.total(precision.saturating_add(8));
        let probability = self.0.over(total, precision);
        Box::new(move |magnitude| probability(magnitude).shifted(i64::from(magnitude > 0)))
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=i64::MAX
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        let falling = self.0.falling(&self.0.total(PRECISION));
        let doubled = (0..).zip(falling).map(|(magnitude, bound)| match magnitude {
            0 => bound,
            _ => bound.saturating_mul(2),
        });
        LowerBounds::falling(depth, doubled)
    }
}

/// P(m) ∝ e^(−m²/2σ²) on m ≥ 0.
#[derive(Clone, Debug)]
pub(crate) struct HalfGaussian(Gaussian);

impl HalfGaussian {
    /// The distribution for variance parameter σ²; `None` if σ² is 0.
    pub(crate) fn new(variance: &Rational) -> Option<Self> {
        Gaussian::new(variance).map(Self)
    }

    /// The sum of the weights over m ≥ 0: (Z + 1)/2 for the sum Z over all integers.
    fn total(&self, precision: u32) -> Interval {
        (self.0.total(precision) + Interval::integer(1, precision)).shifted(-1)
    }
}

impl Distribution for HalfGaussian {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        self.0.over(self.total(precision.saturating_add(8)), precision)
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=i64::MAX
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        LowerBounds::falling(depth, self.0.falling(&self.total(PRECISION)))
    }
}
