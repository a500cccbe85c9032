//! The discrete Gaussian, and the law of the buckets that a large one is drawn through.
//!
//! P(x) = w(x)/Z with w(x) = e^(−x²/2σ²), by the recurrence w(x + 1) = w(x)·h(x),
//! h(x + 1) = h(x)·e^(−1/σ²), h(0) = e^(−1/2σ²).

use alloc::boxed::Box;
use core::ops::RangeInclusive;

use dp_exact::fixed::product;
use dp_exact::{Interval, Rational, Shift, gaussian_sum};

use crate::alias::{Law, LowerBounds};
use crate::enclosure::{exp_minus, unit};
use crate::fixed::{ALMOST_ONE, lower_bound};

/// P(x) ∝ e^(−m²/2σ²), where m is the magnitude that x stands for.
#[derive(Clone, Debug)]
pub(crate) struct Gaussian {
    variance: Rational,
    /// 1/2σ²
    rate: Rational,
    sign_apart: bool,
}

impl Gaussian {
    /// The discrete Gaussian of this variance parameter, which is positive.
    pub(crate) fn new(variance: &Rational) -> Option<Self> {
        Some(Self {
            rate: (variance + variance).reciprocal()?,
            variance: variance.clone(),
            sign_apart: false,
        })
    }

    /// The law of a sign and a magnitude m ≥ 0, independent of each other, with P(m) ∝
    /// e^(−m²/2σ²): the outcome is m, or −1 − m where the sign is negative.
    pub(crate) fn with_sign_apart(variance: &Rational) -> Option<Self> {
        Some(Self {
            sign_apart: true,
            ..Self::new(variance)?
        })
    }

    fn magnitude(&self, outcome: i64) -> i64 {
        match outcome {
            0.. => outcome,
            // −1 − outcome.
            _ if self.sign_apart => !outcome,
            _ => -outcome,
        }
    }

    /// The sum of the weights: over the integers, and once more for a second 0.
    fn total(&self, precision: u32) -> Interval {
        let once = gaussian_sum(&self.variance, Shift::Zero, precision);
        let extra = Interval::integer(u8::from(self.sign_apart), precision);
        // The constructors refuse a variance of 0, for which there is no sum.
        once.map_or_else(|| unit(precision), |once| once + extra)
    }

    /// Lower bounds for w(0)/Z, w(1)/Z, ….
    fn falling(&self) -> impl Iterator<Item = u128> {
        let precision = 192;
        let inverse = Interval::integer(1, precision).checked_div(&self.total(precision));
        let first = inverse.map_or(0, |inverse| lower_bound(&inverse));
        let step = lower_bound(&exp_minus(&self.rate, precision));
        let change = lower_bound(&exp_minus(&(&self.rate + &self.rate), precision));
        let steps = core::iter::successors(Some(step), move |&step| Some(product(step, change)));
        core::iter::once(ALMOST_ONE)
            .chain(steps.scan(ALMOST_ONE, |weight, step| {
                *weight = product(*weight, step);
                Some(*weight)
            }))
            .map(move |weight| product(weight, first))
    }
}

impl Law for Gaussian {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let total = self.total(precision.saturating_add(8));
        Box::new(move |outcome| {
            let square = Rational::integer(self.magnitude(outcome)).pow(2);
            exp_minus(&(square * &self.rate), precision)
                .checked_div(&total)
                .unwrap_or_else(|| unit(precision))
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        i64::MIN..=i64::MAX
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        let skipped = usize::from(!self.sign_apart);
        let side = LowerBounds::side(depth, self.falling());
        let down = side.iter().copied().skip(skipped);
        LowerBounds::two_sided(depth, side.iter().copied(), down)
    }
}
