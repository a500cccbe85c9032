//! Loss distributions of one number under discrete noise, and of an (ε, δ)-private release.

use crate::loss_table::{LossTable, WorkLimit, product};
use crate::number::*;
use crate::statement::{Refusal, outside};

/// The largest number of values of noise on one side that is computed.
const MOST_VALUES: u64 = 1 << 20;

/// The bits that a term has beyond a weight, for the errors of one multiplication per value.
const GUARD: u64 = 80;

/// Discrete Gaussian noise: p(x) = e^(−x²s)/Z on the integers, with s = 1/(2σ²) and a normalizer Z.
#[derive(Debug)]
pub(crate) struct Gaussian {
    s: Rational,
    bits: u64,
    /// Lower bounds on e^(−x²s) in units of 2^−(bits + GUARD), for x = 0, …, R, the largest listed.
    terms: Vec<BigInt>,
    /// Upper bound on the normalizer Z, in units of 2^−(bits + GUARD).
    pub(crate) normalizer_up: BigInt,
    /// Lower bound on the normalizer Z, in units of 2^−(bits + GUARD).
    pub(crate) normalizer_down: BigInt,
}

impl Gaussian {
    /// The noise of s = 1/(2σ²) > 0: the terms up to R, the first below 2^−`work.bits` included.
    /// Beyond R, e^(−x²s) falls at least by e^(−u), u = (2R+3)s, so that the tail to either side is
    /// at most e^(−(R+1)²s)/(1 − e^(−u)) ≤ e^(−(R+1)²s)·(1 + u)/u. `Err` if R is too large or work
    /// runs out.
    pub(crate) fn new(s: &Rational, work: &mut WorkLimit) -> Result<Self, Refusal> {
        let bits = work.bits;
        let radius = Self::radius(s, bits)?;
        let width = bits + GUARD;
        work.spend(500 * radius)?;
        let mut sides = Vec::new();
        for side in [0usize, 1] {
            let rounded = |product: BigInt| {
                if side == 0 { product >> width } else { shifted_up(&product, width) }
            };
            let mut ratio = exp(&-s, width)?[side].clone();
            let square = exp(&(s * whole(-2)), width)?[side].clone();
            let mut terms = vec![unit(width)];
            for place in 0..radius.to_usize().expect("it is at most `MOST_VALUES`") {
                terms.push(rounded(&terms[place] * &ratio));
                ratio = rounded(ratio * &square);
            }
            sides.push(terms);
        }
        let total = |terms: &[BigInt]| terms[1..].iter().sum::<BigInt>() * 2 + &terms[0];
        let next = s * whole(BigInt::from(radius + 1).pow(2));
        let fall = s * whole(2 * radius + 3);
        let tail = whole(exp(&-next, width)?[1].clone()) * (Ratio::one() + &fall) / fall;
        let normalizer_up = total(&sides[1]) + tail.ceil().to_integer() * 2;
        let normalizer_down = total(&sides[0]);
        let terms = sides.swap_remove(0);
        Ok(Self { s: s.clone(), bits, terms, normalizer_up, normalizer_down })
    }

    /// The largest listed value R: e^(−R²s) ≤ 2^−bits and 2R²s ≥ 1. `Err` above `MOST_VALUES`.
    pub(crate) fn radius(s: &Rational, bits: u64) -> Result<u64, Refusal> {
        // ln 2 < 7/10.
        let square = (Ratio::new(BigInt::from(7 * bits), BigInt::from(10)) / s).ceil().to_integer();
        let radius = square.sqrt() + 1u32;
        let accepted = radius.to_u64().filter(|&radius| radius <= MOST_VALUES);
        accepted.ok_or_else(|| outside("Gaussian noise of a deviation of more than some 60000"))
    }

    /// Lower and upper bound on √(2π), in units of 2^−bits: Z at σ = 8 is 8·√(2π) times a factor
    /// between 1 and 1 + 2^−1800 (Poisson).
    pub(crate) fn root_of_two_pi(work: &mut WorkLimit) -> Result<[BigInt; 2], Refusal> {
        let noise = Self::new(&Ratio::new(1.into(), 128.into()), work)?;
        let (low, high) = (noise.normalizer_down, noise.normalizer_up);
        Ok([(low >> (GUARD + 3)) - 1, shifted_up(&high, GUARD + 3)])
    }

    /// Lower bounds on the probabilities of 0, …, R, in units of 2^−bits.
    fn half(&self) -> Vec<BigUint> {
        let probability = |term: &BigInt| natural((term << self.bits) / &self.normalizer_up);
        self.terms.iter().map(probability).collect()
    }

    /// The losses s·((x + Δ)² − x²) of a number that changes by Δ = `change`: at noise −R, …, R.
    pub(crate) fn losses(&self, change: &BigInt) -> LossTable {
        let weights = mirrored(&self.half());
        let first = &self.s * whole(change * (change - BigInt::from(self.terms.len() - 1) * 2));
        LossTable { first, step: &self.s * whole(change * 2), weights, bits: self.bits }
    }
}

/// The weights of −R, …, R, from the weights of 0, …, R.
fn mirrored(half: &[BigUint]) -> Vec<BigUint> {
    half[1..].iter().rev().chain(half).cloned().collect()
}

/// The noise that one aggregator adds to a number.
#[derive(Debug)]
pub(crate) enum DiscreteNoise {
    /// Discrete Gaussian noise with the variance parameter σ².
    Gaussian(Rational),
    /// Discrete Laplace noise with the scale t: p(x) is proportional to e^(−|x|/t).
    Laplace(Rational),
}

impl DiscreteNoise {
    /// Lower bounds on the probabilities of the sum of all noise, in units of 2^−bits around 0.
    pub(crate) fn values(
        &self, aggregators: u64, work: &mut WorkLimit,
    ) -> Result<Vec<BigUint>, Refusal> {
        let one = mirrored(&match self {
            Self::Gaussian(variance) => Gaussian::new(&(variance * whole(2)).recip(), work)?.half(),
            Self::Laplace(scale) => powers(scale, &reach(scale, work), |_| false, work)?,
        });
        (1..aggregators).try_fold(one.clone(), |sum, _| product(&sum, &one, work))
    }

    /// The losses of a number that changes by `change` under the noise of one aggregator.
    pub(crate) fn losses(
        &self, change: &BigInt, work: &mut WorkLimit,
    ) -> Result<LossTable, Refusal> {
        let scale = match self {
            Self::Gaussian(variance) => {
                return Ok(Gaussian::new(&(variance * whole(2)).recip(), work)?.losses(change));
            }
            Self::Laplace(scale) => scale,
        };
        // With j = −x cut off at 0 and Δ the loss is (|x+Δ| − |x|)/t = (Δ − 2j)/t. Of j = 0 the
        // probability is 1/(1+q), of j = Δ it is q^Δ/(1+q), and of others that of the noise.
        let is_end = |place| place == 0 || *change == BigInt::from(place);
        let mut weights = powers(scale, change.min(&reach(scale, work)), is_end, work)?;
        weights.reverse();
        let first = whole(change - BigInt::from(2 * (weights.len() - 1))) / scale;
        Ok(LossTable { first, step: whole(2) / scale, weights, bits: work.bits })
    }
}

/// bits·t, rounded up: from there on probabilities of discrete Laplace noise are below 2^−bits.
fn reach(scale: &Rational, work: &WorkLimit) -> BigInt {
    (scale * whole(work.bits)).ceil().to_integer()
}

/// Lower bounds in units of 2^−bits on the probabilities (1−q)/(1+q)·q^j of discrete Laplace noise,
/// q = e^(−1/t), for j = 0, …, `last`; on q^j/(1+q) where `is_end`.
fn powers(
    scale: &Rational, last: &BigInt, is_end: impl Fn(u64) -> bool, work: &mut WorkLimit,
) -> Result<Vec<BigUint>, Refusal> {
    let (bits, width) = (work.bits, work.bits + GUARD);
    let last = last.to_u64().filter(|&last| last <= MOST_VALUES);
    let last = last.ok_or_else(|| outside("Laplace noise of a scale of more than some 8000"))?;
    work.spend(200 * last)?;
    let [low, high] = exp(&-scale.recip(), width)?;
    let total = unit(width) + &high;
    let mut power = unit(width);
    let weights = (0..=last).map(|place| {
        let share = if is_end(place) { unit(width) } else { unit(width) - &high };
        let weight = ((&power * share) << bits) / (&total << width);
        power = (&power * &low) >> width;
        natural(weight)
    });
    Ok(weights.collect())
}

/// The losses of an (ε, δ)-private release: infinite with probability δ, else ±ε with odds of e^ε.
pub(crate) fn private(
    epsilon: &Rational, delta: &Rational, bits: u64,
) -> Result<LossTable, Refusal> {
    let [low, high] = exp(epsilon, bits)?;
    let rest = scaled_down(&(Ratio::one() - delta), bits);
    let below = (&rest << bits).div_floor(&(unit(bits) + &high));
    let above = (rest * &low).div_floor(&(unit(bits) + &low));
    let [below, above] = [below, above].map(natural);
    let (step, weights) = match epsilon.is_zero() {
        true => (Rational::one(), vec![below + above]),
        false => (epsilon * whole(2), vec![below, above]),
    };
    Ok(LossTable { first: -epsilon, step, weights, bits })
}
