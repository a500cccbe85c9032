//! Runs of policies on two neighbouring inputs with the same randomness.

use dp_audit::{CoupledProperty, CoupledRuns};
use dp_report::model::{Column, Table};
use dp_task::AggregatorNoiseType;
use serde::Serialize;

use super::{AuditReport, Options};
use crate::failure::Failure;

/// The largest number of pairs of runs, and the number for policies that build a table for each draw.
const PAIRS: [u64; 2] = [1000, 10];

#[derive(Debug, Serialize)]
pub(super) struct CouplingDocument {
    properties: Vec<PolicyRow>,
}

#[derive(Debug, Serialize)]
struct PolicyRow {
    policy: String,
    pairs: u64,
    broken: Vec<CoupledProperty>,
}

/// Compares pairs of runs of the tasks' policies: the findings for programs and for people.
pub(super) fn answer(options: &Options) -> Result<(CouplingDocument, AuditReport), Failure> {
    let mut properties = Vec::new();
    for task in options.subject.tasks()? {
        let policy = task.policy_name();
        let is_slow = policy.aggregator_noise == Some(AggregatorNoiseType::Compensation);
        let pairs = options.method.runs.min(PAIRS[usize::from(is_slow)]);
        let broken = task.with_policy(CoupledRuns { pairs, seed: options.method.seed })?;
        let broken = broken.into_keys().collect();
        properties.push(PolicyRow { policy: policy.name.to_owned(), pairs, broken });
    }
    let words = |row: &PolicyRow| match row.broken.is_empty() {
        true => "no dependence".to_owned(),
        false => row.broken.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    };
    let faults = properties.iter().filter(|row| !row.broken.is_empty());
    let faults: Vec<String> = faults.map(|row| format!("{}: {}", row.policy, words(row))).collect();
    let columns = vec![Column::words("policy"), Column::numbers("pairs"), Column::words("verdict")];
    let mut findings = Table::new("Dependence on data", columns);
    let cells = |row: &PolicyRow| vec![row.policy.clone(), row.pairs.to_string(), words(row)];
    findings.rows = properties.iter().map(cells).collect();
    let report = AuditReport {
        title: "Runs with the same randomness",
        question:
            "Each policy runs in pairs on two neighbouring inputs. Both runs of a pair have the \
                   same seeds of clients and aggregators."
                .to_owned(),
        findings,
        faults: (!faults.is_empty()).then(|| faults.join("; ")),
        otherwise:
            "Draws, other clients' reports and noise do not depend on the changed measurement. \
                    This does not show that the noise has the right distribution."
                .to_owned(),
    };
    Ok((CouplingDocument { properties }, report))
}
