//! Lower bounds on ε beside what policies guarantee.

use dp_audit::{Audit, Finding, PolicyAudit};
use dp_calibration::TrustModel;
use dp_exact::{Delta, parse_integer};
use dp_task::{AggregatorNoiseType, Task};
use serde::Serialize;

use super::{Options, Shown};
use crate::failure::Failure;

/// A δ at which the law of noise is told apart by as many runs as a computer makes.
const LARGE_DELTA: &str = "1/100";

/// By how much fewer runs are made of policies whose aggregators build a table for each draw.
const SLOW: u64 = 100;

/// The answer of an audit of policies.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    runs: u64,
    error: f64,
    guarantees: Vec<Row>,
}

/// A guarantee, and what was measured.
#[derive(Debug, Serialize)]
struct Row {
    policy: String,
    trust_model: TrustModel,
    epsilon: f64,
    delta: f64,
    lower_bound: f64,
    is_refuted: bool,
    event: String,
    runs: u64,
    counts: [u64; 2],
}

/// Audits the tasks.
pub(super) fn answer(options: &Options) -> Result<(super::Answer, Shown), Failure> {
    let runs = options.number("runs", &options.runs, 100)?;
    let honest_clients = options.number("honest-clients", &options.honest_clients, 1)?;
    let seed = options.seed()?;
    let models = models(options)?;
    let error = options.error()?;
    Audit::new(runs, error, seed)?;
    let mut guarantees = Vec::new();
    for task in options.tasks()? {
        let is_slow =
            task.policy_name().aggregator_noise == Some(AggregatorNoiseType::Compensation);
        let runs = if is_slow { (runs / SLOW).max(100) } else { runs };
        let audit = Audit::new(runs, error, seed)?;
        let questions =
            PolicyAudit { models: models.clone(), honest_clients, deltas: deltas(&task)? };
        let findings = questions.audit_task(&task, &audit)?;
        let name = task.policy_name().name;
        guarantees.extend(findings.into_iter().map(|finding| Row::new(name, finding)));
    }
    let refuted = guarantees.iter().filter(|row| row.is_refuted).map(|row| {
        format!(
            "{} guarantees epsilon {:.4} in {}, and has at least {:.4}",
            row.policy,
            row.epsilon,
            row.trust_model.abbreviation(),
            row.lower_bound
        )
    });
    let refuted: Vec<String> = refuted.collect();
    let shown = Shown {
        title: "Lower bounds on epsilon",
        question: format!(
            "Each policy runs {runs} times on each of two neighbouring inputs, and is watched as the adversary of each trust \
             model watches it. Its epsilon is at least what is stated, each time except with probability {error:e}."
        ),
        table: "Guarantees and lower bounds",
        columns: vec!["policy", "model", "guaranteed", "delta", "at least", "verdict"],
        numbers: 2..5,
        rows: guarantees.iter().map(Row::cells).collect(),
        legend: "guaranteed: the epsilon that the policy states in the trust model at this delta; at least: the lower \
                 bound that was measured.",
        faults: (!refuted.is_empty()).then(|| refuted.join("; ")),
        otherwise: "No guarantee is refuted.".to_owned(),
    };
    let answer = Answer { runs, error, guarantees };
    Ok((super::Answer::Bounds(answer), shown))
}

/// Those of the Internet-Draft, and those of several honest aggregators.
fn models(options: &Options) -> Result<Vec<TrustModel>, Failure> {
    let most = &options.honest_aggregators;
    let most = parse_integer("honest-aggregators", most, 1..=254_u8)?;
    let mut models = TrustModel::ALL.to_vec();
    for aggregators in 2..=most {
        let of_several = TrustModel::with_honest_aggregators(aggregators.into())?;
        models.extend(of_several.into_iter().skip(TrustModel::ALL.len()));
    }
    Ok(models)
}

/// The δ of the task, and a larger one.
fn deltas(task: &Task) -> Result<Vec<Delta>, Failure> {
    Ok(vec![task.circumstances().delta().clone(), LARGE_DELTA.parse()?])
}

impl Row {
    fn new(policy: &str, finding: Finding) -> Self {
        let is_refuted = finding.is_refuted();
        let Finding { claim, bound } = finding;
        Self {
            policy: policy.to_owned(),
            trust_model: claim.trust_model,
            epsilon: claim.epsilon,
            delta: claim.delta,
            lower_bound: bound.epsilon,
            is_refuted,
            event: bound.event,
            runs: bound.runs,
            counts: bound.counts,
        }
    }

    fn cells(&self) -> Vec<String> {
        let verdict = if self.is_refuted { "REFUTED" } else { "" };
        vec![
            self.policy.clone(),
            self.trust_model.abbreviation(),
            format!("{:.4}", self.epsilon),
            if self.delta > 0.0 { format!("{:.0e}", self.delta) } else { "0".to_owned() },
            format!("{:.4}", self.lower_bound),
            verdict.to_owned(),
        ]
    }
}
