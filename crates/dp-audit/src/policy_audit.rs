//! An audit of a policy: each guarantee against the adversary that it is about.

use std::sync::Arc;

use dp_calibration::conversion::renyi_to_epsilon;
use dp_calibration::{
    Adjacency, Mechanism, NoiseDistribution, discrete_gaussian, discrete_laplace, zcdp,
};
use dp_exact::{Delta, Rational};
use dp_prio3::{Budget, Circumstances, DpPolicy, PolicyDescription, PrivacyBound, TrustModel};
use dp_task::{FromMeasurement, PolicyVisitor, Task};
use serde::Serialize;

use crate::Error;
use crate::audit::{Audit, LowerBound};
use crate::conformance::noise_behind_matrix;
use crate::neighbours::Neighbours;
use crate::policy_views::PolicyViews;

/// Smallest δ at which the exact ε of the noise is audited: below it, no feasible number of runs
/// gives a lower bound near ε.
const LEAST_DELTA: f64 = 1e-4;

/// A guarantee (ε, δ) of a policy against the adversary of a trust model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GuaranteedPair {
    /// The trust model.
    pub trust_model: TrustModel,
    /// Number of honest clients, where the model counts on others.
    pub honest_clients: u64,
    /// ε, to the nearest double.
    pub epsilon: f64,
    /// δ, to the nearest double.
    pub delta: f64,
}

/// A guarantee beside the lower bound of an audit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The guarantee.
    pub claim: GuaranteedPair,
    /// The lower bound on ε at the same δ.
    pub bound: LowerBound,
}

impl Finding {
    /// Whether the guarantee is broken: the lower bound exceeds the guaranteed ε. If the guarantee
    /// holds, that happens with probability at most [`LowerBound::error`].
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.bound.epsilon > self.claim.epsilon
    }
}

/// The guarantees of a policy that are audited.
#[derive(Clone, Debug)]
pub struct PolicyAudit {
    /// The trust models.
    pub models: Vec<TrustModel>,
    /// Number of honest clients where a model counts on them. Each of them is run.
    pub honest_clients: u64,
    /// The δ of the guarantees.
    pub deltas: Vec<Delta>,
}

impl PolicyAudit {
    /// Audits all guarantees of `policy` in these trust models, between the farthest measurements
    /// of its query.
    ///
    /// # Errors
    /// If the policy does not run, or has no two different measurements.
    pub fn audit<P>(&self, policy: &Arc<P>, audit: &Audit) -> Result<Vec<Finding>, Error>
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let neighbours = Neighbours::farthest(&policy.query())?;
        let mut findings = Vec::new();
        let mut done: Vec<(PolicyViews<P>, Vec<f64>, Vec<LowerBound>)> = Vec::new();
        for model in &self.models {
            let mut pairs = guaranteed_pairs(&**policy, *model, self.honest_clients, &self.deltas)?;
            let of_noise = pairs_of_noise(&**policy, *model, &self.deltas)?;
            pairs.extend(of_noise.into_iter().filter(|pair| pair.delta > LEAST_DELTA));
            if pairs.is_empty() {
                continue;
            }
            let (policy, neighbours) = (Arc::clone(policy), neighbours.clone());
            let views = PolicyViews::new(policy, neighbours, *model, self.honest_clients)?;
            let deltas: Vec<f64> = pairs.iter().map(|pair| pair.delta).collect();
            // Two adversaries may see the same: honest clients that do not randomize hide nothing.
            let same = |(other, known, _): &&(PolicyViews<P>, Vec<f64>, Vec<LowerBound>)| {
                *known == deltas && other.is_like(&views)
            };
            let bounds = match done.iter().find(same) {
                Some((.., bounds)) => bounds.clone(),
                None => audit.lower_bounds(&views, &deltas)?,
            };
            done.push((views, deltas, bounds.clone()));
            let pairs = pairs.into_iter().zip(bounds);
            findings.extend(pairs.map(|(claim, bound)| Finding { claim, bound }));
        }
        Ok(findings)
    }

    /// Audits all guarantees of a task's policy in these trust models.
    ///
    /// # Errors
    /// As [`Self::audit`].
    pub fn audit_task(&self, task: &Task, audit: &Audit) -> Result<Vec<Finding>, Error> {
        task.with_policy(TaskVisit { policy_audit: self, audit })
    }
}

struct TaskVisit<'a> {
    policy_audit: &'a PolicyAudit,
    audit: &'a Audit,
}

impl PolicyVisitor for TaskVisit<'_> {
    type Output = Result<Vec<Finding>, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        self.policy_audit.audit(&Arc::new(policy), self.audit)
    }
}

/// The guarantees of a policy in a trust model at each δ, without repetitions.
///
/// # Errors
/// If a guarantee cannot be converted to a pair.
pub fn guaranteed_pairs(
    policy: &(impl PolicyDescription + ?Sized),
    trust_model: TrustModel,
    honest_clients: u64,
    deltas: &[Delta],
) -> Result<Vec<GuaranteedPair>, Error> {
    let mut pairs: Vec<GuaranteedPair> = Vec::new();
    for delta in deltas {
        let circumstances = Circumstances::new(honest_clients, delta.clone());
        let guarantee = policy.guarantee(trust_model, &circumstances);
        let Some((epsilon, delta)) = pair(&guarantee.bound, delta)? else {
            continue;
        };
        let (epsilon, delta) = (epsilon.to_f64(), delta.to_f64());
        let pair = GuaranteedPair { trust_model, honest_clients, epsilon, delta };
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    Ok(pairs)
}

/// The pairs (exact ε of one honest aggregator's noise, δ) for each δ. An audit can come near such
/// an ε, unlike a guarantee at a δ that nobody can measure. Empty if the noise is not a
/// distribution of `dp-calibration` alone.
fn pairs_of_noise(
    policy: &(impl PolicyDescription + ?Sized),
    trust_model: TrustModel,
    deltas: &[Delta],
) -> Result<Vec<GuaranteedPair>, Error> {
    if trust_model.honest_aggregators() != 1 {
        return Ok(Vec::new());
    }
    let of_matrix = noise_behind_matrix(policy)?;
    let recorded = policy.recorded_mechanism();
    let epsilon = |delta: &Delta| {
        Ok::<_, Error>(match (&of_matrix, &recorded) {
            (Some((_, noise)), _) => {
                let contribution = policy.query().contribution(Adjacency::Replacement, 1, 1)?;
                Some(contribution.loss(noise, delta, 1)?.0)
            }
            (None, Mechanism::Aggregators(noise)) => Some(match &noise.distribution {
                NoiseDistribution::DiscreteGaussian { variance } => {
                    discrete_gaussian::epsilon(variance, delta, &noise.difference)?
                }
                NoiseDistribution::DiscreteLaplace { scale } => {
                    discrete_laplace::epsilon(scale, delta, &noise.difference)?
                }
            }),
            _ => None,
        })
    };
    let mut pairs = Vec::new();
    for delta in deltas.iter().filter(|delta| !delta.value().is_zero()) {
        if let Some(epsilon) = epsilon(delta)? {
            let (epsilon, delta) = (epsilon.to_f64(), delta.value().to_f64());
            pairs.push(GuaranteedPair { trust_model, honest_clients: 1, epsilon, delta });
        }
    }
    Ok(pairs)
}

/// The pair (ε, δ) of a guarantee, converted at `delta` if the guarantee is a ρ or a Rényi
/// divergence. `None` if the bound gives no guarantee.
fn pair(bound: &PrivacyBound, delta: &Delta) -> Result<Option<(Rational, Rational)>, Error> {
    let at = || delta.value().clone();
    Ok(Some(match bound {
        PrivacyBound::Absent { .. } => return Ok(None),
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
