//! The first lines of a plan: which policy, its error, what it guarantees, and whether that is too weak.

use dp_exact::grouped;
use dp_planner::{Choice, Plan, Promise};

use super::choices::noise;
use super::question::are_clients_asked;
use super::wording::{is_weak, pair, promised, scopes};
use crate::figures::figure;

/// A sentence or two each, about one of the choices.
pub(super) fn lines(plan: &Plan, choice: Option<&Choice>) -> Vec<String> {
    let Some(choice) = choice else {
        return vec!["No policy does this job. The reasons are below.".to_owned()];
    };
    let mut lines = vec![policy(plan, choice), guarantee(plan, choice)];
    lines.extend(total(plan, choice));
    lines.extend(if_all_collude(plan, choice));
    lines.extend(beside(plan, choice));
    lines
}

/// What the next best policy costs, or the best one where another was asked for.
fn beside(plan: &Plan, choice: &Choice) -> Option<String> {
    let best = plan.chosen()?;
    if best.policy == choice.policy {
        return plan.comparison();
    }
    Some(format!(
        "The best policy for this job is {}, whose standard deviation is {}.",
        best.policy.name,
        figure(best.errors.std)
    ))
}

/// Which policy, and its error.
fn policy(plan: &Plan, best: &Choice) -> String {
    let clients = match are_clients_asked(plan) {
        true => format!(" with {} clients", grouped(best.clients)),
        false => String::new(),
    };
    format!(
        "Take {}{clients} ({}): an estimate is off by at most {} in 95 % of cases, its standard deviation is {}.",
        best.policy.name,
        noise(best),
        figure(best.errors.margin_95),
        figure(best.errors.std)
    )
}

/// What one release guarantees, and to whom it has to be honest.
fn guarantee(plan: &Plan, best: &Choice) -> String {
    let model = plan.wanted.against.trust_model();
    let one = match plan.job.releases {
        1 => "The release",
        _ => "One release",
    };
    let stated = pair(promised(plan, &best.per_release));
    let weak = weak(promised(plan, &best.per_release));
    let who = model.must_be_honest();
    let are = if who.contains(" and ") { "are" } else { "is" };
    format!(
        "{one} guarantees {stated} to each person, if {who} {are} honest ({}){weak}.",
        model.abbreviation()
    )
}

/// What all releases guarantee, and what it costs to keep the budget over all of them.
fn total(plan: &Plan, best: &Choice) -> Option<String> {
    if plan.job.releases == 1 {
        return None;
    }
    let releases = grouped(plan.job.releases);
    let total = promised(plan, &best.total);
    let (stated, weak) = (pair(total), weak(total));
    let all = format!("All {releases} releases together guarantee {stated}{weak}.");
    let Some(instead) = &plan.over_all else {
        return Some(all);
    };
    let kept = match &plan.wanted.budget {
        Some(budget) => format!("To keep {budget}"),
        None => "To keep the budget".to_owned(),
    };
    Some(format!(
        "{all} {kept} over all {releases}: --total, with {}, off by at most {} in 95 % of cases.",
        instead.policy.name,
        figure(instead.errors.margin_95)
    ))
}

/// What is left if all aggregators collude, where that was asked.
fn if_all_collude(plan: &Plan, best: &Choice) -> Option<String> {
    plan.wanted.if_all_collude.as_ref()?;
    let scopes = scopes(plan, best).into_iter();
    let left = scopes
        .map(|(_, of, promises)| format!("{} of {of}{}", pair(&promises.oc), weak(&promises.oc)));
    let left = left.collect::<Vec<_>>().join(", and ");
    Some(format!("If all aggregators collude, this is left: {left}."))
}

/// That a guarantee protects nobody, if that is so.
fn weak(promise: &Promise) -> &'static str {
    match is_weak(promise) {
        true => ": that protects nobody",
        false => "",
    }
}
