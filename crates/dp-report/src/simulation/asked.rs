//! What is known before a run, in words: the question, the policy, the guarantees.

use dp_prio3::{Guarantee, Promise, WEAK};
use dp_simulation::report::Plan;
use serde::Serialize;

use crate::model::Fact;

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

/// What is guaranteed in a trust model, and on what conditions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Promised {
    /// The trust model, by its abbreviation.
    pub model: String,
    /// Who must be honest.
    pub honest: String,
    /// What is promised or why nothing is, whether it protects anybody, and against whom it holds.
    pub promise: String,
    /// On what conditions, a sentence each without its full stop.
    pub conditions: Vec<String>,
    /// What remains if they do not hold, and what else does.
    pub otherwise: Vec<String>,
    /// What to know beside it.
    pub notes: Vec<String>,
}

impl Asked {
    /// What is known before the run of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let parties = format!("{}, {} aggregators.", plan.vdaf, plan.aggregators);
        let mut question = vec![plan.question.clone()];
        question.extend(plan.reading.remarks());
        question.push(format!("{} {parties}", plan.clients));
        let parameters = plan.parameters.iter();
        let adjacency = plan.guarantees.first().map(|guarantee| guarantee.adjacency);
        Self {
            question,
            policy: plan.policy.clone(),
            description: format!("{}.", plan.description),
            parameters: parameters
                .map(|(name, value)| Fact::new(*name, value))
                .collect(),
            adjacency: adjacency.unwrap_or_default().to_string(),
            promises: plan.guarantees.iter().map(Promised::of).collect(),
        }
    }
}

impl Promised {
    /// A guarantee in words.
    #[must_use]
    pub fn of(guarantee: &Guarantee) -> Self {
        let model = guarantee.trust_model;
        let mut words = Self {
            model: model.abbreviation(),
            honest: model.must_be_honest(),
            promise: String::new(),
            conditions: Vec::new(),
            otherwise: Vec::new(),
            notes: Vec::new(),
        };
        if let Promise::Absent { reason } = &guarantee.promise {
            words.promise = format!("none. Reason: {reason}.");
            return words;
        }
        let origin = match guarantee.carried_over_from {
            Some(stronger) => format!(
                " That of {}, whose adversary is stronger, on the same conditions.",
                stronger.abbreviation(),
            ),
            None => format!(" It holds against {}, provided that", model.adversary()),
        };
        let weak = match guarantee.is_weak {
            true => format!(" {WEAK}"),
            false => String::new(),
        };
        words.promise = format!("{}.{weak}{origin}", guarantee.promise);
        if guarantee.carried_over_from.is_none() {
            words.conditions.clone_from(&guarantee.assumptions);
            let also = guarantee.also.iter();
            words.otherwise = vec![format!("Otherwise: {}.", guarantee.otherwise)];
            words
                .otherwise
                .extend(also.map(|budget| format!("Also holds: {budget}.")));
        }
        let notes = guarantee.remarks.iter();
        words.notes = notes.map(|remark| format!("Note: {remark}.")).collect();
        words
    }
}
