//! Noise and errors of the policies that do a job.

use dp_exact::grouped;
use dp_planner::{Choice, Plan};

use super::promises::short;
use super::question::are_clients_asked;
use super::wording::promised;
use crate::figures::{figure, parameter};
use crate::model::{Column, Table};

/// A row for each policy, best first.
pub(super) fn table(plan: &Plan) -> Table {
    let are_asked = are_clients_asked(plan);
    let mut columns = vec![Column::words("policy")];
    if are_asked {
        columns.push(Column::numbers("clients"));
    }
    columns.push(Column::words("noise"));
    columns.extend(["std", "± 95 %", "largest 95 %"].map(Column::numbers));
    columns.push(Column::words("needs"));
    let rows = plan.choices.iter().map(|choice| {
        let mut row = vec![choice.policy.name.to_owned()];
        if are_asked {
            row.push(grouped(choice.clients));
        }
        row.push(noise(choice));
        let errors = &choice.errors;
        row.extend([errors.std, errors.margin_95, errors.max_error_95].map(figure));
        row.push(choice.needs(&plan.wanted).to_owned());
        row
    });
    Table {
        rows: rows.collect(),
        legend: legend(plan),
        chosen: plan.chosen().map(|_| 0),
        ..Table::new("Every policy that does the job, best first", columns)
    }
}

/// How many policies are in the short table.
const BEST: usize = 3;

/// The best three policies: noise, errors, and the guarantee that was asked for.
pub(super) fn best(plan: &Plan) -> Table {
    let all = table(plan);
    let model = plan.wanted.against.trust_model().abbreviation();
    let mut columns = all.columns;
    columns.pop();
    columns.push(Column::numbers(format!("{model}, one release")));
    if plan.job.releases > 1 {
        columns.push(Column::numbers(format!(
            "{model}, all {}",
            grouped(plan.job.releases)
        )));
    }
    let rows = plan.choices.iter().zip(all.rows).take(BEST);
    let rows = rows.map(|(choice, mut row)| {
        row.pop();
        row.push(short(promised(plan, &choice.per_release)));
        if plan.job.releases > 1 {
            row.push(short(promised(plan, &choice.total)));
        }
        row
    });
    let more = plan.choices.len().saturating_sub(BEST);
    let hint = match more {
        0 => "--all: every guarantee, and why the other policies are not for this job.".to_owned(),
        1 => "--all: one more policy, every guarantee, and why the others are not for this job."
            .to_owned(),
        more => format!(
            "--all: {more} more policies, every guarantee, and why the others are not for this job."
        ),
    };
    let stars = super::promises::short_legend(plan);
    Table {
        rows: rows.collect(),
        legend: format!("{stars} {hint}"),
        ..Table::new("The best policies", columns)
    }
}

/// The noise by name.
pub(super) fn noise(choice: &Choice) -> String {
    let parameters = choice.parameters.iter();
    let parameters = parameters.map(|(name, value)| format!("{name} {}", parameter(value)));
    parameters.collect::<Vec<_>>().join(", ")
}

fn legend(plan: &Plan) -> String {
    let has = |name: &str| {
        let mut parameters = plan.choices.iter().flat_map(|choice| &choice.parameters);
        parameters.any(|(known, _)| *known == name)
    };
    let mut words = String::from(
        "std: the standard deviation of one estimate, with the noise of all aggregators and clients; \
         ± 95 %: what its error exceeds in 5 % of cases; largest 95 %: what the largest error of all \
         estimates does",
    );
    if has("scale") || has("variance") {
        words.push_str("; scale and variance: those of the noise of one aggregator");
    }
    if has("epsilon0") {
        words.push_str("; epsilon0: the privacy loss of one flipped bit");
    }
    if has("epsilon") {
        words.push_str("; epsilon: that of one randomized answer");
    }
    words.push('.');
    words
}
