//! A plan in words and tables, from which its text and its report are made.

use dp_exact::{Rational, directed, grouped};
use dp_planner::{
    BudgetScope, PairGuarantee, Plan, PolicyChoice, TrustModel, Workload, slack_words,
};
use serde::Serialize;

use super::question::{self, are_clients_asked};
use super::tables;
use crate::figures::up;
use crate::guarantee::{self, is_weak, one_answer, pair};
use crate::model::Table;
use crate::text::{counted, with_legend, wrapped_to};

/// Sentence that a plan counts one survey, and how to count several.
const ANOTHER_SURVEY: &str = "Another survey of the same people adds to this: `calibrate compose` counts both, and a \
                              ledger of one budget limits both.";

/// A plan in words and tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlanAnswer {
    /// The recommended policy, its error and guarantee, and whether that is too weak.
    pub first_lines: Vec<String>,
    /// The best three policies with their guarantees in the requested trust model.
    pub best: Table,
    /// The job and the target.
    pub question: String,
    /// The sampling error without noise, if the number of clients is given.
    pub scale: Option<String>,
    /// Noise and errors of every policy that does the job, best first.
    pub errors: Table,
    /// The policies that do not do it, with the reason: a sentence for each reason.
    pub excluded: Vec<String>,
}

impl PlanAnswer {
    /// A plan in words, about one of its choices, such as [`Plan::chosen`].
    #[must_use]
    pub fn of(plan: &Plan, choice: Option<&PolicyChoice>) -> Self {
        let mut excluded: Vec<(String, &String)> = Vec::new();
        for one in &plan.excluded {
            match excluded.iter_mut().find(|(_, reason)| **reason == one.reason) {
                Some((policies, _)) => *policies += &format!(", {}", one.policy.name),
                None => excluded.push((one.policy.name.to_owned(), &one.reason)),
            }
        }
        let excluded = excluded.into_iter();
        Self {
            first_lines: first_lines(plan, choice),
            best: tables::best(plan),
            question: question::question(plan),
            scale: question::scale(plan),
            errors: tables::errors(plan),
            excluded: excluded.map(|(policies, why)| format!("{policies}: {why}.")).collect(),
        }
    }

    /// The answer on one screen, as text: prose in lines of `columns`, tables in lines of
    /// `columns_of_tables`. Wider tables are split.
    #[must_use]
    pub fn text(&self, columns: usize, columns_of_tables: usize) -> String {
        let best = match self.best.rows.is_empty() {
            true => self.reasons(columns),
            false => with_legend(&self.best, columns, columns_of_tables),
        };
        let question = prose(columns, [&self.question]);
        format!("{}\n{best}\n{question}", prose(columns, &self.first_lines))
    }

    /// Every policy and every guarantee of `plan`, the plan of this answer, as text. Guarantees in
    /// further trust models can take seconds.
    #[must_use]
    pub fn text_of_all(&self, plan: &Plan, columns: usize, columns_of_tables: usize) -> String {
        let question = prose(columns, [&self.question].into_iter().chain(&self.scale));
        let mut text = format!("{}\n{question}", prose(columns, &self.first_lines));
        if !self.errors.rows.is_empty() {
            for table in [&self.errors, &tables::guarantees(plan)] {
                text.push('\n');
                text += &with_legend(table, columns, columns_of_tables);
            }
        }
        text.push('\n');
        text + &self.reasons(columns)
    }

    /// The policies that do not do the job and the reasons, as text in lines of `columns`.
    fn reasons(&self, columns: usize) -> String {
        let reasons = self.excluded.iter();
        let reasons = reasons.map(|reason| wrapped_to(columns, "  ", "    ", reason));
        format!("Not for this job:\n{}", reasons.collect::<String>())
    }
}

/// Paragraphs in lines of `columns`.
fn prose<'a>(columns: usize, paragraphs: impl IntoIterator<Item = &'a String>) -> String {
    paragraphs.into_iter().map(|words| wrapped_to(columns, "", "", words)).collect()
}

/// ` with N clients` if the number of clients is the unknown of the plan, else an empty text.
fn with_clients(plan: &Plan, choice: &PolicyChoice) -> String {
    match are_clients_asked(plan) {
        true => format!(" with {}", counted(choice.clients, "client")),
        false => String::new(),
    }
}

/// The guarantees of a choice in a trust model, of one release and, if there are several, of all
/// releases together, each behind its name.
pub(super) fn scopes<'a>(
    plan: &Plan,
    choice: &'a PolicyChoice,
    model: TrustModel,
) -> Vec<(String, &'a PairGuarantee)> {
    guarantee::scopes(plan.job.releases, choice.per_release.of(model), choice.total.of(model))
}

/// Sentences on the choice: its error, its guarantees in the requested trust model, and what
/// another question would gain, or the best policy if the choice is another one. Without a choice
/// one sentence that says so.
fn first_lines(plan: &Plan, choice: Option<&PolicyChoice>) -> Vec<String> {
    let Some(choice) = choice else {
        return vec!["No policy does this job. The reasons are below.".to_owned()];
    };
    let weak = |bound: &PairGuarantee| match is_weak(bound) {
        true => ": that protects nobody",
        false => "",
    };
    let model = plan.target.trust_model;
    let who = model.must_be_honest();
    let are = if who.contains(" and ") { "are" } else { "is" };
    let one = match plan.job.releases {
        1 => "The release",
        _ => "One release",
    };
    let per_release = choice.per_release.of(model);
    let but = one_answer(plan.job.adjacency);
    let whom = if but.is_some() { "answer of a person" } else { "person" };
    // Margins of prefixes and of ranges take their errors for normal.
    let about = if plan.job.workload == Workload::Buckets { "" } else { "about " };
    let mut lines = vec![
        format!(
            "Take {}{} ({}): {} is off by at most {about}{} in 95 % of cases, its standard deviation is {}.",
            choice.policy.name,
            with_clients(plan, choice),
            tables::noise(choice),
            plan.job.estimate(),
            up(choice.errors.margin_95),
            up(choice.errors.std)
        ),
        format!(
            "{one} guarantees {} to each {whom}, if {who} {are} honest ({}){}.",
            pair(per_release),
            model.abbreviation(),
            weak(per_release)
        ),
    ];
    // A total of bits is a number of clients.
    let are_counts = plan.job.query.max_entry() == 1 && plan.job.grid.is_none();
    if are_counts && choice.errors.margin_95 > directed::count(choice.clients) {
        lines[0] += " This error is larger than the number of clients: the estimates say nothing.";
    }
    lines.extend(but.map(str::to_owned));
    if plan.job.releases > 1 {
        let releases = grouped(plan.job.releases);
        let total = choice.total.of(model);
        let mut all =
            format!("All {releases} releases together guarantee {}{}.", pair(total), weak(total));
        if let (Some(budget), BudgetScope::Release) = (&plan.target.budget, plan.target.scope) {
            all += &format!(" To keep {budget} over all {releases}: --total.");
        }
        lines.push(all);
        lines.extend(smaller_total(plan, choice));
    }
    let slack = choice.slack_reason(&plan.target).map(slack_words);
    lines.extend(slack.map(|words| format!("It holds, and less could be proved: {words}.")));
    lines.push(ANOTHER_SURVEY.to_owned());
    lines.extend(large_delta(plan, choice));
    if plan.target.if_all_collude.is_some() {
        let left = scopes(plan, choice, TrustModel::OneClient).into_iter();
        let left = left.map(|(of, bound)| format!("{} of {of}{}", pair(bound), weak(bound)));
        let left = left.collect::<Vec<_>>().join(", and ");
        lines.push(format!("If all aggregators collude, this is left: {left}."));
    }
    // What another question would gain, or the best policy where another was asked for.
    lines.extend(match plan.chosen() {
        Some(best) if best.policy != choice.policy => Some(format!(
            "The best policy for this job is {}, whose standard deviation is {}.",
            best.policy.name,
            up(best.errors.std)
        )),
        _ => plan.advice(),
    });
    lines
}

/// Of the best policies the one with the smallest ε over all releases in the requested trust model,
/// in a sentence, if that ε is below the one of `choice` and the plan has no budget, which would
/// fix it. Policies with a δ above the plan's are left out. `None` if there is no such policy.
fn smaller_total(plan: &Plan, choice: &PolicyChoice) -> Option<String> {
    let (model, most) = (plan.target.trust_model, plan.target.delta.value());
    let best = plan.choices.iter().take(tables::BEST);
    let kept = best.map(|one| (one.policy.name, one.total.of(model)));
    let kept = kept.filter(|(_, total)| total.delta().is_some_and(|delta| delta <= most));
    let (name, total) = kept.min_by_key(|(_, total)| total.epsilon().cloned())?;
    let is_smaller = total.epsilon() < choice.total.of(model).epsilon();
    (is_smaller && plan.target.budget.is_none()).then(|| {
        let total = pair(total);
        format!("With the same accuracy the smallest total is that of {name}: {total} (--policy {name}).")
    })
}

/// A warning if the δ at which the plan states guarantees, of its budget or for a ρ, is at least a
/// tenth of one over the reports of a release; else `None`.
fn large_delta(plan: &Plan, choice: &PolicyChoice) -> Option<String> {
    let delta = &plan.target.delta;
    let tenfold = Rational::from(choice.clients.saturating_mul(10));
    (delta.value() * &tenfold >= 1).then(|| {
        let reports = counted(choice.clients, "report");
        format!(
            "Delta {delta} is not far below one over the {reports} of a release: publishing every \
             report in full with this probability has this delta, too."
        )
    })
}
