//! The report of a simulation: as text before and after the run, and as a document.

mod cumulative;
mod estimates;
mod guarantee;
mod runs;
mod text;

use dp_exact::grouped;
use dp_simulation::report::{SimulationPlan, SimulationReport};
use dp_simulation::{ErrorStatistics, MIN_TRIALS, Summary};

use crate::figures::{figure, small_letter, with_error};
use crate::guarantee::{CERTIFIED, one_answer, weakness};
use crate::model::{Block, Fact, Report, Section};

pub use runs::{ComparedRun, RunTable};
pub use text::{description, outcome};

const IDEAL: &str = "This run is without Prio3, of its ideal functionality: the totals and the number of reports \
                     are drawn from their exact distribution for honest clients whose reports are all \
                     accepted, and the aggregators' noise is added. No report was made, sharded or verified.";

const UNPROTECTED: &str =
    "The truth is your own data, without protection: this report is not for publication.";

/// The post-processing of ranges and of the distribution function.
const CONSISTENT_COUNTS: &str = " Cumulative counts and ranges are those of the nearest distribution function that never \
                                 falls and stays within 0 and the number of reports: counts near 0 come out too large on \
                                 average, and those near the number of reports too small. Percentiles are not changed.";

/// The question, remarks on the data, the clients, and the aggregators of a run, in paragraphs.
fn question(plan: &SimulationPlan) -> Vec<String> {
    let mut question = vec![plan.question.to_string()];
    question.extend(plan.reading.remarks());
    let vdaf = &plan.task.document().vdaf;
    let (name, aggregators) = (vdaf.kind().name(), vdaf.aggregators());
    question.push(format!("{} {name}, {aggregators} aggregators.", plan.clients));
    question.extend(plan.is_ideal.then(|| IDEAL.to_owned()));
    question
}

/// The parameters of the run's policy and task, with their names.
fn parameters(plan: &SimulationPlan) -> impl Iterator<Item = Fact> {
    plan.parameters.iter().map(|(name, value)| match *name {
        // The name of a task may consist of digits.
        "task" | "task_digest" => Fact::new(*name, value),
        _ => Fact::new(*name, grouped(value)),
    })
}

/// What the consistent estimates are, in words; `None` if the run has none.
fn post_processing(plan: &SimulationPlan) -> Option<String> {
    let of_counts = if plan.percentiles.is_some() { CONSISTENT_COUNTS } else { "" };
    plan.post_processing.map(|made| format!("consistent: {made}.{of_counts}"))
}

/// The statistics over all trials of a run, with their names; an empty name belongs to the one
/// before.
fn facts(summary: &Summary, plan: &SimulationPlan) -> Vec<Fact> {
    let clients = match summary.trials {
        1 => grouped(summary.clients),
        trials => format!("{} in each of {} trials", grouped(summary.clients), grouped(trials)),
    };
    let mut facts = vec![Fact::new("clients", clients)];
    let mut line = |name: &str, text: String| facts.push(Fact::new(name, text));
    if plan.is_ideal {
        let drawn = "from their exact distributions, without Prio3 (the ideal functionality)";
        line("totals drawn", drawn.to_owned());
    }
    line("missing reports", missing_reports(summary));
    let bias = plan.task.policy().bias_bound(summary.clients);
    if bias > 0.0 {
        let reason = "in each margin, as reports of heavier vectors are dropped more often";
        line("bound on bias", format!("{} {reason}", figure(bias)));
    }
    let estimates = &summary.estimates;
    line("standard deviation", format!("{} predicted", figure(estimates.predicted_std)));
    let of_few = match summary.trials < MIN_TRIALS {
        true => format!(", without a standard error below {MIN_TRIALS} trials"),
        false => " (± one standard error)".to_owned(),
    };
    line("", format!("{} observed{of_few}", observed(&estimates.errors)));
    line("mean error", with_error(estimates.errors.bias, estimates.errors.bias_error));
    if let Some(processed) = &estimates.consistent {
        line("consistent estimates", format!("{} root mean square error", observed(processed)));
        let bias = with_error(processed.bias, processed.bias_error);
        line("", format!("{bias} mean error, all coordinates together"));
    }
    let expected = summary.probability_95.map_or_else(
        || "95 % or more".to_owned(),
        |probability| format!("{:.1} %", 100.0 * probability),
    );
    let covered = held(estimates.coverage_95);
    line("intervals that cover", format!("{covered} ({expected} expected)"));
    line("time", format!("{:.2} s", summary.seconds));
    line("seed", format!("{} (the same seed gives the same estimates)", plan.seed));
    line("digest of results", summary.results_digest.clone());
    facts
}

/// The observed standard deviation of an estimate, with its standard error if it is known.
fn observed(errors: &ErrorStatistics) -> String {
    with_error(errors.observed_std, errors.observed_std_error)
}

/// The fraction `coverage` of intervals that held the truth, in percent, rounded to the nearest.
fn held(coverage: f64) -> String {
    format!("{} %", figure(100.0 * coverage))
}

/// The number of reports missing from the aggregates, and the reasons.
fn missing_reports(summary: &Summary) -> String {
    let missing = summary.rejected;
    let reasons = [
        (summary.dropped, "not sent, as the randomized measurement was not a valid one"),
        (missing.saturating_sub(summary.dropped), "rejected by the aggregators"),
    ];
    let reasons = reasons.into_iter().filter(|(count, _)| *count > 0);
    let reasons: Vec<String> =
        reasons.map(|(count, reason)| format!("{} {reason}", grouped(count))).collect();
    match reasons.is_empty() {
        true => grouped(missing),
        false => format!("{}: {}", grouped(missing), reasons.join(", ")),
    }
}

/// The report of a run.
#[must_use]
pub fn report(run: SimulationReport<'_>) -> Report {
    let plan = run.plan;
    let mut sections = vec![found(run)];
    sections.extend(guarantee::sections(plan));
    sections.push(details(plan));
    let title = small_letter(&plan.question.asked);
    Report {
        kind: "simulation",
        title: match plan.is_ideal {
            false => format!("Trial run: {title}"),
            true => format!("Trial run without Prio3: {title}"),
        },
        date: None,
        verdict: guarantee::verdict(plan),
        answer: sentence(run),
        question: question(plan),
        sections,
        colophon: crate::colophon(),
    }
}

/// The answer in one sentence: how far the estimates were off, and what each person is guaranteed.
fn sentence(run: SimulationReport<'_>) -> String {
    let summary = &run.outcome.summary;
    let bound = match guarantee::strongest(run.plan) {
        Some(place) => {
            let guarantee = &run.plan.guarantees[place];
            let total =
                guarantee::total(run.plan, place).or_else(|| guarantee::as_pair(run.plan, place));
            let is_answer = one_answer(run.plan.circumstances.adjacency).is_some();
            let whom = if is_answer { "answer of a person" } else { "person" };
            format!(
                "each {whom} is guaranteed {}{}{}, if these are honest: {}",
                guarantee.bound,
                weakness(guarantee.is_weak),
                total.map_or_else(String::new, |total| format!(" ({total})")),
                guarantee.trust_model.must_be_honest()
            )
        }
        None => "nobody is guaranteed anything".to_owned(),
    };
    let first = run.outcome.trials.first().map(|first| &*first.coordinates);
    let first = first.filter(|coordinates| summary.trials == 1 && coordinates.len() == 1);
    let cells = first.map(|only| estimates::table(&run.plan.labels, only).rows.concat());
    match &*cells.unwrap_or_default() {
        [_, truth, estimate, .., margin] => {
            format!(
                "The estimate is {estimate} ± {margin}, where the truth is {truth}, and {bound}."
            )
        }
        _ => format!(
            "The estimates were off by {} (standard deviation; {} was predicted), their intervals held the truth in {} of \
             cases, and {bound}.",
            observed(&summary.estimates.errors),
            figure(summary.estimates.predicted_std),
            held(summary.estimates.coverage_95)
        ),
    }
}

/// Section on the estimates of the first trial beside the truth, and on all trials together.
fn found(run: SimulationReport<'_>) -> Section {
    let buckets = estimates::blocks(run);
    let mut blocks = Vec::new();
    if run.plan.synthetic.is_none() {
        blocks.push(Block::Paragraph(UNPROTECTED.to_owned()));
    }
    blocks.extend(match cumulative::chart(run) {
        None => buckets,
        // What was asked, before the single buckets that it is made of.
        Some(chart) => {
            let asked = cumulative::tables(run).into_iter().map(Block::Table).collect();
            vec![
                Block::Group("Percentiles and ranges".to_owned(), asked),
                Block::Chart(Box::new(chart)),
                Block::Group("Single buckets".to_owned(), buckets),
            ]
        }
    });
    blocks.extend(post_processing(run.plan).map(Block::Paragraph));
    let facts = vec![Block::Facts(facts(&run.outcome.summary, run.plan))];
    blocks.push(Block::Group("All trials together".to_owned(), facts));
    Section::new("estimates", "The estimates beside the truth", blocks)
}

/// Section on the policy, its parameters and the proofs.
fn details(plan: &SimulationPlan) -> Section {
    let mut facts = vec![Fact::new("policy", plan.task.policy_name().name)];
    facts.extend(parameters(plan).filter(|fact| fact.name != "task_digest"));
    facts.extend([
        Fact::new("task digest", plan.task.digest().to_string()),
        Fact::new("seed", plan.seed.to_string()),
        Fact::new("version", env!("CARGO_PKG_VERSION")),
    ]);
    let certificates = [
        CERTIFIED,
        "Each guarantee is the built policy's, proved in the documentation of the crates that compute it: \
         dp-calibration, dp-amplification and dp-prio3.",
        "Estimates, errors and how often intervals hold the truth were observed in the run; its seed gives the same \
         again.",
    ];
    let certificates = Block::List(certificates.map(str::to_owned).to_vec());
    let blocks = vec![
        Block::Paragraph(format!("{}.", plan.task.policy().name())),
        Block::Facts(facts),
        Block::Group("Certificates".to_owned(), vec![certificates]),
    ];
    Section::new("details", "Every parameter, and how the figures were found", blocks)
}
