//! Answers and the discrete Gaussian noise of one honest aggregator together, for every dataset.
//!
//! The adversary sees the difference o = d + D of the two noisy counts, D the difference of their
//! noises, and the parity π of D. C(s, t) becomes Σ_π Σ_o (E[d; π, o] − t·P(π, o))₊, which is
//! convex and linear between the means of d given o (`docs/answers-with-gaussian-noise.md`).

use dp_exact::Rational;

use super::ResponseParameters;
use super::expected_excess::{BoundSide, PointCurve, TINY};
use super::mixture::{AnswerMixture, Excess, SizeBlock};
use super::other_answers::OtherAnswers;
use crate::count_distribution::CountDistribution;
use dp_exact::binomial::outward_sums;
use dp_exact::directed::{
    Bounds, UNIT, add_down, add_up, count, div_down, div_up, floor_to_count, index, mul_down,
    mul_up, sqrt_up, sub_down, to_index,
};

/// The largest reach of a window; noise that needs a wider one gives no bound.
const WIDEST: u64 = 4096;

/// About the largest number of points of the curves of all layers together.
const POINTS: f64 = 1.5e6;

/// M_s(o) = P(π, d_s + D = o) for one parity π of the noise difference D, at o from −reach to
/// reach. The walk d_s is a sum of s fair signs.
struct WalkDistribution {
    /// Lower bounds on M_s(o), by ascending o.
    lower: Vec<f64>,
    /// Upper bounds on M_s(o), by ascending o.
    upper: Vec<f64>,
    /// Upper bound on P(|o| > reach).
    beyond: f64,
    /// Upper bound on the probability of the parity π.
    weight: f64,
}

/// The distribution of (π, D), D the difference of the noises on two counts and π its parity.
struct DifferenceNoise {
    /// The largest |D| of the window.
    reach: u64,
    /// Enclosures of P(π, D) for π = 0 and π = 1, by |D|.
    weights: [Vec<Bounds>; 2],
    /// Upper bound on P(|D| > reach).
    outside: f64,
}

/// Upper bound on δ with noise of parameter σ² = `variance`, for every dataset. Where curves of all
/// clients take too long, fewer are counted on. `None` if the noise is too wide.
pub(super) fn mixture(
    mut parameters: ResponseParameters,
    variance: &Rational,
    depth: f64,
) -> Option<AnswerMixture> {
    let depth = floor_to_count(depth.ceil(), 1000) + 3;
    let noise = DifferenceNoise::new(variance, depth)?;
    let (pmf, reach) = loop {
        let (others, odds) = (parameters.clients - 1, parameters.of_the_two());
        // Of s − 1.
        let pmf = CountDistribution::binomial(others, odds, count(depth))?;
        let reach = noise.reach + root_up(2 * (pmf.last() + 1) * depth);
        if index(pmf.upper.len()) * count(reach) <= POINTS {
            break (pmf, reach);
        }
        parameters.clients = (parameters.clients / 5 * 4).max(1);
    };
    // |o| > reach needs |d| > √(2·s·depth): Hoeffding's inequality.
    let beyond = mul_up(2.0, Bounds::exp(&-Rational::from(depth))?.upper);
    let mut walks = [0, 1].map(|parity| WalkDistribution::new(&noise, parity, reach, beyond));
    let mut blocks = Vec::with_capacity(pmf.upper.len());
    let mut other_answers = OtherAnswers::new(parameters, BoundSide::Upper, count(depth));
    for s in 1..=pmf.last() + 1 {
        if s > pmf.first {
            let mass = pmf.normalized_up(pmf.upper[to_index(s - 1 - pmf.first)]);
            let curves = [0, 1].map(|parity| walks[to_index(parity)].curve(s, parity));
            blocks.push(SizeBlock {
                mass: div_up(mass, count(s)),
                base: mul_down(add_down(parameters.e, 1.0), count(s)),
                nodes: other_answers.nodes(s, s)?.to_vec(),
                excess: Excess::Noisy(curves),
            });
        }
        walks.iter_mut().for_each(WalkDistribution::step);
    }
    let rest = add_up(noise.outside, pmf.normalized_up(add_up(pmf.outside[0], pmf.outside[1])));
    Some(AnswerMixture { parameters, side: BoundSide::Upper, blocks, rest })
}

impl WalkDistribution {
    /// M_0, the noise alone; `beyond` is an upper bound on P(|o| > `reach`) for every s.
    fn new(noise: &DifferenceNoise, parity: u64, reach: u64, beyond: f64) -> Self {
        let weight = |place: u64| {
            let distance = place.abs_diff(reach);
            if distance > noise.reach || distance % 2 != parity {
                return Bounds { lower: 0.0, upper: 0.0 };
            }
            noise.weights[to_index(parity)][to_index(distance)]
        };
        let weights = (0..=2 * reach).map(weight);
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            weights.map(|weight| (weight.lower, weight.upper)).unzip();
        let weight = outward_sums(&lower, &upper).upper;
        Self { lower, upper, beyond, weight }
    }

    /// Turns bounds on M_s into bounds on M_(s+1): the walk gets one more fair sign.
    fn step(&mut self) {
        let length = self.lower.len();
        let step = |values: &[f64], place: usize, edge: f64| {
            let before = place.checked_sub(1).map_or(edge, |before| values[before]);
            let after = values.get(place + 1).copied().unwrap_or(edge);
            0.5 * (before + after)
        };
        let lower = (0..length).map(|place| {
            let value = step(&self.lower, place, 0.0) * (1.0 - 4.0 * UNIT);
            if value < TINY { 0.0 } else { value }
        });
        let lower = lower.collect();
        let upper = (0..length)
            .map(|place| step(&self.upper, place, self.beyond) * (1.0 + 4.0 * UNIT) + TINY);
        let upper = upper.collect();
        (self.lower, self.upper) = (lower, upper);
    }

    /// Points (t, upper bound on C(s, t)) with ascending t, the first ≤ 0; `self` is M_(s−1).
    fn curve(&self, s: u64, parity: u64) -> PointCurve {
        let middle = self.lower.len() / 2;
        // o has the parity of s + π, and o = −2 or −1 comes first.
        let first = middle - if (s + parity).is_multiple_of(2) { 2 } else { 1 };
        let steps = count(s);
        let mut curve: Vec<(f64, f64)> = Vec::new();
        // At most half of each of the two next to it is at the last place, and then what is beyond.
        let edge = self.upper[self.upper.len() - 2] + 2.0 * self.beyond;
        let (mut tail, mut tail_upper) = (0.0f64, edge * (1.0 + 8.0 * UNIT));
        for place in (first..self.lower.len() - 1).step_by(2).rev() {
            let [low, low_after] = [place - 1, place + 1].map(|place| self.lower[place]);
            let [high, high_after] = [place - 1, place + 1].map(|place| self.upper[place]);
            tail = (tail + 0.5 * (low + low_after)) * (1.0 - 8.0 * UNIT);
            tail_upper = (tail_upper + 0.5 * (high + high_after)) * (1.0 + 8.0 * UNIT);
            if low < TINY || tail < TINY {
                continue;
            }
            let slack = steps * 16.0 * UNIT;
            let least = mean_of_walk(steps, div_up(high_after, low)) - slack;
            let most = mean_of_walk(steps, div_down(low_after, high).max(0.0)) + slack;
            let product =
                if least >= 0.0 { -mul_down(least, tail) } else { mul_up(-least, tail_upper) };
            let value = add_up(mul_up(0.5 * steps, high), product).max(0.0);
            if curve.last().is_none_or(|&(t, _)| most < t) {
                curve.push((most, value));
            }
        }
        if curve.last().is_none_or(|&(t, _)| t > 0.0) {
            // E d₊ = ½·E|d| ≤ ½·√s.
            curve.push((0.0, mul_up(mul_up(0.5, sqrt_up(steps)), self.weight)));
        }
        curve.reverse();
        PointCurve(curve)
    }
}

/// About the mean of `steps` signs given o, where M falls by ρ: s·(1 − ρ)/(1 + ρ).
fn mean_of_walk(steps: f64, ratio: f64) -> f64 {
    steps * ((1.0 - ratio) / (1.0 + ratio))
}

impl DifferenceNoise {
    /// The difference of two values of discrete Gaussian noise of parameter σ² = `variance` each,
    /// with tails followed to e^−`depth`. `None` if that takes more than 4096 values on a side.
    fn new(variance: &Rational, depth: u64) -> Option<Self> {
        let rate = (variance * &Rational::from(4_u64)).reciprocal()?;
        let wanted = floor_to_count(4.0 * variance.to_f64() * count(depth), 1 << 40);
        let reach = root_up(wanted) + 2;
        if reach > WIDEST {
            return None;
        }
        let exp = |exponent: u64| -> Option<Bounds> {
            let exponent = Rational::from(exponent) * &rate;
            if exponent > 690 {
                return Some(Bounds { lower: 0.0, upper: TINY });
            }
            Bounds::exp(&-exponent)
        };
        let values: Option<Vec<Bounds>> = (0..=reach).map(|y| exp(y * y)).collect();
        let values = values?;
        // e^(−(w+1)²/(4σ²)) and a geometric series, on both sides.
        let end = exp((reach + 1) * (reach + 1))?.upper;
        let ratio = sub_down(1.0, exp(2 * reach + 3)?.upper);
        let outside = mul_up(2.0, div_up(end, ratio));
        let sum = |parity: u64| {
            let mut sum = Bounds { lower: 0.0, upper: outside };
            for (y, value) in (0_u64..).zip(&values).filter(|(y, _)| y % 2 == parity) {
                let times = if y == 0 { 1.0 } else { 2.0 };
                sum.lower = add_down(sum.lower, times * value.lower);
                sum.upper = add_up(sum.upper, times * value.upper);
            }
            sum
        };
        let sums = [sum(0), sum(1)];
        let least = sums.iter().map(|sum| sum.lower * sum.lower).sum::<f64>() * (1.0 - 16.0 * UNIT);
        let most = sums.iter().map(|sum| sum.upper * sum.upper).sum::<f64>() * (1.0 + 16.0 * UNIT);
        let weights = sums.map(|sum| {
            let weight = |value: &Bounds| Bounds {
                lower: div_down(mul_down(sum.lower, value.lower), most).max(0.0),
                upper: div_up(mul_up(sum.upper, value.upper), least),
            };
            values.iter().map(weight).collect()
        });
        Some(Self { reach, weights, outside })
    }
}

/// The least integer whose square is not below `value`.
fn root_up(value: u64) -> u64 {
    let root = value.isqrt();
    root + u64::from(root * root < value)
}
