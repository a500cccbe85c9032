//! Promises of a plan in few words.

use dp_planner::{Choice, Plan, Promise, Promises, Scope};

use crate::figures;
use crate::model::{Block, Section};

/// That of the trust model that is asked for.
pub(super) const fn promised<'a>(plan: &Plan, promises: &'a Promises) -> &'a Promise {
    promises.of(plan.wanted.against.trust_model())
}

/// A promise in a few words.
pub(super) fn words(promise: &Promise) -> String {
    match promise {
        Promise::Absent { .. } => "nothing".to_owned(),
        Promise::Kept { epsilon, delta, .. } => {
            let epsilon = figures::epsilon(epsilon);
            match delta.is_zero() {
                true => format!("epsilon {epsilon}"),
                false => format!("epsilon {epsilon} at delta {}", figures::delta(delta)),
            }
        }
    }
}

/// The promises by what they are about: one release, and all where there are several.
pub(super) fn scopes<'a>(plan: &Plan, choice: &'a Choice) -> Vec<(Scope, String, &'a Promises)> {
    let one = match plan.job.releases {
        1 => "the release".to_owned(),
        _ => "one release".to_owned(),
    };
    let mut scopes = vec![(Scope::Release, one, &choice.per_release)];
    if plan.job.releases > 1 {
        let all = format!("all {} releases", plan.job.releases);
        scopes.push((Scope::Total, all, &choice.total));
    }
    scopes
}

/// A section of these pieces.
pub(super) fn section(id: &'static str, title: &str, blocks: Vec<Block>) -> Section {
    let title = title.to_owned();
    Section { id, title, blocks }
}
