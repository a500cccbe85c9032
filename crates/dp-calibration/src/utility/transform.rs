//! Tails of a sum of randomized answers and noise, from its generating function.
//!
//! For an integer variable Y with cumulant function K(z) = ln E[e^(zY)] and any t > 0 for which it
//! is finite,
//!
//! ```text
//! P(Y ≥ y) = 1/(2π)·∫ e^(K(z) − zy)/(1 − e^(−z)) dθ,     z = t + iθ, θ from −π to π
//! ```
//!
//! (the lower tail is the upper one of −Y). The trapezoidal rule of N nodes is off by at most
//! e^(−tN) + e^(tN)·P(Y ≥ y + N): its sum picks out the residues of Y modulo N. K is a sum of
//! logarithms:
//!
//! - a bit that is 1 with probability p: ln(1 + p(e^z − 1)),
//! - a draw of noise: [`FloatNoise::cumulant`].
//!
//! The integrand vanishes where θ exceeds a few times 1/σ, σ² the variance of Y, so a tail costs
//! some dozens of nodes, however many answers there are. It has about nine digits, in floating
//! point.

use dp_exact::search::bisect_floats;
use dp_exact::{directed, elementary};
use std::f64::consts::PI;

use super::complex::Complex;
use super::float_noise::FloatNoise;
use super::k_norm::KNorm;
use super::masses::Masses;

/// The most nodes of the trapezoidal rule for a tail.
const MAX_NODES: u64 = 1 << 20;

/// The most draws of Laplace noise whose tail is taken from its closed form.
const CLOSED_FORM: f64 = 254.0;

/// Omitted terms are less than e to the power of minus this, relative to a tail.
const NEGLIGIBLE: f64 = 30.0;

/// `count` independent bits, each 1 with this probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RandomBits {
    pub(super) count: f64,
    pub(super) probability: f64,
}

/// The distribution of Y = (a + b)B + aS − bR for integers a ≥ 1 and b without a common divisor: B
/// is a sum of independent bits of three kinds, S and R are sums of independent draws of noise.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TotalDistribution {
    pub(super) bits: [RandomBits; 3],
    /// The distribution of a draw of noise.
    pub(super) noise: Option<FloatNoise>,
    /// The weight a, and the number of draws in S.
    pub(super) own: (f64, f64),
    /// The weight b, and the number of draws in R: both 0 if there are none.
    pub(super) others: (f64, f64),
    /// The variance of Y.
    pub(super) variance: f64,
    /// The masses of S and of R, where tails are summed up by them.
    masses: Option<[Masses; 2]>,
}

impl TotalDistribution {
    /// The distribution of these bits and draws. Where little noise leaves many periods that count,
    /// the masses of S and R are computed.
    pub(super) fn new(
        bits: [RandomBits; 3],
        noise: Option<FloatNoise>,
        [own, others]: [(f64, f64); 2],
        variance: f64,
    ) -> Self {
        let mut distribution = Self { bits, noise, own, others, variance, masses: None };
        if let Some(noise) = noise.filter(|_| others.0 > 1.0)
            && distribution.beyond_first_period(0.0) > -2.0 * NEGLIGIBLE
        {
            // The variance of Y is the variance of a draw times this sum of squared weights.
            let draws = own.0 * own.0 * own.1 + others.0 * others.0 * others.1;
            let masses = |draws_of: f64| Masses::new(noise, draws_of, variance * draws_of / draws);
            distribution.masses = Some([masses(own.1), masses(others.1)]);
        }
        distribution
    }

    /// P(Y ≥ y), for any y.
    pub(super) fn at_least(&self, y: f64) -> f64 {
        if y > self.mean() { self.tail(y, 1.0) } else { 1.0 - self.tail(y - 1.0, -1.0) }
    }

    /// P(Y ≤ y), for any y.
    pub(super) fn at_most(&self, y: f64) -> f64 {
        if y < self.mean() { self.tail(y, -1.0) } else { 1.0 - self.tail(y + 1.0, 1.0) }
    }

    /// a + b
    fn weights(&self) -> f64 {
        self.own.0 + self.others.0
    }

    /// E(Y)
    pub(super) fn mean(&self) -> f64 {
        let mean = |bits: &RandomBits| bits.count * bits.probability;
        self.weights() * self.bits.iter().map(mean).sum::<f64>()
    }

    /// Whether y lies in the range of Y.
    fn reaches(&self, y: f64) -> bool {
        let most: f64 = self.bits.iter().map(|bits| bits.count).sum();
        self.noise.is_some() || (0.0..=most).contains(&y)
    }

    /// P(sY ≥ sy) for an integer y, to about nine digits, by numerical inversion. s = `sign` is 1
    /// for y above the mean and −1 for y below.
    pub(super) fn tail(&self, y: f64, sign: f64) -> f64 {
        if !self.reaches(y) {
            // Far out on the one side is everything, on the other nothing.
            return if (y - self.mean()) * sign > 0.0 { 0.0 } else { 1.0 };
        }
        if let Some(FloatNoise::Laplace(rate)) = self.noise
            && self.bits.iter().all(|bits| bits.count == 0.0)
            && self.weights() == 1.0
            && self.own.1 <= CLOSED_FORM
            && y * sign >= 0.0
        {
            return laplace_tail(rate, self.own.1, y * sign);
        }
        if let Some([own, others]) = &self.masses {
            // −Y is distributed as Y, and R ≤ (aS − y)/b.
            let below =
                |s: f64| others.at_most(((self.own.0 * s - y * sign) / self.others.0).floor());
            return own.values().map(|(s, mass)| mass * below(s)).sum::<f64>().clamp(0.0, 1.0);
        }
        let (tilt, steps) = self.nodes(y, sign);
        let theta = |step: u64| 2.0 * PI * directed::count(step) / steps;
        let size = |step: u64| {
            let z = Complex { re: tilt, im: theta(step) };
            let turned = z.times(sign);
            let exponent = self.cumulant(turned).plus(turned.times(-y));
            let below = Complex { re: -z.re, im: -z.im }.ln_one_minus_exp();
            let all = exponent.plus(below.times(-1.0));
            let size = elementary::exp(all.re);
            (size * elementary::cos(all.im), size)
        };
        let half = directed::floor_to_count((steps - 1.0) / 2.0, MAX_NODES);
        let (first, largest) = size(0);
        let (mut sum, mut beyond) = (first, None);
        for step in 1..=half {
            let (value, reach) = size(step);
            sum += 2.0 * value;
            // Up to θ = π/(a + b) the integrand falls. Beyond, multiples of θ begin new periods.
            // What is left is at most in proportion to a bound for all of them; or for b = 1 to the
            // size of E[e^(zR)], which falls up to θ = π.
            if reach * directed::count(step + 1) <= 1e-13 * largest {
                let least = theta(step).max(PI / self.weights());
                let left = match self.others {
                    (1.0, _) => self.fall(self.others, tilt, least),
                    _ => *beyond.get_or_insert_with(|| self.beyond_first_period(tilt)),
                };
                if elementary::exp(left) * steps <= 1e-13 {
                    break;
                }
            }
        }
        (sum / steps).clamp(0.0, 1.0)
    }

    /// The tilt t > 0 and an odd number of nodes of the trapezoidal rule for the tail P(sY ≥ sy), s
    /// = `sign`. The tilt nearly minimizes K(st) − sty, K(z) = ln E[e^(zY)].
    fn nodes(&self, y: f64, sign: f64) -> (f64, f64) {
        let most = match self.noise {
            Some(FloatNoise::Laplace(rate) | FloatNoise::KNorm(KNorm { rate, .. })) => rate / 2.0,
            _ => 40.0,
        } / self.weights();
        let level =
            |tilt: f64| self.cumulant(Complex { re: sign * tilt, im: 0.0 }).re - sign * tilt * y;
        let least = (self.variance.sqrt().max(1.0).recip() / 2.0).min(most);
        let rises = |log: f64| {
            let tilt = elementary::exp(log);
            level(tilt * 1.001) > level(tilt)
        };
        let logarithms = (elementary::ln(least), elementary::ln(most));
        let tilt = elementary::exp(bisect_floats(logarithms, 12, rises).1).min(most);
        // Slope and curvature by differences.
        let step = tilt / 16.0;
        let (below, here, above) = (level(tilt - step), level(tilt), level(tilt + step));
        let slope = (above - below) / (2.0 * step);
        let curvature = (above - 2.0 * here + below) / (step * step);
        let near = 16.0 * curvature.max(0.0).sqrt() + 2.0 * slope.abs();
        let far = (NEGLIGIBLE - here.min(0.0)) / tilt;
        let steps = far.max(near).max(32.0).ceil();
        (tilt, steps + 1.0 - steps % 2.0)
    }

    /// K(z) = ln E[e^(zY)]
    fn cumulant(&self, z: Complex) -> Complex {
        let mut sum = Complex { re: 0.0, im: 0.0 };
        for bits in self.bits.iter().filter(|bits| bits.count > 0.0) {
            let of_bit = z.times(self.weights()).ln_of_bit(bits.probability);
            sum = sum.plus(of_bit.times(bits.count));
        }
        let Some(noise) = self.noise else { return sum };
        // Draws are symmetric: −R is distributed as R.
        for (weight, count) in [self.own, self.others] {
            if count > 0.0 {
                let mut of_draw = z.times(weight);
                // A draw is an integer: only θ modulo 2π counts.
                of_draw.im -= 2.0 * PI * (of_draw.im / (2.0 * PI)).round();
                sum = sum.plus(noise.cumulant(of_draw).times(count));
            }
        }
        sum
    }

    /// ln(|E[e^(zN)]|/E[e^(zN)] at θ = 0) for the sum N of this number of draws, at z = wt + iθ
    /// with the draws' weight w and t = `tilt`; −∞ without draws. It falls in the angle θ from 0 to
    /// π.
    fn fall(&self, (weight, count): (f64, f64), tilt: f64, angle: f64) -> f64 {
        let Some(noise) = self.noise.filter(|_| count > 0.0) else { return f64::NEG_INFINITY };
        let at = |im| noise.cumulant(Complex { re: weight * tilt, im }).re;
        (at(angle) - at(0.0)) * count
    }

    /// An upper bound on ln(|E[e^(zN)]|/E[e^(tN)]), N = aS − bR, at all z = t + iθ with θ from π/(a
    /// + b) to π, where a ≥ b; −∞ if there is no R.
    ///
    /// Let u and v be the distances of aθ and bθ from the nearest multiples 2πi and 2πj. Then bu +
    /// av ≥ 2π·|bi − aj|. As a and b have no common divisor, bi = aj for θ ≤ π only if i = j = 0,
    /// and then bu + av = 2abθ ≥ 2πab/(a + b). So bu + av ≥ c = 2π·min(1, ab/(a + b)). The factors
    /// of S and R fall in u and v: u is taken from the lower end of its step, v from the upper one.
    fn beyond_first_period(&self, tilt: f64) -> f64 {
        const STEPS: u32 = 32;
        let ((a, _), (b, of_others)) = (self.own, self.others);
        if of_others == 0.0 {
            return f64::NEG_INFINITY;
        }
        let least = 2.0 * PI * (a * b / (a + b)).min(1.0);
        let farthest = (least / b).min(PI);
        let size = |step: u32| {
            let u = |step: u32| farthest * f64::from(step) / f64::from(STEPS);
            let v = (least - b * u(step + 1)).max(0.0) / a;
            self.fall(self.own, tilt, u(step)) + self.fall(self.others, tilt, v)
        };
        (0..=STEPS).map(size).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// P(S ≥ n) for the sum S of A = `draws` discrete Laplace draws of scale 1/`rate`, n ≥ 0.
///
/// A draw is the difference of two geometric variables, so the sum S of A draws is the difference
/// of two negative binomial variables: P(S = s) = (1−q)^(2A)·Σ_j C(j+A−1, A−1)·C(j+s+A−1,
/// A−1)·q^(2j+s) for s ≥ 0. With
///
///   C(j+s+A−1, A−1) = Σ_i C(j, i)·C(s+A−1, A−1−i)  (Vandermonde),
///   Σ_j C(j+A−1, A−1)·C(j, i)·x^j = C(A−1+i, i)·x^i/(1−x)^(A+i),
///
/// x = q², and Σ_{s ≥ n} C(s+A−1, r)·q^s = qⁿ·Σ_{l ≤ r} C(n+A−1, r−l)·q^l/(1−q)^(l+1), for n ≥ 0
///
///   P(S ≥ n) = qⁿ·Σ_{i < A} C(A−1+i, i)·q^(2i)/(1+q)^(A+i)·Σ_{l < A−i} C(n+A−1, A−1−i−l)·q^l·(1−q)^(A−1−i−l),
///
/// a sum of positive terms, which loses no digits; for A = 1 it is qⁿ/(1+q).
fn laplace_tail(rate: f64, count: f64, n: f64) -> f64 {
    let (q, gap) = (elementary::exp(-rate), -elementary::exp_m1(-rate));
    let draws = directed::floor_to_count(count, u64::from(u32::MAX));
    // C(n+A−1, r)·(1−q)^r, and Σ_l C(n+A−1, r−l)·q^l·(1−q)^(r−l), for r < A.
    let (mut choice, mut sum) = (1.0, 0.0);
    let inner: Vec<f64> = (0..draws)
        .map(|r| {
            if r > 0 {
                let r = directed::count(r);
                choice *= (n + count - r) * gap / r;
            }
            sum = sum * q + choice;
            sum
        })
        .collect();
    let above = 1.0 + q;
    let mut weight = elementary::exp(-count * elementary::ln_1p(q));
    let mut total = 0.0;
    for (i, inner) in inner.iter().rev().enumerate() {
        total += weight * inner;
        // C(A+i, i+1)/C(A−1+i, i) = (A+i)/(i+1).
        let next = directed::index(i) + 1.0;
        weight *= (count + next - 1.0) * q * q / (above * next);
    }
    total * elementary::exp(-n * rate)
}
