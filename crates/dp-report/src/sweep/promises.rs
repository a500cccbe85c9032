//! What every cell promises, in each trust model.

use dp_simulation::sweep::{Results, Row};

use super::tables::{MOST, more};
use crate::model::{Block, Column, Section, Table};

pub(super) fn section(results: &Results) -> Section {
    let mut columns = vec![
        Column::numbers("cell"),
        Column::words("policy"),
        Column::words("noise"),
    ];
    columns.extend(["OC", "OAOC", "OAMC"].map(Column::words));
    let table = Table {
        rows: results.rows.iter().take(MOST).map(cells).collect(),
        legend: format!(
            "Pairs are (epsilon, delta), for one measurement under replacement. Honest beside the client itself: \
             OC nobody, OAOC one aggregator, OAMC one aggregator and most clients. A star marks a promise that \
             protects nobody.{}",
            more(results)
        ),
        ..Table::new("What every cell promises", columns)
    };
    Section {
        id: "promises",
        title: "What every cell promises".to_owned(),
        blocks: vec![Block::Table(table)],
    }
}

fn cells(row: &Row) -> Vec<String> {
    let promise = |epsilon: &str, delta: &str, reason: &str| {
        let star = if reason.contains("protects nobody") {
            " *"
        } else {
            ""
        };
        match (epsilon, delta) {
            ("", _) => "none".to_owned(),
            (epsilon, "0") => format!("{epsilon}{star}"),
            (epsilon, delta) => format!("({epsilon}, {delta}){star}"),
        }
    };
    vec![
        row.cell.to_string(),
        row.policy.clone(),
        row.noise.clone(),
        promise(&row.oc_epsilon, &row.oc_delta, &row.oc_reason),
        promise(&row.oaoc_epsilon, &row.oaoc_delta, &row.oaoc_reason),
        promise(&row.oamc_epsilon, &row.oamc_delta, &row.oamc_reason),
    ]
}
