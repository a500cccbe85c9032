//! The answers of the others as a mixture of fair binomials.
//!
//! From above for every dataset, and from below for the dataset in which all others hold one third
//! value,
//!
//!   δ = (E − 1)(α + 1)/(E + k − 1) · E[(d − τ·W)₊/s],   τ = (α − 1)/((E − 1)(α + 1)),
//!
//! with s answers of the two values, d a sum of s fair signs, and W = (E + 1)·s + 2R. C(s, t) = E(d
//! − t)₊ is convex, falls with t and grows with s: a block of numbers s is bounded by one of its
//! ends (`docs/aggregated-responses.md`, section 3).

use super::expected_excess::{BoundSide, ExpectedExcess};
use super::other_answers::OtherAnswers;
use super::{LOST, ResponseParameters};
use crate::count_distribution::{CountDistribution, outward_sums};
use dp_exact::directed::{
    UNIT, add_down, add_up, count, div_down, div_up, floor_to_count, index, mul_down, mul_up,
    sub_down, sub_up, to_index,
};

/// A block of numbers s of answers is at most this share of s wide, unless that gives too few
/// blocks.
const BLOCK: f64 = 1e-4;

/// Least number of blocks of the range of s, if several values of s share a block.
const FEWEST_BLOCKS: u64 = 16;

/// A range of numbers s of answers that are one of the two values, with one bound on their terms in
/// δ.
#[derive(Clone, Debug)]
struct SizeBlock {
    /// A bound on the probability that s is in the block, divided by one end of the block.
    mass: f64,
    /// A bound on the part (E + 1)·s of the threshold W, E = e^ε₀: from below for an upper bound on
    /// δ, else from above.
    base: f64,
    /// Pairs (the part of the threshold W from other answers, a bound on its probability).
    nodes: Vec<(f64, f64)>,
    /// Bounds on the mean of (d − t)₊ as a function of the threshold t, for a walk d of s fair
    /// signs.
    excess: ExpectedExcess,
}

/// A bound on δ of the answers at every ε, from one side.
#[derive(Clone, Debug)]
pub(super) struct AnswerMixture {
    parameters: ResponseParameters,
    /// The side on which the bound lies.
    side: BoundSide,
    /// Tails of distributions are followed to e^−depth.
    depth: f64,
    blocks: Vec<SizeBlock>,
    /// Upper bound on the probability of all numbers s of answers that have no block.
    rest: f64,
    /// The number of nodes of all blocks together, which bounds the roundings of a sum.
    nodes: usize,
}

impl AnswerMixture {
    /// A bound on δ, at every ε, from the given `side`, with tails followed to e^−`depth`. `None`
    /// if floats do not hold the tails.
    pub(super) fn new(parameters: ResponseParameters, side: BoundSide, depth: f64) -> Option<Self> {
        // Of s − 1.
        let pmf =
            CountDistribution::binomial(parameters.clients - 1, parameters.of_the_two(), depth)?;
        let mut mixture = Self { parameters, side, depth, blocks: Vec::new(), rest: 0.0, nodes: 0 };
        let mut other_answers = OtherAnswers::new(parameters, side, depth);
        let length = pmf.upper.len() as u64;
        let most = length.div_ceil(FEWEST_BLOCKS);
        let mut from = pmf.first;
        while from <= pmf.last() {
            let width = floor_to_count(BLOCK * count(from), most).max(1);
            let to = (from + width - 1).min(pmf.last());
            let places = to_index(from - pmf.first)..=to_index(to - pmf.first);
            let mass = outward_sums(&pmf.lower[places.clone()], &pmf.upper[places]);
            let mass = match side {
                BoundSide::Upper => pmf.normalized_up(mass.upper),
                BoundSide::Lower => pmf.normalized_down(mass.lower),
            };
            mixture.add(mass, (from + 1, to + 1), &mut other_answers)?;
            from = to + 1;
        }
        if side == BoundSide::Upper && pmf.first > 0 {
            // All numbers below the window, with W at least 0.
            let mass = pmf.normalized_up(pmf.outside[0]);
            mixture.push(mass, 0.0, vec![(0.0, 1.0)], pmf.first)?;
        }
        mixture.rest = pmf.normalized_up(pmf.outside[1]);
        Some(mixture)
    }

    /// Adds a block of s in `from..=to`, of probability `mass`. An upper bound on δ takes 1/s and W at s = `from`, R
    /// and the walk d at s = `to`; a lower bound takes 1/s and W at s = `to`, M and the walk d at s = `from`. `None`
    /// if floats do not hold it.
    fn add(
        &mut self,
        mass: f64,
        (from, to): (u64, u64),
        other_answers: &mut OtherAnswers,
    ) -> Option<()> {
        let ResponseParameters { e, clients, .. } = self.parameters;
        let nodes = other_answers.nodes(from, to)?.to_vec();
        match self.side {
            BoundSide::Upper => {
                let base = mul_down(add_down(e, 1.0), count(from)).max(0.0);
                self.push(div_up(mass, count(from)), base, nodes, to)
            }
            BoundSide::Lower => {
                let least = div_up(mul_up(2.0, count(clients - to)), e);
                let base = add_up(mul_up(add_up(e, 1.0), count(to)), least);
                self.push(div_down(mass, count(to)).max(0.0), base, nodes, from)
            }
        }
    }

    /// Adds a block with these fields whose walk d has `steps` signs. `None` if floats do not hold it.
    fn push(&mut self, mass: f64, base: f64, nodes: Vec<(f64, f64)>, steps: u64) -> Option<()> {
        self.nodes += nodes.len();
        self.blocks.push(SizeBlock {
            mass,
            base,
            nodes,
            excess: ExpectedExcess::new(steps, self.depth, self.side)?,
        });
        Some(())
    }

    /// A bound on δ at ε = ln `alpha` ≥ 0, from the side `self.side`.
    pub(super) fn delta(&self, alpha: f64) -> f64 {
        let ResponseParameters { e, answers, .. } = self.parameters;
        let terms = index(self.nodes + self.blocks.len());
        if self.side == BoundSide::Upper {
            return self.parameters.upper_delta(alpha, terms, self.rest, |tau| self.sum(tau));
        }
        if alpha >= e {
            return 0.0;
        }
        let below = mul_down(sub_down(e, 1.0), add_down(alpha, 1.0));
        let tau = div_up(sub_up(alpha, 1.0), below);
        let sum = self.sum(tau * (1.0 + 8.0 * UNIT)) * (1.0 - 4.0 * UNIT * (terms + 16.0)) - LOST;
        let scale = div_down(below, add_up(e, count(answers - 1)));
        mul_down(sum.max(0.0), scale).clamp(0.0, 1.0)
    }

    /// E[C(s, τ·W)/s] over all blocks, for a τ with room for the roundings of the threshold.
    fn sum(&self, tau: f64) -> f64 {
        let of = |block: &SizeBlock| -> f64 {
            let nodes = block.nodes.iter();
            let sum: f64 =
                nodes.map(|&(more, mass)| mass * block.excess.at(tau * (block.base + more))).sum();
            block.mass * sum
        };
        self.blocks.iter().map(of).sum()
    }
}
