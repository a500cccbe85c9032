//! The answer of `plan` as text: a table, the reasons, two sentences.

use std::fmt::Write as _;

use dp_calibration::{Query, TrustModel};
use dp_exact::{Rational, Rounding};
use dp_planner::{Choice, Plan, Promise, Promises, Scope};

use crate::text::{columns_of_tables, wrapped};

/// Before the further lines of a reason.
const REST: &str = "    ";

pub(super) fn text(plan: &Plan) -> String {
    let mut text = question(plan);
    text.push('\n');
    if plan.choices.is_empty() {
        text += "No policy does this.\n";
    } else {
        text += &table(&errors(plan), columns_of_tables());
        text += &legend_of_errors(plan);
        text.push('\n');
        text += &table(&guarantees(plan), columns_of_tables());
        text += &legend(plan);
    }
    text.push('\n');
    text += &excluded(plan);
    text.push('\n');
    text += &wrapped("", "", &plan.advice());
    text
}

fn question(plan: &Plan) -> String {
    let (job, wanted) = (&plan.job, &plan.wanted);
    let mut words = format!("Job: {}", job.query);
    if let Some(grid) = &job.grid {
        let _ = write!(words, " on the grid {grid}");
    }
    let are_asked = wanted.budget.is_some() && wanted.accuracy.is_some();
    if !are_asked {
        let _ = write!(words, ", {} clients", job.clients);
    }
    let _ = write!(words, ", {} aggregators", job.aggregators);
    if job.releases > 1 {
        let _ = write!(words, ", {} releases over the same clients", job.releases);
    }
    if job.reports_per_client > 1 {
        let _ = write!(
            words,
            ", up to {} reports of a person",
            job.reports_per_client
        );
    }
    words.push_str(". Wanted: ");
    if let Some(budget) = &wanted.budget {
        let scope = match (wanted.scope, job.releases) {
            (_, 1) => "",
            (Scope::Release, _) => " in each release",
            (Scope::Total, _) => " in total",
        };
        let _ = write!(words, "{budget}{scope}");
    }
    if let Some(accuracy) = &wanted.accuracy {
        let both = if wanted.budget.is_some() {
            ", with "
        } else {
            ""
        };
        let (name, amount) = match accuracy {
            dp_planner::Accuracy::StandardDeviation(amount) => ("standard deviation", amount),
            dp_planner::Accuracy::Margin(amount) => ("a 95 % margin", amount),
        };
        let _ = write!(words, "{both}{name} of at most {amount}");
    }
    let model = wanted.against.trust_model();
    let _ = write!(
        words,
        ", against {} ({}).",
        model.adversary(),
        model.abbreviation()
    );
    let mut text = wrapped("", "", &words);
    if !are_asked {
        let sampled = figure(job.sampling_error());
        let share = match job.query {
            Query::Histogram { .. } => " of a bucket that holds an equal share",
            Query::Count => "",
            _ => " at most",
        };
        let words = format!(
            "For scale: the standard error of a survey of that size without any noise is \
             {sampled}{share}."
        );
        text += &wrapped("", "", &words);
    }
    text
}

/// Cells of a table.
type Lines = Vec<Vec<String>>;

/// The table in lines of at most so many characters: what does not fit follows as a further table, which
/// begins with the same first column.
fn table(lines: &Lines, most: usize) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let first = widths.first().copied().unwrap_or(0);
    let mut tables = Vec::new();
    let mut next = 1;
    while next < columns {
        let begin = next;
        let mut wide = first;
        while next < columns && (next == begin || wide + 2 + widths[next] <= most) {
            wide += 2 + widths[next];
            next += 1;
        }
        let mut text = String::new();
        for line in lines {
            let shown = std::iter::once(0).chain(begin..next);
            let padded: Vec<String> = shown
                .filter_map(|column| line.get(column).zip(widths.get(column)))
                .map(|(cell, width)| format!("{cell:<width$}"))
                .collect();
            let _ = writeln!(text, "{}", padded.join("  ").trim_end());
        }
        tables.push(text);
    }
    tables.join("\n")
}

fn errors(plan: &Plan) -> Lines {
    let are_asked = plan.wanted.budget.is_some() && plan.wanted.accuracy.is_some();
    let mut head = vec!["policy", "noise", "std", "± 95 %", "largest 95 %", "needs"];
    if are_asked {
        head.insert(1, "clients");
    }
    let mut lines = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    for choice in &plan.choices {
        let parameters = choice.parameters.iter();
        let parameters =
            parameters.map(|(name, value)| format!("{name} {}", value.to_decimal(6, Rounding::Up)));
        let mut line = vec![
            choice.policy.name.to_owned(),
            parameters.collect::<Vec<_>>().join(", "),
            figure(choice.errors.std),
            figure(choice.errors.margin_95),
            figure(choice.errors.max_error_95),
            choice.needs(&plan.wanted).to_owned(),
        ];
        if are_asked {
            line.insert(1, choice.clients.to_string());
        }
        lines.push(line);
    }
    lines
}

fn legend_of_errors(plan: &Plan) -> String {
    let has = |name: &str| {
        let mut parameters = plan.choices.iter().flat_map(|choice| &choice.parameters);
        parameters.any(|(known, _)| *known == name)
    };
    let mut words = String::from(
        "std: the standard deviation of one estimate, with the noise of all aggregators and clients; \
         ± 95 %: what its error exceeds in 5 % of cases; largest 95 %: what the largest error of all \
         estimates does",
    );
    if has("scale") || has("variance") {
        words.push_str("; scale and variance: those of the noise of one aggregator");
    }
    if has("epsilon0") {
        words.push_str("; epsilon0: the privacy loss of one flipped bit");
    }
    if has("epsilon") {
        words.push_str("; epsilon: that of one randomized answer");
    }
    words.push('.');
    wrapped("", "", &words)
}

fn guarantees(plan: &Plan) -> Lines {
    let several: Vec<usize> = (2..=plan.job.honest_aggregators).collect();
    let mut head = vec!["policy".to_owned()];
    let all = plan.job.releases > 1;
    let models = || {
        let three = TrustModel::ALL.map(TrustModel::abbreviation).into_iter();
        three.chain(several.iter().map(|honest| format!("{honest}AOC")))
    };
    head.extend(models());
    if all {
        head.extend(models().map(|model| format!("total {model}")));
    }
    let mut lines = vec![head];
    for choice in &plan.choices {
        lines.push(line(choice, all));
    }
    lines
}

fn line(choice: &Choice, all: bool) -> Vec<String> {
    let mut line = vec![choice.policy.name.to_owned()];
    let cells = |promises: &Promises| {
        let three = [&promises.oc, &promises.oaoc, &promises.oamc].map(short);
        let several = promises.with_honest_aggregators.values().map(short);
        three.into_iter().chain(several).collect::<Vec<_>>()
    };
    line.extend(cells(&choice.per_release));
    if all {
        line.extend(cells(&choice.total));
    }
    line
}

/// ε, with a star where δ is above 0, and ≤ where less could be proved.
fn short(promise: &Promise) -> String {
    match promise {
        Promise::Absent { .. } => "–".to_owned(),
        Promise::Kept { epsilon, delta, .. } => {
            let star = if delta.is_zero() { "" } else { "*" };
            let most = promise.loose().map_or("", |_| "≤");
            // 0.99999 rounds up to 1, which has four digits as well.
            let epsilon = epsilon.round_to_digits(4, Rounding::Up);
            format!("{most}{}{star}", epsilon.to_decimal(4, Rounding::Up))
        }
    }
}

fn legend(plan: &Plan) -> String {
    let mut words = String::from("The epsilon that is promised to one person: of one release");
    if plan.job.releases > 1 {
        let _ = write!(words, ", and of all {} in total", plan.job.releases);
    }
    let delta = &plan.wanted.delta;
    let _ = write!(words, ", under {}", plan.job.adjacency);
    if delta.value().is_zero() {
        words.push_str(", with delta 0");
    } else {
        let _ = write!(words, "; * at delta {delta}, else with delta 0");
    }
    words.push_str(". OC: nobody else is honest; OAOC: one aggregator is; OAMC: and ");
    let honest = plan.job.honest_clients();
    if plan.job.honest_fraction == Rational::one() {
        words.push_str("all clients are");
    } else {
        let _ = write!(words, "{honest} clients are");
    }
    if plan.job.honest_aggregators > 1 {
        words.push_str("; 2AOC: two aggregators are");
    }
    words.push_str(". –: no promise.");
    words.push_str(&legend_of_loose(plan));
    wrapped("", "", &words)
}

/// What ≤ means, with the reasons.
fn legend_of_loose(plan: &Plan) -> String {
    let promises = plan.choices.iter().flat_map(|choice| {
        [&choice.per_release, &choice.total]
            .into_iter()
            .flat_map(|of| {
                let three = [&of.oc, &of.oaoc, &of.oamc].into_iter();
                three.chain(of.with_honest_aggregators.values())
            })
    });
    let mut reasons: Vec<&str> = Vec::new();
    for loose in promises.filter_map(Promise::loose) {
        if !reasons.contains(&loose.reason()) {
            reasons.push(loose.reason());
        }
    }
    if reasons.is_empty() {
        return String::new();
    }
    format!(
        " ≤: it holds, and less could be proved: {}.",
        reasons.join("; or ")
    )
}

/// Each reason once, with the policies that it is about.
fn excluded(plan: &Plan) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for excluded in &plan.excluded {
        match reasons
            .iter_mut()
            .find(|(reason, _)| *reason == excluded.reason)
        {
            Some((_, policies)) => policies.push(excluded.policy.name),
            None => reasons.push((&excluded.reason, vec![excluded.policy.name])),
        }
    }
    let mut text = String::from("Not for this job:\n");
    for (reason, policies) in reasons {
        let words = format!("{}: {reason}.", policies.join(", "));
        text += &wrapped("  ", REST, &words);
    }
    text
}

/// Four significant digits, rounded up.
fn figure(value: f64) -> String {
    match Rational::from_f64(value) {
        Ok(exact) => exact.to_decimal(4, Rounding::Up),
        Err(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_too_wide_goes_on_below_with_its_first_column() {
        let line = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let lines = vec![line("policy ε b c"), line("x 1.5 22 333")];
        let whole = "policy  ε    b   c\nx       1.5  22  333\n";
        assert_eq!(table(&lines, 20), whole);
        let folded = "policy  ε    b\nx       1.5  22\n\npolicy  c\nx       333\n";
        assert_eq!(table(&lines, 19), folded);
        // A column that does not fit at all stands alone.
        assert_eq!(table(&lines, 1).matches("policy").count(), 3);
    }
}
