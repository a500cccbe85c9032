//! The loss distribution of a count of randomized bits and noise, for every dataset: aggregated
//! RAPPOR, also with noise of aggregators, and noise of several aggregators alone.
//! docs/verification.md derives the curve.

use crate::loss_table::{LossTable, WorkLimit, product};
use crate::noise::DiscreteNoise;
use crate::number::*;
use crate::query::WorstCaseDifference;
use crate::statement::{Refusal, ensure, outside, unproved};

/// The largest number of values of a count, and the largest change of a count, that are verified.
const MOST_VALUES: usize = 1 << 18;

/// A released count: a sum of randomized bits, noise of aggregators, or both.
#[derive(Debug)]
pub(crate) struct AggregatedCount {
    /// ε₀ of the flips, each with probability 1/(e^ε₀ + 1); `None` if the count is noise alone.
    pub(crate) epsilon0: Option<Rational>,
    /// n: the number of honest clients, the protected one included.
    pub(crate) clients: u64,
    /// The noise of each honest aggregator, and their number; `None` if they add no noise.
    pub(crate) noise: Option<(DiscreteNoise, u64)>,
    pub(crate) difference: WorstCaseDifference,
    pub(crate) steering: CurveSteering,
}

/// Where curves are bounded, and in which blocks of datasets. Every choice bounds δ from above.
#[derive(Debug)]
pub(crate) struct CurveSteering {
    /// The curve is bounded at the probability ratios e^0, e^step, …, e^(nodes·step), the nodes.
    pub(crate) step: Rational,
    pub(crate) nodes: u64,
    /// Each block's largest number of ones among the other clients, growing; in the last one all.
    pub(crate) block_ends: Vec<u64>,
}

/// Abscissa and ordinate of a point of a curve, in units of 2^−bits.
type Point = (BigInt, BigInt);

impl AggregatedCount {
    /// A loss distribution of one changed count that holds for every dataset of the other clients.
    pub(crate) fn losses(&self, work: &mut WorkLimit) -> Result<LossTable, Refusal> {
        let (bits, others) = (work.bits, self.clients - 1);
        // Without flips p = 0, and there are no others.
        let odds = [Ratio::one(), Ratio::one()];
        let none = BitFlip { p_down: BigInt::zero(), q_up: unit(bits), odds };
        let flip = self.epsilon0.as_ref().map_or(Ok(none), |exponent| BitFlip::new(exponent, work));
        let flip = flip?;
        let noise = match &self.noise {
            Some((noise, aggregators)) => noise.values(*aggregators, work)?,
            None => vec![BigUint::one() << bits],
        };
        let mut nodes = Vec::new();
        let mut error = BigInt::zero();
        for place in 0..=self.steering.nodes {
            let loss = &self.steering.step * whole(place);
            work.spend_exponential(&loss)?;
            let [low, high] = exp(&loss, bits)?;
            error = error.max(&high - &low);
            let is_growing = nodes.last().is_none_or(|last| *last < low);
            ensure(is_growing, outside, "nodes that are too close together")?;
            nodes.push(low);
        }
        let (mut curve, mut lowest) = (vec![BigInt::zero(); nodes.len()], 0);
        for &highest in &self.steering.block_ends {
            let (bits, change) = ((lowest, others - highest), &self.difference.change);
            let values = flip.curve(bits, &noise, change, &nodes, work)?;
            for (most, value) in curve.iter_mut().zip(values) {
                *most = value.max(most.clone());
            }
            lowest = highest + 1;
        }
        pair(&nodes, curve, &self.steering.step, &error, bits)
    }
}

/// Bounds on the probability p = 1/(E + 1) of a flip and on q = 1 − p, where E = e^ε₀.
pub(crate) struct BitFlip {
    /// Lower bound on p, in units of 2^−bits.
    p_down: BigInt,
    /// Upper bound on q, in units of 2^−bits.
    q_up: BigInt,
    /// Lower and upper bound on E.
    odds: [Rational; 2],
}

impl BitFlip {
    /// Bounds for bits that are flipped with probability 1/(e^ε₀ + 1), in units of 2^−`work.bits`.
    pub(crate) fn new(epsilon0: &Rational, work: &mut WorkLimit) -> Result<Self, Refusal> {
        let bits = work.bits;
        work.spend_exponential(epsilon0)?;
        let [low, high] = exp(epsilon0, bits)?;
        let p_down = unit(2 * bits).div_floor(&(unit(bits) + &high));
        let q_up = (&high << bits).div_ceil(&(unit(bits) + &high));
        Ok(Self { p_down, q_up, odds: [low, high].map(|end| Ratio::new(end, unit(bits))) })
    }

    /// For each node α an upper bound on max_t P(S ≥ t | own bit 1) − α·P(S ≥ t | own bit 0), in
    /// units of 2^−bits. S is `change` times the own randomized bit, plus others' randomized bits,
    /// first `ones` 1 and `zeros` 0, and noise.
    fn curve(
        &self, (ones, zeros): (u64, u64), noise: &[BigUint], change: &BigInt, nodes: &[BigInt],
        work: &mut WorkLimit,
    ) -> Result<Vec<BigInt>, Refusal> {
        let bits = work.bits;
        let others = product(&self.sum(ones, zeros, work)?.1, noise, work)?;
        let change = change.to_usize().filter(|&change| change <= MOST_VALUES);
        let change = change.ok_or_else(|| outside("a change of more than 262144"))?;
        let fixed = (1 << 18) + self.odds[0].numer().bits().pow(2) / 64;
        work.spend(fixed + 500 * (others.len() + change) as u64 + 200 * nodes.len() as u64)?;
        // Lower bounds on P(N ≥ s), from s = the number of values down to 0.
        let mut tails = vec![BigInt::zero()];
        for weight in others.into_iter().rev() {
            tails.push(&tails[tails.len() - 1] + BigInt::from(weight));
        }
        let all = tails[tails.len() - 1].clone();
        let missing = unit(bits) - &all;
        // A_t = q·M + P(N ≥ t) and B_t = p·M + P(N ≥ t), M = P(t−Δ ≤ N < t), from the largest t on.
        let mut hull = Vec::new();
        for place in 0..tails.len() + change - 1 {
            let tail = if place < change { &tails[0] } else { &tails[place - change] };
            // All values lie before the last places.
            let mass = tails.get(place).unwrap_or(&all) - tail + &missing;
            let above = shifted_up(&(&mass * &self.q_up), bits) + tail;
            let point = (((mass * &self.p_down) >> bits) + tail, above);
            push(&mut hull, point, |turn| turn >= BigInt::zero());
        }
        // The best t falls as α grows: A − αB is largest where the slope of the hull passes α.
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

    /// The least listed sum of randomized bits, of which `ones` were 1 and `zeros` were 0 before
    /// the flips, and lower bounds on the probabilities of that sum and of each next one, in units
    /// of 2^−bits.
    pub(crate) fn sum(
        &self, ones: u64, zeros: u64, work: &mut WorkLimit,
    ) -> Result<(u64, Vec<BigUint>), Refusal> {
        let (one, ones) = binomial(ones, &self.odds, work)?;
        let (zero, zeros) = binomial(zeros, &[self.odds[1].recip(), self.odds[0].recip()], work)?;
        Ok((one + zero, product(&ones, &zeros, work)?))
    }
}

/// The least listed number of ones among `count` independent bits, whose odds of a 1 are between
/// the two `odds`. Then lower bounds on the probabilities of that number and of each next one, in
/// units of 2^−bits.
fn binomial(
    count: u64, odds: &[Rational; 2], work: &mut WorkLimit,
) -> Result<(u64, Vec<BigUint>), Refusal> {
    let bits = work.bits;
    let share = &odds[0] / (Ratio::one() + &odds[0]);
    let mode = (share * whole(count)).to_integer().to_u64().expect("it is below `count`");
    let (upward, above) = outward(count - mode, mode, odds, work)?;
    let (downward, below) = outward(mode, count - mode, &[odds[1].recip(), odds[0].recip()], work)?;
    let total = above + below + unit(2 * bits);
    let probability = |weight: &BigInt| natural((weight << bits) / &total);
    let peak = [unit(2 * bits)];
    let weights = downward.iter().rev().chain(&peak).chain(&upward);
    Ok((mode - downward.len() as u64, weights.map(probability).collect()))
}

/// Binomial probabilities over the mode's: lower bounds from the mode outward to one side, and an
/// upper bound on their sum to its end, in units of 2^(−2·bits). `odds` bound a step to this side,
/// of `left` values; the other has `passed`.
fn outward(
    left: u64, passed: u64, odds: &[Rational; 2], work: &mut WorkLimit,
) -> Result<(Vec<BigInt>, BigInt), Refusal> {
    let ([small, large], bits) = (odds, work.bits);
    let (mut weights, mut total) = (Vec::new(), BigInt::zero());
    let (mut low, mut high) = (unit(2 * bits), unit(2 * bits));
    for step in 0..left {
        let (above, below) = (BigInt::from(left - step), BigInt::from(passed + step + 1));
        low = (low * &above * small.numer()).div_floor(&(&below * small.denom()));
        high = (high * &above * large.numer()).div_ceil(&(&below * large.denom()));
        total += &high;
        work.spend(600)?;
        if low < unit(bits) || weights.len() > MOST_VALUES {
            // The rest is at most high·(r + r² + …), where r is the next ratio.
            let next = Ratio::new(above - 1, below + 1) * large;
            if next < Ratio::one() {
                total += (whole(high) * &next / (Ratio::one() - next)).ceil().to_integer();
                break;
            }
            return Err(outside("a count with more than some hundred thousand values"));
        }
        weights.push(low.clone());
    }
    Ok((weights, total))
}

/// Adds `point`, right of all others, to a hull. Before that, removes last points while `drops`
/// takes their turn, which is above 0 to the left.
fn push(hull: &mut Vec<Point>, point: Point, drops: impl Fn(BigInt) -> bool) {
    while let [.., before, last] = hull.as_slice() {
        let turn = (&last.0 - &before.0) * (&point.1 - &before.1)
            - (&last.1 - &before.1) * (&point.0 - &before.0);
        if !drops(turn) {
            break;
        }
        hull.pop();
    }
    hull.push(point);
}

/// The loss distribution of two distributions whose curve, δ by probability ratio, is the lower
/// convex hull of the points (node, `curve`) from ratio 1 on and, mirrored, below 1. Losses are
/// raised by `error`, the most that a node was rounded down by. `Err` if a probability is negative.
fn pair(
    nodes: &[BigInt], mut curve: Vec<BigInt>, step: &Rational, error: &BigInt, bits: u64,
) -> Result<LossTable, Refusal> {
    let one = unit(bits);
    // At 1 the chord between a point and its mirrored point is a bound.
    let chord = |(node, y): (&BigInt, &BigInt)| -> BigInt {
        let above: BigInt = (node - &one + y * 2) << bits;
        above.div_ceil(&(node + &one))
    };
    let chords = nodes.iter().zip(&curve).map(chord);
    let first = chords.min().expect("there is a node at the ratio 1").min(one.clone());
    let last = nodes.len() - 1;
    let mut weights = vec![BigUint::zero(); 2 * last + 1];
    let floored = |mass: Rational| mass.floor().to_integer().to_biguint();
    let refused = || unproved("a probability of losses is negative: steer by more nodes");
    // No point lies above one before it, or so low that the ratio 1 had a negative probability.
    curve[0] = first.clone();
    for place in 1..curve.len() {
        curve[place] = curve[place].clone().min(curve[place - 1].clone());
    }
    let slope = |(node, y): (&BigInt, &BigInt)| ((y - &first) << bits).div_floor(&(node - &one));
    let slopes = nodes.iter().zip(&curve).skip(1).map(slope);
    let steepest = slopes.min().expect("there are two nodes or more");
    let lack: BigInt = &first - &one - &steepest * 2;
    let least = steepest + shifted_up(&lack.max(BigInt::zero()), 1);
    for (node, y) in nodes.iter().zip(&mut curve).skip(1) {
        *y = y.clone().max(shifted_up(&(&least * (node - &one)), bits) + &first);
    }
    let mut hull: Vec<Point> = Vec::new();
    for point in nodes.iter().cloned().zip(curve) {
        push(&mut hull, point, |turn| turn <= BigInt::zero());
    }
    let slope = |two: &[Point]| Ratio::new(&two[1].1 - &two[0].1, &two[1].0 - &two[0].0);
    let slopes: Vec<Rational> = hull.windows(2).map(slope).chain([Rational::zero()]).collect();
    for (place, point) in hull.iter().enumerate().skip(1) {
        let mass = &slopes[place] - &slopes[place - 1];
        let index = nodes.binary_search(&point.0).map_err(|_| refused())?;
        for (index, ratio) in [(last + index, &point.0), (last - index, &one)] {
            weights[index] = floored(&mass * whole(ratio.clone())).ok_or_else(refused)?;
        }
    }
    let middle = whole(&one - &first) + &slopes[0] * whole(&one * 2);
    weights[last] = floored(middle).ok_or_else(refused)?;
    let first = Ratio::new(error.clone(), one) - step * whole(last);
    Ok(LossTable { first, step: step.clone(), weights, bits })
}
