//! The report of a plan. [`PlanAnswer`] computes nothing further; [`report()`] adds the curve.

mod answer;
mod curves;
mod question;
mod sections;
mod tables;

use dp_planner::{Plan, PolicyChoice};

use crate::figures::small_letter;
use crate::guarantee::verdict;
use crate::model::Report;

pub use answer::PlanAnswer;

/// The report of a plan, about one of its choices, such as [`Plan::chosen`], whose task releases no
/// batch of fewer than `min_reports` reports; `None` is the choice's own smallest batch. Its curve
/// takes at most some seconds of one core, mostly far less; a curve that would take more is left
/// out.
#[must_use]
pub fn report(plan: &Plan, choice: Option<&PolicyChoice>, min_reports: Option<u64>) -> Report {
    let answer = PlanAnswer::of(plan, choice);
    let mut question = vec![question::plainly(plan), answer.question.clone()];
    question.extend(answer.scale.clone());
    let sections = match choice {
        Some(choice) => sections::all(plan, choice, min_reports, &answer),
        None => vec![sections::policies(plan, None, &answer)],
    };
    let verdict = match choice {
        Some(choice) => for_one_person(plan, choice),
        None => "This cannot be done as it is asked.".to_owned(),
    };
    Report {
        kind: "plan",
        title: format!("Privacy plan: {}", small_letter(&question::asked(plan))),
        date: None,
        question,
        verdict,
        answer: answer.first_lines.join(" "),
        sections,
        colophon: crate::colophon(),
    }
}

/// The protection of one person by the choice in the requested trust model, in plain words.
fn for_one_person(plan: &Plan, choice: &PolicyChoice) -> String {
    let (job, model) = (&plan.job, plan.target.trust_model);
    let (one, total) = (choice.per_release.of(model), choice.total.of(model));
    verdict(job.releases, one, total, job.adjacency, job.aggregators, model)
}
