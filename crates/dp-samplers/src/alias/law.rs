//! What a table needs to know of a law: enclosures to any precision, and lower bounds at once.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::ops::RangeInclusive;

use alloc::sync::Arc;

use dp_exact::Interval;

use crate::fixed::{FRACTION_BITS, lower_bound};

/// Precision of lower bounds before they are cut to 128 bits.
const PRECISION: u32 = 192;

/// A law on the integers, known by enclosures.
pub trait Law: Debug {
    /// The probability of each outcome, enclosed with a width of at most about 2^−`precision`.
    ///
    /// What depends on the precision alone is computed once for all outcomes.
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_>;

    /// The outcomes of the law; all others have probability 0.
    fn support(&self) -> RangeInclusive<i64>;

    /// Lower bounds for the probabilities of successive outcomes, all that are likelier than
    /// 2^−`depth`, for a depth of up to 100. A bound that is too large makes the draws wrong; one
    /// that is too small by more than about 2^−100 makes the table larger or impossible.
    ///
    /// `None` if there are more than [`LowerBounds::MAX_OUTCOMES`] such outcomes. Unless a law knows
    /// a shorter way, the bounds are those of the enclosures of all outcomes of its support, and
    /// `None` if that has more outcomes.
    fn lower_bounds(&self, _depth: u32) -> Option<LowerBounds> {
        let probability = self.at(PRECISION);
        let support = self.support();
        let first = *support.start();
        let bounds = support
            .take(LowerBounds::MAX_OUTCOMES + 1)
            .map(|outcome| lower_bound(&probability(outcome)));
        LowerBounds::new(first, bounds.collect())
    }
}

/// Certified lower bounds for the probabilities of successive outcomes, as fractions of 2^128.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerBounds {
    pub(crate) first: i64,
    pub(crate) bounds: Vec<u128>,
}

impl LowerBounds {
    /// The most outcomes that a table holds.
    pub const MAX_OUTCOMES: usize = 1 << 16;

    /// From the bounds themselves.
    pub(crate) fn new(first: i64, bounds: Vec<u128>) -> Option<Self> {
        (bounds.len() <= Self::MAX_OUTCOMES).then_some(Self { first, bounds })
    }

    /// From bounds for 0, 1, 2, … and for −1, −2, …, both falling, down to 2^−`depth`.
    pub(crate) fn two_sided(
        depth: u32,
        up: impl Iterator<Item = u128>,
        down: impl Iterator<Item = u128>,
    ) -> Option<Self> {
        let mut bounds = Self::side(depth, down);
        let first = -i64::try_from(bounds.len()).ok()?;
        bounds.reverse();
        bounds.extend(Self::side(depth, up));
        Self::new(first, bounds)
    }

    /// What of falling bounds is above 2^−`depth`, but not many more than a table holds.
    pub(crate) fn side(depth: u32, falling: impl Iterator<Item = u128>) -> Vec<u128> {
        let least = 1 << (FRACTION_BITS - depth.clamp(1, FRACTION_BITS));
        let mut side = Vec::with_capacity(1 << 10);
        let likely = falling.take_while(|bound| *bound >= least);
        side.extend(likely.take(Self::MAX_OUTCOMES + 1));
        side
    }
}

impl<L: Law + ?Sized> Law for Box<L> {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        (**self).at(precision)
    }

    fn support(&self) -> RangeInclusive<i64> {
        (**self).support()
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        (**self).lower_bounds(depth)
    }
}

impl<L: Law + ?Sized> Law for Arc<L> {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        (**self).at(precision)
    }

    fn support(&self) -> RangeInclusive<i64> {
        (**self).support()
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        (**self).lower_bounds(depth)
    }
}
