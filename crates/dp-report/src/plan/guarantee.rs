//! The guarantee, in words and in numbers.

use dp_exact::{Interval, Rational, Rounding};
use dp_planner::{Choice, Plan, Promise, Task};
use dp_prio3::{Guarantee, MAX_MEANINGFUL_EPSILON, WEAK};

use super::wording::{is_weak, pair, promised, scopes, section as made};
use crate::Promised;
use crate::figures;
use crate::model::{Block, Fact, Section};

pub(super) fn section(plan: &Plan, choice: &Choice, task: Option<&Task>) -> Section {
    let model = plan.wanted.against.trust_model();
    let mut blocks = vec![Block::Paragraph(format!(
        "Two batches are neighbours if they differ in what one person reports (under {}). Whatever is released, it would \
         have been released nearly as likely from the other batch. This holds against {}.",
        plan.job.adjacency,
        model.adversary()
    ))];
    let mut facts = Vec::new();
    for (_, name, promises) in scopes(plan, choice) {
        facts.extend(numbers(&name, promised(plan, promises)));
    }
    blocks.push(Block::Facts(facts));
    for (_, name, promises) in scopes(plan, choice) {
        blocks.extend(warning(&name, promised(plan, promises)));
    }
    match task {
        Some(task) => {
            let proved = origin(task);
            let words = Promised::of(&proved);
            let model = proved.trust_model.abbreviation();
            let holds = format!(
                "The task promises in {model} for one report in one release, under {}: {}",
                proved.adjacency, words.promise
            );
            blocks.push(Block::Paragraph(holds));
            if !words.conditions.is_empty() {
                blocks.push(Block::List(words.conditions));
            }
            let rest = words.otherwise.into_iter().chain(words.notes);
            blocks.extend(rest.map(Block::Paragraph));
        }
        None => blocks.push(Block::Paragraph(
            "The conditions are those of the task, whose promise takes longer to find than a report may.".to_owned(),
        )),
    }
    made("guarantee", "What is guaranteed", blocks)
}

/// That a promise protects nobody, if that is so.
fn warning(name: &str, promise: &Promise) -> Option<Block> {
    let words = format!("{} is promised of {name}. {WEAK}", pair(promise));
    is_weak(promise).then_some(Block::Warning(words))
}

/// The promise of a task where it was proved, so that it comes with its conditions.
fn origin(task: &Task) -> Guarantee {
    let stated = task.guarantee();
    let stronger = stated
        .carried_over_from
        .map(|model| task.guarantee_in(model, task.circumstances()));
    stronger.unwrap_or_else(|| stated.clone())
}

/// ε, e^ε, δ and ρ of a promise.
fn numbers(name: &str, promise: &Promise) -> Vec<Fact> {
    match promise {
        Promise::Absent { reason } => vec![Fact::new(name, format!("no promise: {reason}"))],
        Promise::Kept {
            epsilon,
            delta,
            rho,
            ..
        } => {
            let factor = factor(epsilon).map_or_else(
                || "so large that it means nothing".to_owned(),
                |factor| format!("at most {factor}"),
            );
            let mut facts = vec![
                Fact::new(name, format!("epsilon {}", figures::epsilon(epsilon))),
                Fact::new(
                    "",
                    format!("factor between probabilities, e^epsilon: {factor}"),
                ),
                Fact::new("", format!("delta {}", figures::delta(delta))),
            ];
            let rho = rho.as_ref().map(figures::epsilon);
            facts.extend(rho.map(|rho| Fact::new("", format!("rho {rho} (zero-concentrated)"))));
            facts
        }
    }
}

/// e^ε, rounded up.
fn factor(epsilon: &Rational) -> Option<String> {
    if *epsilon > Rational::from(MAX_MEANINGFUL_EPSILON) {
        return None;
    }
    let growth = Interval::rational(epsilon, 64).exp()?;
    let growth = growth.upper().to_rational()?;
    Some(dp_exact::figure(&growth, 4, Rounding::Up))
}
