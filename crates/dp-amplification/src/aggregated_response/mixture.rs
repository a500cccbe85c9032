//! The answers of the others as a mixture of fair binomials. From either side
//!
//!   δ = (E − 1)(α + 1)/(E + k − 1) · E[(d − τ·W)₊/s],   τ = (α − 1)/((E − 1)(α + 1)),
//!
//! with s answers of the two values, d a sum of s fair signs, and W = (E + 1)·s + 2R. C(s, t) = E(d
//! − t)₊ is convex, falls with t and grows with s: a block of numbers s is bounded by one of its
//! ends (`docs/aggregated-responses.md`, section 3).

use super::ResponseParameters;
use super::expected_excess::{BoundSide, ExpectedExcess, PointCurve};
use super::other_answers::OtherAnswers;
use crate::count_distribution::CountDistribution;
use dp_exact::binomial::outward_sums;
use dp_exact::directed::{count, div_up, floor_to_count, index, mul_up, to_index};

/// Largest relative width of a block of numbers s, unless that gives too few blocks.
const BLOCK: f64 = 1e-4;

/// Least number of blocks of the range of s, if several values of s share a block.
const FEWEST_BLOCKS: u64 = 16;

/// An upper bound on what products below the normal range of floats can lose altogether.
const LOST: f64 = 1e-300;

/// A range of numbers s of answers of the two values, with one bound on their terms in δ.
#[derive(Clone, Debug)]
pub(super) struct SizeBlock {
    /// A bound on the probability that s is in the block, divided by one end of the block.
    pub(super) mass: f64,
    /// A bound on the part (E + 1)·s of W: from below for an upper bound on δ, else from above.
    pub(super) base: f64,
    /// Pairs (the part of the threshold W from other answers, a bound on its probability).
    pub(super) nodes: Vec<(f64, f64)>,
    /// Bounds on the mean of (d − t)₊ as a function of the threshold t.
    pub(super) excess: Excess,
}

/// The mean excess over a threshold in one block.
#[derive(Clone, Debug)]
pub(super) enum Excess {
    /// Of a walk of fair signs.
    Walk(ExpectedExcess),
    /// Of the mean of a walk given its sum with noise of even and of odd parity.
    Noisy(Vec<PointCurve>),
}

impl Excess {
    /// A bound on the mean excess over `threshold` ≥ 0; with noise, the sum of the bounds of both
    /// parities.
    fn at(&self, threshold: f64) -> f64 {
        match self {
            Self::Walk(excess) => excess.at(threshold),
            Self::Noisy(curves) => curves.iter().map(|curve| curve.at(threshold)).sum(),
        }
    }
}

/// A bound on δ of the answers at every ε, from one side.
#[derive(Clone, Debug)]
pub(super) struct AnswerMixture {
    pub(super) parameters: ResponseParameters,
    /// The side on which the bound lies.
    pub(super) side: BoundSide,
    pub(super) blocks: Vec<SizeBlock>,
    /// Upper bound on the probability of all s without a block; 0 for a lower bound on δ.
    pub(super) rest: f64,
}

impl AnswerMixture {
    /// The bound on δ from the given `side` for answers without noise. `None` if floats do not hold
    /// tails to e^−`depth`.
    pub(super) fn new(parameters: ResponseParameters, side: BoundSide, depth: f64) -> Option<Self> {
        let ResponseParameters { e, clients, .. } = parameters;
        // Of s − 1.
        let pmf = CountDistribution::binomial(clients - 1, parameters.of_the_two(), depth)?;
        let mut blocks = Vec::new();
        let mut other_answers = OtherAnswers::new(parameters, side, depth);
        let excess = |steps| Some(Excess::Walk(ExpectedExcess::new(steps, depth, side)?));
        let length = pmf.upper.len() as u64;
        let most = length.div_ceil(FEWEST_BLOCKS);
        let mut next = pmf.first;
        while next <= pmf.last() {
            let width = floor_to_count(BLOCK * count(next), most).max(1);
            let last = (next + width - 1).min(pmf.last());
            let places = to_index(next - pmf.first)..=to_index(last - pmf.first);
            let mass = outward_sums(&pmf.lower[places.clone()], &pmf.upper[places]);
            let (from, to) = (next + 1, last + 1);
            let nodes = other_answers.nodes(from, to)?.to_vec();
            // An upper bound takes 1/s and W at the least s, R and the walk d at the largest; a
            // lower bound takes 1/s and W at the largest, M and the walk at the least.
            let opposite = side.opposite();
            let (near, far, mass, least) = match side {
                BoundSide::Upper => (from, to, mass.upper, 0.0),
                BoundSide::Lower => {
                    (to, from, mass.lower, div_up(mul_up(2.0, count(clients - to)), e))
                }
            };
            let base = opposite.round(opposite.round(e + 1.0) * count(near));
            blocks.push(SizeBlock {
                mass: side.round(side.normalized(&pmf, mass) / count(near)).max(0.0),
                base: opposite.round(base + least).max(0.0),
                nodes,
                excess: excess(far)?,
            });
            next = last + 1;
        }
        let is_upper = side == BoundSide::Upper;
        if is_upper && pmf.first > 0 {
            // All numbers below the window, with W at least 0.
            let mass = pmf.normalized_up(pmf.outside[0]);
            let nodes = vec![(0.0, 1.0)];
            blocks.push(SizeBlock { mass, base: 0.0, nodes, excess: excess(pmf.first)? });
        }
        let rest = if is_upper { pmf.normalized_up(pmf.outside[1]) } else { 0.0 };
        Some(Self { parameters, side, blocks, rest })
    }

    /// A bound on δ at ε = ln `alpha` ≥ 0, from the side `self.side`, from 0 to 1: E[C(s, τ·W)/s]
    /// times the scale (E − 1)(α + 1)/(E + k − 1), and `rest` added, with C(s, t) the mean excess
    /// of block s over t and τ = (α − 1)/((E − 1)(α + 1)). 0 from α = E on.
    pub(super) fn delta(&self, alpha: f64) -> f64 {
        let (side, opposite) = (self.side, self.side.opposite());
        let ResponseParameters { e, answers, .. } = self.parameters;
        if alpha >= e {
            return 0.0;
        }
        let below = side.round(side.round(e - 1.0) * side.round(alpha + 1.0));
        let tau =
            opposite.round(opposite.round(alpha - 1.0) / below).max(0.0) * opposite.factor(8.0);
        // E[C(s, τ·W)/s] over all blocks.
        let (mut sum, mut terms) = (0.0, 16);
        for SizeBlock { mass, base, nodes, excess } in &self.blocks {
            let of_nodes = nodes.iter().map(|&(more, mass)| mass * excess.at(tau * (base + more)));
            sum += mass * of_nodes.sum::<f64>();
            terms += nodes.len() + 4;
        }
        let sum = sum * side.factor(4.0 * index(terms));
        let sum = if side == BoundSide::Upper { sum + LOST } else { (sum - LOST).max(0.0) };
        let scale = side.round(below / opposite.round(e + count(answers - 1)));
        side.round(side.round(sum * scale) + self.rest).clamp(0.0, 1.0)
    }
}
