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
//! - **A dominating pair**: from above the pair that dominates for every dataset; from below the one
//!   that a dataset attains.

use std::sync::Arc;

use dp_calibration::privacy_loss::{
    DominatingPair, Known, Side, TiltedLaw, View, discrete_gaussian, outcomes, response,
};
use dp_calibration::{Corner, Error, NoiseLaw, accepted};
use dp_exact::{Delta, Epsilon, Rational, Refusal, work};

/// One release of a mechanism to which one client contributes.
///
/// A ledger's release (`dp_ledger::Release`) is a promise instead, of ε and δ or of another kind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Release {
    /// Noise on every coordinate of an aggregate.
    Noise {
        /// The law of the noise.
        law: NoiseLaw,
        /// What one client moves: [`Corner::one`] or [`Corner::one_hot`].
        corner: Corner,
    },
    /// Randomized response, or any mechanism of which only (ε, δ) is known.
    RandomizedResponse {
        /// ε
        epsilon: Epsilon,
        /// δ
        delta: Delta,
    },
    /// A mechanism of which a dominating pair is known, such as the sum of many clients' randomized
    /// answers.
    Dominated(DominatingPair),
}

/// The probability of an infinite loss.
#[derive(Clone, Debug)]
pub(super) struct Infinite {
    pub(super) least: Rational,
    pub(super) most: Rational,
}

/// The independent part of which a release consists once or twice.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Gaussian(Rational),
    Response(Rational),
    /// Bounds from above and from below, for every dataset and for one dataset; and about the losses
    /// from above and the logarithms of their probabilities.
    Outcomes {
        known: Arc<Known>,
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
            Self::Noise { corner, .. } if *corner == Corner::one_hot() => 2,
            Self::Noise { .. } | Self::RandomizedResponse { .. } => 1,
            Self::Dominated(pair) => pair.parts(),
        }
    }

    /// The largest finite loss of a part; `None` if there is none.
    pub(super) fn largest(&self) -> Result<Option<Rational>, Error> {
        Ok(match self {
            Self::Noise { law, .. } => match law {
                NoiseLaw::DiscreteGaussian { .. } => None,
                NoiseLaw::DiscreteLaplace { scale } => Some(rate(scale)?),
            },
            Self::RandomizedResponse { epsilon, .. } => Some(epsilon.value().clone()),
            Self::Dominated(pair) => Some(pair.largest().clone()),
        })
    }

    /// The probability of an infinite loss.
    pub(super) fn told(&self) -> Rational {
        match self {
            Self::RandomizedResponse { delta, .. } => delta.value().clone(),
            Self::Noise { .. } | Self::Dominated(_) => Rational::zero(),
        }
    }

    /// An error if a parameter is out of its range.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::Noise { law, corner } => {
                if *corner != Corner::one() && *corner != Corner::one_hot() {
                    let (count, step) = (corner.coordinates(), corner.step());
                    let what =
                        format!("the composition of noise on {count} coordinates moved by {step}");
                    let change = "take one coordinate or two, moved by 1";
                    return Err(Refusal::not_available(what, change).into());
                }
                match law {
                    NoiseLaw::DiscreteGaussian { variance } => checked(variance).map(drop),
                    NoiseLaw::DiscreteLaplace { scale } => rate(scale).map(drop),
                }
            }
            Self::RandomizedResponse { epsilon, .. } => accepted::epsilon(epsilon).map(drop),
            Self::Dominated(_) => Ok(()),
        }
    }

    /// The losses of a part.
    pub(super) fn losses(&self) -> Result<Losses, Error> {
        let told = self.told();
        let mut infinite = Infinite {
            least: told.clone(),
            most: told,
        };
        let part = match self {
            Self::Noise { law, .. } => match law {
                NoiseLaw::DiscreteGaussian { variance } => Part::Gaussian(checked(variance)?),
                NoiseLaw::DiscreteLaplace { scale } => Part::Response(rate(scale)?),
            },
            Self::RandomizedResponse { epsilon, .. } => {
                Part::Response(accepted::epsilon(epsilon)?.clone())
            }
            Self::Dominated(pair) => {
                let known = Arc::clone(pair.known()?);
                infinite.most = known.infinite.clone();
                let about = known.above.iter().map(about).collect();
                Part::Outcomes { known, about }
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
            Self::Outcomes { known, .. } => known.deviation(),
        }
    }

    /// About ln E[e^(λℓ)].
    pub(super) fn log_moment(&self, tilt: f64) -> f64 {
        work::charge(match self {
            Self::Gaussian(_) | Self::Response(_) => 2_500,
            Self::Outcomes { about, .. } => 100 + 15 * about.len() as u64,
        });
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
            Self::Gaussian(variance) => discrete_gaussian(variance, &view.tilt)?.times(times, view),
            Self::Response(epsilon) => response(epsilon, &view.tilt)?.times(times, view),
            Self::Outcomes { known, .. } => {
                let losses = match view.side {
                    Side::Upward => &known.above,
                    Side::Downward => &known.below,
                };
                outcomes(losses, times, self.deviation(), view)
            }
        }
    }
}

/// A loss and the logarithm of its probability.
fn about((loss, mass): &(Rational, Rational)) -> (f64, f64) {
    (loss.to_f64(), mass.to_f64().max(1e-320).ln())
}
