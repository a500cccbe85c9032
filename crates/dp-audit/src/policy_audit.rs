//! An audit of a policy: each guarantee against the adversary that it is about.

use std::collections::HashMap;
use std::sync::Arc;

use dp_calibration::conversion::renyi_to_epsilon;
use dp_calibration::{Adjacency, zcdp};
use dp_exact::{Delta, Rational};
use dp_prio3::{Budget, Circumstances, DpPolicy, PolicyDescription, PrivacyBound, TrustModel};
use dp_task::{FromMeasurement, PolicyVisitor};
use serde::Serialize;

use crate::Error;
use crate::audit::{Audit, LowerBound};
use crate::conformance::noise_behind_matrix;
use crate::neighbours::Neighbours;
use crate::policy_views::PolicyViews;

/// Smallest δ at which the exact ε of the noise is audited: below it, no feasible number of runs
/// gives a lower bound near ε.
const LEAST_DELTA: f64 = 1e-4;

/// A guarantee (ε, δ) beside the lower bound on ε of an audit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The trust model of the guarantee.
    pub trust_model: TrustModel,
    /// The guaranteed ε, to the nearest double.
    pub epsilon: f64,
    /// The lower bound on ε. Its δ is the guaranteed one, to the nearest double.
    pub bound: LowerBound,
}

impl Finding {
    /// Whether the guarantee is broken: the lower bound exceeds the guaranteed ε. If the guarantee
    /// holds, that happens with probability at most [`LowerBound::error`].
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.bound.epsilon > self.epsilon
    }
}

/// The guarantees of a policy that are audited, and the runs that audit them. As a visitor it
/// audits the policy of a task: `task.with_policy(&policy_audit)`.
#[derive(Clone, Debug)]
pub struct PolicyAudit {
    /// The settings of each lower bound.
    pub audit: Audit,
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
    pub fn findings<P>(&self, policy: &Arc<P>) -> Result<Vec<Finding>, Error>
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let neighbours = Neighbours::farthest(&policy.query())?;
        let mut findings = Vec::new();
        // Two adversaries may see the same: honest clients that do not randomize hide nothing.
        let mut done: HashMap<_, Vec<LowerBound>> = HashMap::new();
        for model in &self.models {
            let pairs = self.guaranteed(policy, *model)?;
            if pairs.is_empty() {
                continue;
            }
            let deltas: Vec<f64> = pairs.iter().map(|[_, delta]| *delta).collect();
            let (policy, neighbours) = (Arc::clone(policy), neighbours.clone());
            let views = PolicyViews::new(policy, neighbours, *model, self.honest_clients)?;
            let seen =
                (views.hidden(), deltas.iter().copied().map(f64::to_bits).collect::<Vec<_>>());
            let bounds = match done.get(&seen) {
                Some(bounds) => bounds.clone(),
                None => self.audit.lower_bounds(&views, &deltas)?,
            };
            done.insert(seen, bounds.clone());
            for ([epsilon, _], bound) in pairs.into_iter().zip(bounds) {
                findings.push(Finding { trust_model: *model, epsilon, bound });
            }
        }
        Ok(findings)
    }

    /// Each ε that is guaranteed in a trust model, and its δ: the guarantee at each δ and, at each
    /// δ that is not tiny, the smallest proved ε, which an audit can come near.
    fn guaranteed(
        &self,
        policy: &impl PolicyDescription,
        model: TrustModel,
    ) -> Result<Vec<[f64; 2]>, Error> {
        let behind_matrix = noise_behind_matrix(policy)?;
        let mut pairs = Vec::new();
        for delta in &self.deltas {
            let circumstances = Circumstances::new(self.honest_clients, delta.clone());
            let mut found = vec![pair(&policy.guarantee(model, &circumstances).bound, delta)?];
            if delta.value().to_f64() > LEAST_DELTA {
                found.push(match &behind_matrix {
                    // At a larger δ than its own the policy claims no smaller ε.
                    Some((_, noise)) if model.honest_aggregators() > 0 => {
                        let honest = model.honest_aggregators().into();
                        let contribution =
                            policy.query().contribution(Adjacency::Replacement, 1, 1)?;
                        let (epsilon, delta) = contribution.loss(noise, delta, honest)?;
                        Some([epsilon, delta.value().clone()])
                    }
                    _ => pair(&policy.pair(model, &circumstances), delta)?,
                });
            }
            for pair in found.into_iter().flatten() {
                let pair = pair.map(|number| number.to_f64());
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
        Ok(pairs)
    }
}

impl PolicyVisitor for &PolicyAudit {
    type Output = Result<Vec<Finding>, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        self.findings(&Arc::new(policy))
    }
}

/// ε and δ of a guarantee, converted at `delta` if the guarantee is a ρ or a Rényi divergence.
/// `None` if the bound gives no guarantee.
fn pair(bound: &PrivacyBound, delta: &Delta) -> Result<Option<[Rational; 2]>, Error> {
    let at = || delta.value().clone();
    Ok(match bound.budget() {
        None => None,
        Some(Budget::Pure { epsilon }) => Some([epsilon.value().clone(), Rational::zero()]),
        Some(Budget::Approximate { epsilon, delta }) => {
            Some([epsilon.value().clone(), delta.value().clone()])
        }
        Some(Budget::ZeroConcentrated { rho }) => Some([zcdp::epsilon(rho, delta)?, at()]),
        Some(Budget::Renyi { alpha, tau }) => Some([renyi_to_epsilon(alpha, tau, delta)?, at()]),
    })
}
