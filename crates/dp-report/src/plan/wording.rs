//! Promises of a plan in few words.

use dp_exact::grouped;
use dp_planner::{Choice, Plan, Promise, Promises, Scope};

use crate::figures;
use crate::model::{Block, Section};
use crate::verdict;

/// That of the trust model that is asked for.
pub(super) const fn promised<'a>(plan: &Plan, promises: &'a Promises) -> &'a Promise {
    promises.of(plan.wanted.against.trust_model())
}

/// ε, and δ where it is above 0.
pub(super) fn pair(promise: &Promise) -> String {
    let Promise::Kept { epsilon, delta, .. } = promise else {
        return "nothing".to_owned();
    };
    let mut words = format!("epsilon {}", figures::epsilon(epsilon));
    if !delta.is_zero() {
        words += &format!(" at delta {}", figures::delta(delta));
    }
    words
}

/// A promise in a few words.
pub(super) fn words(promise: &Promise) -> String {
    let mut words = pair(promise);
    if is_weak(promise) {
        words += ", which protects nobody";
    }
    words
}

/// Whether a promise protects nobody.
pub(super) fn is_weak(promise: &Promise) -> bool {
    let Promise::Kept { epsilon, delta, .. } = promise else {
        return false;
    };
    verdict::is_weak(epsilon, delta)
}

/// The promises by what they are about: one release, and all where there are several.
pub(super) fn scopes<'a>(plan: &Plan, choice: &'a Choice) -> Vec<(Scope, String, &'a Promises)> {
    let one = match plan.job.releases {
        1 => "the release".to_owned(),
        _ => "one release".to_owned(),
    };
    let mut scopes = vec![(Scope::Release, one, &choice.per_release)];
    if plan.job.releases > 1 {
        let all = format!("all {} releases", grouped(plan.job.releases));
        scopes.push((Scope::Total, all, &choice.total));
    }
    scopes
}

/// A section of these pieces.
pub(super) fn section(id: &'static str, title: &str, blocks: Vec<Block>) -> Section {
    let title = title.to_owned();
    Section { id, title, blocks }
}
