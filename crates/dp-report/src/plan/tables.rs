//! Tables of the policies that do a job: noise, errors, and guarantees by trust model.

use dp_calibration::TrustModel;
use dp_exact::{Rational, grouped};
use dp_planner::{Guarantees, PairGuarantee, Plan, PolicyChoice, Workload, slack_words};

use super::question::are_clients_asked;
use crate::figures::{epsilon, parameter, up};
use crate::guarantee::{is_weak, one_answer};
use crate::model::{Column, Table};

/// The number of policies in the table of the best ones.
pub(super) const BEST: usize = 3;

/// Table of the noise and the errors of every policy that does the job, best first; with the number
/// of clients if that is asked for.
pub(super) fn errors(plan: &Plan) -> Table {
    let are_asked = are_clients_asked(plan);
    let mut columns = vec![Column::words("policy")];
    columns.extend(are_asked.then(|| Column::numbers("clients")));
    columns.push(Column::words("noise"));
    columns.extend(["std", "± 95 %", "largest 95 %"].map(Column::numbers));
    let rows = plan.choices.iter().map(|choice| {
        let mut row = vec![choice.policy.name.to_owned()];
        row.extend(are_asked.then(|| grouped(choice.clients)));
        row.push(noise(choice));
        let errors = &choice.errors;
        row.extend([errors.std, errors.margin_95, errors.max_error_95].map(up));
        row
    });
    let has = |name: &str| {
        let mut parameters = plan.choices.iter().flat_map(|choice| &choice.parameters);
        parameters.any(|(known, _)| *known == name)
    };
    let (one, all) = estimates(plan.job.workload);
    let mut legend = format!(
        "std: the standard deviation of {one}, with the noise of all aggregators and clients; ± 95 %: its error \
         exceeds this in 5 % of cases; largest 95 %: the largest error of all {all} exceeds this in 5 % of cases"
    );
    let is_behind_matrix = |choice: &PolicyChoice| choice.policy.strategy().is_some();
    for (is_there, words) in [
        (has("scale") || has("variance"), "scale and variance: of the noise of one aggregator"),
        (
            plan.choices.iter().any(is_behind_matrix),
            "in the unit of the entries where there is a strategy matrix",
        ),
        (has("epsilon0"), "epsilon0: the privacy loss of one flipped bit"),
        (has("epsilon"), "epsilon: the privacy loss of one randomized answer"),
    ] {
        if is_there {
            legend += "; ";
            legend += words;
        }
    }
    Table {
        rows: rows.collect(),
        legend: legend + ".",
        chosen: plan.chosen().map(|_| 0),
        ..Table::new(titled(plan, "Every policy that does the job, best first"), columns)
    }
}

/// The best three policies: noise, errors, and the guarantee in the requested trust model, of one
/// release and, if there are several, of all.
pub(super) fn best(plan: &Plan) -> Table {
    let all = errors(plan);
    let model = plan.target.trust_model.abbreviation();
    let has_total = plan.job.releases > 1;
    let mut columns = all.columns;
    columns.push(Column::numbers(format!("{model}, one release")));
    columns.extend(
        has_total.then(|| Column::numbers(format!("{model}, all {}", grouped(plan.job.releases)))),
    );
    let rows = plan.choices.iter().zip(all.rows).take(BEST);
    let rows = rows.map(|(choice, mut row)| {
        row.push(short(choice.per_release.of(plan.target.trust_model)));
        row.extend(has_total.then(|| short(choice.total.of(plan.target.trust_model))));
        row
    });
    let more = match plan.choices.len().saturating_sub(BEST) {
        0 => "every guarantee, and why the other policies are".to_owned(),
        1 => "one more policy, every guarantee, and why the others are".to_owned(),
        more => format!("{more} more policies, every guarantee, and why the others are"),
    };
    let at = match plan.target.delta.value().is_zero() {
        true => "with delta 0".to_owned(),
        false => format!("* at delta {}, else with delta 0", plan.target.delta),
    };
    let (one, all) = estimates(plan.job.workload);
    Table {
        rows: rows.collect(),
        legend: format!(
            "std, ± 95 %: of {one}, with all noise; largest 95 %: of the largest error of all {all}; last columns: \
             epsilon, {at}; !: protects nobody. --all: {more} not for this job."
        ),
        ..Table::new(titled(plan, "The best policies"), columns)
    }
}

/// One estimate whose error is shown, and the noun for all of them, in words.
const fn estimates(workload: Workload) -> (&'static str, &'static str) {
    match workload {
        Workload::Buckets => ("one estimate", "estimates"),
        Workload::Percentiles => {
            ("a prefix, the first k buckets together (root mean square over all k)", "prefixes")
        }
        Workload::Ranges => {
            ("a range, some buckets in a row together (root mean square over all ranges)", "ranges")
        }
    }
}

/// The title; unless the job is about single buckets, with the estimate whose error is shown.
fn titled(plan: &Plan, title: &str) -> String {
    match plan.job.workload {
        Workload::Buckets => title.to_owned(),
        _ => format!("{title}: the error of {}", plan.job.estimate()),
    }
}

/// The parameters of a policy's noise, with their names, rounded up.
pub(super) fn noise(choice: &PolicyChoice) -> String {
    let parameters = choice.parameters.iter();
    let parameters = parameters.map(|(name, value)| format!("{name} {}", parameter(value)));
    parameters.collect::<Vec<_>>().join(", ")
}

/// Table of the guarantees of every policy in each trust model, best policy first, of one release
/// and, if there are several, of all. It computes the guarantees that the plan lacks.
pub(super) fn guarantees(plan: &Plan) -> Table {
    plan.complete();
    let has_total = plan.job.releases > 1;
    let models = TrustModel::ALL.map(TrustModel::abbreviation).to_vec();
    let mut columns = vec![Column::words("policy")];
    columns.extend(models.iter().map(Column::numbers));
    if has_total {
        columns.extend(models.iter().map(|model| Column::numbers(format!("total {model}"))));
    }
    let rows = plan.choices.iter().map(|choice| {
        let mut row = vec![choice.policy.name.to_owned()];
        row.extend(each(&choice.per_release).map(short));
        if has_total {
            row.extend(each(&choice.total).map(short));
        }
        row
    });
    Table {
        rows: rows.collect(),
        legend: legend(plan),
        chosen: plan.chosen().map(|_| 0),
        ..Table::new("What each of them guarantees to one person", columns)
    }
}

/// The guarantees in OC, OAOC and OAMC.
fn each(guarantees: &Guarantees) -> [&PairGuarantee; 3] {
    TrustModel::ALL.map(|model| guarantees.of(model))
}

/// ε of a guarantee, rounded up: with a star behind it if δ is above 0, ≤ before it if a smaller
/// bound may be provable, and ! if it protects nobody; only a dash without a guarantee.
fn short(bound: &PairGuarantee) -> String {
    let Some((value, delta)) = bound.epsilon().zip(bound.delta()) else {
        return "–".to_owned();
    };
    let star = if delta.is_zero() { "" } else { "*" };
    let most = bound.slack_reason().map_or("", |_| "≤");
    let weak = if is_weak(bound) { "!" } else { "" };
    format!("{most}{}{star}{weak}", epsilon(value))
}

/// The legend of the table of guarantees, with the reasons why some bounds may not be the least.
fn legend(plan: &Plan) -> String {
    let (job, delta) = (&plan.job, &plan.target.delta);
    let total = match job.releases {
        1 => String::new(),
        releases => format!(", and of all {} in total", grouped(releases)),
    };
    let at = match delta.value().is_zero() {
        true => ", with delta 0".to_owned(),
        false => format!("; * at delta {delta}, else with delta 0"),
    };
    let clients = match (job.honest_fraction == Rational::one(), job.honest_clients()) {
        (true, _) => "all clients are".to_owned(),
        (false, 1) => "1 client is".to_owned(),
        (false, honest) => format!("{} clients are", grouped(honest)),
    };
    let whom = match one_answer(job.adjacency) {
        Some(_) => "one answer of one person",
        None => "one person",
    };
    let mut words = format!(
        "The epsilon that is guaranteed to {whom}: of one release{total}, under {}{at}. OC: nobody else is honest; \
         OAOC: one aggregator is; OAMC: and {clients}. –: no guarantee. !: protects nobody.",
        job.adjacency.in_words()
    );
    let choices = plan.choices.iter();
    let guarantees =
        choices.flat_map(|choice| each(&choice.per_release).into_iter().chain(each(&choice.total)));
    let mut reasons: Vec<String> = Vec::new();
    for words in guarantees.filter_map(PairGuarantee::slack_reason).map(slack_words) {
        if !reasons.contains(&words) {
            reasons.push(words);
        }
    }
    if !reasons.is_empty() {
        words += &format!(" ≤: it holds, and less could be proved: {}.", reasons.join("; or "));
    }
    words
}
