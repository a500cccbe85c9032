//! The geometric law, and the two-sided one that discrete Laplace draws begin with.

use alloc::boxed::Box;
use core::ops::RangeInclusive;

use dp_exact::fixed::product;
use dp_exact::{Interval, Rational};

use crate::alias::{Law, LowerBounds};
use crate::enclosure::{exp_minus, one_minus_exp_minus, unit};
use crate::fixed::lower_bound;

/// P(v) = (1 − q)·q^v on v ≥ 0, with q = e^(−rate).
#[derive(Clone, Debug)]
pub(crate) struct OneSided {
    pub(crate) rate: Rational,
}

/// first·q^v for v = 0, 1, …, from lower bounds of both, rounded down.
pub(super) fn falling(first: &Interval, ratio: &Interval) -> impl Iterator<Item = u128> + use<> {
    let ratio = lower_bound(ratio);
    core::iter::successors(Some(lower_bound(first)), move |&power| {
        Some(product(power, ratio))
    })
}

/// Precision of the lower bounds before they are cut to 128 bits.
pub(super) const PRECISION: u32 = 192;

impl Law for OneSided {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let first = one_minus_exp_minus(&self.rate, precision);
        Box::new(move |v| &first * &exp_minus(&(Rational::integer(v) * &self.rate), precision))
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=i64::MAX
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        let first = one_minus_exp_minus(&self.rate, PRECISION);
        let up = falling(&first, &exp_minus(&self.rate, PRECISION));
        LowerBounds::two_sided(depth, up, core::iter::empty())
    }
}

/// The outcome v with probability (1 − s)·P(v), and −1 − v with probability s·P(v), where P is
/// geometric with q = e^(−rate) and s = 1/(e^(sign rate) + 1).
///
/// With both rates 1/t this is the discrete Laplace distribution of scale t: s = q/(1 + q), so x ≥ 0
/// has probability (1 − q)/(1 + q)·q^x, and −1 − v has (1 − q)/(1 + q)·q^(v + 1).
#[derive(Clone, Debug)]
pub(crate) struct TwoSided {
    pub(crate) rate: Rational,
    pub(crate) sign_rate: Rational,
}

impl TwoSided {
    /// The probabilities of 0 and of −1.
    fn heads(&self, precision: u32) -> [Interval; 2] {
        let odds = exp_minus(&self.sign_rate, precision);
        let total = Interval::integer(1, precision) + &odds;
        let first = one_minus_exp_minus(&self.rate, precision);
        let divided = |part: Interval| part.checked_div(&total).unwrap_or_else(|| unit(precision));
        [divided(first.clone()), divided(first * odds)]
    }
}

impl Law for TwoSided {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let [zero, minus_one] = self.heads(precision);
        Box::new(move |w| {
            let (head, v) = if w < 0 { (&minus_one, !w) } else { (&zero, w) };
            head * &exp_minus(&(Rational::integer(v) * &self.rate), precision)
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        i64::MIN..=i64::MAX
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        let ratio = exp_minus(&self.rate, PRECISION);
        let [up, down] = self.heads(PRECISION).map(|head| falling(&head, &ratio));
        LowerBounds::two_sided(depth, up, down)
    }
}
