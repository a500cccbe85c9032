//! A policy that does a job: its noise, its errors, its guarantees, and its task.

use dp_calibration::{Adjacency, Query};
use dp_exact::Rational;
use dp_libprio::Strategy;
use dp_prio3::Policy;
use dp_task::{PolicyName, Task, TaskDocument, Trust};

use crate::estimate_errors::EstimateErrors;
use crate::guarantee::{Guarantees, PairGuarantee, SlackReason};
use crate::target::{BudgetScope, Target, default_delta};
use crate::{Error, Job};

/// A policy that does the job and reaches the target.
#[derive(Clone, Debug)]
pub struct PolicyChoice {
    /// The policy.
    pub policy: PolicyName,
    /// The parameters of its noise by name.
    pub parameters: Vec<(&'static str, Rational)>,
    /// Number of reports that it needs in one release.
    pub clients: u64,
    /// Errors of its estimates with the noise of clients and of all aggregators.
    pub errors: EstimateErrors,
    /// Guarantees of one release.
    pub per_release: Guarantees,
    /// Guarantees of all releases together.
    pub total: Guarantees,
    /// The built policy.
    pub(crate) draft: Policy,
    pub(crate) job: Job,
}

impl PolicyChoice {
    /// The reason why a smaller ε could be proved for the guarantee of the target, if one is known.
    #[must_use]
    pub fn slack_reason(&self, target: &Target) -> Option<SlackReason> {
        self.asked(target).slack_reason()
    }

    /// The guarantee in the scope and the trust model of the target.
    pub(crate) fn asked(&self, target: &Target) -> &PairGuarantee {
        self.in_scope(target.scope).of(target.trust_model)
    }

    /// The query whose totals carry the noise: of the strategy matrix if there is one.
    #[must_use]
    pub fn query(&self) -> &Query {
        self.draft.query()
    }

    /// The aggregator noise for servers that are built on libprio; `None` if aggregators add none.
    #[must_use]
    pub fn strategy(&self) -> Option<Strategy> {
        Strategy::of(&self.draft)
    }

    /// The document of the task in the trust model of the target, with all that its guarantee rests
    /// on: δ, the releases and the reports of a person, the neighbours, the honest clients. The
    /// smallest batch has all planned reports where the guarantee
    /// [counts on other clients](Self::counts_on_clients), else half of them, rounded up.
    #[must_use]
    pub fn document(&self, target: &Target) -> TaskDocument {
        let (job, mut parts) = (&self.job, self.draft.parts().clone());
        let mut trust = Trust {
            delta: Some(target.delta.clone()),
            releases: Some(job.releases),
            reports_per_client: (job.reports_per_client > 1).then_some(job.reports_per_client),
            adjacency: Some(job.adjacency).filter(|adjacency| *adjacency != Adjacency::default()),
            ..Trust::on(target.trust_model)
        };
        parts.batch.min_reports = job.clients.div_ceil(2);
        // A trust model with other clients needs their number, also where they add no noise.
        trust.honest_clients = target.trust_model.needs_other_clients().then_some(1);
        if self.counts_on_clients(target) {
            parts.batch.min_reports = job.clients;
            trust.honest_clients = Some(job.honest_clients());
            if target.delta.value().is_zero() {
                trust.delta = Some(default_delta());
            }
        }
        TaskDocument::new(format!("{}, planned", job.query), parts, trust)
    }

    /// Whether the guarantee in the target's trust model rests on the noise of all planned clients.
    #[must_use]
    pub const fn counts_on_clients(&self, target: &Target) -> bool {
        target.trust_model.needs_other_clients() && self.policy.client_noise.is_some()
    }

    /// The task of [`document`](Self::document), checked.
    ///
    /// # Errors
    /// If the task [protects nobody](dp_prio3::protects_nobody), which only its document can
    /// accept.
    pub fn task(&self, target: &Target) -> Result<Task, Error> {
        Ok(Task::new(self.document(target))?)
    }

    /// The guarantees of one release or of all releases together.
    #[must_use]
    pub const fn in_scope(&self, scope: BudgetScope) -> &Guarantees {
        match scope {
            BudgetScope::Release => &self.per_release,
            BudgetScope::Total => &self.total,
        }
    }
}
