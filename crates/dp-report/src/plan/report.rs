//! The report of a plan: its answer, and what is computed for pictures.

use dp_exact::grouped;
use dp_planner::{Choice, Plan, Promise};

use super::wording::{promised, words};
use super::{Answer, accuracy, details, estimates, guarantee, policies, risk, trust};
use crate::figures;
use crate::model::{Origin, Report};
use crate::verdict::Promised as Protected;

/// The report of a plan, about the best policy.
///
/// Curves are found anew, with bounded work: some seconds of one core at most, mostly far less. What costs more is
/// left out, and the report says so.
#[must_use]
pub fn report(plan: &Plan) -> Report {
    report_on(plan, plan.chosen())
}

/// The report of a plan, about this one of its choices.
#[must_use]
pub fn report_on(plan: &Plan, choice: Option<&Choice>) -> Report {
    let answer = Answer::of(plan);
    let mut question = vec![super::question::plainly(plan), answer.question.clone()];
    question.extend(answer.scale.clone());
    let mut sections = Vec::new();
    if let Some(choice) = choice {
        let task = details::task(plan, choice);
        sections.extend([
            estimates::section(plan, choice),
            trust::section(plan, choice),
            guarantee::section(plan, choice, task.as_ref()),
            risk::section(plan, choice),
        ]);
        sections.extend(accuracy::section(plan, choice));
        sections.push(policies::section(plan, &answer, Some(choice)));
        sections.push(details::section(plan, choice, task.as_ref()));
    } else {
        sections.push(policies::section(plan, &answer, None));
    }
    Report {
        kind: "plan",
        title: format!(
            "Privacy plan: {}",
            figures::small_letter(&super::question::asked(plan))
        ),
        origin: Origin::default(),
        question,
        verdict: choice.map_or_else(unanswered, |choice| verdict(plan, choice)),
        answer: choice.map_or_else(nothing, |choice| sentence(plan, choice)),
        sections,
        colophon: crate::colophon(),
    }
}

fn nothing() -> String {
    "No policy does this job. The reasons follow.".to_owned()
}

fn unanswered() -> String {
    "This cannot be done as it is asked.".to_owned()
}

/// What the policy means for one person.
fn verdict(plan: &Plan, choice: &Choice) -> String {
    let of = |of: String, promises| Protected {
        of,
        pair: match promised(plan, promises) {
            Promise::Kept { epsilon, delta, .. } => Some((epsilon, delta)),
            Promise::Absent { .. } => None,
        },
        adjacency: plan.job.adjacency,
    };
    let (one, all) = match plan.job.releases {
        1 => (of("the result".to_owned(), &choice.per_release), None),
        releases => {
            let all = format!("all {} results together", grouped(releases));
            let one = of("one result".to_owned(), &choice.per_release);
            (one, Some(of(all, &choice.total)))
        }
    };
    let model = plan.wanted.against.trust_model();
    crate::verdict::verdict(&one, all.as_ref(), plan.job.aggregators, model)
}

/// The answer in one sentence.
fn sentence(plan: &Plan, choice: &Choice) -> String {
    let asked = promised(plan, &choice.per_release);
    let model = plan.wanted.against.trust_model().must_be_honest();
    let promise = words(asked);
    let released = match plan.job.releases {
        1 => "the release promises".to_owned(),
        releases => {
            let total = words(promised(plan, &choice.total));
            let releases = grouped(releases);
            format!("all {releases} releases together promise {total}, and each of them")
        }
    };
    let clients = match super::question::are_clients_asked(plan) {
        true => format!(" with {} clients", grouped(choice.clients)),
        false => String::new(),
    };
    format!(
        "Take {}{clients}: an estimate is off by at most {} in 95 % of cases, and {released} {promise} to each person, \
         if these are honest: {model}.",
        choice.policy.name,
        figures::figure(choice.errors.margin_95),
    )
}
