//! The joint guarantee of randomized bits and noise: from a setting to its curves.

use std::ops::RangeInclusive;

use dp_exact::Interval;

use super::AggregatorNoise;
use super::cover::{Datasets, cover, nodes};
use super::hiding::{Hidden, Hiding};
use super::noise::Noise;
use super::pair::Pair;
use crate::Adjacency;
use crate::aggregated_rappor::OthersHold;
use crate::aggregated_rappor::attained::Attained;
use crate::aggregated_rappor::flip::Flip;
use crate::directed::{Bounds, count, floor_to_count, mul_down, mul_up, sub_down, to_index};

/// Values are followed down to e^−600 of the largest at most.
pub(super) const MAX_DEPTH: f64 = 600.0;

/// Products that a cover may take, about: two seconds.
const BUDGET: f64 = 2e9;

/// The most values of a count for which a lower bound is searched.
const LONGEST_ATTAINED: usize = 50_000;

/// The coarsest cover that is worth its time, in relative looseness of ε.
const COARSEST: f64 = 0.02;

/// What hides a client in a count.
#[derive(Clone, Debug)]
pub(crate) struct Joint<'a> {
    pub(crate) flip: &'a Flip,
    /// The noise of each honest aggregator, and how many there are.
    pub(crate) noise: Option<(&'a AggregatorNoise, u32)>,
    /// The other clients whose bits are not known.
    pub(crate) others: u64,
    /// How many of them may hold a 1, in one coordinate.
    pub(crate) ones: RangeInclusive<u64>,
}

impl<'a> Joint<'a> {
    /// Curves that dominate the counts of every dataset; `None` where that takes too long.
    pub(super) fn pair(&self, depth: f64) -> Option<Pair> {
        let hiding = self.hiding(depth)?;
        let flip = self.flip;
        let each = flip.p * (1.0 - flip.p);
        let effective = count(self.others + 1) + self.noise_variance() / each;
        let (fewest, most) = (*self.ones.start(), *self.ones.end());
        let slack = self.slack(&hiding, effective)?;
        let mirrored = self.others - most..=self.others - fewest;
        let symmetric = mirrored == self.ones;
        let mut extremes = vec![hiding.count(self.others - most, most)?];
        if !symmetric {
            extremes.push(hiding.count(fewest, self.others - fewest)?);
        }
        let nodes = nodes(&hiding, effective, &extremes);
        let covered = |ones: RangeInclusive<u64>| {
            let datasets = Datasets {
                others: self.others,
                ones,
                effective,
            };
            cover(&hiding, &datasets, &nodes, slack)
        };
        let up = covered(fewest..=most)?;
        let down = if symmetric {
            up.clone()
        } else {
            covered(mirrored)?
        };
        Pair::new(&nodes, &up, &down)
    }

    /// The laws of the counts of one dataset; `None` where that takes too long.
    pub(super) fn attained(
        &self,
        others: OthersHold,
        adjacency: Adjacency,
        depth: f64,
    ) -> Option<AttainedJointly<'a>> {
        let hiding = self.hiding(depth)?;
        if self.work(&hiding) > BUDGET {
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
            Some((AggregatorNoise::DiscreteGaussian { variance }, summands)) => {
                Noise::gaussian(variance, summands, depth)?
            }
            Some((AggregatorNoise::DiscreteLaplace { scale }, summands)) => {
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
        let Some((AggregatorNoise::DiscreteLaplace { scale }, _)) = self.noise else {
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

    /// About the variance of the noise.
    fn noise_variance(&self) -> f64 {
        self.noise.map_or(0.0, |(noise, summands)| {
            f64::from(summands) * noise.variance()
        })
    }

    /// The looseness that keeps the work in bounds: 2e-4, 8e-4 for the widest counts, and more
    /// where a convolution is long.
    fn slack(&self, hiding: &Hiding<'_>, effective: f64) -> Option<f64> {
        let each = self.flip.p * (1.0 - self.flip.p);
        let deviation = (effective * each).sqrt();
        let fine = 2e-4 * (deviation / 500.0).max(1.0).powf(0.4);
        let range = count(self.ones.end() - self.ones.start());
        let blocks_times_slack = range / (2.0 * effective);
        let work = self.work(hiding);
        let slack = fine.max(blocks_times_slack * work / BUDGET);
        (slack <= COARSEST && work <= BUDGET).then_some(slack)
    }

    /// About the work for one block.
    fn work(&self, hiding: &Hiding<'_>) -> f64 {
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
struct Case<'a> {
    attained: Attained<'a>,
    /// Not below the probability that a part is outside its window.
    missing: f64,
}

impl<'a> Case<'a> {
    fn new(first: Hidden<'a>, second: Option<Hidden<'a>>) -> Self {
        let missing = first.missing + second.as_ref().map_or(0.0, |second| second.missing);
        Self {
            attained: Attained::of(first.count, second.map(|second| second.count)),
            missing: missing.next_up(),
        }
    }

    fn delta(&self, alpha: f64) -> f64 {
        let inside = sub_down(1.0, self.missing).max(0.0);
        let inside = mul_down(self.attained.delta(alpha), inside);
        sub_down(inside, mul_up(alpha, self.missing)).max(0.0)
    }
}
