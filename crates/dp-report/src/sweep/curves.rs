//! The error against the number of clients and against ε, a line for each policy.

use std::collections::BTreeMap;

use dp_exact::{Rational, grouped};
use dp_simulation::sweep::{SweepJob, SweepResults, SweepRow};

use crate::figures::{figure, with_error};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};

/// The most charts of each kind.
const MOST: usize = 2;

/// The most policies in a chart: the number of shapes.
const MOST_POLICIES: usize = 8;

struct XAxis {
    is_clients: bool,
    names: [&'static str; MOST],
    title: &'static str,
    label: &'static str,
    description: &'static str,
    place: fn(&SweepRow) -> Option<(f64, String)>,
}

const X_AXES: [XAxis; 3] = [
    XAxis {
        is_clients: true,
        names: ["clients-a", "clients-b"],
        title: "Error against the number of clients",
        label: "clients",
        description: "Noise of aggregators is the same however many clients there are; noise of clients adds up.",
        place: |row| Some((Rational::from(row.clients).to_f64(), grouped(row.clients))),
    },
    XAxis {
        is_clients: false,
        names: ["epsilon-a", "epsilon-b"],
        title: "Error against epsilon, if one aggregator is honest",
        label: "epsilon (OAOC)",
        description: "Each policy stands at the epsilon that it guarantees if one aggregator is honest: less is more privacy.",
        place: |row| number(&row.oaoc_epsilon),
    },
    XAxis {
        is_clients: false,
        names: ["oamc-a", "oamc-b"],
        title: "Error against epsilon, if most clients are honest as well",
        label: "epsilon (OAMC)",
        description: "Each policy stands at the epsilon that it guarantees if one aggregator and most clients are honest: the other clients' noise counts.",
        place: |row| number(&row.oamc_epsilon),
    },
];

fn number(text: &str) -> Option<(f64, String)> {
    Some((text.parse::<Rational>().ok()?.to_f64(), text.to_owned()))
}

/// The section of the charts; `None` if no list has two values.
pub(super) fn section(results: &SweepResults) -> Option<Section> {
    let (mut blocks, mut left_out) = (Vec::new(), 0);
    for along in &X_AXES {
        let found = pictures(results, along);
        left_out += found.len().saturating_sub(MOST);
        let drawn = found.iter().zip(along.names);
        let drawn = drawn.filter_map(|(rows, id)| chart(id, along, results, rows));
        blocks.extend(drawn.map(|chart| Block::Chart(Box::new(chart))));
    }
    if blocks.is_empty() {
        return None;
    }
    if left_out > 0 {
        blocks.push(Block::Paragraph(format!(
            "{left_out} further pictures of this kind are left out: the rows as CSV have what they would show."
        )));
    }
    Some(Section::new("curves", "How the error changes", blocks))
}

/// The parameters that the rows of a chart share, in words, and the rows of each policy.
type ChartRows<'a> = (String, BTreeMap<&'a str, Vec<&'a SweepRow>>);

/// The charts with two points on a line, whose rows differ only in the quantity on the x axis.
fn pictures<'a>(results: &'a SweepResults, along: &XAxis) -> Vec<ChartRows<'a>> {
    let by_cell: BTreeMap<u64, &SweepRow> =
        results.rows.iter().map(|row| (row.cell, row)).collect();
    let mut pictures: Vec<ChartRows<'_>> = Vec::new();
    for job in &results.summary.jobs {
        let setting = setting(results, job, along);
        let found = pictures.iter().position(|(known, _)| *known == setting);
        let place = found.unwrap_or(pictures.len());
        if found.is_none() {
            pictures.push((setting, BTreeMap::new()));
        }
        for row in job.policies.iter().filter_map(|one| by_cell.get(&one.cell)) {
            pictures[place].1.entry(&row.policy).or_default().push(row);
        }
    }
    pictures.retain(|(_, rows)| rows.values().any(|rows| rows.len() > 1));
    pictures
}

fn setting(results: &SweepResults, job: &SweepJob, along: &XAxis) -> String {
    let mut words = vec![format!("Estimates: {}", job.estimates)];
    words.extend((!job.size.is_empty()).then(|| job.size.clone()));
    words.push(match along.is_clients {
        true => job.budget.clone(),
        false => format!("{} clients", grouped(job.clients)),
    });
    let aggregators = results.sweep.aggregators.len() > 1;
    words.extend(aggregators.then(|| format!("{} aggregators", job.aggregators)));
    let trials = results.sweep.trials.len() > 1;
    words.extend(trials.then(|| format!("{} trials", job.trials)));
    words.join(", ")
}

fn chart(
    id: &'static str,
    along: &XAxis,
    results: &SweepResults,
    (setting, rows): &ChartRows<'_>,
) -> Option<Chart> {
    let numbers = [along.label, "observed std", "predicted std", "cell"].map(Column::numbers);
    let columns = std::iter::once(Column::words("policy")).chain(numbers);
    let mut table = Table::new(along.title, columns.collect());
    let mut series = Vec::new();
    // In the order of the sweep, so that each policy has its shape.
    let policies = results.sweep.policies.iter();
    let drawn = policies.filter_map(|policy| rows.get_key_value(policy.name)).take(MOST_POLICIES);
    for (number, (name, rows)) in (0..).zip(drawn) {
        let placed = rows.iter().filter_map(|row| Some(((along.place)(row)?, *row)));
        let mut placed: Vec<((f64, String), &SweepRow)> =
            placed.filter(|((x, _), row)| *x > 0.0 && row.observed_std > 0.0).collect();
        placed.sort_by(|((one, _), _), ((other, _), _)| one.total_cmp(other));
        table.rows.extend(placed.iter().map(|((_, text), row)| {
            vec![
                row.policy.clone(),
                text.clone(),
                with_error(row.observed_std, row.observed_std_error),
                figure(row.predicted_std),
                grouped(row.cell),
            ]
        }));
        let points: Vec<_> = placed.iter().map(|((x, _), row)| (*x, row.observed_std)).collect();
        if !points.is_empty() {
            series.push(Series::new(*name, Mark::Numbered(number), points));
        }
    }
    (!series.is_empty()).then(|| Chart {
        id,
        title: along.title.to_owned(),
        description: format!("{setting}. {}", along.description),
        x: Axis::log(along.label),
        y: Axis::log("observed error of an estimate (standard deviation)"),
        series,
        table,
    })
}
