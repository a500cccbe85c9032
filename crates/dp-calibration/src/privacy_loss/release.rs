//! The privacy losses of single releases.
//!
//! - **Discrete Gaussian**, one integer moved by 1: ℓ = (2x+1)/(2σ²) with x the noise (Canonne,
//!   Kamath, Steinke 2020, Theorem 7). A one-hot vector replaced moves two coordinates: two of
//!   these.
//! - **Discrete Laplace** of scale t, one integer moved by 1: the ratio is e^(1/t) or e^(−1/t),
//!   so ℓ is that of randomized response with ε = 1/t. A one-hot vector replaced: two of these.
//! - **Randomized response** (ε, δ): with probability δ the loss is infinite, else ε with odds
//!   e^ε against −ε. Every (ε, δ) private release is at most this (Kairouz, Oh, Viswanath 2015,
//!   Theorem 3.1 and its proof), so that the accountant composes unequal ones as well.
//! - **Aggregated RAPPOR**: the dominating pair of [`crate::aggregated_rappor`], once for each
//!   count.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, Shift, gaussian_sum};

use super::tilted::PRECISION;
use crate::aggregated_rappor::AggregatedRappor;
use crate::directed::{count, floor_to_count};
use crate::{Adjacency, Error};

/// Standard deviations of tilted Gaussian noise that are followed to either side.
const REACH: f64 = 9.5;

/// One release of a mechanism to which one client contributes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Release {
    /// Discrete Gaussian noise on one integer of sensitivity 1.
    GaussianOne {
        /// The variance parameter σ².
        variance: Rational,
    },
    /// Discrete Gaussian noise on every coordinate of a histogram, under replacement.
    GaussianPair {
        /// The variance parameter σ².
        variance: Rational,
    },
    /// Discrete Laplace noise on one integer of sensitivity 1.
    LaplaceOne {
        /// The scale t.
        scale: Rational,
    },
    /// Discrete Laplace noise on every coordinate of a histogram, under replacement.
    LaplacePair {
        /// The scale t.
        scale: Rational,
    },
    /// Randomized response, or any mechanism of which only (ε, δ) is known.
    RandomizedResponse {
        /// ε
        epsilon: Epsilon,
        /// δ
        delta: Delta,
    },
    /// The sum of many clients' randomized one-hot vectors.
    Rappor {
        /// The honest clients and their ε₀.
        sum: AggregatedRappor,
        /// Replacement or deletion.
        adjacency: Adjacency,
    },
}

/// An outcome's privacy loss and its probability, times e^(λℓ).
pub(super) struct Atom {
    pub(super) loss: Rational,
    pub(super) weight: Interval,
}

/// The independent part of which a release consists once or twice.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Gaussian(Rational),
    Response(Rational),
    /// (loss rounded up, probability rounded up), known from above only.
    Outcomes(Vec<(Rational, Rational)>),
}

impl Release {
    /// The part, how often it occurs, and the probability of an infinite loss.
    pub(super) fn part(&self) -> Result<(Part, u32, Rational), Error> {
        let none = Rational::zero();
        Ok(match self {
            Self::GaussianOne { variance } => (Part::Gaussian(checked(variance)?), 1, none),
            Self::GaussianPair { variance } => (Part::Gaussian(checked(variance)?), 2, none),
            Self::LaplaceOne { scale } => (Part::Response(rate(scale)?), 1, none),
            Self::LaplacePair { scale } => (Part::Response(rate(scale)?), 2, none),
            Self::RandomizedResponse { epsilon, delta } => {
                let epsilon = crate::accepted::epsilon(epsilon)?.clone();
                (Part::Response(epsilon), 1, delta.value().clone())
            }
            Self::Rappor { sum, adjacency } => {
                let times = match adjacency {
                    Adjacency::Replacement => 2,
                    Adjacency::Deletion => 1,
                };
                (Part::Outcomes(sum.outcomes()?), times, none)
            }
        })
    }
}

/// 1e-4 ≤ σ² ≤ 1e10
fn checked(variance: &Rational) -> Result<Rational, Error> {
    let scaled = variance * &Rational::from(10_000_u64);
    if variance.bits() > 512 || scaled < 1 || *variance > 10_000_000_000 {
        let accepted = "a number from 1e-4 to 1e10, of at most 512 bits";
        return Err(Error::parameter("variance", variance, accepted));
    }
    Ok(variance.clone())
}

/// 1/t for 1e-4 ≤ t ≤ 1e9
fn rate(scale: &Rational) -> Result<Rational, Error> {
    let scaled = scale * &Rational::from(10_000_u64);
    let accepted = "a number from 1e-4 to 1e9, of at most 512 bits";
    let refused = || Error::parameter("scale", scale, accepted);
    if scale.bits() > 512 || scaled < 1 || *scale > 1_000_000_000 {
        return Err(refused());
    }
    scale.reciprocal().ok_or_else(refused)
}

impl Part {
    /// The distance between neighbouring losses, if they lie on a lattice.
    pub(super) fn step(&self) -> Option<Rational> {
        match self {
            Self::Gaussian(variance) => variance.reciprocal(),
            Self::Response(epsilon) => Some(epsilon + epsilon),
            Self::Outcomes(_) => None,
        }
    }

    /// About the standard deviation of the loss.
    pub(super) fn deviation(&self) -> f64 {
        match self {
            Self::Gaussian(variance) => variance.to_f64().sqrt().recip(),
            Self::Response(epsilon) => epsilon.to_f64(),
            Self::Outcomes(outcomes) => {
                let square =
                    |(loss, mass): &(Rational, Rational)| loss.to_f64().powi(2) * mass.to_f64();
                outcomes.iter().map(square).sum::<f64>().sqrt()
            }
        }
    }

    /// About ln E[e^(λℓ)].
    pub(super) fn log_moment(&self, tilt: f64) -> f64 {
        match self {
            Self::Gaussian(variance) => {
                let variance = variance.to_f64();
                if variance > 4.0 {
                    return tilt * (tilt + 1.0) / (2.0 * variance);
                }
                let exponent =
                    |x: f64| tilt * (2.0 * x + 1.0) / (2.0 * variance) - x * x / (2.0 * variance);
                let centre = tilt.round();
                let xs = || (-40..=40).map(f64::from);
                let sum: f64 = xs()
                    .map(|x| (exponent(centre + x) - exponent(centre)).exp())
                    .sum();
                let normal: f64 = xs().map(|x| (-x * x / (2.0 * variance)).exp()).sum();
                (sum / normal).ln() + exponent(centre)
            }
            Self::Response(epsilon) => {
                let epsilon = epsilon.to_f64();
                let high = epsilon - epsilon.exp().ln_1p();
                let low = -(epsilon.exp().ln_1p());
                let high = if epsilon > 700.0 { 0.0 } else { high };
                let low = if epsilon > 700.0 { -epsilon } else { low };
                let (a, b) = (high + tilt * epsilon, low - tilt * epsilon);
                a + (b - a).exp().ln_1p()
            }
            Self::Outcomes(outcomes) => {
                let exponent = |(loss, mass): &(Rational, Rational)| {
                    tilt * loss.to_f64() + mass.to_f64().max(1e-320).ln()
                };
                let top = outcomes.iter().map(exponent).fold(f64::MIN, f64::max);
                let sum: f64 = outcomes.iter().map(|one| (exponent(one) - top).exp()).sum();
                top + sum.ln()
            }
        }
    }

    /// The atoms under the tilt, and what is left out, at most.
    pub(super) fn atoms(&self, tilt: &Rational) -> Option<(Vec<Atom>, Interval)> {
        let real = |value: &Rational| Interval::rational(value, PRECISION);
        let none = Interval::integer(0, PRECISION);
        match self {
            Self::Gaussian(variance) => gaussian(variance, tilt),
            Self::Response(epsilon) => {
                let whole = Interval::integer(1, PRECISION) + real(epsilon).exp()?;
                let atom = |loss: Rational, odds: Rational| -> Option<Atom> {
                    let weight = real(&(odds + tilt * &loss)).exp()?.checked_div(&whole)?;
                    Some(Atom { loss, weight })
                };
                let low = atom(-epsilon, Rational::zero())?;
                let high = atom(epsilon.clone(), epsilon.clone())?;
                Some((vec![low, high], none))
            }
            Self::Outcomes(outcomes) => {
                let atom = |(loss, mass): &(Rational, Rational)| -> Option<Atom> {
                    let weight = real(&(tilt * loss)).exp()? * real(mass);
                    Some(Atom {
                        loss: loss.clone(),
                        weight,
                    })
                };
                let atoms: Option<Vec<Atom>> = outcomes.iter().map(atom).collect();
                Some((atoms?, none))
            }
        }
    }
}

/// P(x)·e^(λℓ) = e^(−(x−λ)²/(2σ²))·e^(λ(λ+1)/(2σ²))/Z around x = λ, and the rest: beyond a
/// distance r the terms fall at least as fast as a geometric series of ratio e^(−r/σ²).
fn gaussian(variance: &Rational, tilt: &Rational) -> Option<(Vec<Atom>, Interval)> {
    let real = |value: &Rational| Interval::rational(value, PRECISION);
    let twice = variance + variance;
    let half_rate = twice.reciprocal()?;
    let reach = REACH * variance.to_f64().sqrt() + 4.0;
    let reach = floor_to_count(reach, 1 << 22);
    let centre = tilt.floor();
    let scale = real(&(tilt * &(tilt + &Rational::one()) * &half_rate))
        .exp()?
        .checked_div(&gaussian_sum(variance, Shift::Zero, PRECISION)?)?;
    let mut atoms = Vec::new();
    for place in 0..=2 * reach {
        let x =
            Rational::integer(&centre + num_bigint::BigInt::from(place)) - Rational::from(reach);
        let distance = &x - tilt;
        let weight = real(&-(distance.pow(2) * &half_rate)).exp()? * &scale;
        let loss = (&x + &x + Rational::one()) * &half_rate;
        atoms.push(Atom { loss, weight });
    }
    // Both sides; the nearest place left out is at least `reach` away.
    let distance = Rational::from(reach);
    let first = real(&-(distance.pow(2) * &half_rate)).exp()?;
    let ratio = real(&-(&distance * &(&half_rate + &half_rate))).exp()?;
    let rest = first.checked_div(&(Interval::integer(1, PRECISION) - ratio))?;
    Some((atoms, (rest * scale).shifted(1)))
}

impl AggregatedRappor {
    /// The outcomes of the dominating pair of one count: (privacy loss, probability), both rounded
    /// up.
    fn outcomes(&self) -> Result<Vec<(Rational, Rational)>, Error> {
        let mut outcomes = Vec::new();
        for (ratio, mass) in self.dominating_outcomes()? {
            let loss = dp_exact::refine(|precision| {
                let ratio = Interval::rational(&ratio, precision.max(PRECISION));
                ratio.ln()?.upper().to_rational()
            })?;
            outcomes.push((loss.round_to_digits(18, Rounding::Up), mass));
        }
        Ok(outcomes)
    }
}

/// About how many grid points a law of this deviation takes, at `fineness` a deviation.
pub(super) fn grid(deviation: f64, fineness: u64) -> f64 {
    deviation / count(fineness)
}
