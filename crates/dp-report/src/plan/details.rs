//! Every parameter, the task's digest, and how the figures were found.

use dp_exact::grouped;
use dp_planner::{Choice, Plan, Scope, Task};

use super::wording::section as made;
use crate::model::{Block, Fact, Group, Section};

/// The task of a choice, if it makes one.
pub(super) fn task(plan: &Plan, choice: &Choice) -> Option<Task> {
    choice.task(&plan.wanted).ok()
}

pub(super) fn section(plan: &Plan, choice: &Choice, task: Option<&Task>) -> Section {
    let job = &plan.job;
    let mut facts = vec![Fact::new("type", job.query.to_string())];
    let grid = job.grid.as_ref();
    facts.extend(grid.map(|grid| Fact::new("grid", grid.to_string())));
    facts.extend([
        Fact::new("clients", grouped(choice.clients)),
        Fact::new("aggregators", job.aggregators.to_string()),
        Fact::new("releases", grouped(job.releases)),
        Fact::new("reports of a person", grouped(job.reports_per_client)),
        Fact::new("adjacency", job.adjacency.to_string()),
        Fact::new("honest fraction", job.honest_fraction.to_string()),
        Fact::new("delta", plan.wanted.delta.to_string()),
    ]);
    facts.push(Fact::new(
        "budget for",
        match plan.wanted.scope {
            Scope::Release => "each release",
            Scope::Total => "all releases",
        },
    ));
    let mut of_policy = vec![Fact::new("policy", choice.policy.name)];
    match task {
        Some(task) => {
            let own = task.parameters().iter();
            of_policy.extend(own.map(|(name, value)| Fact::new(*name, grouped(value))));
            of_policy.push(Fact::new("task digest", task.digest().to_string()));
        }
        None => {
            let own = choice.parameters.iter();
            of_policy.extend(own.map(|(name, value)| Fact::new(*name, value.to_string())));
        }
    }
    of_policy.push(Fact::new("version", env!("CARGO_PKG_VERSION")));
    made(
        "details",
        "Every parameter, and how the figures were found",
        vec![
            Block::Group(Group {
                title: "The job".to_owned(),
                blocks: vec![Block::Facts(facts)],
            }),
            Block::Group(Group {
                title: "The policy".to_owned(),
                blocks: vec![Block::Facts(of_policy)],
            }),
            Block::Group(Group {
                title: "Certificates".to_owned(),
                blocks: vec![Block::List(certificates(plan, choice))],
            }),
        ],
    )
}

/// How the figures of this choice were found.
fn certificates(plan: &Plan, choice: &Choice) -> Vec<String> {
    let has = |name: &str| choice.parameters.iter().any(|(known, _)| *known == name);
    let mut sentences = vec![
        "Every epsilon, delta and rho is an upper bound: parameters are exact fractions, what is not is enclosed by \
         interval arithmetic and rounded up. No floating-point number decides a promise."
            .to_owned(),
    ];
    if has("scale") || has("variance") {
        sentences.push(
            "Noise of an aggregator: the exact delta of the discrete law at epsilon, for the worst difference that one \
             person makes (the proofs of dp-calibration)."
                .to_owned(),
        );
    }
    if has("epsilon0") {
        sentences.push(
            "Noise of clients: the law of the randomized report itself; in a crowd, the exact law of the sum of the honest \
             clients' randomness (the proofs of dp-amplification)."
                .to_owned(),
        );
    }
    if plan.job.releases > 1 {
        sentences.push(
            "All releases together: the composition of their privacy losses, for the same person in every release (the \
             proofs of dp-accounting)."
                .to_owned(),
        );
    }
    sentences.push(
        "Errors are predictions, and decide no promise: margins of aggregators' noise are those of its exact law, those of \
         clients' noise assume normal errors."
            .to_owned(),
    );
    sentences
}
