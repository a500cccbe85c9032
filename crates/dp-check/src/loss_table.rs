//! Distributions of privacy losses: lower bounds on probabilities, whose rest counts as an infinite
//! loss. docs/verification.md derives δ. A convolution is one product of two integers (Kronecker
//! substitution).

use crate::number::*;
use crate::privacy_claim::PrivacyClaim;
use crate::statement::{Refusal, at_most, ensure, outside, unproved};

/// The largest number of weights of a distribution that is computed.
pub(crate) const MOST_WEIGHTS: usize = 1 << 21;

/// The default work limit of a certificate, in units of about a nanosecond: below ten seconds.
pub(crate) const MOST_WORK: u64 = 7_000_000_000;

/// The precision of a verification, where a weight w stands for w/2^bits, and the work units left.
#[derive(Debug)]
pub(crate) struct WorkLimit {
    pub(crate) bits: u64,
    left: u64,
}

impl WorkLimit {
    /// `left` work units, and `bits` raised to 15 modulo 16 to fill slots; `Err` if `bits` > 1024.
    pub(crate) fn new(bits: u64, left: u64) -> Result<Self, Refusal> {
        let refused = || outside("a delta of less than some 1e-270");
        (bits <= 1 << 10).then_some(Self { bits: bits / 16 * 16 + 15, left }).ok_or_else(refused)
    }

    /// Spends the `units` of computing e^x, (⌈x⌉ + 200)²; `Err` if too few are left.
    pub(crate) fn spend_exponential(&mut self, x: &Rational) -> Result<(), Refusal> {
        // More work than any limit where x is larger than all words.
        let size = x.ceil().to_integer().to_u64().unwrap_or(u64::MAX);
        self.spend(size.saturating_add(200).saturating_mul(size.saturating_add(200)))
    }

    /// Spends `units`·max(⌊`bits`/160⌋, 1) work units, about 1 ns each; `Err` if fewer are left.
    pub(crate) fn spend(&mut self, units: u64) -> Result<(), Refusal> {
        let left = self.left.checked_sub(units.saturating_mul((self.bits / 160).max(1)));
        let refused = || outside("a certificate that takes more time than is allowed");
        left.map(|left| self.left = left).ok_or_else(refused)
    }
}

/// Lower bounds on the probabilities of the privacy losses `first`, `first` + `step`, …, in units
/// of 2^−bits.
#[derive(Clone, Debug)]
pub(crate) struct LossTable {
    pub(crate) first: Rational,
    pub(crate) step: Rational,
    pub(crate) weights: Vec<BigUint>,
    pub(crate) bits: u64,
}

impl LossTable {
    /// Upper bound on the probability without weight, in units of 2^−bits; `Err` if it is negative.
    pub(crate) fn missing(&self) -> Result<BigInt, Refusal> {
        let missing = unit(self.bits) - BigInt::from(self.weights.iter().sum::<BigUint>());
        let refused = || unproved("the probabilities of a distribution add up to more than 1");
        (!missing.is_negative()).then_some(missing).ok_or_else(refused)
    }

    /// The distribution of `self` without weights of 0 at either end.
    fn trimmed(mut self) -> Self {
        let is_weight = |weight: &BigUint| !weight.is_zero();
        // Nothing is left where no weight is above 0.
        let start = self.weights.iter().position(is_weight).unwrap_or(0);
        let end = self.weights.iter().rposition(is_weight).map_or(0, |last| last + 1);
        self.weights.truncate(end.max(start));
        self.weights.drain(..start);
        self.first += &self.step * whole(start);
        self
    }

    /// The loss distribution of two independent releases, whose losses must have the same step.
    pub(crate) fn plus(&self, other: &Self, work: &mut WorkLimit) -> Result<Self, Refusal> {
        let weights = product(&self.weights, &other.weights, work)?;
        let first = &self.first + &other.first;
        Ok(Self { first, weights, step: self.step.clone(), bits: self.bits }.trimmed())
    }

    /// The loss distribution of `times` ≥ 1 independent releases that each have this distribution.
    /// `Err` also if `check` refuses the losses of some of them.
    pub(crate) fn times(
        &self, times: u64, check: &dyn Fn(&Self) -> Result<(), Refusal>, work: &mut WorkLimit,
    ) -> Result<Self, Refusal> {
        if times <= 1 {
            return Ok(self.clone());
        }
        let half = self.times(times / 2, check, work)?;
        check(&half)?;
        let sum = half.plus(&half, work)?;
        if times.is_odd() { sum.plus(self, work) } else { Ok(sum) }
    }

    /// The distribution on multiples of `step`, which is above 0 and at most 1. No δ becomes
    /// smaller, even after composition (Doroshenko and others 2022, "connecting the dots", in
    /// docs/verification.md).
    pub(crate) fn on_grid(&self, step: &Rational, work: &mut WorkLimit) -> Result<Self, Refusal> {
        let is_served = *step <= Ratio::one() && !step.is_zero();
        ensure(is_served, outside, "a grid whose step is 0 or more than 1")?;
        const PLACES: u64 = 64;
        let place = |loss: &Rational| scaled_up(&(loss / step), PLACES);
        let (mut at, each) = (place(&self.first), place(&self.step));
        let first: BigInt = &at >> PLACES;
        let last: BigInt = (&each * BigInt::from(self.weights.len()) + &at) >> PLACES;
        let span = (last - &first + 2u32).to_usize().filter(|&span| span <= MOST_WEIGHTS);
        let span = span.ok_or_else(|| outside("a grid that is too fine for the losses"))?;
        work.spend(500 * self.weights.len() as u64 + span as u64)?;
        // u ≤ (c − c²h/2 + c³h²/6)/(1 − h/2), partial sums of alternating series.
        let h = scaled_up(step, PLACES);
        let below = unit(PLACES) - shifted_up(&h, 1);
        let mut weights = vec![BigUint::zero(); span];
        for weight in &self.weights {
            let place: BigInt = &at >> PLACES;
            let c = &at - (&place << PLACES);
            let square: BigInt = ((&c * &c * step.numer()) / (step.denom() * 2)) >> PLACES;
            let cube: BigInt = ((&c * &c * &c * &h * &h) >> (4 * PLACES)) / 6 + 2;
            let share = ((c - square + cube) << PLACES).div_ceil(&below).min(unit(PLACES));
            let upper = natural(shifted_up(&(BigInt::from(weight.clone()) * share), PLACES));
            let place =
                (place - &first).to_usize().expect("places grow from the first, within span");
            weights[place] += weight - &upper;
            weights[place + 1] += upper;
            at += &each;
        }
        let first = step * whole(first);
        Ok(Self { first, step: step.clone(), weights, bits: self.bits }.trimmed())
    }

    /// `Ok` if the claimed δ is proved for these losses, those of all releases or of some: more
    /// releases only add to δ.
    pub(crate) fn check(&self, claim: &PrivacyClaim) -> Result<(), Refusal> {
        let found = Ratio::new(self.delta(&claim.epsilon)?, unit(self.bits));
        at_most("by all releases or some of them, the bound on delta", &found, &claim.delta)
    }

    /// Upper bound on δ(ε), in units of 2^−bits, with all unlisted probability counted as δ.
    pub(crate) fn delta(&self, epsilon: &Rational) -> Result<BigInt, Refusal> {
        let width = self.bits + 64;
        let start: BigInt = ((epsilon - &self.first) / &self.step).floor().to_integer() + 1;
        // No loss is above an epsilon beyond all indices.
        let start = start.max(BigInt::zero()).to_usize().unwrap_or(usize::MAX);
        let mut total = BigInt::zero();
        if start < self.weights.len() {
            let excess = &self.first + &self.step * whole(start) - epsilon;
            let [mut factor, _] = exp(&-excess, width)?;
            let [ratio, _] = exp(&-&self.step, width)?;
            for weight in &self.weights[start..] {
                total += BigInt::from(weight.clone()) * (unit(width) - &factor);
                factor = (factor * &ratio) >> width;
            }
        }
        Ok(shifted_up(&total, width) + self.missing()?)
    }
}

/// The convolution of two sequences, each of sum at most 1, in units of 2^−bits and rounded down.
pub(crate) fn product(
    one: &[BigUint], other: &[BigUint], work: &mut WorkLimit,
) -> Result<Vec<BigUint>, Refusal> {
    let bits = work.bits;
    if one.is_empty() || other.is_empty() {
        return Ok(Vec::new());
    }
    let places = one.len() + other.len() - 1;
    ensure(places <= MOST_WEIGHTS, outside, "more than 2097152 losses: steer by a grid")?;
    let slot = usize::try_from((2 * bits + 1).div_ceil(32)).expect("there are at most 1024 bits");
    let digits = (places * slot) as u64;
    let shorter = one.len().min(other.len()) * slot;
    work.spend(digits * (shorter as u64).isqrt() + 100 * digits)?;
    let packed = packed(one, slot) * packed(other, slot);
    let digits = packed.to_u32_digits();
    let coefficients = digits.chunks(slot).map(|digits| BigUint::from_slice(digits) >> bits);
    let mut weights: Vec<BigUint> = coefficients.collect();
    weights.resize(places, BigUint::zero());
    Ok(weights)
}

/// One integer with each number in a slot of `slot` digits of 32 bits, the first in the lowest.
fn packed(numbers: &[BigUint], slot: usize) -> BigUint {
    let mut digits = vec![0; numbers.len() * slot];
    for (number, slot) in numbers.iter().zip(digits.chunks_mut(slot)) {
        for (digit, place) in number.iter_u32_digits().zip(slot) {
            *place = digit;
        }
    }
    BigUint::new(digits)
}
