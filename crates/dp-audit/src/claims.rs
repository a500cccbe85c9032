//! What a policy guarantees in numbers, and whether an audit refutes it.

use dp_calibration::conversion::renyi_to_epsilon;
use dp_calibration::{Mechanism, NoiseDistribution, discrete_gaussian, discrete_laplace, zcdp};
use dp_exact::{Delta, Rational};
use dp_prio3::{Budget, Circumstances, PolicyDescription, PrivacyBound, TrustModel};
use serde::Serialize;

use crate::Error;
use crate::audit::LowerBound;

/// A pair (ε, δ) that a policy guarantees against the adversary of a trust model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GuaranteedPair {
    /// Who is honest.
    pub trust_model: TrustModel,
    /// How many clients are, where the model counts on others.
    pub honest_clients: u64,
    /// ε, to the nearest double.
    pub epsilon: f64,
    /// δ, to the nearest double.
    pub delta: f64,
}

/// A claim beside what an audit found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What is guaranteed.
    pub claim: GuaranteedPair,
    /// What was measured.
    pub bound: LowerBound,
}

impl Finding {
    /// Whether the guarantee is broken: the lower bound exceeds what is guaranteed, which of a kept guarantee happens with
    /// probability at most [`LowerBound::error`].
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.bound.epsilon > self.claim.epsilon
    }

    /// The lower bound over the guaranteed ε: 1 where the audit is as tight as can be, `None` where 0 is guaranteed.
    #[must_use]
    pub fn tightness(&self) -> Option<f64> {
        (self.claim.epsilon > 0.0).then(|| self.bound.epsilon / self.claim.epsilon)
    }
}

/// What the policy guarantees in this trust model at each of these δ. A pair that was there before, such as a pure one, is
/// left out, and so is what guarantees nothing.
///
/// # Errors
/// If a guarantee cannot be converted to a pair.
pub fn claims(
    policy: &(impl PolicyDescription + ?Sized),
    model: TrustModel,
    honest_clients: u64,
    deltas: &[Delta],
) -> Result<Vec<GuaranteedPair>, Error> {
    let mut claims: Vec<GuaranteedPair> = Vec::new();
    for delta in deltas {
        let circumstances = Circumstances::new(honest_clients, delta.clone());
        let guarantee = policy.guarantee(model, &circumstances);
        let Some((epsilon, delta)) = pair(&guarantee.bound, delta)? else {
            continue;
        };
        let claim = GuaranteedPair {
            trust_model: model,
            honest_clients,
            epsilon: epsilon.to_f64(),
            delta: delta.to_f64(),
        };
        if !claims.contains(&claim) {
            claims.push(claim);
        }
    }
    Ok(claims)
}

/// What the noise of one honest aggregator gives at each of these δ, by its exact law: what an audit can come near, where
/// a policy guarantees an ε at a δ that nobody can measure. Nothing if the policy's noise is not a law of `dp-calibration`
/// alone.
///
/// # Errors
/// If the ε is beyond the calibration's reach.
pub(crate) fn claims_of_noise(
    policy: &(impl PolicyDescription + ?Sized),
    model: TrustModel,
    deltas: &[Delta],
) -> Result<Vec<GuaranteedPair>, Error> {
    let Mechanism::Aggregators(noise) = policy.recorded_mechanism() else {
        return Ok(Vec::new());
    };
    if model.honest_aggregators() != 1 {
        return Ok(Vec::new());
    }
    let claim = |delta: &Delta| {
        let epsilon = match &noise.distribution {
            NoiseDistribution::DiscreteGaussian { variance } => {
                discrete_gaussian::epsilon(variance, delta, &noise.difference)?
            }
            NoiseDistribution::DiscreteLaplace { scale } => {
                discrete_laplace::epsilon(scale, delta, &noise.difference)?
            }
        };
        Ok(GuaranteedPair {
            trust_model: model,
            honest_clients: 1,
            epsilon: epsilon.to_f64(),
            delta: delta.value().to_f64(),
        })
    };
    deltas.iter().filter(|delta| !delta.value().is_zero()).map(claim).collect()
}

/// The pair of a guarantee, at this δ if it has none of its own.
fn pair(bound: &PrivacyBound, delta: &Delta) -> Result<Option<(Rational, Rational)>, Error> {
    let at = || delta.value().clone();
    Ok(Some(match bound {
        PrivacyBound::Absent { .. } => return Ok(None),
        PrivacyBound::TotalVariation { delta, .. } => (Rational::zero(), delta.value().clone()),
        PrivacyBound::Proved(Budget::Pure { epsilon }) => {
            (epsilon.value().clone(), Rational::zero())
        }
        PrivacyBound::Proved(Budget::Approximate { epsilon, delta }) => {
            (epsilon.value().clone(), delta.value().clone())
        }
        PrivacyBound::Proved(Budget::ZeroConcentrated { rho }) => {
            (zcdp::epsilon(rho, delta)?, at())
        }
        PrivacyBound::Proved(Budget::Renyi { alpha, tau }) => {
            (renyi_to_epsilon(alpha, tau, delta)?, at())
        }
    }))
}
