//! Aggregated RAPPOR: the law of the loss of one count of n honest clients' randomized bits, for every dataset.
//!
//! Every bit is flipped with p = 1/(E + 1), E = e^ε₀, q = 1 − p. Of the n − 1 other clients b hold a 1; N is the sum of
//! their randomized bits, f its law. The own bit is 1 or 0, which gives the pair P_b(s) = q·f(s−1) + p·f(s) and
//! Q_b(s) = p·f(s−1) + q·f(s). As a sum of independent bits has a log-concave law, half-lines are the best sets:
//!
//!   H_b(α) = max_t [(q − αp)·f(t−1) − (α − 1)·P(N ≥ t)] for 1 ≤ α ≤ E, and 0 beyond.
//!
//! With f ≥ w and `missing` = 1 − Σ w this is at most max_t [(q − αp)·(w(t−1) + missing) − (α − 1)·Σ_(s≥t) w(s)].
//! For every b from b₀ to b₀ + k at least b₀ of the others hold a 1 and n − 1 − k − b₀ a 0, and the bits of the rest are
//! further randomness: H_b is at most the curve of those. One curve above all H_b, α ≥ 1, is one for both directions,
//! since exchanging zeros and ones exchanges P and Q: H(α) = 1 − α + α·H(1/α) below 1.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{One, ToPrimitive, Zero};

use crate::law::{Law, Work, product};
use crate::number::{Rational, exp, shifted_up, unit, whole};
use crate::statement::{Refusal, outside, unproved};

/// The most values of a count that are looked at.
const MOST_VALUES: usize = 1 << 18;

/// Where the curve is evaluated and how datasets are put together. Any choice gives a bound.
#[derive(Clone, Debug)]
pub(crate) struct Steering {
    /// The nodes are e^0, e^step, …, e^(nodes·step).
    pub(crate) step: Rational,
    pub(crate) nodes: u64,
    /// The largest b of each block, in growing order, from 0 without a gap to n − 1.
    pub(crate) block_ends: Vec<u64>,
}

/// A point of a curve or of a trade-off: its abscissa and its ordinate.
type Point = (BigInt, BigInt);

/// The law of the loss of one count, for every dataset of the others.
pub(crate) fn count(epsilon0: &Rational, clients: u64, steering: &Steering, work: &mut Work) -> Result<Law, Refusal> {
    let bits = work.bits;
    work.spend_exponential(epsilon0)?;
    let [low, high] = exp(epsilon0, bits)?;
    let flip = Flip {
        p_down: unit(2 * bits).div_floor(&(unit(bits) + &high)),
        q_up: (&high << bits).div_ceil(&(unit(bits) + &high)),
        odds: [low, high],
        bits,
    };
    let mut nodes = Vec::new();
    let mut error = BigInt::zero();
    for place in 0..=steering.nodes {
        let loss = &steering.step * whole(place);
        work.spend_exponential(&loss)?;
        let [low, high] = exp(&loss, bits)?;
        error = error.max(&high - &low);
        if nodes.last().is_some_and(|last| *last >= low) {
            return Err(outside("nodes that are too close together"));
        }
        nodes.push(low);
    }
    let mut curve: Vec<BigInt> = vec![BigInt::zero(); nodes.len()];
    let mut lowest = 0;
    for &highest in &steering.block_ends {
        let others = clients - 1;
        let values = flip.curve(lowest, others - highest, &nodes, work)?;
        curve = curve.into_iter().zip(values).map(|(one, other)| one.max(other)).collect();
        lowest = highest + 1;
    }
    pair(&nodes, curve, &steering.step, &error, bits)
}

/// How bits are flipped.
struct Flip {
    /// Not below q·2^bits.
    q_up: BigInt,
    /// Not above p·2^bits.
    p_down: BigInt,
    /// E·2^bits from both sides.
    odds: [BigInt; 2],
    bits: u64,
}

impl Flip {
    /// Upper bounds for the curve at the nodes where `ones` of the others hold a 1, and `zeros` a 0.
    fn curve(&self, ones: u64, zeros: u64, nodes: &[BigInt], work: &mut Work) -> Result<Vec<BigInt>, Refusal> {
        let bits = self.bits;
        let others = product(&self.binomial(ones, false, work)?, &self.binomial(zeros, true, work)?, work)?;
        let missing = unit(bits) - BigInt::from(others.iter().sum::<BigUint>());
        work.spend(500 * others.len() as u64 + 200 * nodes.len() as u64)?;
        // A_t = q·f(t−1) + P(N ≥ t) and B_t = p·f(t−1) + P(N ≥ t), from the largest t: that of no f at all first.
        let point = |weight: &BigInt, tail: &BigInt| {
            let mass = weight + &missing;
            let above = shifted_up(&(&mass * &self.q_up), bits) + tail;
            (((mass * &self.p_down) >> bits) + tail, above)
        };
        let mut hull = vec![point(&BigInt::zero(), &BigInt::zero())];
        let mut tail = BigInt::zero();
        for weight in others.into_iter().rev().map(BigInt::from) {
            push(&mut hull, point(&weight, &tail), |turn| turn >= BigInt::zero());
            tail += weight;
        }
        // The best t falls as α grows: along the hull, the maximum of A − αB is where the slope passes α.
        let mut best = hull.len() - 1;
        let value = |point: &Point, node: &BigInt| (&point.1 << bits) - node * &point.0;
        let values = nodes.iter().map(|node| {
            while best > 0 && value(&hull[best - 1], node) >= value(&hull[best], node) {
                best -= 1;
            }
            shifted_up(&value(&hull[best], node), bits).max(BigInt::zero())
        });
        Ok(values.collect())
    }

    /// Lower bounds on the probabilities of the sum of the bits of so many clients who hold a 1, or, if `flipped`, a 0.
    ///
    /// Values have probabilities in the ratio f(k+1)/f(k) = (m − k)/(k + 1)·E^±1: from the mode outward, once rounded
    /// down and once up, until a geometric series of the ratio reached, which falls, bounds what is left.
    fn binomial(&self, clients: u64, flipped: bool, work: &mut Work) -> Result<Vec<BigUint>, Refusal> {
        let odds = [0, 1].map(|side| Ratio::new(self.odds[side].clone(), unit(self.bits)));
        let odds = match flipped {
            false => odds,
            true => {
                let [low, high] = odds;
                [high.recip(), low.recip()]
            }
        };
        let share = &odds[0] / (Ratio::one() + &odds[0]);
        let mode = (share * whole(clients)).to_integer().to_u64().unwrap_or(0);
        let upward = self.outward(clients - mode, mode, &odds, work)?;
        let behind = [odds[1].recip(), odds[0].recip()];
        let downward = self.outward(mode, clients - mode, &behind, work)?;
        let total = upward.above + downward.above + unit(2 * self.bits);
        let probability = |weight: &BigInt| ((weight << self.bits) / &total).to_biguint().unwrap_or_default();
        let mode = [unit(2 * self.bits)];
        let weights = downward.below.iter().rev().chain(&mode).chain(&upward.below);
        Ok(weights.map(probability).collect())
    }

    /// The probabilities on one side of the mode, in units of 2^(−2·bits) of that of the mode: `left` more values are
    /// possible there, and `passed` behind it.
    fn outward(&self, left: u64, passed: u64, odds: &[Rational; 2], work: &mut Work) -> Result<Side, Refusal> {
        let [small, large] = odds;
        let mut side = Side { below: Vec::new(), above: BigInt::zero() };
        let (mut low, mut high) = (unit(2 * self.bits), unit(2 * self.bits));
        for step in 0..left {
            let (above, below) = (BigInt::from(left - step), BigInt::from(passed + step + 1));
            low = (low * &above * small.numer()).div_floor(&(&below * small.denom()));
            high = (high * &above * large.numer()).div_ceil(&(&below * large.denom()));
            side.above += &high;
            if low < unit(self.bits) || side.below.len() > MOST_VALUES {
                // What is left is at most high·(r + r² + …) with r the next ratio, which falls.
                let next = Ratio::new(above - 1, below + 1) * large;
                if next < Ratio::one() {
                    let rest = whole(high) * &next / (Ratio::one() - next);
                    side.above += rest.ceil().to_integer();
                    break;
                }
                return Err(outside("a count with more than some hundred thousand values"));
            }
            side.below.push(low.clone());
        }
        work.spend(600 * side.below.len() as u64)?;
        Ok(side)
    }
}

/// One side of a law.
struct Side {
    /// Not above the weights.
    below: Vec<BigInt>,
    /// Not below their total.
    above: BigInt,
}

/// Adds a point to a hull of points of growing abscissae, on which every turn is kept that `keeps`.
fn push(hull: &mut Vec<Point>, point: Point, drops: impl Fn(BigInt) -> bool) {
    while let [.., before, last] = hull.as_slice() {
        let turn = (&last.0 - &before.0) * (&point.1 - &before.1) - (&last.1 - &before.1) * (&point.0 - &before.0);
        if !drops(turn) {
            break;
        }
        hull.pop();
    }
    hull.push(point);
}

/// The law of the loss of a pair whose curve is the hull of the points (node, value), mirrored at 1.
///
/// A curve that is convex and falls, with H(α) ≥ (1 − α)₊, is that of a pair of laws. With the slopes s before and s′
/// behind the node α, the likelihood ratio α has the probability α·(s′ − s), its reciprocal s′ − s, and 1 what is left,
/// 1 − H(1) + 2·H′(1). The last value is the probability of an infinite ratio. The nodes are taken as they are rounded, up to
/// `error` too small: all losses are raised by that much.
fn pair(nodes: &[BigInt], mut curve: Vec<BigInt>, step: &Rational, error: &BigInt, bits: u64) -> Result<Law, Refusal> {
    let one = unit(bits);
    for place in 0..curve.len() {
        let before = if place == 0 { &one } else { &curve[place - 1] };
        curve[place] = curve[place].clone().min(before.clone());
    }
    // At 1 the chord from a mirrored point to itself is a bound, and no point behind lies so low that 1 would have less
    // than no probability.
    let chords = nodes.iter().zip(&curve).skip(1);
    let chords = chords.map(|(node, value)| ((node - &one + value * 2u32) << bits).div_ceil(&(node + &one)));
    curve[0] = chords.chain([curve[0].clone()]).min().unwrap_or_default();
    let left = &one - &curve[0];
    for place in 1..curve.len() {
        let least = &curve[0] - ((&left * (&nodes[place] - &one)) >> (bits + 1));
        curve[place] = curve[place].clone().max(least);
    }
    let mut hull: Vec<Point> = Vec::new();
    for point in nodes.iter().cloned().zip(curve) {
        push(&mut hull, point, |turn| turn <= BigInt::zero());
    }
    let slope = |one: &Point, other: &Point| Ratio::new(&other.1 - &one.1, &other.0 - &one.0);
    let slopes: Vec<Rational> = hull.windows(2).map(|two| slope(&two[0], &two[1])).chain([Rational::zero()]).collect();
    let last = nodes.len() - 1;
    let mut weights = vec![BigUint::zero(); 2 * last + 1];
    let floored = |mass: Rational| mass.floor().to_integer().to_biguint();
    let refused = || unproved("a probability of the crowd's losses is negative: steer by more nodes");
    for (place, (point, slope)) in hull.iter().zip(&slopes).enumerate() {
        if place == 0 {
            let middle = whole(&one - &point.1) + slope * whole(&one * 2);
            weights[last] = floored(middle).ok_or_else(refused)?;
            continue;
        }
        let mass = slope - &slopes[place - 1];
        let index = nodes.binary_search(&point.0).map_err(|_| refused())?;
        weights[last + index] = floored(&mass * whole(point.0.clone())).ok_or_else(refused)?;
        weights[last - index] = floored(mass * whole(one.clone())).ok_or_else(refused)?;
    }
    let first = Ratio::new(error.clone(), one) - step * whole(last);
    Ok(Law { first, step: step.clone(), weights, bits })
}
