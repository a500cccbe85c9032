//! The joint guarantee of randomized bits and noise: from a setting to its curves.

use std::ops::RangeInclusive;

use dp_exact::Interval;

use super::hiding::{Hidden, Hiding};
use super::noise::{Noise, variance};
use crate::aggregated_rappor::OthersHold;
use crate::aggregated_rappor::attained::Attained;
use crate::aggregated_rappor::flip::Flip;
use dp_calibration::Adjacency;
use dp_calibration::NoiseLaw;
use dp_exact::directed::{Bounds, count, floor_to_count, mul_down, mul_up, sub_down, to_index};

/// Products that a cover may take, about.
pub(super) const BUDGET: f64 = 2e9;

/// Values are followed down to e^−600 of the largest at most.
pub(super) const MAX_DEPTH: f64 = 600.0;

/// The most values of a count for which a lower bound is searched.
const LONGEST_ATTAINED: usize = 50_000;

/// Noise of at most this share of the bits' variance is little: ε falls by half of it.
const LITTLE: f64 = 2e-4;

/// What hides a client in a count.
#[derive(Clone, Debug)]
pub(crate) struct Joint<'a> {
    pub(crate) flip: &'a Flip,
    /// The noise of each honest aggregator, and how many there are.
    pub(crate) noise: Option<(&'a NoiseLaw, u32)>,
    /// The other clients whose bits are not known.
    pub(crate) others: u64,
    /// How many of them may hold a 1, in one coordinate.
    pub(crate) ones: RangeInclusive<u64>,
}

impl<'a> Joint<'a> {
    /// The numbers of ones of the count that the client joins, after exchanging zeros and ones.
    pub(super) fn mirrored(&self) -> RangeInclusive<u64> {
        self.others - self.ones.end()..=self.others - self.ones.start()
    }

    /// Whether both counts may have the same data.
    pub(super) fn is_symmetric(&self) -> bool {
        self.mirrored() == self.ones
    }

    /// About the number n′ of randomized bits of the variance of bits and noise together.
    pub(super) fn effective(&self) -> f64 {
        let each = self.flip.p * (1.0 - self.flip.p);
        count(self.others + 1) + self.noise_variance() / each
    }

    /// The laws of the counts of one dataset; `None` where that takes too long.
    pub(super) fn attained(
        &self,
        hiding: &Hiding<'a>,
        others: OthersHold,
        adjacency: Adjacency,
    ) -> Option<AttainedJointly<'a>> {
        if self.work(hiding) > BUDGET {
            return None;
        }
        let all = self.others;
        let leaves = hiding.count(all - others.removed, others.removed)?;
        if leaves.count.lines() > LONGEST_ATTAINED {
            return None;
        }
        let cases = match adjacency {
            Adjacency::Replacement => {
                let joins = hiding.count(others.added, all - others.added)?;
                vec![Case::new(leaves, Some(joins))]
            }
            // A value may be deleted or put where there was none.
            Adjacency::Deletion => {
                let joins = hiding.count(others.removed, all - others.removed)?;
                vec![Case::new(leaves, None), Case::new(joins, None)]
            }
        };
        Some(AttainedJointly { cases })
    }

    pub(super) fn hiding(&self, depth: f64) -> Option<Hiding<'a>> {
        let noise = match self.noise {
            None => Noise::Absent,
            Some((NoiseLaw::DiscreteGaussian { variance }, summands)) => {
                Noise::gaussian(variance, summands, depth)?
            }
            Some((NoiseLaw::DiscreteLaplace { scale }, summands)) => {
                let ratio = Bounds::exp(&-scale.reciprocal()?)?;
                Noise::Laplace { ratio, summands }
            }
        };
        Some(Hiding {
            flip: self.flip,
            noise,
            depth,
            largest_ratio: self.largest_ratio()?.upper,
        })
    }

    /// The largest likelihood ratio of one count, E or, with Laplace noise, (E + r)/(1 + E·r).
    fn largest_ratio(&self) -> Option<Bounds> {
        let e = self.flip.e;
        let Some((NoiseLaw::DiscreteLaplace { scale }, _)) = self.noise else {
            return Some(e);
        };
        // tanh of half the loss is the product of the tanh of ε₀/2 and of 1/(2t).
        let exact = |value| dp_exact::Rational::from_f64(value).ok();
        let interval = |bounds: Bounds| -> Option<Interval> {
            let end = |value| Some(Interval::rational(&exact(value)?, 128));
            Some(end(bounds.lower)?.hull(&end(bounds.upper)?))
        };
        let r = interval(Bounds::exp(&-scale.reciprocal()?)?)?;
        let e = interval(e)?;
        let one = Interval::integer(1, 128);
        Bounds::of(&(&e + &r).checked_div(&(&one + &(&e * &r)))?)
    }

    /// Whether the noise is so little next to the bits that it hardly changes ε.
    pub(super) fn is_of_bits(&self) -> bool {
        self.effective() <= (1.0 + LITTLE) * count(self.others + 1)
    }

    /// About the variance of the noise.
    fn noise_variance(&self) -> f64 {
        self.noise.map_or(0.0, |(noise, summands)| {
            f64::from(summands) * variance(noise)
        })
    }

    /// Whether a block takes more work than this.
    pub(super) fn is_expensive(&self, depth: f64, work: f64) -> bool {
        let hiding = self.hiding(depth);
        hiding.is_none_or(|hiding| self.work(&hiding) > work)
    }

    /// About the work for one block.
    pub(super) fn work(&self, hiding: &Hiding<'_>) -> f64 {
        let variance = count(self.others) * self.flip.p * (1.0 - self.flip.p);
        let reach = (2.0 * hiding.depth * variance).sqrt() + hiding.depth / 3.0 + 2.0;
        let length = floor_to_count(2.0 * reach, self.others) + 1;
        hiding.noise.work(to_index(length), hiding.depth)
    }
}

/// A lower bound for δ, from one dataset.
pub(super) struct AttainedJointly<'a> {
    /// The directions in which the client's value may change.
    cases: Vec<Case<'a>>,
}

impl AttainedJointly<'_> {
    /// A lower bound for δ at ε, given `alpha` ≥ e^ε.
    pub(super) fn delta(&self, alpha: f64) -> f64 {
        let deltas = self.cases.iter().map(|case| case.delta(alpha));
        deltas.fold(0.0, f64::max)
    }
}

/// The laws of the counts that change.
pub(super) struct Case<'a> {
    attained: Attained<'a>,
    /// Not below the probability that a part is outside its window.
    missing: f64,
}

impl<'a> Case<'a> {
    pub(super) fn new(first: Hidden<'a>, second: Option<Hidden<'a>>) -> Self {
        let missing = first.missing + second.as_ref().map_or(0.0, |second| second.missing);
        Self {
            attained: Attained::of(first.count, second.map(|second| second.count)),
            missing: missing.next_up(),
        }
    }

    pub(super) fn delta(&self, alpha: f64) -> f64 {
        let inside = sub_down(1.0, self.missing).max(0.0);
        let inside = mul_down(self.attained.delta(alpha), inside);
        sub_down(inside, mul_up(alpha, self.missing)).max(0.0)
    }
}
