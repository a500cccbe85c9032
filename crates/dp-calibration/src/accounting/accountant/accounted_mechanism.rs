//! The privacy losses of single releases; `docs/composition.md` derives them. Every (ε, δ) private
//! release is at most randomized response (ε, δ): with probability δ the loss is infinite, else ε
//! with odds e^ε against −ε (Kairouz, Oh, Viswanath 2015, Theorem 3.1).

use std::sync::Arc;

use crate::privacy_loss::{
    DominatingLosses, DominatingPair, TiltedLoss, Tilting, outcomes, response, summed_gaussian,
};
use crate::{
    BigUint, Error, NoiseDistribution, Result, WorstCaseDifference, accepted, discrete_laplace,
};
use dp_exact::{Delta, Epsilon, Rational, directed, elementary};
use num_traits::ToPrimitive;

/// The largest accepted σ²/d² of Gaussian noise, d the change of one coordinate.
const WIDEST: u64 = 10_000_000_000;

/// The σ above which Gaussian noise is bounded by less noise on a smaller change: of one kind of
/// loss, whose lattice may be long, and of several.
const WIDE: [f64; 2] = [100_000.0, 2048.0];

/// The most coordinates that may change in a release: 2^24.
const MAX_COORDINATES: u64 = discrete_laplace::MAX_COORDINATES;

/// The most points of the lattice of a Laplace loss.
const CELLS: u32 = 4096;

/// One release of a mechanism to which one client contributes.
///
/// A ledger's release (`dp_ledger::Release`) is a guarantee instead, of ε and δ or of another kind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AccountedMechanism {
    /// Noise on every coordinate of an aggregate.
    Noise {
        /// The distribution of the noise.
        law: NoiseDistribution,
        /// The worst-case difference of one client.
        difference: WorstCaseDifference,
    },
    /// Randomized response, or any mechanism known to be (ε, δ) private.
    RandomizedResponse {
        /// ε
        epsilon: Epsilon,
        /// δ
        delta: Delta,
    },
    /// Any (0, δ)-differentially private mechanism: at worst everything is disclosed with
    /// probability δ, and else nothing.
    PureDelta {
        /// δ
        delta: Delta,
    },
    /// K-ary randomized response: the true answer has odds of e^ε against each other answer.
    KaryResponse {
        /// ε
        epsilon: Epsilon,
        /// How many answers there are, at least 2.
        answers: u64,
    },
    /// A mechanism with a dominating pair, such as the sum of many randomized answers.
    Dominated(DominatingPair),
}

/// One independent part of a release; a release has one part or several equal ones.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LossPart {
    /// Discrete Gaussian noise: its parameter σ², and the change d of one integer.
    Gaussian(Rational, BigUint),
    /// Randomized response: ε and the number of answers. Its loss is ±ε, or 0 for more than two.
    Response(Rational, u64),
    /// Discrete Laplace noise: 1/t for the scale t, and the change d ≥ 2 of one integer.
    Laplace(Rational, BigUint),
    /// Losses that are listed with their probabilities.
    Outcomes {
        /// The losses of a dominating pair and of an attained pair.
        known: Arc<DominatingLosses>,
        /// Upper bound on every finite loss.
        largest: Rational,
        /// The dominating pair's losses and the logarithms of their probabilities: no bounds.
        about: Vec<(f64, f64)>,
    },
}

impl AccountedMechanism {
    /// The finite loss of one part of a release, `None` if it is 0; the probability that the loss
    /// is infinite, 0 for a dominating pair, whose cut tail the caller counts; and the number of
    /// independent parts with this loss. `Err` if a parameter is out of range, or the losses of a
    /// dominating pair could not be computed.
    pub(super) fn losses(&self) -> Result<(Option<LossPart>, Rational, u32)> {
        let none = Rational::zero();
        let (part, infinite, parts) = match self {
            Self::PureDelta { delta } => return Ok((None, delta.value().clone(), 1)),
            Self::Noise { law, difference } => {
                let coordinates = difference.coordinates();
                let accepted = "at most 2^24, of each release";
                let is_accepted = coordinates <= MAX_COORDINATES;
                Error::check(is_accepted, "coordinates", coordinates, accepted)?;
                let step = difference.step().clone();
                let part = match law {
                    NoiseDistribution::DiscreteGaussian { variance } => {
                        LossPart::Gaussian(checked_variance(variance, difference)?, step)
                    }
                    NoiseDistribution::DiscreteLaplace { scale } => {
                        let rate = rate(scale, difference)?;
                        match step == BigUint::from(1u32) {
                            true => LossPart::Response(rate, 2),
                            false => LossPart::Laplace(rate, step),
                        }
                    }
                };
                (part, none, u32::try_from(coordinates).expect("at most 2^24"))
            }
            Self::RandomizedResponse { epsilon, delta } => {
                let part = LossPart::Response(accepted::epsilon(epsilon)?.clone(), 2);
                (part, delta.value().clone(), 1)
            }
            Self::KaryResponse { epsilon, answers } => {
                let accepted = "an integer of at least 2";
                Error::check(*answers >= 2, "answers", "less than 2", accepted)?;
                (LossPart::Response(accepted::epsilon(epsilon)?.clone(), *answers), none, 1)
            }
            Self::Dominated(pair) => {
                let known = Arc::clone(pair.losses()?);
                let about = known.above.iter().map(about).collect();
                let part = LossPart::Outcomes { known, largest: pair.largest.clone(), about };
                (part, none, pair.parts)
            }
        };
        Ok((Some(part), infinite, parts))
    }
}

/// `variance` itself, σ² of Gaussian noise. `Err` unless 1e-4 ≤ σ²/d² ≤ 1e10 for the change d of a
/// coordinate, and σ² has at most 512 bits.
fn checked_variance(variance: &Rational, difference: &WorstCaseDifference) -> Result<Rational> {
    let scaled = variance * &Rational::from(10_000_u64);
    let square = difference.rational_step().pow(2);
    let most = &square * &Rational::from(WIDEST);
    let accepted = "a number from 1e-4 to 1e10 times the square of the step, of at most 512 bits";
    let is_accepted = variance.bits() <= 512 && scaled >= square && *variance <= most;
    Error::check(is_accepted, "variance", variance, accepted)?;
    Ok(variance.clone())
}

/// 1/t for the scale t = `scale` of Laplace noise. `Err` unless 1e-4 ≤ t/d ≤ 1e9 for the change d
/// of a coordinate, and t has at most 512 bits.
fn rate(scale: &Rational, difference: &WorstCaseDifference) -> Result<Rational> {
    let scaled = scale * &Rational::from(10_000_u64);
    let step = difference.rational_step();
    let accepted = "a number from 1e-4 to 1e9 times the step, of at most 512 bits";
    let refused = || Error::parameter("scale", scale, accepted);
    let most = Rational::from(1_000_000_000_u64) * &step;
    if scale.bits() > 512 || scaled < step || *scale > most {
        return Err(refused());
    }
    scale.reciprocal().ok_or_else(refused)
}

impl LossPart {
    /// Upper bound on every finite loss in nats: the largest loss itself, but for losses that are
    /// listed. `None` for Gaussian noise, whose losses have no largest value.
    pub(super) fn largest(&self) -> Option<Rational> {
        match self {
            Self::Response(epsilon, _) => Some(epsilon.clone()),
            Self::Laplace(rate, step) => Some(rate * &Rational::integer(step.clone())),
            Self::Gaussian(..) => None,
            Self::Outcomes { largest, .. } => Some(largest.clone()),
        }
    }

    /// About √E(ℓ²) for the loss ℓ of one part, in nats, which is at least its standard deviation;
    /// for Gaussian noise the standard deviation d/σ. No bound.
    pub(super) fn deviation(&self) -> f64 {
        match self {
            Self::Gaussian(variance, step) => about_step(step) / variance.to_f64().sqrt(),
            Self::Response(epsilon, answers) => {
                let epsilon = epsilon.to_f64();
                let others = directed::count(answers - 2) / (elementary::exp(epsilon) + 1.0);
                epsilon / (1.0 + others).sqrt()
            }
            Self::Laplace(rate, step) => {
                discrete_laplace::deviation_about(about_step(step), rate.to_f64())
            }
            Self::Outcomes { known, .. } => known.deviation(),
        }
    }

    /// ln E[e^(λℓ)] of the loss ℓ at λ = `tilt`, rounded: no bound.
    pub(super) fn log_moment(&self, tilt: f64) -> f64 {
        match self {
            Self::Gaussian(variance, step) => {
                let (variance, step) = (variance.to_f64(), about_step(step));
                if variance > 4.0 {
                    return tilt * (tilt + 1.0) * step * step / (2.0 * variance);
                }
                let exponent = |x: f64| (tilt * step * (2.0 * x + step) - x * x) / (2.0 * variance);
                let centre = (tilt * step).round();
                let xs = || (-40..=40).map(f64::from);
                let sum: f64 =
                    xs().map(|x| elementary::exp(exponent(centre + x) - exponent(centre))).sum();
                let normal: f64 = xs().map(|x| elementary::exp(-x * x / (2.0 * variance))).sum();
                elementary::ln(sum / normal) + exponent(centre)
            }
            Self::Response(epsilon, answers) => {
                let (epsilon, others) = (epsilon.to_f64(), directed::count(answers - 2));
                let exponents = [(1.0 + tilt) * epsilon, elementary::ln(others), -tilt * epsilon];
                let sum: f64 =
                    exponents.iter().map(|one| elementary::exp(one - exponents[0])).sum();
                let whole = elementary::exp(-epsilon) * (others + 1.0);
                elementary::ln(sum) + exponents[0] - epsilon - elementary::ln_1p(whole)
            }
            Self::Laplace(rate, step) => {
                discrete_laplace::log_moment_about(about_step(step), rate.to_f64(), tilt)
            }
            Self::Outcomes { about, .. } => {
                let exponent = |(loss, log): &(f64, f64)| tilt * loss + log;
                let top = about.iter().map(exponent).fold(f64::MIN, f64::max);
                let sum: f64 = about.iter().map(|one| elementary::exp(exponent(one) - top)).sum();
                top + elementary::ln(sum)
            }
        }
    }

    /// The distribution of the summed loss of `times` parts under the tilt, with losses rounded to
    /// the side of `tilting` where they are rounded; less finely if there are other parts beside
    /// them. `None` if that takes too many points.
    pub(super) fn summed(
        &self,
        times: u32,
        is_alone: bool,
        tilting: &Tilting,
    ) -> Option<TiltedLoss> {
        match self {
            Self::Outcomes { known, .. } => {
                outcomes(known.on(tilting.side), times, self.deviation(), tilting)
            }
            Self::Gaussian(variance, step) => {
                let enough = WIDE[usize::from(!is_alone)];
                summed_gaussian(variance, step, times, enough, tilting)
            }
            Self::Response(epsilon, answers) => {
                response(epsilon, *answers, &tilting.tilt)?.times(times, tilting)
            }
            Self::Laplace(rate, step) => {
                discrete_laplace::loss(rate, step, CELLS, tilting)?.times(times, tilting)
            }
        }
    }
}

/// A change of one integer, rounded to a float: no bound.
fn about_step(step: &BigUint) -> f64 {
    step.to_f64().expect("a step has at most 200 bits")
}

/// A loss in nats and the natural logarithm of its probability `mass`, rounded: no bounds. A
/// probability below 1e-320 counts as 1e-320.
fn about((loss, mass): &(Rational, Rational)) -> (f64, f64) {
    (loss.to_f64(), elementary::ln(mass.to_f64().max(1e-320)))
}
