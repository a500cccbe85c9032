//! The magnitudes of discrete Gaussian and discrete Laplace draws, and of the buckets and digits
//! that wide ones are drawn through.

use alloc::boxed::Box;
use core::iter::{successors, zip};
use core::ops::RangeInclusive;

use dp_exact::fixed::product;
use dp_exact::{Interval, Rational, Shift, gaussian_sum};

use crate::enclosure::{exp_minus, one_minus_exp_minus};
use crate::fixed::{ALMOST_ONE, lower_bound};
use crate::word_counts::{Distribution, LowerBounds, PRECISION};

/// The distribution of a magnitude m ≥ 0 with P(m) ∝ w(m) for m > 0, and with the weight w(0) or
/// w(0)/2 of 0. A Gaussian has w(m) = e^(−r·m²), a Laplace distribution w(m) = e^(−r·m).
#[derive(Clone, Debug)]
pub(crate) struct Magnitude {
    /// r: 1/2σ² for the variance parameter σ² of a Gaussian, 1/t for the scale t of a Laplace
    /// distribution.
    rate: Rational,
    /// σ² of a Gaussian; `None` of a Laplace distribution.
    variance: Option<Rational>,
    /// Whether 0 has half of its weight: then m is the magnitude |X| of a symmetric X. A fair sign
    /// makes X of it; 0 is the same number with both signs.
    is_signed: bool,
}

impl Magnitude {
    /// The magnitude for a discrete Gaussian of variance parameter σ²; `None` if σ² is 0.
    pub(crate) fn gaussian(variance: &Rational, is_signed: bool) -> Option<Self> {
        let rate = (variance + variance).reciprocal()?;
        Some(Self { rate, variance: Some(variance.clone()), is_signed })
    }

    /// The magnitude for a discrete Laplace distribution of scale 1/`rate`; geometric if it is not
    /// signed.
    pub(crate) const fn laplace(rate: Rational, is_signed: bool) -> Self {
        Self { rate, variance: None, is_signed }
    }

    /// The probability of the magnitude 0, enclosed.
    pub(crate) fn first(&self, precision: u32) -> Interval {
        let one = Interval::integer(1, precision);
        let first = match &self.variance {
            Some(variance) => gaussian_sum(variance, Shift::Zero, precision).and_then(|all| {
                // The sum over all integers; over m ≥ 0 it is (all + 1)/2.
                let total = if self.is_signed { all } else { (all + &one).shifted(-1) };
                one.checked_div(&total)
            }),
            None => {
                let complement = one_minus_exp_minus(&self.rate, precision);
                match self.is_signed {
                    false => Some(complement),
                    true => complement.checked_div(&(one + &exp_minus(&self.rate, precision))),
                }
            }
        };
        first.expect("a sum over all integers counts 0 with its weight 1")
    }

    /// The weight w(m) of a magnitude of any size, enclosed: e^(−r·m²) for a Gaussian, e^(−r·m) for
    /// a Laplace distribution, r the rate.
    pub(crate) fn weight(&self, m: Rational, precision: u32) -> Interval {
        let power = if self.variance.is_some() { m.pow(2) } else { m };
        exp_minus(&(power * &self.rate), precision)
    }
}

impl Distribution for Magnitude {
    fn probability(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let precision = precision.saturating_add(2);
        let first = self.first(precision.saturating_add(8));
        Box::new(move |m| {
            let weight = self.weight(Rational::integer(m), precision);
            (&first * &weight).shifted(i64::from(self.is_signed && m > 0))
        })
    }

    fn is_signed(&self) -> bool {
        self.is_signed
    }

    fn lower_bounds(&self) -> LowerBounds {
        let first = lower_bound(&self.first(PRECISION));
        // w(m + 1) = w(m)·h(m) with h(0) = e^(−r); h(m + 1) is h(m)·e^(−2r) for a Gaussian, and
        // h(m) for a Laplace distribution.
        let step = lower_bound(&exp_minus(&self.rate, PRECISION));
        let change = match self.variance {
            Some(_) => lower_bound(&exp_minus(&(&self.rate + &self.rate), PRECISION)),
            None => ALMOST_ONE,
        };
        let next =
            |&(bound, step): &(u128, u128)| Some((product(bound, step), product(step, change)));
        let bounds = successors(Some((first, step)), next).map(|(bound, _)| bound);
        LowerBounds::new(
            0,
            zip(0.., bounds).map(|(m, bound)| match self.is_signed && m > 0 {
                // Of two outcomes that are certain together, the best bound is the largest number.
                true => bound.saturating_mul(2),
                false => bound,
            }),
        )
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
    /// r ≥ 0 such that P(`outcome`) ∝ e^−r: an outcome is a digit d, or −1 − d on the other side.
    fn exponent(&self, outcome: i64) -> Rational {
        let digits = |count: i64| Rational::integer(count) * &self.rate;
        if outcome < 0 { digits(!outcome) + &self.side_rate } else { digits(outcome) }
    }
}

impl Distribution for LowDigit {
    fn probability(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let precision = precision.saturating_add(16);
        let weights = self.support().map(|outcome| exp_minus(&self.exponent(outcome), precision));
        let total = weights.fold(Interval::integer(0, precision), |sum, weight| sum + weight);
        Box::new(move |outcome| {
            let weight = exp_minus(&self.exponent(outcome), precision);
            weight.checked_div(&total).expect("the digit 0 has weight 1")
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        -self.base..=self.base - 1
    }
}
