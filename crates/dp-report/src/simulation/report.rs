//! The report of a run: what is known before it, what it found, and what is computed for pictures.

use dp_simulation::Summary;
use dp_simulation::report::{Functionality, Report as Run};

use super::numbers::{figure, with_error};
use super::{Asked, Observed, accuracy, estimates, promises};
use crate::figures::small_letter;
use crate::model::{Block, Fact, Group, Origin, Report, Section};
use crate::sections;

/// The report of a run.
///
/// Curves are found anew, with bounded work: some seconds of one core at most, mostly far less. What costs more is
/// left out.
#[must_use]
pub fn report(run: Run<'_>) -> Report {
    let (asked, observed) = (Asked::of(run.plan), Observed::of(run));
    let mut sections = vec![
        found(&observed),
        promises::trust(run.plan),
        promises::guarantee(run.plan, &asked),
        sections::risk(&promises::of(run.plan), promises::adjacency(run.plan)),
    ];
    sections.extend(accuracy::section(run));
    sections.push(details(run, &asked));
    Report {
        kind: "simulation",
        title: title(run),
        origin: Origin::default(),
        question: asked.question.clone(),
        verdict: promises::verdict(run.plan),
        answer: sentence(run, &observed),
        sections,
        colophon: crate::colophon(),
    }
}

/// The question that was asked, without its remarks.
fn title(run: Run<'_>) -> String {
    let asked = run.plan.question.split_once('?');
    let asked = small_letter(asked.map_or(&*run.plan.question, |(asked, _)| asked));
    match run.plan.functionality {
        Functionality::Prio3 => format!("Trial run: {asked}"),
        Functionality::Ideal => format!("Trial run without Prio3: {asked}"),
    }
}

/// The answer in one sentence.
fn sentence(run: Run<'_>, observed: &Observed) -> String {
    let summary = &run.outcome.summary;
    let promise = match promises::strongest(run.plan) {
        Some(guarantee) => format!(
            "each person is promised {}, if these are honest: {}",
            guarantee.promise.to_string() + promises::weakness(guarantee),
            guarantee.trust_model.must_be_honest()
        ),
        None => "nobody is promised anything".to_owned(),
    };
    let rows = observed.estimates.as_ref().map(|found| &found.table.rows);
    match rows.map(Vec::as_slice) {
        Some([only]) if summary.trials == 1 => {
            let cell = |place: usize| only.get(place).map_or("", String::as_str);
            format!(
                "The estimate is {} ± {}, where the truth is {}, and {promise}.",
                cell(2),
                only.last().map_or("", String::as_str),
                cell(1),
            )
        }
        _ => format!("{}, and {promise}.", accuracy_of(summary)),
    }
}

fn accuracy_of(summary: &Summary) -> String {
    format!(
        "The estimates were off by {} (standard deviation; {} was predicted), their intervals held the truth in {} % of \
         cases",
        with_error(summary.observed_std, summary.observed_std_error),
        figure(summary.predicted_std),
        figure(100.0 * summary.coverage_95)
    )
}

fn found(observed: &Observed) -> Section {
    let mut blocks = Vec::new();
    if let Some(estimates) = &observed.estimates {
        blocks.extend(estimates::blocks(estimates));
    }
    let made = observed.post_processing.clone();
    blocks.extend(made.map(Block::Paragraph));
    blocks.push(Block::Group(Group {
        title: "All trials together".to_owned(),
        blocks: vec![Block::Facts(summary(observed))],
    }));
    Section {
        id: "estimates",
        title: "The estimates beside the truth".to_owned(),
        blocks,
    }
}

/// The summary, where the times of the stages are names of their own.
fn summary(observed: &Observed) -> Vec<Fact> {
    let facts = observed
        .summary
        .iter()
        .map(|fact| match fact.name.strip_prefix("  ") {
            Some(stage) => Fact::new(format!("time of {stage}"), &*fact.value),
            None => fact.clone(),
        });
    facts.collect()
}

fn details(run: Run<'_>, asked: &Asked) -> Section {
    let mut facts = vec![Fact::new("policy", &*asked.policy)];
    facts.extend(asked.parameters.iter().cloned());
    facts.push(Fact::new("task digest", &*run.plan.digest));
    facts.push(Fact::new("seed", run.plan.seed.to_string()));
    facts.push(Fact::new("version", env!("CARGO_PKG_VERSION")));
    let certificates = [
        "Every epsilon, delta and rho is an upper bound: parameters are exact fractions, what is not is enclosed by \
         interval arithmetic and rounded up. No floating-point number decides a promise.",
        "Each promise is that of the built policy, proved in the documentation of the crates that compute it: \
         dp-calibration, dp-amplification and dp-prio3.",
        "Estimates, errors and how often intervals hold the truth were observed in the run; its seed gives the same \
         again.",
    ];
    Section {
        id: "details",
        title: "Every parameter, and how the figures were found".to_owned(),
        blocks: vec![
            Block::Paragraph(asked.description.clone()),
            Block::Facts(facts),
            Block::Group(Group {
                title: "Certificates".to_owned(),
                blocks: vec![Block::List(certificates.map(str::to_owned).to_vec())],
            }),
        ],
    }
}
