//! One kind of release in a spectrum: its characteristic function at a node, and bounds for it.

use dp_exact::{Interval, Rational, elementary};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::complex::{BITS, Complex, PRODUCT_ERROR, TURN_ERROR, turn};
use crate::privacy_loss::{PRECISION, TiltedLoss, in_units, polynomial, real};

/// Equal losses with finitely many values on a lattice, prepared for their characteristic function.
#[derive(Debug)]
pub(super) struct Atoms {
    /// The tilted distribution of one loss.
    pub(super) law: TiltedLoss,
    /// The number of losses.
    pub(super) times: u32,
    /// The step of the lattice over the period L, in turns, in units of 2^−128, rounded down.
    phase: u128,
}

impl Atoms {
    /// Equal losses with the distribution `law`, `times` of them, for the period L = `period`.
    /// `None` if the period is 0.
    pub(super) fn new(law: TiltedLoss, times: u32, period: &Rational) -> Option<Self> {
        let phase = turns(&law.step, period)?;
        Some(Self { law, times, phase })
    }

    /// The characteristic function of all these losses at the node j = `node`, off by
    /// [`Self::error`] at most: (Σ_k w_k·z^k)^times, z = e^(2πi·j·step/L), without the lattice's
    /// offset.
    pub(super) fn at(&self, node: u32) -> Complex {
        let z = turn(self.phase.wrapping_mul(u128::from(node)));
        let sum = self.law.weights.iter().rev().fold(Complex::ZERO, |sum, &weight| {
            let next = sum.times(z);
            // All weights add up to at most 2^62.
            let weight = i64::try_from(weight).expect("a weight is at most 2^62");
            Complex { re: next.re + weight, im: next.im }
        });
        sum.power(self.times)
    }

    /// Upper bound on the error of each part of [`Self::at`], in units of 2^−62.
    pub(super) fn error(&self) -> u128 {
        let terms = u128::try_from(self.law.weights.len()).expect("a length is below 2^64");
        let each = terms * u128::from(TURN_ERROR + PRODUCT_ERROR) + u128::from(PRODUCT_ERROR);
        each * u128::from(self.times)
    }

    /// The work that one node costs, in units of about a nanosecond.
    pub(super) fn cost(&self) -> u64 {
        let terms = u64::try_from(self.law.weights.len()).expect("a length is below 2^64");
        terms.saturating_mul(6) + 40 + 8 * u64::from(self.times.ilog2())
    }

    /// Enclosure of times·ln Σ w·e^(θℓ) over losses ℓ of kept weights w, θ of either sign.
    pub(super) fn log_moment(&self, theta: &Rational) -> Option<Interval> {
        let weights = &self.law.weights;
        let (sum, end) = if theta.is_positive() {
            let reversed: Vec<u64> = weights.iter().rev().copied().collect();
            let last = Rational::from(u64::try_from(weights.len()).ok()?) - Rational::one();
            let largest = &self.law.offset + &(last * &self.law.step);
            let ratio = real(&-(theta * &self.law.step)).exp()?;
            (polynomial(&reversed, &ratio)?, largest)
        } else {
            let ratio = real(&(theta * &self.law.step)).exp()?;
            (polynomial(weights, &ratio)?, self.law.offset.clone())
        };
        let log = sum.ln()? + real(&(theta * &end));
        Some(log * Interval::integer(self.times, PRECISION))
    }

    /// Enclosure of the sum of the kept weights, which is at most 1, to the power of `times`.
    pub(super) fn kept(&self) -> Interval {
        in_units(self.law.kept()).powi(self.times)
    }

    /// Mean and variance of the sum of these `times` losses under the tilt: no bounds.
    pub(super) fn moments_about(&self) -> (f64, f64) {
        let (step, offset) = (self.law.step.to_f64(), self.law.offset.to_f64());
        let (mut sum, mut square, mut all) = (0.0f64, 0.0f64, 0.0f64);
        let mut place = 0.0f64;
        for &weight in &self.law.weights {
            let weight = weight.to_f64().expect("floats reach beyond 2^64");
            all += weight;
            sum += weight * place;
            square += weight * place * place;
            place += 1.0;
        }
        let mean = sum / all;
        let variance = (square / all - mean * mean).max(0.0) * step * step;
        let times = f64::from(self.times);
        (times * (offset + step * mean), times * variance)
    }

    /// [`Self::log_moment`] rounded: no bound.
    pub(super) fn log_moment_about(&self, theta: f64) -> f64 {
        let (step, offset) = (self.law.step.to_f64(), self.law.offset.to_f64());
        let ratio = elementary::exp(-theta.abs() * step);
        let add = |sum: f64, weight: &u64| {
            sum * ratio + weight.to_f64().expect("floats reach beyond 2^64")
        };
        let weights = &self.law.weights;
        let (sum, end) = if theta > 0.0 {
            let last = dp_exact::directed::index(weights.len()) - 1.0;
            (weights.iter().fold(0.0, add), offset + last * step)
        } else {
            (weights.iter().rev().fold(0.0, add), offset)
        };
        let unit = f64::from(BITS) * std::f64::consts::LN_2;
        f64::from(self.times) * (elementary::ln(sum) - unit + theta * end)
    }

    /// The best of four lags m, in places: 1, about one and two standard deviations, and the whole
    /// length. With it the sum c of 2·w·w′/(w + w′), in units of 2^−62, over disjoint pairs of
    /// weights m places apart. At t the characteristic function of one loss has a modulus of at
    /// most 1 − c·sin²(m·step·t/2).
    pub(super) fn pairs(&self) -> (usize, u64) {
        let weights = &self.law.weights;
        let last = weights.len().saturating_sub(1).max(1);
        let (_, variance) = self.moments_about();
        let deviation = (variance / f64::from(self.times)).sqrt() / self.law.step.to_f64();
        let deviation = dp_exact::directed::floor_to_count(deviation, 1 << 24);
        let deviation = dp_exact::directed::to_index(deviation);
        let lags = [1, deviation, 2 * deviation, last];
        let lags = lags.into_iter().filter(|&lag| (1..=last).contains(&lag));
        let found = lags.map(|lag| (lag, paired(weights, lag)));
        found.max_by_key(|&(_, sum)| sum).expect("the lag 1 is among them")
    }
}

/// The sum of 2·w·w′/(w + w′) over disjoint pairs of weights `lag` places apart, each summand
/// rounded down.
fn paired(weights: &[u64], lag: usize) -> u64 {
    let blocks = weights.chunks(2 * lag);
    let of_block = |block: &[u64]| -> u64 {
        // The last block may be too short for pairs.
        let others = block.get(lag..).unwrap_or_default();
        let pairs = block.iter().zip(others);
        let harmonic = pairs.map(|(&one, &other)| {
            let (one, other) = (u128::from(one), u128::from(other));
            // Two weights of 0 have the mean 0.
            let mean = (2 * one * other).checked_div(one + other).unwrap_or(0);
            u64::try_from(mean).expect("a harmonic mean is at most twice the smaller weight")
        });
        harmonic.sum()
    };
    blocks.map(of_block).sum()
}

/// The fractional part of `value`/`period` in units of 2^−128, rounded down. `None` if the period
/// is 0.
pub(super) fn turns(value: &Rational, period: &Rational) -> Option<u128> {
    let turns = value.checked_div(period)?;
    let fraction = &turns - &Rational::integer(turns.floor());
    u128::try_from((fraction * Rational::integer(BigInt::from(1) << 128u32)).floor()).ok()
}
