//! What the policies that do a job promise, in each trust model.

use std::fmt::Write as _;

use dp_calibration::TrustModel;
use dp_exact::{Rational, grouped};
use dp_planner::{Choice, Plan, Promise, Promises};

use super::wording::is_weak;
use crate::figures::epsilon;
use crate::model::{Column, Table};

/// A row for each policy, best first.
pub(super) fn table(plan: &Plan) -> Table {
    let several: Vec<usize> = (2..=plan.job.honest_aggregators).collect();
    let has_total = plan.job.releases > 1;
    let models = || {
        let three = TrustModel::ALL.map(TrustModel::abbreviation).into_iter();
        three.chain(several.iter().map(|honest| format!("{honest}AOC")))
    };
    let mut columns = vec![Column::words("policy")];
    columns.extend(models().map(Column::numbers));
    if has_total {
        columns.extend(models().map(|model| Column::numbers(format!("total {model}"))));
    }
    let choices = plan.choices.iter();
    Table {
        rows: choices.map(|choice| row(choice, has_total)).collect(),
        legend: legend(plan),
        chosen: plan.chosen().map(|_| 0),
        ..Table::new("What each of them promises to one person", columns)
    }
}

fn row(choice: &Choice, has_total: bool) -> Vec<String> {
    let mut row = vec![choice.policy.name.to_owned()];
    let cells = |promises: &Promises| {
        let three = [&promises.oc, &promises.oaoc, &promises.oamc].map(short);
        let several = promises.with_honest_aggregators.values().map(short);
        three.into_iter().chain(several).collect::<Vec<_>>()
    };
    row.extend(cells(&choice.per_release));
    if has_total {
        row.extend(cells(&choice.total));
    }
    row
}

/// ε, with a star where δ is above 0, ≤ where less could be proved, and ! where it protects nobody.
pub(super) fn short(promise: &Promise) -> String {
    match promise {
        Promise::Absent { .. } => "–".to_owned(),
        Promise::Kept {
            epsilon: value,
            delta,
            ..
        } => {
            let star = if delta.is_zero() { "" } else { "*" };
            let most = promise.loose().map_or("", |_| "≤");
            let weak = if is_weak(promise) { "!" } else { "" };
            format!("{most}{}{star}{weak}", epsilon(value))
        }
    }
}

fn legend(plan: &Plan) -> String {
    let mut words = String::from("The epsilon that is promised to one person: of one release");
    if plan.job.releases > 1 {
        let _ = write!(
            words,
            ", and of all {} in total",
            grouped(plan.job.releases)
        );
    }
    let delta = &plan.wanted.delta;
    let _ = write!(words, ", under {}", plan.job.adjacency);
    if delta.value().is_zero() {
        words.push_str(", with delta 0");
    } else {
        let _ = write!(words, "; * at delta {delta}, else with delta 0");
    }
    words.push_str(". OC: nobody else is honest; OAOC: one aggregator is; OAMC: and ");
    let honest = plan.job.honest_clients();
    if plan.job.honest_fraction == Rational::one() {
        words.push_str("all clients are");
    } else {
        let _ = write!(words, "{} clients are", grouped(honest));
    }
    if plan.job.honest_aggregators > 1 {
        words.push_str("; 2AOC: two aggregators are");
    }
    words.push_str(". –: no promise. !: protects nobody.");
    words.push_str(&legend_of_loose(plan));
    words
}

/// What the figures of the short table are.
pub(super) fn short_legend(plan: &Plan) -> String {
    let delta = &plan.wanted.delta;
    let at = match delta.value().is_zero() {
        true => "with delta 0".to_owned(),
        false => format!("* at delta {delta}, else with delta 0"),
    };
    format!(
        "std, ± 95 %: of one estimate, with all noise; largest 95 %: of the largest error of all estimates; last \
         columns: epsilon, {at}; !: protects nobody."
    )
}

/// What ≤ means, with the reasons.
fn legend_of_loose(plan: &Plan) -> String {
    let both = plan
        .choices
        .iter()
        .flat_map(|choice| [&choice.per_release, &choice.total]);
    let promises = both.flat_map(|of| {
        let three = [&of.oc, &of.oaoc, &of.oamc].into_iter();
        three.chain(of.with_honest_aggregators.values())
    });
    let mut reasons: Vec<&str> = Vec::new();
    for loose in promises.filter_map(Promise::loose) {
        if !reasons.contains(&loose.reason()) {
            reasons.push(loose.reason());
        }
    }
    if reasons.is_empty() {
        return String::new();
    }
    format!(
        " ≤: it holds, and less could be proved: {}.",
        reasons.join("; or ")
    )
}
