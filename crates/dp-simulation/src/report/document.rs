//! The report as a document for programs. Its schema is in this crate's README.

use std::collections::BTreeMap;

use dp_calibration::{Adjacency, Budget};
use dp_prio3::{Guarantee, Promise};
use serde::{Serialize, Serializer};

use super::Report;
use crate::Summary;
use crate::outcome::as_f64;

/// The version of the schema. It changes when a field goes or changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// A report, ready to serialize.
#[derive(Clone, Debug, Serialize)]
pub struct Document<'a> {
    schema_version: u32,
    policy: &'a str,
    vdaf: &'a str,
    question: &'a str,
    parameters: BTreeMap<&'static str, &'a str>,
    guarantees: Vec<Option<GuaranteeRow>>,
    guarantees_in_words: Vec<String>,
    seed: String,
    coordinates: Vec<CoordinateRow<'a>>,
    summary: &'a Summary,
}

/// A guarantee that is proved: with ε and δ, with ρ, or with α and τ.
#[derive(Clone, Debug, Serialize)]
struct GuaranteeRow {
    trust_model: String,
    must_be_honest: String,
    honest_aggregators: u8,
    adjacency: &'static str,
    #[serde(flatten)]
    budget: BudgetRow,
    /// What else holds, neither more nor less.
    also: Vec<BudgetRow>,
    protects_nobody: bool,
    provided_that: Vec<String>,
    notes: Vec<String>,
    otherwise: String,
}

/// The exact parameters of a budget.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum BudgetRow {
    EpsilonDelta { epsilon: String, delta: String },
    Rho { rho: String },
    Renyi { alpha: String, tau: String },
}

/// One estimate of one trial.
#[derive(Clone, Debug, Serialize)]
struct CoordinateRow<'a> {
    trial: usize,
    label: &'a str,
    #[serde(serialize_with = "integer_if_it_is_one")]
    truth: f64,
    estimate: f64,
    standard_error: f64,
    margin_95: f64,
}

impl<'a> From<Report<'a>> for Document<'a> {
    fn from(report: Report<'a>) -> Self {
        let Report { plan, outcome } = report;
        let parameters = plan.parameters.iter();
        let coordinates = outcome.trials.iter().enumerate().flat_map(|(trial, run)| {
            let labelled = plan.labels.iter().zip(&run.coordinates);
            labelled.map(move |(label, coordinate)| CoordinateRow {
                trial,
                label,
                truth: coordinate.truth,
                estimate: coordinate.estimate,
                standard_error: coordinate.standard_error,
                margin_95: coordinate.margin_95,
            })
        });
        Self {
            schema_version: SCHEMA_VERSION,
            policy: &plan.policy,
            vdaf: &plan.vdaf,
            question: &plan.question,
            parameters: parameters
                .map(|(name, value)| (*name, value.as_str()))
                .collect(),
            guarantees: plan.guarantees.iter().map(row).collect(),
            guarantees_in_words: plan.guarantees.iter().map(Guarantee::to_string).collect(),
            seed: plan.seed.to_string(),
            coordinates: coordinates.collect(),
            summary: &outcome.summary,
        }
    }
}

/// A guarantee that is proved, or nothing.
fn row(guarantee: &Guarantee) -> Option<GuaranteeRow> {
    Some(GuaranteeRow {
        trust_model: guarantee.trust_model.abbreviation(),
        adjacency: match guarantee.adjacency {
            Adjacency::Replacement => "replacement",
            Adjacency::Deletion => "deletion",
        },
        must_be_honest: guarantee.trust_model.must_be_honest(),
        honest_aggregators: guarantee.trust_model.honest_aggregators(),
        budget: match &guarantee.promise {
            Promise::Proved(budget) => budget.into(),
            Promise::TotalVariation { delta, .. } => BudgetRow::EpsilonDelta {
                epsilon: "0".to_owned(),
                delta: delta.to_string(),
            },
            Promise::Absent { .. } => return None,
        },
        also: guarantee.also.iter().map(BudgetRow::from).collect(),
        protects_nobody: guarantee.is_weak,
        provided_that: guarantee.assumptions.clone(),
        notes: guarantee.remarks.clone(),
        otherwise: guarantee.otherwise.clone(),
    })
}

impl From<&Budget> for BudgetRow {
    fn from(budget: &Budget) -> Self {
        match budget {
            Budget::Pure { epsilon } => Self::EpsilonDelta {
                epsilon: epsilon.to_string(),
                delta: "0".to_owned(),
            },
            Budget::Approximate { epsilon, delta } => Self::EpsilonDelta {
                epsilon: epsilon.to_string(),
                delta: delta.to_string(),
            },
            Budget::ZeroConcentrated { rho } => Self::Rho {
                rho: rho.to_string(),
            },
            Budget::Renyi { alpha, tau } => Self::Renyi {
                alpha: alpha.to_string(),
                tau: tau.to_string(),
            },
        }
    }
}

/// A total is an integer, a mean is not.
fn integer_if_it_is_one<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "compared with the value itself"
    )]
    let integer = *value as i64;
    if as_f64(integer.into()).total_cmp(value).is_eq() {
        serializer.serialize_i64(integer)
    } else {
        serializer.serialize_f64(*value)
    }
}
