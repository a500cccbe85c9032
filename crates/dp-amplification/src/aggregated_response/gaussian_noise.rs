//! Answers and the discrete Gaussian noise of one honest aggregator together, for every dataset.
//!
//! The adversary sees the difference o = d + D of the two noisy counts, D the difference of their
//! noises, and the parity π of D. C(s, t) becomes Σ_π Σ_o (E[d; π, o] − t·P(π, o))₊, which is
//! convex and linear between the means of d given o (`docs/answers-with-noise.md`).

use dp_exact::directed::{
    Bounds, UNIT, add_down, add_up, count, div_down, div_up, index, mul_down, mul_up, sqrt_up,
    sub_down, sub_up, to_index,
};
use dp_exact::{Rational, Shift, gaussian_sum};

use super::ResponseParameters;
use super::expected_excess::{BoundSide, PointCurve};
use super::mixture::{AnswerMixture, Excess, SizeBlock};
use super::other_answers::OtherAnswers;
use crate::count_distribution::CountDistribution;
use crate::log_concave_window::LogConcaveWindow;

/// The largest |D| of a window; noise that needs a wider one gives no bound.
const WIDEST: f64 = 4096.0;

/// About the largest number of points of the curves of all s together.
const POINTS: f64 = 1.5e6;

/// Tails are followed so much deeper than asked for, as they are cut off in many places.
const DEEPER: f64 = 3.0;

/// Depth of the tails that are cut off noise, and a sum with each sign, below all other tails.
const BELOW: f64 = 12.0;

/// M_s, the distribution of d + D given the parity of D, at every second integer. d is a sum of s
/// fair signs and D the difference of the noises on two counts.
struct NoisyWalk {
    /// Upper bound on the probability of the parity.
    weight: f64,
    /// M_s given an event that cuts tails off, outside of which `missing` of the window is left.
    sum: LogConcaveWindow,
}

/// Upper bound on δ, as a function of ε and for every dataset, where each count has discrete
/// Gaussian noise of parameter σ² = `variance`. Where curves of all clients take too long, fewer
/// are counted on. `None` if the difference of two noises reaches beyond 4096, or floats do not
/// hold a distribution.
pub(super) fn mixture(
    mut parameters: ResponseParameters,
    variance: &Rational,
    depth: f64,
) -> Option<AnswerMixture> {
    let depth = depth.ceil() + DEEPER;
    let reach = (4.0 * variance.to_f64() * depth).sqrt() + 2.0;
    if reach > WIDEST {
        return None;
    }
    let (mut walks, outside) = walks(variance, depth + BELOW)?;
    let pmf = loop {
        // Of s − 1.
        let (others, odds) = (parameters.clients - 1, parameters.of_the_two());
        let pmf = CountDistribution::binomial(others, odds, depth)?;
        let reach = reach + (2.0 * count(pmf.last() + 1) * depth).sqrt();
        if index(pmf.upper.len()) * reach <= POINTS {
            break pmf;
        }
        parameters.clients = (parameters.clients / 5 * 4).max(1);
    };
    let sign = LogConcaveWindow { values: vec![1.0; 2], spread: 0.0, missing: 0.0 };
    let mut blocks = Vec::with_capacity(pmf.upper.len());
    let mut other_answers = OtherAnswers::new(parameters, BoundSide::Upper, depth);
    for s in 1..=pmf.last() + 1 {
        if s > pmf.first {
            let mass = pmf.normalized_up(pmf.upper[to_index(s - 1 - pmf.first)]);
            blocks.push(SizeBlock {
                mass: div_up(mass, count(s)),
                base: mul_down(add_down(parameters.e, 1.0), count(s)),
                nodes: other_answers.nodes(s, s)?.to_vec(),
                excess: Excess::Noisy(walks.iter().map(|walk| walk.curve(count(s))).collect()),
            });
        }
        for walk in &mut walks {
            walk.sum = walk.sum.plus(&sign, depth + BELOW)?;
        }
    }
    let rest = add_up(outside, pmf.normalized_up(add_up(pmf.outside[0], pmf.outside[1])));
    Some(AnswerMixture { parameters, side: BoundSide::Upper, blocks, rest })
}

/// The distributions M_0 of D, the difference of the noises on two counts, given that D is even and
/// given that it is odd; and an upper bound on the probability of all D that are cut off, which
/// does not depend on a client's value. `None` if floats do not hold them.
fn walks(variance: &Rational, depth: f64) -> Option<(Vec<NoisyWalk>, f64)> {
    // D = 2j + π has the weight e^(−D²/(4σ²)) = e^(−(j + π/2)²/(2v)) with v = σ²/2.
    let half = variance * &Rational::new(1, 2).expect("not by zero");
    let shifts = [Shift::Zero, Shift::Half];
    // P(π) = S_π²/(S₀² + S₁²), with S_π the sum of these weights.
    let squares = shifts.map(|shift| Some(gaussian_sum(&half, shift, 64)?.square()));
    let [Some(even), Some(odd)] = squares else { return None };
    let total = &even + &odd;
    let (mut walks, mut outside) = (Vec::new(), 0.0);
    for (square, shift) in [even, odd].into_iter().zip(shifts) {
        let weight = Bounds::of(&square.checked_div(&total)?)?.upper;
        let mut sum = LogConcaveWindow::gaussian(&half, shift, depth)?;
        outside = add_up(outside, mul_up(weight, sum.missing));
        sum.missing = 0.0;
        walks.push(NoisyWalk { weight, sum });
    }
    Some((walks, outside))
}

impl NoisyWalk {
    /// Upper bounds on `weight` times C(s, t), the mean of (E[d | d + D] − t)₊ for a sum d of s =
    /// `signs` fair signs and noise D of one parity. Points (t, bound) by ascending t, the first at
    /// t ≤ 0; `self` is M_(s−1), with one sign less.
    fn curve(&self, signs: f64) -> PointCurve {
        let missing = self.sum.missing;
        let inside = sub_down(1.0, missing);
        let pmf = self.sum.clone().inside();
        // M(o) is between (1 − η)·f(o) and (1 − η)·f(o) + η, f the distribution in the window.
        let low = |value: f64| mul_down(pmf.normalized_down(value), inside).max(0.0);
        let high = |value: f64| add_up(pmf.normalized_up(value), missing);
        // E d₊ = ½·E|d| ≤ ½·√s.
        let mut curve = vec![(0.0, mul_up(0.5 * sqrt_up(signs), self.weight))];
        // The window is symmetric about 0: means below 0 come first, and thresholds are not.
        for place in (pmf.lower.len() / 2).saturating_sub(2)..pmf.lower.len() - 1 {
            // The place is o − 1 and the next one o + 1. With the ratio ρ of M at both, the mean of
            // d given o is s·(1 − ρ)/(1 + ρ), and `slack` is more than its roundings.
            let [here, next] =
                [place, place + 1].map(|at| [low(pmf.lower[at]), high(pmf.upper[at])]);
            if here[0] <= 0.0 {
                continue;
            }
            let mean = |ratio: f64| signs * ((1.0 - ratio) / (1.0 + ratio));
            let slack = signs * 16.0 * UNIT;
            let least = mean(div_up(next[1], here[0])) - slack;
            let most = mean(div_down(next[0], here[1]).max(0.0)) + slack;
            // P(≥ o) = ½·(P(≥ o − 1) + P(≥ o + 1)), of M_s and of M_(s−1).
            let tail = if least >= 0.0 {
                0.5 * add_down(low(pmf.tail_lower[place]), low(pmf.tail_lower[place + 1]))
            } else {
                0.5 * add_up(high(pmf.tail_upper[place]), high(pmf.tail_upper[place + 1]))
            };
            let value = sub_up(mul_up(0.5 * signs, here[1]), mul_down(least, tail)).max(0.0);
            let point = (most, mul_up(value, self.weight));
            if most <= 0.0 {
                curve[0] = point;
            } else if curve.last().is_some_and(|&(before, _)| before < most) {
                curve.push(point);
            }
        }
        PointCurve(curve)
    }
}
