//! A guarantee in words.

use dp_prio3::{Guarantee, Promise, WEAK};
use serde::Serialize;

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
