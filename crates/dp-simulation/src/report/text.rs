//! The report as text: the question, the policy, the guarantees, then the estimates beside the
//! truth with a bar for each, and the summary.

use std::fmt::{self, Display, Formatter};

use dp_prio3::{Guarantee, Promise, WEAK};

use super::estimates;
use super::lines::{COLUMNS, wrapped_to};
use super::numbers::{figure, with_error};
use super::{Plan, Report};
use crate::Summary;

impl Display for Plan {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "Question")?;
        paragraph(formatter, &self.question)?;
        for remark in self.reading.remarks() {
            paragraph(formatter, &remark)?;
        }
        let parties = format!("{}, {} aggregators.", self.vdaf, self.aggregators);
        paragraph(formatter, &format!("{} {parties}", self.clients))?;

        writeln!(formatter, "\nPolicy: {}", self.policy)?;
        paragraph(formatter, &format!("{}.", self.description))?;
        let name_width = self.parameters.iter().map(|(name, _)| name.len()).max();
        for (name, value) in &self.parameters {
            writeln!(
                formatter,
                "  {name:<width$}  {value}",
                width = name_width.unwrap_or(0)
            )?;
        }

        let adjacency = self.guarantees.first().map(|guarantee| guarantee.adjacency);
        let adjacency = adjacency.unwrap_or_default();
        writeln!(
            formatter,
            "\nGuarantee, for one measurement under {adjacency}"
        )?;
        for guarantee in &self.guarantees {
            write_guarantee(formatter, guarantee)?;
        }
        Ok(())
    }
}

/// A trust model, what it gives, and on what conditions.
fn write_guarantee(formatter: &mut Formatter<'_>, guarantee: &Guarantee) -> fmt::Result {
    let model = guarantee.trust_model;
    let who = format!(
        "{} (honest: {}):",
        model.abbreviation(),
        model.must_be_honest()
    );
    if let Promise::Absent { reason } = &guarantee.promise {
        return paragraph(formatter, &format!("{who} none. Reason: {reason}."));
    }
    let origin = match guarantee.carried_over_from {
        Some(stronger) => format!(
            " That of {}, whose adversary is stronger, on the same conditions.",
            stronger.abbreviation(),
        ),
        None => format!(" It holds against {}, provided that", model.adversary()),
    };
    let weak = if guarantee.is_weak {
        format!(" {WEAK}")
    } else {
        String::new()
    };
    paragraph(
        formatter,
        &format!("{who} {}.{weak}{origin}", guarantee.promise),
    )?;
    if guarantee.carried_over_from.is_none() {
        for assumption in &guarantee.assumptions {
            bullet(formatter, assumption)?;
        }
        let remains = format!("    Otherwise: {}.", guarantee.otherwise);
        indented(formatter, "    ", "    ", &remains)?;
        for budget in &guarantee.also {
            let also = format!("Also holds: {budget}.");
            indented(formatter, "    ", "    ", &also)?;
        }
    }
    for remark in &guarantee.remarks {
        let note = format!("Note: {remark}.");
        indented(formatter, "    ", "    ", &note)?;
    }
    Ok(())
}

impl Display for Report<'_> {
    /// The table of the first trial, and the summary of all.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let summary = &self.outcome.summary;
        if let Some(first) = self.outcome.trials.first() {
            let which = match summary.trials {
                1 => String::new(),
                trials => format!(" (the first of {trials} trials)"),
            };
            writeln!(formatter, "\nEstimates{which}")?;
            estimates::write(formatter, &self.plan.labels, &first.coordinates)?;
        }
        if let Some(consistency) = self.plan.post_processing {
            paragraph(formatter, &format!("consistent: {consistency}."))?;
        }
        writeln!(formatter, "\nSummary")?;
        write_summary(formatter, summary, self.plan.seed)
    }
}

fn write_summary(formatter: &mut Formatter<'_>, summary: &Summary, seed: u64) -> fmt::Result {
    let mut line = |name: &str, text: String| writeln!(formatter, "  {name:<22} {text}");
    line(
        "clients",
        match summary.trials {
            1 => summary.clients.to_string(),
            trials => format!("{} in each of {trials} trials", summary.clients),
        },
    )?;
    line("missing reports", missing_reports(summary))?;
    line(
        "standard deviation",
        format!("{} predicted", figure(summary.predicted_std)),
    )?;
    let observed = with_error(summary.observed_std, summary.observed_std_error);
    line("", format!("{observed} observed"))?;
    line("mean error", with_error(summary.bias, summary.bias_error))?;
    if let Some(processed) = &summary.consistent {
        let observed = with_error(processed.observed_std, processed.observed_std_error);
        line(
            "consistent estimates",
            format!("{observed} root mean square error"),
        )?;
        let bias = with_error(processed.bias, processed.bias_error);
        line("", format!("{bias} mean error, all coordinates together"))?;
    }
    line(
        "intervals that cover",
        format!("{:.1} % (95 % expected)", 100.0 * summary.coverage_95),
    )?;
    line("time", format!("{:.2} s", summary.seconds))?;
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
        )?;
    }
    line(
        "seed",
        format!("{seed} (the same seed gives the same estimates)"),
    )
}

/// How many reports are not in the aggregates, and why.
fn missing_reports(summary: &Summary) -> String {
    let (missing, dropped) = (summary.rejected, summary.dropped);
    let rejected = missing.saturating_sub(dropped);
    let mut reasons = Vec::new();
    if dropped > 0 {
        reasons.push(format!(
            "{dropped} not sent, as the randomized measurement was not a valid one"
        ));
    }
    if rejected > 0 {
        reasons.push(format!("{rejected} rejected by the aggregators"));
    }
    match reasons.is_empty() {
        true => missing.to_string(),
        false => format!("{missing}: {}", reasons.join(", ")),
    }
}

/// Text in lines of bounded length, indented.
fn paragraph(formatter: &mut Formatter<'_>, text: &str) -> fmt::Result {
    indented(formatter, "  ", "    ", text)
}

/// Text after a dash, indented further.
fn bullet(formatter: &mut Formatter<'_>, text: &str) -> fmt::Result {
    indented(formatter, "    - ", "      ", text)
}

/// Text in lines as wide as is asked for.
fn indented(formatter: &mut Formatter<'_>, first: &str, rest: &str, text: &str) -> fmt::Result {
    let columns = formatter.width().unwrap_or(COLUMNS);
    formatter.write_str(&wrapped_to(columns, first, rest, text))
}
