//! The error against the clients and against ε, a line for each policy.

use dp_exact::{Rational, grouped};
use dp_simulation::sweep::{Results, Row};

use super::lines::{Lines, Over, pictures};
use crate::model::{Axis, Block, Chart, Column, Mark, Section, Series, Table};
use crate::simulation::numbers::{figure, with_error};

/// The most pictures of each kind.
const MOST: usize = 2;

/// How the pictures are named.
const OVER_CLIENTS: [&str; MOST] = ["clients-a", "clients-b"];
const OVER_EPSILON: [&str; MOST] = ["epsilon-a", "epsilon-b"];
const IN_CROWDS: [&str; MOST] = ["crowd-a", "crowd-b"];

/// What stands on the axis along the width of a picture.
struct Along {
    over: Over,
    names: [&'static str; MOST],
    title: &'static str,
    label: &'static str,
    description: &'static str,
    place: fn(&Row) -> Option<f64>,
    text: fn(&Row) -> String,
}

const ALONG: [Along; 3] = [
    Along {
        over: Over::Clients,
        names: OVER_CLIENTS,
        title: "Error against the number of clients",
        label: "clients",
        description: "Noise of aggregators is the same however many clients there are; that of clients adds up.",
        place: |row| Rational::from(row.clients).to_f64().into(),
        text: |row| grouped(row.clients),
    },
    Along {
        over: Over::Epsilon,
        names: OVER_EPSILON,
        title: "Error against epsilon, if one aggregator is honest",
        label: "epsilon (OAOC)",
        description: "Each policy stands at the epsilon that it promises if one aggregator is honest: less is more privacy.",
        place: |row| number(&row.oaoc_epsilon),
        text: |row| row.oaoc_epsilon.clone(),
    },
    Along {
        over: Over::Epsilon,
        names: IN_CROWDS,
        title: "Error against epsilon, if most clients are honest as well",
        label: "epsilon (OAMC)",
        description: "The same at the epsilon that holds if most other clients are honest too: what they add counts.",
        place: |row| number(&row.oamc_epsilon),
        text: |row| row.oamc_epsilon.clone(),
    },
];

fn number(text: &str) -> Option<f64> {
    Some(text.parse::<Rational>().ok()?.to_f64())
}

/// Nothing if no list has two values.
pub(super) fn section(results: &Results) -> Option<Section> {
    let mut blocks = Vec::new();
    let mut left_out = 0;
    for along in &ALONG {
        let found = pictures(results, along.over);
        let chosen = spread(found.len());
        left_out += found.len() - chosen.len();
        let drawn = chosen.into_iter().zip(along.names);
        let drawn = drawn.filter_map(|(place, id)| chart(id, along, found.get(place)?));
        blocks.extend(drawn.map(|chart| Block::Chart(Box::new(chart))));
    }
    if blocks.is_empty() {
        return None;
    }
    if left_out > 0 {
        let words = format!(
            "{left_out} further pictures of this kind are left out: the rows as CSV have what they would show."
        );
        blocks.push(Block::Paragraph(words));
    }
    Some(Section {
        id: "curves",
        title: "How the error changes".to_owned(),
        blocks,
    })
}

/// The places of a few of so many, from the first to the last.
fn spread(all: usize) -> Vec<usize> {
    match all {
        0..=MOST => (0..all).collect(),
        _ => (0..MOST)
            .map(|place| place * (all - 1) / (MOST - 1))
            .collect(),
    }
}

fn chart(id: &'static str, along: &Along, lines: &Lines<'_>) -> Option<Chart> {
    let columns = vec![
        Column::words("policy"),
        Column::numbers(along.label),
        Column::numbers("observed std"),
        Column::numbers("predicted std"),
        Column::numbers("cell"),
    ];
    let mut series = Vec::new();
    let mut table = Table::new(along.title, columns);
    for (number, (policy, rows)) in (0..).zip(&lines.policies) {
        let placed = rows.iter().filter_map(|row| {
            let (x, y) = ((along.place)(row)?, row.observed_std);
            (x > 0.0 && y > 0.0).then_some(((x, y), *row))
        });
        let mut placed: Vec<((f64, f64), &Row)> = placed.collect();
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
        let points = placed.into_iter().map(|(point, _)| point).collect();
        series.push(Series::new(*policy, Mark::Numbered(number), points));
    }
    series.retain(|series| !series.points.is_empty());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_pictures_the_first_and_the_last_are_drawn() {
        assert_eq!(spread(1), [0]);
        assert_eq!(spread(2), [0, 1]);
        assert_eq!(spread(9), [0, 8]);
    }
}
