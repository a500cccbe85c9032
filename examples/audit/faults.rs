//! What can be wrong with the parties of the example: each an error that a deployment may have.

use std::error::Error;

use dp_audit::{Generator, Planted};
use dp_calibration::Mechanism;
use dp_prio3::{DpPolicy, NoiseLaw, PolicyDescription, Rational};
use dp_samplers::{DiscreteGaussian, DiscreteLaplace};
use rand_core::SeedableRng as _;

/// A fault, by the name that `--fault` has for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// One aggregator adds no noise.
    SilentAggregator,
    /// One aggregator adds its draw twice.
    NoiseTwice,
    /// One aggregator drew its noise once, and adds it to every batch.
    ReusedNoise,
    /// One aggregator's noise has half the scale.
    HalfScale,
    /// The noise of both has another law of about the same variance.
    OtherLaw,
    /// All randomness follows from a seed that never changes.
    FixedSeed,
    /// Aggregators do not keep what they released, and the leader adds its noise only on the first of
    /// two attempts to collect.
    FirstAttemptOnly,
    /// The collector takes totals for estimates.
    NotDebiased,
    /// The collector turns the sign.
    WrongSign,
}

pub(crate) const FAULTS: [(&str, Fault); 9] = [
    ("silent-aggregator", Fault::SilentAggregator),
    ("noise-twice", Fault::NoiseTwice),
    ("reused-noise", Fault::ReusedNoise),
    ("half-scale", Fault::HalfScale),
    ("other-law", Fault::OtherLaw),
    ("fixed-seed", Fault::FixedSeed),
    ("first-attempt-only", Fault::FirstAttemptOnly),
    ("not-debiased", Fault::NotDebiased),
    ("wrong-sign", Fault::WrongSign),
];

impl Fault {
    /// The policy of the collector, of the leader and of the helper, if the parties have this fault.
    pub(crate) fn planted<P: DpPolicy>(
        self,
        sound: &Planted<P>,
        seed: u64,
    ) -> Result<[Planted<P>; 3], Box<dyn Error>> {
        let all = |collector: &Planted<P>, leader: Planted<P>, helper: &Planted<P>| {
            Ok([collector.clone(), leader, helper.clone()])
        };
        let noise = |alter: fn(u64, &mut [i128])| sound.clone().with_noise(alter);
        match self {
            Self::FixedSeed => all(sound, sound.clone(), sound),
            Self::SilentAggregator => all(sound, noise(|_, noise| noise.fill(0)), sound),
            Self::NoiseTwice => {
                let twice = |_, noise: &mut [i128]| noise.iter_mut().for_each(|noise| *noise *= 2);
                all(sound, noise(twice), sound)
            }
            Self::FirstAttemptOnly => {
                let first_only = |draws, noise: &mut [i128]| {
                    if draws > 0 {
                        noise.fill(0);
                    }
                };
                all(sound, noise(first_only), sound)
            }
            Self::ReusedNoise => {
                let law = law(sound)?;
                all(
                    sound,
                    sound.clone().with_noise(move |_, noise| law.draw(1, noise)),
                    sound,
                )
            }
            Self::HalfScale => {
                let half = law(sound)?.halved()?;
                let draw = move |draws, noise: &mut [i128]| half.draw(seed ^ draws, noise);
                all(sound, sound.clone().with_noise(draw), sound)
            }
            Self::OtherLaw => {
                let other = law(sound)?.other()?;
                let of = |aggregator: u64| {
                    let other = other.clone();
                    let draw = move |draws: u64, noise: &mut [i128]| {
                        other.draw(seed ^ (2 * draws + aggregator), noise);
                    };
                    sound.clone().with_noise(draw)
                };
                Ok([sound.clone(), of(0), of(1)])
            }
            Self::NotDebiased => {
                #[expect(clippy::cast_precision_loss)]
                let total = |total: i128, _, _| total as f64;
                all(&sound.clone().with_estimate(total), sound.clone(), sound)
            }
            Self::WrongSign => {
                let turned = |_, _, estimate: f64| -estimate;
                all(&sound.clone().with_estimate(turned), sound.clone(), sound)
            }
        }
    }
}

/// A law of noise that is drawn from by its parameter.
#[derive(Clone)]
enum Law {
    Laplace(Rational, DiscreteLaplace),
    Gaussian(Rational, DiscreteGaussian),
}

/// What one aggregator of this policy draws.
fn law(policy: &impl PolicyDescription) -> Result<Law, Box<dyn Error>> {
    let noise = match policy.recorded_mechanism() {
        Mechanism::Aggregators(noise) => noise,
        Mechanism::Both { aggregators, .. } => aggregators,
        _ => return Err("no aggregator adds noise".into()),
    };
    match noise.law {
        NoiseLaw::DiscreteLaplace { scale } => Law::laplace(scale),
        NoiseLaw::DiscreteGaussian { variance } => Law::gaussian(variance),
    }
}

impl Law {
    fn laplace(scale: Rational) -> Result<Self, Box<dyn Error>> {
        let law = DiscreteLaplace::new(&scale)?;
        Ok(Self::Laplace(scale, law))
    }

    fn gaussian(variance: Rational) -> Result<Self, Box<dyn Error>> {
        let law = DiscreteGaussian::new(&variance)?;
        Ok(Self::Gaussian(variance, law))
    }

    fn halved(&self) -> Result<Self, Box<dyn Error>> {
        match self {
            Self::Laplace(scale, _) => Self::laplace(scale * &Rational::new(1, 2)?),
            Self::Gaussian(variance, _) => Self::gaussian(variance * &Rational::new(1, 4)?),
        }
    }

    /// Laplace noise of scale t has a variance of about 2t².
    fn other(&self) -> Result<Self, Box<dyn Error>> {
        match self {
            Self::Laplace(scale, _) => Self::gaussian(&(scale * scale) * &Rational::new(2, 1)?),
            Self::Gaussian(variance, _) => {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let thousandths = (1e3 * (variance.to_f64() / 2.0).sqrt()).ceil() as u32;
                Self::laplace(Rational::new(thousandths, 1000)?)
            }
        }
    }

    fn draw(&self, seed: u64, noise: &mut [i128]) {
        let mut generator = Generator::seed_from_u64(seed);
        let mut drawn = vec![0_i64; noise.len()];
        let filled = match self {
            Self::Laplace(_, law) => law.fill(&mut generator, &mut drawn),
            Self::Gaussian(_, law) => law.fill(&mut generator, &mut drawn),
        };
        // A draw that does not fit is left out: this is a fault.
        if filled.is_ok() {
            let drawn = drawn.into_iter().map(i128::from);
            noise
                .iter_mut()
                .zip(drawn)
                .for_each(|(noise, drawn)| *noise = drawn);
        }
    }
}
