//! Why policies do not do a job.

use dp_planner::Plan;
use serde::Serialize;

/// A reason, and the policies that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The policies' names.
    pub policies: Vec<&'static str>,
    /// Why they do not do the job, without a full stop.
    pub reason: String,
}

impl Reason {
    /// Both in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{}: {}.", self.policies.join(", "), self.reason)
    }
}

/// Each reason once, in the order of the policies.
pub(super) fn reasons(plan: &Plan) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for excluded in &plan.excluded {
        let is_same = |known: &&mut Reason| known.reason == excluded.reason;
        match reasons.iter_mut().find(is_same) {
            Some(known) => known.policies.push(excluded.policy.name),
            None => reasons.push(Reason {
                policies: vec![excluded.policy.name],
                reason: excluded.reason.clone(),
            }),
        }
    }
    reasons
}
