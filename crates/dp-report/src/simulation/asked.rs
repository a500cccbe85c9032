//! What is known before a run, in words: the question, the policy, the guarantees.

use dp_exact::grouped;
use dp_simulation::report::{Functionality, Plan};
use serde::Serialize;

use crate::Promised;
use crate::model::Fact;

/// What is said of a run without Prio3.
pub(super) const IDEAL: &str = "This is no run of Prio3 but of its ideal functionality: the totals and the number of \
                                reports are drawn from the exact law that they have where every client is honest and \
                                every report that is sent is accepted, and the aggregators' noise is added. No report \
                                was made, sharded or verified.";

/// The question, the policy that answers it, and what that policy guarantees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Asked {
    /// What was asked of which data, of which clients; a paragraph each.
    pub question: Vec<String>,
    /// The policy's short name.
    pub policy: String,
    /// The policy and its mechanism, in words.
    pub description: String,
    /// Every parameter of the policy, as the exact string.
    pub parameters: Vec<Fact>,
    /// Which batches are neighbours.
    pub adjacency: String,
    /// What is guaranteed in each trust model, from the strongest adversary to the weakest.
    pub promises: Vec<Promised>,
}

impl Asked {
    /// What is known before the run of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let parties = format!("{}, {} aggregators.", plan.vdaf, plan.aggregators);
        let mut question = vec![plan.question.clone()];
        question.extend(plan.reading.remarks());
        question.push(format!("{} {parties}", plan.clients));
        if plan.functionality == Functionality::Ideal {
            question.push(IDEAL.to_owned());
        }
        let parameters = plan.parameters.iter();
        let adjacency = plan.guarantees.first().map(|guarantee| guarantee.adjacency);
        Self {
            question,
            policy: plan.policy.clone(),
            description: format!("{}.", plan.description),
            parameters: parameters
                .map(|(name, value)| Fact::new(*name, grouped(value)))
                .collect(),
            adjacency: adjacency.unwrap_or_default().to_string(),
            promises: plan.guarantees.iter().map(Promised::of).collect(),
        }
    }
}
