//! The report of a run as text.

use std::fmt::Write as _;

use dp_exact::grouped;
use dp_simulation::report::{SimulationPlan, SimulationReport};

use super::{cumulative, estimates, facts, guarantee, parameters, post_processing, question};
use crate::figures::sentence;
use crate::guarantee::GuaranteeText;
use crate::model::Table;
use crate::text::{split_table, wrapped_to};

/// The plan as text, in lines of `columns` columns: the question, the policy and its guarantees.
#[must_use]
pub fn description(plan: &SimulationPlan, columns: usize) -> String {
    let mut text = String::from("Question\n");
    text.extend(question(plan).iter().map(|paragraph| indented(columns, paragraph)));
    let policy = plan.task.policy();
    let _ = writeln!(text, "\nPolicy: {}", plan.task.policy_name().name);
    text += &indented(columns, &format!("{}.", policy.name()));
    let width = parameters(plan).map(|fact| fact.name.len()).max().unwrap_or(0);
    for fact in parameters(plan) {
        let _ = writeln!(text, "  {:<width$}  {}", fact.name, fact.value);
    }
    let adjacency = guarantee::adjacency(plan).in_words();
    let reports = match plan.circumstances.reports_per_client {
        1 => "one measurement".to_owned(),
        most => format!("up to {} reports of a person in one release,", grouped(most)),
    };
    let _ = writeln!(text, "\nGuarantee, for {reports} under {adjacency}");
    for (place, one) in plan.guarantees.iter().enumerate() {
        let GuaranteeText { guarantee, conditions, further } = GuaranteeText::of(one);
        let (model, honest) = (one.trust_model.abbreviation(), one.trust_model.must_be_honest());
        text += &indented(columns, &format!("{model} (honest: {honest}): {guarantee}"));
        text.extend(conditions.iter().map(|it| wrapped_to(columns, "    - ", "      ", it)));
        let pairs =
            guarantee::as_pair(plan, place).into_iter().chain(guarantee::total(plan, place));
        let further = further.into_iter().chain(pairs.map(|pair| sentence(&pair)));
        text.extend(further.map(|it| wrapped_to(columns, "    ", "    ", &it)));
    }
    text
}

/// The outcome as text, in lines of `columns` columns: the first trial, and the statistics over
/// all.
#[must_use]
pub fn outcome(run: SimulationReport<'_>, columns: usize) -> String {
    let summary = &run.outcome.summary;
    let mut text = String::new();
    // What was asked, before the single buckets that it is made of.
    for table in cumulative::tables(run) {
        let _ = write!(text, "\n{}\n{}", table.caption, indented_table(columns, &table));
    }
    if let Some(first) = run.outcome.trials.first() {
        let of_trials = match summary.trials {
            1 => String::new(),
            trials => format!(" (the first of {} trials)", grouped(trials)),
        };
        let table = estimates::table(&run.plan.labels, &first.coordinates);
        let _ = write!(text, "\nEstimates{of_trials}\n{}", indented_table(columns, &table));
    }
    text.extend(post_processing(run.plan).map(|made| indented(columns, &made)));
    text += "\nSummary\n";
    for fact in facts(summary, run.plan) {
        let _ = writeln!(text, "  {:<22} {}", fact.name, fact.value);
    }
    text
}

/// The table with its legend in lines of at most `columns` columns, indented; a wider table is
/// split.
fn indented_table(columns: usize, table: &Table) -> String {
    let lines = split_table(table, columns.saturating_sub(2));
    let lines = lines.lines().map(|line| format!("  {line}\n"));
    let legend = (!table.legend.is_empty()).then(|| indented(columns, &table.legend));
    lines.chain(legend).collect()
}

/// The words in lines of at most `columns` columns, all indented, the first one less.
fn indented(columns: usize, text: &str) -> String {
    wrapped_to(columns, "  ", "    ", text)
}
