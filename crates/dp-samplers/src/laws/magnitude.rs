//! The magnitude of a symmetric law.

use alloc::boxed::Box;
use core::ops::RangeInclusive;

use dp_exact::Interval;

use crate::alias::{Law, LowerBounds};

/// The law of |X| for a law of X that is symmetric about 0: p(0) at 0, and 2p(m) at m > 0.
///
/// With a sign that is independent and uniform, 0 being the same with both, it is the law of X.
#[derive(Clone, Debug)]
pub(crate) struct Magnitude<L>(pub(crate) L);

impl<L: Law> Law for Magnitude<L> {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let probability = self.0.at(precision.saturating_add(1));
        Box::new(move |magnitude| probability(magnitude).shifted(i64::from(magnitude > 0)))
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=*self.0.support().end()
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        let law = self.0.lower_bounds(depth + 1)?;
        let zero = usize::try_from(law.first.checked_neg()?).ok()?;
        let mut bounds = law.bounds.get(zero..)?.to_vec();
        for bound in bounds.iter_mut().skip(1) {
            *bound = bound.saturating_mul(2);
        }
        LowerBounds::new(0, bounds)
    }
}
