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
//! - **Aggregated RAPPOR**: from above the dominating pair of [`crate::aggregated_rappor`], once
//!   for each count; from below the exact law of a count where all other clients hold the value
//!   that is removed.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding};
use num_bigint::BigInt;

use super::regrid::Side;
use super::tilted::{PRECISION, TiltedLaw, View};
use super::{gaussian, outcomes};
use crate::aggregated_rappor::AggregatedRappor;
use crate::{Adjacency, Error};

/// Bits after the point of a loss that is rounded to one side.
const LOSS_BITS: u32 = 96;

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

/// The probability of an infinite loss.
#[derive(Clone, Debug)]
pub(super) struct Infinite {
    pub(super) least: Rational,
    pub(super) most: Rational,
}

/// (privacy loss, probability), in ascending order of loss.
pub(super) type Outcomes = Vec<(Rational, Rational)>;

/// The independent part of which a release consists once or twice.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Gaussian(Rational),
    Response(Rational),
    /// Bounds from above and from below, for every dataset and for one dataset; and about the losses
    /// from above and the logarithms of their probabilities.
    Outcomes {
        above: Outcomes,
        below: Outcomes,
        about: Vec<(f64, f64)>,
    },
}

/// The loss of the independent part, and the probability of an infinite one.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    pub(super) part: Part,
    pub(super) infinite: Infinite,
}

impl Release {
    /// How many independent parts there are, with equal laws of their losses.
    pub(super) fn parts(&self) -> u32 {
        match self {
            Self::GaussianPair { .. } | Self::LaplacePair { .. } => 2,
            Self::Rappor { adjacency, .. } => match adjacency {
                Adjacency::Replacement => 2,
                Adjacency::Deletion => 1,
            },
            Self::GaussianOne { .. }
            | Self::LaplaceOne { .. }
            | Self::RandomizedResponse { .. } => 1,
        }
    }

    /// The largest finite loss of a part; `None` if there is none.
    pub(super) fn largest(&self) -> Result<Option<Rational>, Error> {
        Ok(match self {
            Self::GaussianOne { .. } | Self::GaussianPair { .. } => None,
            Self::LaplaceOne { scale } | Self::LaplacePair { scale } => Some(rate(scale)?),
            Self::RandomizedResponse { epsilon, .. } => Some(epsilon.value().clone()),
            // That of the client's own bit: the others' bits do not depend on it.
            Self::Rappor { sum, .. } => Some(sum.epsilon0().value().clone()),
        })
    }

    /// The probability of an infinite loss.
    pub(super) fn told(&self) -> Rational {
        match self {
            Self::RandomizedResponse { delta, .. } => delta.value().clone(),
            _ => Rational::zero(),
        }
    }

    /// An error if a parameter is out of its range.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::GaussianOne { variance } | Self::GaussianPair { variance } => {
                checked(variance).map(drop)
            }
            Self::LaplaceOne { scale } | Self::LaplacePair { scale } => rate(scale).map(drop),
            Self::RandomizedResponse { epsilon, .. } => crate::accepted::epsilon(epsilon).map(drop),
            Self::Rappor { .. } => Ok(()),
        }
    }

    /// The losses of a part. Those of aggregated RAPPOR take a while.
    pub(super) fn losses(&self) -> Result<Losses, Error> {
        let told = self.told();
        let infinite = Infinite {
            least: told.clone(),
            most: told,
        };
        let part = match self {
            Self::GaussianOne { variance } | Self::GaussianPair { variance } => {
                Part::Gaussian(checked(variance)?)
            }
            Self::LaplaceOne { scale } | Self::LaplacePair { scale } => {
                Part::Response(rate(scale)?)
            }
            Self::RandomizedResponse { epsilon, .. } => {
                Part::Response(crate::accepted::epsilon(epsilon)?.clone())
            }
            Self::Rappor { sum, .. } => {
                let mut above = losses(sum.dominating_outcomes()?, Rounding::Up)?;
                let below = losses(sum.attained_outcomes()?, Rounding::Down)?;
                let infinite = Infinite {
                    least: Rational::zero(),
                    most: far(&mut above),
                };
                let about = above.iter().map(about).collect();
                let part = Part::Outcomes {
                    above,
                    below,
                    about,
                };
                return Ok(Losses { part, infinite });
            }
        };
        Ok(Losses { part, infinite })
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
    /// About the standard deviation of the loss.
    pub(super) fn deviation(&self) -> f64 {
        match self {
            Self::Gaussian(variance) => variance.to_f64().sqrt().recip(),
            Self::Response(epsilon) => epsilon.to_f64(),
            Self::Outcomes { above, .. } => deviation(above),
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
            Self::Outcomes { about, .. } => {
                let exponent = |(loss, log): &(f64, f64)| tilt * loss + log;
                let top = about.iter().map(exponent).fold(f64::MIN, f64::max);
                let sum: f64 = about.iter().map(|one| (exponent(one) - top).exp()).sum();
                top + sum.ln()
            }
        }
    }

    /// The law of `times` of them together.
    pub(super) fn law(&self, times: u32, view: &View) -> Option<TiltedLaw> {
        match self {
            Self::Gaussian(variance) => gaussian::law(variance, &view.tilt)?.times(times, view),
            Self::Response(epsilon) => response(epsilon, &view.tilt)?.times(times, view),
            Self::Outcomes { above, below, .. } => {
                let outcomes = match view.side {
                    Side::Upward => above,
                    Side::Downward => below,
                };
                outcomes::law(outcomes, times, self.deviation(), view)
            }
        }
    }
}

/// The losses −ε and ε, with odds 1 : e^ε.
fn response(epsilon: &Rational, tilt: &Rational) -> Option<TiltedLaw> {
    let real = |value: &Rational| Interval::rational(value, PRECISION);
    let whole = Interval::integer(1, PRECISION) + real(epsilon).exp()?;
    let moved = tilt * epsilon;
    let low = real(&-&moved).exp()?.checked_div(&whole)?;
    let high = real(&(epsilon + &moved)).exp()?.checked_div(&whole)?;
    let none = Interval::integer(0, PRECISION);
    TiltedLaw::new(epsilon + epsilon, -epsilon, &[low, high], &none)
}

/// A loss and the logarithm of its probability.
fn about((loss, mass): &(Rational, Rational)) -> (f64, f64) {
    (loss.to_f64(), mass.to_f64().max(1e-320).ln())
}

/// Takes away outcomes with losses of more than forty deviations, and returns their probability: to
/// call such a loss infinite is on the safe side, and costs next to nothing.
fn far(outcomes: &mut Outcomes) -> Rational {
    let reach = 40.0 * deviation(outcomes);
    let near = outcomes.partition_point(|(loss, _)| loss.to_f64() <= reach);
    let far = outcomes.split_off(near);
    far.into_iter()
        .fold(Rational::zero(), |sum, (_, mass)| sum + mass)
}

/// About the standard deviation of the loss.
fn deviation(outcomes: &Outcomes) -> f64 {
    let square = |(loss, mass): &(Rational, Rational)| loss.to_f64().powi(2) * mass.to_f64();
    outcomes.iter().map(square).sum::<f64>().sqrt()
}

/// Likelihood ratios as losses, rounded, with their probabilities, in ascending order.
fn losses(outcomes: Outcomes, rounding: Rounding) -> Result<Outcomes, Error> {
    let mut losses = Vec::with_capacity(outcomes.len());
    for (ratio, mass) in outcomes {
        let loss = Interval::rational(&ratio, PRECISION).ln();
        // Its end, to as many digits as are of use: all later steps are exact in it.
        let end = loss.as_ref().and_then(|loss| match rounding {
            Rounding::Up => shorter(loss.upper().to_rational()?, rounding),
            _ => shorter(loss.lower().to_rational()?, rounding),
        });
        let refused = || Error::parameter("likelihood ratio", &ratio, "a positive number");
        losses.push((end.ok_or_else(refused)?, mass));
    }
    losses.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(losses)
}

/// The next multiple of 2^−96.
fn shorter(loss: Rational, rounding: Rounding) -> Option<Rational> {
    let units = BigInt::from(1) << LOSS_BITS;
    let loss = loss * Rational::integer(units.clone());
    let whole = match rounding {
        Rounding::Up => loss.ceil(),
        _ => loss.floor(),
    };
    Rational::new(whole, units).ok()
}
