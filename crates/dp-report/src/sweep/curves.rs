//! The error against the number of clients and against ε, a line for each policy.

use std::collections::BTreeMap;

use dp_exact::{Rational, grouped};
use dp_simulation::sweep::{SweepJob, SweepResults, SweepRow};

use crate::figures::{figure, with_error};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};

/// The most charts of each kind: the first and the last.
const MOST: usize = 2;

/// The most policies in a chart: the number of shapes.
const MOST_POLICIES: usize = 8;

/// The quantity on the x axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum XQuantity {
    Clients,
    Epsilon,
}

/// An x axis, with the texts of its charts.
struct XAxis {
    over: XQuantity,
    names: [&'static str; MOST],
    title: &'static str,
    label: &'static str,
    description: &'static str,
    place: fn(&SweepRow) -> Option<f64>,
    text: fn(&SweepRow) -> String,
}

const X_AXES: [XAxis; 3] = [
    XAxis {
        over: XQuantity::Clients,
        names: ["clients-a", "clients-b"],
        title: "Error against the number of clients",
        label: "clients",
        description: "Noise of aggregators is the same however many clients there are; noise of clients adds up.",
        place: |row| Rational::from(row.clients).to_f64().into(),
        text: |row| grouped(row.clients),
    },
    XAxis {
        over: XQuantity::Epsilon,
        names: ["epsilon-a", "epsilon-b"],
        title: "Error against epsilon, if one aggregator is honest",
        label: "epsilon (OAOC)",
        description: "Each policy stands at the epsilon that it guarantees if one aggregator is honest: less is more privacy.",
        place: |row| number(&row.oaoc_epsilon),
        text: |row| row.oaoc_epsilon.clone(),
    },
    XAxis {
        over: XQuantity::Epsilon,
        names: ["oamc-a", "oamc-b"],
        title: "Error against epsilon, if most clients are honest as well",
        label: "epsilon (OAMC)",
        description: "Each policy stands at the epsilon that it guarantees if one aggregator and most clients are honest: the other clients' noise counts.",
        place: |row| number(&row.oamc_epsilon),
        text: |row| row.oamc_epsilon.clone(),
    },
];

fn number(text: &str) -> Option<f64> {
    Some(text.parse::<Rational>().ok()?.to_f64())
}

/// The section of the charts; `None` if no list has two values.
pub(super) fn section(results: &SweepResults) -> Option<Section> {
    let (mut blocks, mut left_out) = (Vec::new(), 0);
    for along in &X_AXES {
        let mut found = pictures(results, along.over);
        if found.len() > MOST {
            left_out += found.len() - MOST;
            found.drain(1..found.len() - 1);
        }
        let drawn = found.iter().zip(along.names);
        let drawn = drawn.filter_map(|(lines, id)| chart(id, along, lines));
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

/// The rows of one chart, by policy.
struct ChartRows<'a> {
    /// The parameters that all rows share, in words.
    setting: String,
    policies: Vec<(&'a str, Vec<&'a SweepRow>)>,
}

/// The charts with at least two points on a line. The rows of a line differ only in the quantity on the x axis; other
/// differences make further charts.
fn pictures(results: &SweepResults, over: XQuantity) -> Vec<ChartRows<'_>> {
    let rows: BTreeMap<u64, &SweepRow> = results.rows.iter().map(|row| (row.cell, row)).collect();
    let mut pictures: Vec<ChartRows<'_>> = Vec::new();
    for job in &results.summary.jobs {
        let setting = setting(results, job, over);
        let known = pictures.iter().position(|picture| picture.setting == setting);
        let place = known.unwrap_or(pictures.len());
        if known.is_none() {
            let policies = Vec::new();
            pictures.push(ChartRows { setting, policies });
        }
        let policies = &mut pictures[place].policies;
        for row in job.policies.iter().filter_map(|one| rows.get(&one.cell)) {
            match policies.iter_mut().find(|(name, _)| *name == row.policy) {
                Some((_, rows)) => rows.push(row),
                None => policies.push((&row.policy, vec![row])),
            }
        }
    }
    for picture in &mut pictures {
        // As the sweep lists the policies, so that each has the same shape in all pictures.
        let place = |name: &str| {
            let mut policies = results.sweep.policies.iter();
            policies.position(|policy| policy.name == name)
        };
        picture.policies.sort_by_key(|(name, _)| place(name));
        picture.policies.truncate(MOST_POLICIES);
    }
    pictures.retain(|picture| picture.policies.iter().any(|(_, rows)| rows.len() > 1));
    pictures
}

/// The parameters that the rows of a chart share, in words.
fn setting(results: &SweepResults, job: &SweepJob, over: XQuantity) -> String {
    let mut words = vec![format!("Estimates: {}", job.estimates)];
    words.extend((!job.size.is_empty()).then(|| job.size.clone()));
    words.push(match over {
        XQuantity::Clients => job.budget.clone(),
        XQuantity::Epsilon => format!("{} clients", grouped(job.clients)),
    });
    let aggregators = results.sweep.aggregators.len() > 1;
    words.extend(aggregators.then(|| format!("{} aggregators", job.aggregators)));
    let trials = results.sweep.trials.len() > 1;
    words.extend(trials.then(|| format!("{} trials", job.trials)));
    words.join(", ")
}

fn chart(id: &'static str, along: &XAxis, lines: &ChartRows<'_>) -> Option<Chart> {
    let mut columns = vec![Column::words("policy")];
    let numbers = [along.label, "observed std", "predicted std", "cell"];
    columns.extend(numbers.map(Column::numbers));
    let mut series = Vec::new();
    let mut table = Table::new(along.title, columns);
    for (number, (policy, rows)) in (0..).zip(&lines.policies) {
        let placed = rows.iter().filter_map(|row| {
            let (x, y) = ((along.place)(row)?, row.observed_std);
            (x > 0.0 && y > 0.0).then_some(((x, y), *row))
        });
        let mut placed: Vec<((f64, f64), &SweepRow)> = placed.collect();
        placed.sort_by(|((one, _), _), ((other, _), _)| one.total_cmp(other));
        table.rows.extend(placed.iter().map(|(_, row)| {
            vec![
                row.policy.clone(),
                (along.text)(row),
                with_error(row.observed_std, row.observed_std_error),
                figure(row.predicted_std),
                grouped(row.cell),
            ]
        }));
        let points: Vec<_> = placed.into_iter().map(|(point, _)| point).collect();
        if !points.is_empty() {
            series.push(Series::new(*policy, Mark::Numbered(number), points));
        }
    }
    (!series.is_empty()).then(|| Chart {
        id,
        title: along.title.to_owned(),
        description: format!("{}. {}", lines.setting, along.description),
        x: Axis::log(along.label),
        y: Axis::log("observed error of an estimate (standard deviation)"),
        series,
        table,
    })
}
