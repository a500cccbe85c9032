//! An audit of a policy: every guarantee of it, against the adversary that it is about.

use std::sync::Arc;

use dp_exact::Delta;
use dp_prio3::{DpPolicy, TrustModel};
use dp_task::{FromMeasurement, PolicyVisitor, Task};

use crate::Error;
use crate::audit::{Audit, LowerBound};
use crate::claims::{Finding, claims, claims_of_noise};
use crate::neighbours::Neighbours;
use crate::policy_views::PolicyViews;

/// Below this δ no number of runs comes near what the law of the noise gives.
const LEAST_DELTA: f64 = 1e-4;

/// Which guarantees of a policy are audited.
#[derive(Clone, Debug)]
pub struct PolicyAudit {
    /// In which trust models.
    pub models: Vec<TrustModel>,
    /// How many clients are honest where a model counts on them: each of them is run.
    pub honest_clients: u64,
    /// At which δ.
    pub deltas: Vec<Delta>,
}

impl PolicyAudit {
    /// All that `policy` guarantees in these trust models, between the farthest measurements of its query.
    ///
    /// # Errors
    /// If the policy does not run, or has no two measurements.
    pub fn audit<P>(&self, policy: &Arc<P>, audit: &Audit) -> Result<Vec<Finding>, Error>
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let neighbours = Neighbours::farthest(&policy.query())?;
        let mut findings = Vec::new();
        let mut measured: Vec<Seen<P>> = Vec::new();
        for model in &self.models {
            let mut claims = claims(&**policy, *model, self.honest_clients, &self.deltas)?;
            let of_noise = claims_of_noise(&**policy, *model, &self.deltas)?;
            claims.extend(of_noise.into_iter().filter(|claim| claim.delta > LEAST_DELTA));
            if claims.is_empty() {
                continue;
            }
            let (policy, neighbours) = (Arc::clone(policy), neighbours.clone());
            let views = PolicyViews::new(policy, neighbours, *model, self.honest_clients)?;
            let deltas: Vec<f64> = claims.iter().map(|claim| claim.delta).collect();
            // Two adversaries may see the same: where clients do not randomize, their honesty hides nothing.
            let known =
                measured.iter().find(|known| known.deltas == deltas && known.views.is_like(&views));
            let bounds = match known {
                Some(known) => known.bounds.clone(),
                None => audit.lower_bounds(&views, &deltas)?,
            };
            measured.push(Seen { views, deltas, bounds: bounds.clone() });
            let pairs = claims.into_iter().zip(bounds);
            findings.extend(pairs.map(|(claim, bound)| Finding { claim, bound }));
        }
        Ok(findings)
    }

    /// The same of a task's policy.
    ///
    /// # Errors
    /// As [`Self::audit`].
    pub fn audit_task(&self, task: &Task, audit: &Audit) -> Result<Vec<Finding>, Error> {
        task.with_policy(Visit { questions: self, audit })
    }
}

/// What an adversary saw.
struct Seen<P> {
    views: PolicyViews<P>,
    deltas: Vec<f64>,
    bounds: Vec<LowerBound>,
}

struct Visit<'a> {
    questions: &'a PolicyAudit,
    audit: &'a Audit,
}

impl PolicyVisitor for Visit<'_> {
    type Output = Result<Vec<Finding>, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        self.questions.audit(&Arc::new(policy), self.audit)
    }
}
