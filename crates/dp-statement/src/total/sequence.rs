//! What is known of a sequence of releases, by each argument.

use dp_accounting::{Release, compose, kov15};
use dp_calibration::{Budget, Corner, NoiseLaw, TrustModel, honest};
use dp_exact::{Delta, Epsilon, Rational, Rounding, work};
use dp_prio3::{Circumstances, Promise};
use dp_task::{AggregatorNoise, Task};

use super::Total;
use super::noise::OwnNoise;
use crate::Error;

/// What one argument about a sequence may cost, in units of work.
const QUESTION: u64 = 1_500_000_000;

/// Steps of a search for an ε.
const STEPS: u32 = 24;

/// Digits of an ε that is searched for, or composed of pairs.
const DIGITS: usize = 12;

/// Releases of one task.
pub(super) struct Sequence<'a> {
    pub(super) task: &'a Task,
    pub(super) delta: &'a Delta,
    pub(super) releases: u32,
}

impl Sequence<'_> {
    fn nothing() -> Total {
        let reason = String::new();
        Total::Absent { reason }
    }

    /// The least that is known of so many equal releases, of which one costs the pure ε `each`.
    fn composed(&self, release: Release, each: Option<Rational>, times: u64) -> Total {
        let releases = u64::from(self.releases);
        let all = releases.saturating_mul(times);
        let pure = each.map(|each| each * Rational::from(all));
        let pure = pure.map_or_else(Self::nothing, |pure| Total::kept(pure, &Rational::zero()));
        let Ok(all) = u32::try_from(all) else {
            return pure;
        };
        let question = || compose(&[(release, all)], self.delta);
        match work::limited(QUESTION, question) {
            Ok(composed) => pure.or_gained(Total::kept(composed.upper, self.delta.value())),
            Err(_) => pure,
        }
    }

    pub(super) fn of_clients(&self, own: &OwnNoise) -> Total {
        let each = Some(own.epsilon.clone());
        self.composed(own.release.clone(), each, own.times)
    }

    pub(super) fn of_aggregators(&self, law: &NoiseLaw, corner: &Corner, honest: u32) -> Total {
        let each = match law {
            NoiseLaw::DiscreteLaplace { scale } => {
                let moved = num_bigint::BigInt::from(corner.l1());
                Rational::integer(moved).checked_div(scale)
            }
            NoiseLaw::DiscreteGaussian { .. } => None,
        };
        let release = Release::Noise {
            law: law.clone(),
            corner: corner.clone(),
        };
        let one = self.composed(release, each, 1);
        match (law, &one) {
            (NoiseLaw::DiscreteGaussian { variance }, Total::Kept { epsilon, .. })
                if honest > 1 =>
            {
                let several = self.of_gaussians(variance, corner, honest, epsilon);
                one.or(several)
            }
            _ => one,
        }
    }

    /// The ε of the sum of several Gaussian noises, from one that is known to be enough.
    fn of_gaussians(
        &self,
        variance: &Rational,
        corner: &Corner,
        honest: u32,
        enough: &Rational,
    ) -> Total {
        let coordinates = corner.coordinates().saturating_mul(self.releases.into());
        let Ok(corner) = Corner::new(coordinates, corner.step().clone()) else {
            return Self::nothing();
        };
        let holds = |epsilon: &Rational| -> Result<bool, Error> {
            let epsilon = Epsilon::new(epsilon.clone())?;
            let delta = honest::gaussian_delta(variance, &epsilon, &corner, honest.min(64))?;
            Ok(delta.upper().cmp_rational(self.delta.value()).is_le())
        };
        let search = || {
            let (mut low, mut high) = (Rational::zero(), enough.clone());
            for _ in 0..STEPS {
                let sum = &low + &high;
                let Some(middle) = sum.checked_div(&Rational::integer(2)) else {
                    break;
                };
                let middle = middle.round_to_digits(DIGITS, Rounding::Up);
                if holds(&middle)? {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            Ok::<_, Error>(high)
        };
        match work::limited(QUESTION, search) {
            Ok(epsilon) => Total::kept(epsilon, self.delta.value()),
            Err(_) => Self::nothing(),
        }
    }

    /// By what the policy promises of one release.
    pub(super) fn of_pairs(&self, model: TrustModel) -> Total {
        let question = || {
            let parts = Rational::from(2 * u64::from(self.releases));
            let share = self.delta.value().checked_div(&parts);
            let share = share.unwrap_or_else(Rational::zero);
            let share = Delta::new(share.round_to_digits(DIGITS, Rounding::Down))?;
            let honest = self.task.circumstances().honest_clients();
            let guarantee = self
                .task
                .guarantee_in(model, &Circumstances::new(honest, share));
            Ok::<_, Error>(self.of_promise(&guarantee.promise))
        };
        work::limited(QUESTION, question).unwrap_or_else(|_| Self::nothing())
    }

    pub(super) fn of_promise(&self, promise: &Promise) -> Total {
        let (epsilon, delta) = match promise {
            Promise::Proved(Budget::Pure { epsilon }) => (epsilon.value(), &Rational::zero()),
            Promise::Proved(Budget::Approximate { epsilon, delta }) => {
                (epsilon.value(), delta.value())
            }
            Promise::TotalVariation { delta, .. } => (&Rational::zero(), delta.value()),
            Promise::Proved(Budget::ZeroConcentrated { .. } | Budget::Renyi { .. })
            | Promise::Absent { .. } => return Self::nothing(),
        };
        let releases = Rational::from(u64::from(self.releases));
        // Both add up (Dwork, Rothblum, Vadhan 2010).
        let (sum, slack) = (epsilon * &releases, delta * &releases);
        let basic = if slack <= *self.delta.value() {
            Total::kept(sum, &slack)
        } else {
            Self::nothing()
        };
        let composed = || {
            let (epsilon, delta) = (Epsilon::new(epsilon.clone())?, Delta::new(delta.clone())?);
            kov15::epsilon(&epsilon, &delta, self.releases, self.delta)
        };
        match work::limited(QUESTION, composed) {
            Ok(composed) if self.releases > 1 => {
                basic.or(Total::kept(composed, self.delta.value()))
            }
            _ => basic,
        }
    }

    /// The same with the ρ that adds up, where the noise is calibrated to one.
    pub(super) fn with_rho(&self, total: Total, model: TrustModel) -> Total {
        let noise = self.task.document().aggregator_noise.as_ref();
        let budget = noise.and_then(AggregatorNoise::budget);
        let is_alone = self.task.document().client_noise.is_none();
        match (total, budget) {
            (Total::Kept { epsilon, delta, .. }, Some(Budget::ZeroConcentrated { rho: each }))
                if is_alone && model.honest_aggregators() > 0 =>
            {
                let rho = each.value() * &Rational::from(u64::from(self.releases));
                Total::Kept {
                    epsilon,
                    delta,
                    rho: Some(rho),
                }
            }
            (total, _) => total,
        }
    }
}
