//! The law of the loss of one count of randomized bits and noise, for every dataset: aggregated RAPPOR, with noise of
//! honest aggregators (hedging) or bits that they add (compensation), and noise of several aggregators alone.
//!
//! Every bit is flipped with p = 1/(E + 1), E = e^ε₀, q = 1 − p; without flips p = 0. Of the m others, n − 1 clients and added
//! zeros, b hold a 1; N is the sum of their randomized bits and of all noise, f its law. The own number is Δ or 0, a bit where
//! bits are flipped, which gives the pair P_b(s) = q·f(s−Δ) + p·f(s) and Q_b(s) = p·f(s−Δ) + q·f(s). As a sum of independent
//! bits and noise with log-concave laws, N has a log-concave law, so that half-lines are the best sets:
//!
//!   H_b(α) = max_t [(q − αp)·P(t−Δ ≤ N < t) − (α − 1)·P(N ≥ t)] for 1 ≤ α ≤ E, and 0 beyond.
//!
//! With f ≥ w and `missing` = 1 − Σ w this is at most max_t [(q − αp)·(Σ_(t−Δ≤s<t) w(s) + missing) − (α − 1)·Σ_(s≥t) w(s)].
//! For every b from b₀ to b₀ + k at least b₀ of the others hold a 1 and m − k − b₀ a 0, and the bits of the rest are
//! further randomness: H_b is at most the curve of those. Exchanging zeros and ones exchanges P and Q, and b and m − b: with
//! a curve `up` above the H_b of all b that are possible and one, `down`, above their H_(m−b), for α ≥ 1, the pair P_b and Q_b has
//! at most up(α) there and 1 − α + α·down(1/α) below 1.

use crate::law::{Law, Work, product};
use crate::noise::Noise;
use crate::number::{BigInt, BigUint, Integer, One, Ratio, Rational, ToPrimitive, Zero, exp, shifted_up, unit, whole};
use crate::query::Corner;
use crate::statement::{Refusal, outside, unproved};

/// The most values of a count that are looked at.
const MOST_VALUES: usize = 1 << 18;

/// A count that is released.
#[derive(Debug)]
pub(crate) struct Count {
    /// How bits are flipped, if they are.
    pub(crate) epsilon0: Option<Rational>,
    /// n: the clients that are honest, with the own one; and zeros whose randomized bits are added.
    pub(crate) clients: u64,
    pub(crate) zeros: u64,
    /// The noise of each of so many honest aggregators.
    pub(crate) noise: Option<(Noise, u64)>,
    pub(crate) corner: Corner,
    pub(crate) steering: Steering,
}

/// Where the curve is evaluated and how datasets are put together. Any choice gives a bound.
#[derive(Debug)]
pub(crate) struct Steering {
    /// The nodes are e^0, e^step, …, e^(nodes·step).
    pub(crate) step: Rational,
    pub(crate) nodes: u64,
    /// The largest b of each block, in growing order, from 0 without a gap to m.
    pub(crate) block_ends: Vec<u64>,
}

/// A point of a curve or of a trade-off: its abscissa and its ordinate.
type Point = (BigInt, BigInt);

impl Count {
    /// The law of the loss of one count, or of two that are exchanged, for every dataset of the others; and of how many.
    pub(crate) fn law(&self, work: &mut Work) -> Result<(Law, u64), Refusal> {
        let (bits, others) = (work.bits, self.clients - 1 + self.zeros);
        // Without flips p = 0, and there are no others.
        let none = Flip { p_down: BigInt::zero(), q_up: unit(bits), odds: [unit(bits), unit(bits)], bits };
        let flip = self.epsilon0.as_ref().map_or(Ok(none), |epsilon0| Flip::new(epsilon0, work))?;
        let noise = self.noise.as_ref().map(|(noise, aggregators)| noise.values(*aggregators, work)).transpose()?;
        let noise = noise.unwrap_or_else(|| vec![BigUint::one() << bits]);
        let mut nodes = Vec::new();
        let mut error = BigInt::zero();
        for place in 0..=self.steering.nodes {
            let loss = &self.steering.step * whole(place);
            work.spend_exponential(&loss)?;
            let [low, high] = exp(&loss, bits)?;
            error = error.max(&high - &low);
            if nodes.last().is_some_and(|last| *last >= low) {
                return Err(outside("nodes that are too close together"));
            }
            nodes.push(low);
        }
        let [mut up, mut down] = [(); 2].map(|()| vec![BigInt::zero(); nodes.len()]);
        let mut lowest = 0;
        for &highest in &self.steering.block_ends {
            // The clients can hold up to n − 1 ones, and after the exchange there are at least the added ones.
            let is_in = [lowest < self.clients, highest >= self.zeros];
            if is_in != [false; 2] {
                let values = flip.curve((lowest, others - highest), &noise, &self.corner.moved, &nodes, work)?;
                for (_, curve) in is_in.into_iter().zip([&mut up, &mut down]).filter(|(is_in, _)| *is_in) {
                    curve.iter_mut().zip(&values).for_each(|(one, other)| *one = other.max(one).clone());
                }
            }
            lowest = highest + 1;
        }
        if self.zeros == 0 || !self.corner.is_exchanged {
            let both: Vec<BigInt> = up.into_iter().zip(down).map(|(one, other)| one.max(other)).collect();
            return Ok((pair(&nodes, [both.clone(), both], &self.steering.step, &error, bits)?, 1));
        }
        let leaves = pair(&nodes, [up.clone(), down.clone()], &self.steering.step, &error, bits)?;
        let joins = pair(&nodes, [down, up], &self.steering.step, &error, bits)?;
        Ok((leaves.plus(&joins, work)?, 2))
    }
}

/// How bits are flipped.
pub(crate) struct Flip {
    /// Not below q·2^bits.
    q_up: BigInt,
    /// Not above p·2^bits.
    p_down: BigInt,
    /// E·2^bits from both sides.
    odds: [BigInt; 2],
    bits: u64,
}

impl Flip {
    pub(crate) fn new(epsilon0: &Rational, work: &mut Work) -> Result<Self, Refusal> {
        let bits = work.bits;
        work.spend_exponential(epsilon0)?;
        let [low, high] = exp(epsilon0, bits)?;
        let p_down = unit(2 * bits).div_floor(&(unit(bits) + &high));
        let q_up = (&high << bits).div_ceil(&(unit(bits) + &high));
        Ok(Self { p_down, q_up, odds: [low, high], bits })
    }

    /// Upper bounds for the curve at the nodes where so many of the others hold a 1, and so many a 0.
    fn curve(
        &self,
        (ones, zeros): (u64, u64),
        noise: &[BigUint],
        moved: &BigInt,
        nodes: &[BigInt],
        work: &mut Work,
    ) -> Result<Vec<BigInt>, Refusal> {
        let bits = self.bits;
        let others = product(&self.binomial(ones, false, work)?.1, &self.binomial(zeros, true, work)?.1, work)?;
        let others = product(&others, noise, work)?;
        let moved = moved.to_usize().filter(|&moved| moved <= MOST_VALUES);
        let moved = moved.ok_or_else(|| outside("a number that moves by more than 262144, of several aggregators"))?;
        work.spend(500 * (others.len() + moved) as u64 + 200 * nodes.len() as u64)?;
        // P(N ≥ s) without what is missing, from s = the number of values down to 0.
        let mut tails = vec![BigInt::zero()];
        for weight in others.into_iter().rev() {
            tails.push(&tails[tails.len() - 1] + BigInt::from(weight));
        }
        let all = tails[tails.len() - 1].clone();
        let missing = unit(bits) - &all;
        // A_t = q·P(t−Δ ≤ N < t) + P(N ≥ t) and B_t = p·P(t−Δ ≤ N < t) + P(N ≥ t), from the largest t: that of no value first.
        let mut hull = Vec::new();
        for place in 0..tails.len() + moved - 1 {
            let tail = if place < moved { &tails[0] } else { &tails[place - moved] };
            let mass = tails.get(place).unwrap_or(&all) - tail + &missing;
            let above = shifted_up(&(&mass * &self.q_up), bits) + tail;
            push(&mut hull, (((mass * &self.p_down) >> bits) + tail, above), |turn| turn >= BigInt::zero());
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

    /// Lower bounds on the probabilities of the sum of the bits of so many clients who hold a 1, or, if `flipped`, a 0,
    /// and the first value.
    ///
    /// Values have probabilities in the ratio f(k+1)/f(k) = (m − k)/(k + 1)·E^±1: from the mode outward, once rounded
    /// down and once up, until a geometric series of the ratio reached, which falls, bounds what is left.
    pub(crate) fn binomial(
        &self,
        clients: u64,
        flipped: bool,
        work: &mut Work,
    ) -> Result<(u64, Vec<BigUint>), Refusal> {
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
        let peak = [unit(2 * self.bits)];
        let weights = downward.below.iter().rev().chain(&peak).chain(&upward.below);
        Ok((mode - downward.below.len() as u64, weights.map(probability).collect()))
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

/// The law of the loss of a pair whose curve is the hull of the points (node, up) from 1 on and, mirrored, of (node, down) below.
///
/// A curve that is convex and falls, with H(α) ≥ (1 − α)₊, is that of a pair of laws. Where the slope changes by s at the node α,
/// of `up` the likelihood ratio α has the probability α·s, and of `down` its reciprocal s; 1 has what is left, 1 − H(1) + up′(1) +
/// down′(1). The last value of `up` is the probability of an infinite ratio. The nodes are taken as they are rounded, up to
/// `error` too small: all losses are raised by that much.
fn pair(
    nodes: &[BigInt],
    mut sides: [Vec<BigInt>; 2],
    step: &Rational,
    error: &BigInt,
    bits: u64,
) -> Result<Law, Refusal> {
    let one = unit(bits);
    // At 1 the chord from a mirrored point to one of the same node is a bound, for it and both values there.
    let chords = nodes.iter().zip(sides[0].iter().zip(&sides[1]));
    let chords = chords.map(|(node, (up, down))| ((node - &one + up + down) << bits).div_ceil(&(node + &one)));
    let first = chords.min().unwrap_or_default().min(one.clone());
    let last = nodes.len() - 1;
    let mut weights = vec![BigUint::zero(); 2 * last + 1];
    let floored = |mass: Rational| mass.floor().to_integer().to_biguint();
    let refused = || unproved("a probability of the losses of a count is negative: steer by more nodes");
    // No point lies above one before it, and none so low that 1 would have less than no probability.
    for curve in &mut sides {
        curve[0] = first.clone();
        (1..curve.len()).for_each(|place| curve[place] = curve[place].clone().min(curve[place - 1].clone()));
    }
    let steepest = |curve: &[BigInt]| {
        let slopes = nodes.iter().zip(curve).skip(1).map(|(node, y)| ((y - &first) << bits).div_floor(&(node - &one)));
        slopes.min().unwrap_or_default()
    };
    let lack = (&first - &one - steepest(&sides[0]) - steepest(&sides[1])).max(BigInt::zero());
    let mut middle = whole(&one - &first);
    for (side, mut curve) in sides.into_iter().enumerate() {
        let least = steepest(&curve) + shifted_up(&lack, 1);
        for (node, y) in nodes.iter().zip(&mut curve).skip(1) {
            *y = y.clone().max(shifted_up(&(&least * (node - &one)), bits) + &first);
        }
        let mut hull: Vec<Point> = Vec::new();
        for point in nodes.iter().cloned().zip(curve) {
            push(&mut hull, point, |turn| turn <= BigInt::zero());
        }
        let slope = |two: &[Point]| Ratio::new(&two[1].1 - &two[0].1, &two[1].0 - &two[0].0);
        let slopes: Vec<Rational> = hull.windows(2).map(slope).chain([Rational::zero()]).collect();
        middle += &slopes[0] * whole(one.clone());
        for (place, point) in hull.iter().enumerate().skip(1) {
            let mass = &slopes[place] - &slopes[place - 1];
            let index = nodes.binary_search(&point.0).map_err(|_| refused())?;
            let (index, ratio) = if side == 0 { (last + index, &point.0) } else { (last - index, &one) };
            weights[index] = floored(mass * whole(ratio.clone())).ok_or_else(refused)?;
        }
    }
    weights[last] = floored(middle).ok_or_else(refused)?;
    let first = Ratio::new(error.clone(), one) - step * whole(last);
    Ok(Law { first, step: step.clone(), weights, bits })
}
