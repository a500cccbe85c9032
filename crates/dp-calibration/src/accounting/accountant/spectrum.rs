//! The distribution of a sum of unlike losses by its characteristic function φ(t) = E[e^(itℓ)].
//!
//! With w(z) = e^(−λz)(1 − e^(−z)) for z > 0 and ŵ(t) = 1/((λ+it)(1+λ+it)), for every period L
//!
//!   Σ_k E_y[w(ℓ − ε + kL)] = (1/L)·Σ_j ŵ(t_j)·φ(t_j)·e^(−i·t_j·ε),  t_j = 2πj/L
//!
//! (Poisson), where y is the distribution under the tilt λ. The term k = 0 on the left is what δ
//! is; all other terms and the nodes that are not computed are bounded, in integers with errors
//! counted (`docs/characteristic-functions.md`). Functions return `None` where a number does not
//! fit.

mod build;
mod complex;
mod decay;
mod factor;
mod nodes;
#[cfg(test)]
mod tests;

use dp_exact::{Dyadic, Interval, Rational, elementary};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use self::complex::{BITS, PRODUCT_ERROR, TURN_ERROR, turn};
use self::factor::turns;
use self::nodes::Nodes;
use crate::privacy_loss::{PRECISION, real};

pub(super) use self::build::ReleaseKinds;

/// The most nodes of a sum that steers a search and is no bound.
const STEERING: usize = 2048;

/// δ of the sum of many losses at any ε, between bounds.
#[derive(Debug)]
pub(super) struct Spectrum {
    /// The period L of losses, in nats.
    period: Rational,
    /// The tilt λ.
    tilt: Rational,
    /// The nodes that were computed, and a bound on the sum over all others.
    nodes: Nodes,
    /// Enclosure of the scale 1/(Lλ(1+λ)) of the sum over nodes.
    scale: Interval,
    /// Enclosure of ln E[e^(λℓ)] of the summed loss ℓ before the tilt.
    log_moment: Interval,
    /// Enclosure of the probability that was rounded away, times the largest value of w.
    missing: Interval,
    tails: Tails,
    /// Whether no loss was rounded to a grid.
    pub(super) exact: bool,
}

/// Bounds on the terms k ≠ 0 of Poisson's formula, with w(z) = e^(−λz)(1 − e^(−z)) shifted by kL.
#[derive(Debug)]
struct Tails {
    /// Upper bound on the sum of w(z + kL) over all k, for every z.
    most: Interval,
    /// Upper bound on the sum of w(z + kL) over k ≥ 1, for z > −L/2.
    far: Interval,
    /// For the upper tail of the sum ℓ: a θ > 0 and ln E[e^(θℓ)] under the tilt, enclosed.
    above: (Rational, Interval),
    /// For the lower tail of the sum ℓ: a θ > 0 and ln E[e^(−θℓ)] under the tilt, enclosed.
    below: (Rational, Interval),
}

impl Tails {
    /// An interval whose upper end bounds the sum of all terms k ≠ 0 of Poisson's formula at ε.
    fn others(&self, epsilon: &Rational, period: &Rational) -> Option<Interval> {
        let (theta, log) = &self.above;
        let above = (log - real(&(theta * &(epsilon + period)))).exp()?;
        let (theta, log) = &self.below;
        let half = period * &Rational::new(1, 2).ok()?;
        let below = (log + real(&(theta * &(epsilon - &half)))).exp()?;
        Some(&self.most * (above + below) + &self.far)
    }
}

impl Spectrum {
    /// Enclosure of δ at ε. `None` if a number is too large.
    pub(super) fn delta(&self, epsilon: &Rational) -> Option<Interval> {
        let phase = turns(&-epsilon, &self.period)?;
        let sum = self.sum(phase, self.nodes.values.len());
        // A turn and a product of each node round, in units of 2^−62.
        let nodes = u128::try_from(self.nodes.values.len()).ok()?;
        let off = self.nodes.error + 2 * nodes * u128::from(TURN_ERROR + PRODUCT_ERROR);
        let units = |value: i128| {
            Interval::integer(BigInt::from(value), PRECISION).shifted(-i64::from(BITS))
        };
        let off = units(i128::try_from(off).ok()?) + &self.nodes.beyond;
        let sum = units(sum);
        let sum = (&sum - &off).hull(&(sum + off)) * &self.scale;
        let others = self.tails.others(epsilon, &self.period)?;
        let zero = Dyadic::new(0, 0);
        let lower = (&sum - &others).lower().clone().max(zero.clone());
        let upper = (sum + &self.missing).upper().clone().max(zero);
        let density = Interval::hull_of(lower, upper, PRECISION);
        Some(density * (&self.log_moment - real(&(&self.tilt * epsilon))).exp()?)
    }

    /// The sum over the first `count` nodes and their negatives, in units of 2^−62; `phase` is −ε/L
    /// in turns, in units of 2^−128. Terms j and −j are conjugate.
    fn sum(&self, phase: u128, count: usize) -> i128 {
        let terms = self.nodes.values.iter().take(count).map(|&(node, value)| {
            let turned = turn(phase.wrapping_mul(u128::from(node)));
            let part = i128::from(value.times(turned).re);
            if node == 0 { part } else { 2 * part }
        });
        terms.sum()
    }

    /// ln δ at ε, rounded: no bound.
    pub(super) fn log_delta_about(&self, epsilon: f64) -> f64 {
        let count = self.nodes.values.len().min(STEERING);
        let turned = (-epsilon / self.period.to_f64()).rem_euclid(1.0);
        let turned = Rational::from_f64(turned).expect("a remainder of a turn is finite");
        let phase = turns(&turned, &Rational::one()).expect("one turn is not 0");
        let sum = self.sum(phase, count).to_f64().expect("floats reach beyond 2^127");
        let unit = f64::from(BITS) * std::f64::consts::LN_2;
        let density = elementary::ln(sum.max(1.0)) - unit + elementary::ln(self.scale.midpoint());
        density + self.log_moment.midpoint() - self.tilt.to_f64() * epsilon
    }
}
