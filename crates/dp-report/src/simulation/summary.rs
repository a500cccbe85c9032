//! What all trials say together: names and values, of which a line without a name goes on with the last.

use dp_exact::grouped;
use dp_simulation::Summary;
use dp_simulation::report::{Functionality, Plan};

use super::numbers::{figure, with_error};
use crate::model::Fact;

pub(super) fn facts(summary: &Summary, plan: &Plan) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut line = |name: &str, text: String| facts.push(Fact::new(name, text));
    line(
        "clients",
        match summary.trials {
            1 => grouped(summary.clients),
            trials => format!(
                "{} in each of {} trials",
                grouped(summary.clients),
                grouped(trials)
            ),
        },
    );
    if plan.functionality == Functionality::Ideal {
        let drawn = "from their exact laws, without Prio3 (the ideal functionality)";
        line("totals drawn", drawn.to_owned());
    }
    line("missing reports", missing_reports(summary));
    let predicted = figure(summary.predicted_std);
    line("standard deviation", format!("{predicted} predicted"));
    let observed = with_error(summary.observed_std, summary.observed_std_error);
    line("", format!("{observed} observed"));
    line("mean error", with_error(summary.bias, summary.bias_error));
    if let Some(processed) = &summary.consistent {
        let observed = with_error(processed.observed_std, processed.observed_std_error);
        line(
            "consistent estimates",
            format!("{observed} root mean square error"),
        );
        let bias = with_error(processed.bias, processed.bias_error);
        line("", format!("{bias} mean error, all coordinates together"));
    }
    let covered = 100.0 * summary.coverage_95;
    let expected = summary.probability_95.map_or_else(
        || "95 % or more".to_owned(),
        |probability| format!("{:.1} %", 100.0 * probability),
    );
    line(
        "intervals that cover",
        format!("{} % ({expected} expected)", figure(covered)),
    );
    line("time", format!("{:.2} s", summary.seconds));
    let total: f64 = summary.stage_seconds.iter().map(|(_, time)| time).sum();
    for (stage, time) in &summary.stage_seconds {
        let share = if total > 0.0 {
            100.0 * time / total
        } else {
            0.0
        };
        line(
            &format!("  {stage}"),
            format!("{time:.3} s on all threads, {share:.1} %"),
        );
    }
    line(
        "seed",
        format!("{} (the same seed gives the same estimates)", plan.seed),
    );
    line("digest of results", summary.results_digest.clone());
    facts
}

/// How many reports are not in the aggregates, and why.
fn missing_reports(summary: &Summary) -> String {
    let (missing, dropped) = (summary.rejected, summary.dropped);
    let rejected = missing.saturating_sub(dropped);
    let mut reasons = Vec::new();
    if dropped > 0 {
        reasons.push(format!(
            "{} not sent, as the randomized measurement was not a valid one",
            grouped(dropped)
        ));
    }
    if rejected > 0 {
        reasons.push(format!("{} rejected by the aggregators", grouped(rejected)));
    }
    match reasons.is_empty() {
        true => grouped(missing),
        false => format!("{}: {}", grouped(missing), reasons.join(", ")),
    }
}
