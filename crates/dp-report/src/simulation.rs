//! The report of a simulation.
//!
//! [`DescriptionText`] is known before the run, [`OutcomeText`] after it.

mod cumulative;
mod estimates;
mod guarantee;
mod text;

use dp_exact::grouped;
use dp_simulation::Summary;
use dp_simulation::report::{Functionality, SimulationPlan, SimulationReport};

pub use cumulative::CumulativeText;
pub use estimates::Estimates;

use crate::figures::{figure, small_letter, with_error};
use crate::guarantee::{CERTIFIED, GuaranteeText, weakness};
use crate::model::{Block, Fact, Origin, Report, Section};

/// The remark on an ideal run.
const IDEAL: &str = "This run is without Prio3, of its ideal functionality: the totals and the number of reports \
                     are drawn from their exact distribution for honest clients whose reports are all \
                     accepted, and the aggregators' noise is added. No report was made, sharded or verified.";

/// The post-processing of ranges and of the distribution function.
const CONSISTENT_COUNTS: &str = " Cumulative counts and ranges are those of the nearest distribution function that never \
                                 falls and stays within 0 and the number of reports: counts near 0 come out too large on \
                                 average, and those near the number of reports too small. Percentiles are not changed.";

/// A plan in words: the question, the policy and its guarantees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptionText {
    /// The question, the data and the clients, in paragraphs.
    pub question: Vec<String>,
    /// The policy's short name.
    pub policy: String,
    /// The policy and its mechanism, in words.
    pub description: String,
    /// Every parameter of the policy, exactly.
    pub parameters: Vec<Fact>,
    /// The adjacency of batches.
    pub adjacency: String,
    /// The guarantees by trust model, from the strongest adversary to the weakest.
    pub guarantees: Vec<GuaranteeText>,
}

impl DescriptionText {
    /// A plan in words.
    #[must_use]
    pub fn of(plan: &SimulationPlan) -> Self {
        let mut question = vec![plan.question.clone()];
        question.extend(plan.reading.remarks());
        question.push(format!(
            "{} {}, {} aggregators.",
            plan.clients,
            plan.vdaf(),
            plan.aggregators()
        ));
        if plan.functionality == Functionality::Ideal {
            question.push(IDEAL.to_owned());
        }
        let parameters = plan.parameters.iter();
        let parameters = parameters.map(|(name, value)| Fact::new(*name, grouped(value)));
        let adjacency = plan.guarantees.first().map(|guarantee| guarantee.adjacency);
        Self {
            question,
            policy: plan.task.policy_name().name.to_owned(),
            description: format!("{}.", plan.task.policy().name()),
            parameters: parameters.collect(),
            adjacency: adjacency.unwrap_or_default().to_string(),
            guarantees: plan.guarantees.iter().map(GuaranteeText::of).collect(),
        }
    }
}

/// An outcome in words: the estimates beside the truth, and the statistics over all trials.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeText {
    /// The estimates of the first trial.
    pub estimates: Option<Estimates>,
    /// Percentiles and ranges, if the run estimates some.
    pub cumulative: Option<CumulativeText>,
    /// The post-processing of the estimates.
    pub post_processing: Option<String>,
    /// The statistics over all trials. A value with an empty name belongs to the name before it.
    pub summary: Vec<Fact>,
}

impl OutcomeText {
    /// The outcome of a run in words.
    #[must_use]
    pub fn of(run: SimulationReport<'_>) -> Self {
        let SimulationReport { plan, outcome } = run;
        let trials = outcome.summary.trials;
        let first = outcome.trials.first();
        let of_counts = if plan.percentiles.is_some() { CONSISTENT_COUNTS } else { "" };
        let made = plan.post_processing.map(|made| format!("consistent: {made}.{of_counts}"));
        Self {
            estimates: first.map(|first| Estimates::of(&plan.labels, &first.coordinates, trials)),
            cumulative: CumulativeText::of(run),
            post_processing: made,
            summary: facts(&outcome.summary, plan),
        }
    }
}

/// The statistics over all trials.
fn facts(summary: &Summary, plan: &SimulationPlan) -> Vec<Fact> {
    let clients = match summary.trials {
        1 => grouped(summary.clients),
        trials => format!("{} in each of {} trials", grouped(summary.clients), grouped(trials)),
    };
    let mut facts = vec![Fact::new("clients", clients)];
    let mut line = |name: &str, text: String| facts.push(Fact::new(name, text));
    if plan.functionality == Functionality::Ideal {
        let drawn = "from their exact distributions, without Prio3 (the ideal functionality)";
        line("totals drawn", drawn.to_owned());
    }
    line("missing reports", missing_reports(summary));
    line("standard deviation", format!("{} predicted", figure(summary.predicted_std)));
    let observed = with_error(summary.observed_std, summary.observed_std_error);
    line("", format!("{observed} observed"));
    line("mean error", with_error(summary.bias, summary.bias_error));
    if let Some(processed) = &summary.consistent {
        let observed = with_error(processed.observed_std, processed.observed_std_error);
        line("consistent estimates", format!("{observed} root mean square error"));
        let bias = with_error(processed.bias, processed.bias_error);
        line("", format!("{bias} mean error, all coordinates together"));
    }
    let expected = summary.probability_95.map_or_else(
        || "95 % or more".to_owned(),
        |probability| format!("{:.1} %", 100.0 * probability),
    );
    let covered = figure(100.0 * summary.coverage_95);
    line("intervals that cover", format!("{covered} % ({expected} expected)"));
    if let Some(cumulative) = &summary.distribution {
        let counts = &cumulative.counts;
        line("cumulative counts", format!("{} predicted", figure(counts.predicted_std)));
        let errors = &counts.errors;
        line(
            "",
            format!("{} observed", with_error(errors.observed_std, errors.observed_std_error)),
        );
        if let Some(processed) = &counts.consistent {
            let observed = with_error(processed.observed_std, processed.observed_std_error);
            line("", format!("{observed} root mean square error, consistent"));
        }
        let covered = figure(100.0 * counts.coverage_95);
        line("bands that cover", format!("{covered} % (95 % or more expected)"));
    }
    line("time", format!("{:.2} s", summary.seconds));
    line("seed", format!("{} (the same seed gives the same estimates)", plan.seed));
    line("digest of results", summary.results_digest.clone());
    facts
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
    let (asked, observed) = (DescriptionText::of(run.plan), OutcomeText::of(run));
    let mut sections = vec![found(&observed)];
    sections.extend(guarantee::sections(run.plan, &asked));
    sections.push(details(run, &asked));
    let title = run.plan.question.split_once('?');
    let title = small_letter(title.map_or(&*run.plan.question, |(asked, _)| asked));
    Report {
        kind: "simulation",
        title: match run.plan.functionality {
            Functionality::Prio3 => format!("Trial run: {title}"),
            Functionality::Ideal => format!("Trial run without Prio3: {title}"),
        },
        origin: Origin::default(),
        verdict: guarantee::verdict(run.plan),
        answer: sentence(run, &observed),
        question: asked.question,
        sections,
        colophon: crate::colophon(),
    }
}

/// The answer in one sentence.
fn sentence(run: SimulationReport<'_>, observed: &OutcomeText) -> String {
    let summary = &run.outcome.summary;
    let bound = match guarantee::strongest(run.plan) {
        Some(guarantee) => format!(
            "each person is guaranteed {}{}, if these are honest: {}",
            guarantee.bound,
            weakness(guarantee.is_weak),
            guarantee.trust_model.must_be_honest()
        ),
        None => "nobody is guaranteed anything".to_owned(),
    };
    let rows = observed.estimates.as_ref().map(|found| &*found.table.rows);
    match rows {
        Some([only]) if summary.trials == 1 => {
            let cell = |place: usize| only.get(place).map_or("", String::as_str);
            format!(
                "The estimate is {} ± {}, where the truth is {}, and {bound}.",
                cell(2),
                only.last().map_or("", String::as_str),
                cell(1),
            )
        }
        _ => format!(
            "The estimates were off by {} (standard deviation; {} was predicted), their intervals held the truth in {} % of \
             cases, and {bound}.",
            with_error(summary.observed_std, summary.observed_std_error),
            figure(summary.predicted_std),
            figure(100.0 * summary.coverage_95)
        ),
    }
}

fn found(observed: &OutcomeText) -> Section {
    let estimates = observed.estimates.as_ref();
    let mut blocks = estimates.map_or_else(Vec::new, Estimates::blocks);
    let cumulative = observed.cumulative.as_ref();
    blocks.extend(cumulative.map(|found| Block::group("Percentiles and ranges", found.blocks())));
    blocks.extend(observed.post_processing.iter().map(Block::paragraph));
    let facts = vec![Block::Facts(observed.summary.clone())];
    blocks.push(Block::group("All trials together", facts));
    Section::new("estimates", "The estimates beside the truth", blocks)
}

fn details(run: SimulationReport<'_>, asked: &DescriptionText) -> Section {
    let mut facts = vec![Fact::new("policy", &*asked.policy)];
    facts.extend(asked.parameters.iter().cloned());
    facts.extend([
        Fact::new("task digest", run.plan.task.digest().to_string()),
        Fact::new("seed", run.plan.seed.to_string()),
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
        Block::paragraph(&asked.description),
        Block::Facts(facts),
        Block::group("Certificates", vec![certificates]),
    ];
    Section::new("details", "Every parameter, and how the figures were found", blocks)
}
