//! Lower bounds on the ε of policies, beside their guarantees.

use dp_audit::{Audit, Finding, PolicyAudit};
use dp_exact::ParameterError;
use dp_report::model::{Column, Table};
use dp_task::{AggregatorNoiseType, Task};
use serde::Serialize;

use super::{AuditReport, MethodOptions, Options};
use crate::failure::Failure;

/// A δ beside the task's own, at which a feasible number of runs tells noise apart.
const LARGE_DELTA: &str = "1/100";

/// The divisor of the number of runs for policies whose aggregators build a table for each draw.
const SLOW: u64 = 100;

/// The largest number of reports that honest clients send in the runs of one input: minutes.
const MAX_REPORTS: u64 = 1_000_000_000;

#[derive(Debug, Serialize)]
pub(super) struct BoundsDocument {
    runs: u64,
    error: f64,
    guarantees: Vec<BoundRow>,
}

/// A guarantee, and the lower bound on ε with the event that shows it.
#[derive(Debug, Serialize)]
struct BoundRow {
    policy: &'static str,
    #[serde(flatten)]
    finding: Finding,
    is_refuted: bool,
}

/// The answer of `audit` without a deployment: runs the policies of all audited tasks, and returns
/// lower bounds on their ε beside their guarantees, for programs and for people. Slow policies are
/// run a hundredth as often.
pub(super) fn answer(options: &Options) -> Result<(BoundsDocument, AuditReport), Failure> {
    let MethodOptions { runs, honest_clients, seed, .. } = options.method;
    let error = options.method.error.to_f64();
    let most = (MAX_REPORTS / runs.max(1)).max(1);
    if honest_clients > most {
        let accepted = format!("an integer from 1 to {most} with {runs} runs");
        return Err(ParameterError::new("honest-clients", honest_clients, accepted).into());
    }
    let audit = |task: &Task, runs: u64| -> Result<Vec<Finding>, Failure> {
        let is_slow =
            task.policy_name().aggregator_noise == Some(AggregatorNoiseType::Compensation);
        let runs = if is_slow { (runs / SLOW).max(100) } else { runs };
        let questions = PolicyAudit {
            audit: Audit::new(runs, error, seed)?,
            honest_clients,
            deltas: vec![task.circumstances().delta.clone(), LARGE_DELTA.parse()?],
        };
        Ok(questions.findings(task.policy())?)
    };
    let mut guarantees = Vec::new();
    for task in options.subject.tasks()? {
        let policy = task.policy_name().name;
        guarantees.extend(audit(&task, runs)?.into_iter().map(|finding| BoundRow {
            policy,
            is_refuted: finding.is_refuted(),
            finding,
        }));
    }
    let refuted = guarantees.iter().filter(|row| row.is_refuted).map(|row| {
        let Finding { trust_model, epsilon, bound } = &row.finding;
        format!(
            "{} guarantees epsilon {epsilon:.4} in {}, and its epsilon is at least {:.4}",
            row.policy,
            trust_model.abbreviation(),
            bound.epsilon
        )
    });
    let refuted: Vec<String> = refuted.collect();
    let mut columns = ["policy", "model"].map(Column::words).to_vec();
    columns.extend(["guaranteed", "delta", "at least"].map(Column::numbers));
    columns.push(Column::words("verdict"));
    let mut findings = Table::new("", columns);
    findings.rows = guarantees.iter().map(BoundRow::cells).collect();
    let report = AuditReport {
        question: format!(
            "Each policy runs {runs} times on each of two neighbouring inputs, in the view of the \
             adversary of each trust model. Each lower bound on epsilon holds except with \
             probability {error:e}."
        ),
        findings,
        faults: (!refuted.is_empty()).then(|| refuted.join("; ")),
        otherwise: "No guarantee is refuted.".to_owned(),
    };
    Ok((BoundsDocument { runs, error, guarantees }, report))
}

impl BoundRow {
    /// The cells of the row in the table for people.
    fn cells(&self) -> Vec<String> {
        let Finding { trust_model, epsilon, bound } = &self.finding;
        let verdict = if self.is_refuted { "REFUTED" } else { "not refuted" };
        vec![
            self.policy.to_owned(),
            trust_model.abbreviation(),
            format!("{epsilon:.4}"),
            if bound.delta > 0.0 { format!("{:.0e}", bound.delta) } else { "0".to_owned() },
            format!("{:.4}", bound.epsilon),
            verdict.to_owned(),
        ]
    }
}
