//! A policy, what it guarantees in each trust model, and how accurate it is.

use std::collections::BTreeMap;

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, Rational, Rounding, directed, figure};
use dp_prio3::{
    Circumstances, DpPolicy, Fallback, FallbackPart, Guarantee, PrivacyBound, TrustModel,
};
use dp_task::{FromMeasurement, PolicyName, PolicyVisitor, Task, VdafType};
use serde::Serialize;

use super::job::Job;
use crate::failure::Failure;

/// A policy and its guarantees.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) policy: &'static str,
    vdaf: &'static str,
    description: String,
    parameters: BTreeMap<&'static str, String>,
    /// The standard deviation of one estimate, by the noise of clients and aggregators.
    pub(super) std: f64,
    /// Half the width of its 95 % interval.
    pub(super) margin_95: f64,
    pub(super) guarantees: Vec<Cell>,
}

/// What a policy guarantees in one trust model.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    trust_model: String,
    must_be_honest: String,
    holds_against: String,
    adjacency: String,
    /// In a few characters.
    #[serde(skip)]
    pub(super) short: String,
    /// In words.
    guarantee: String,
    /// The budget, or nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<Budget>,
    /// The δ of a guarantee with ε = 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_variation: Option<Delta>,
    #[serde(skip_serializing_if = "Option::is_none")]
    none_because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    carried_over_from: Option<String>,
    /// Other budgets that hold, neither more nor less.
    also: Vec<Budget>,
    protects_nobody: bool,
    provided_that: Vec<String>,
    notes: Vec<String>,
    otherwise: String,
    #[serde(skip)]
    remains: Fallback,
}

/// A policy that cannot be had with the numbers of the job.
#[derive(Debug, Serialize)]
pub(super) struct Excluded {
    pub(super) policy: &'static str,
    pub(super) reason: String,
}

impl Row {
    /// The policy for the job, or why there is none.
    ///
    /// What other clients add to the noise of both ends takes up to a second, and is found only for a policy
    /// `in_full`.
    pub(super) fn new(policy: &PolicyName, job: &Job, in_full: bool) -> Result<Self, Excluded> {
        let excluded =
            |failure: &Failure| Excluded { policy: policy.name, reason: failure.to_string() };
        let document = job.document(policy);
        let task = document.and_then(|document| Ok(Task::accepting_weak_guarantee(document)?));
        let task = task.map_err(|failure| excluded(&failure))?;
        let are_both = policy.client_noise.is_some() && policy.aggregator_noise.is_some();
        let one = task.with_policy(Predicted {
            reports: job.clients(),
            share: match policy.vdaf {
                VdafType::Histogram => task.document().vdaf.length().unwrap_or(1),
                _ => 2,
            },
        });
        Ok(Self {
            policy: policy.name,
            vdaf: policy.vdaf.name(),
            description: task.description().to_owned(),
            parameters: task.parameters().iter().cloned().collect(),
            std: one.std,
            margin_95: one.margin_95,
            guarantees: guarantees(&task, job, in_full || !are_both),
        })
    }
}

/// What is remarked where a guarantee is the one against a stronger adversary, as no other was asked for.
const NOT_ASKED: &str = "what other clients add is found for one policy, by --policy";

/// What is guaranteed in each trust model; among honest clients what is guaranteed against a stronger adversary,
/// unless `with_clients`.
fn guarantees(task: &Task, job: &Job, with_clients: bool) -> Vec<Cell> {
    let circumstances = Circumstances::new(job.clients(), job.delta.clone());
    let mut found: Vec<Guarantee> = Vec::new();
    for model in TrustModel::ALL {
        let stronger = found.last().filter(|_| model.needs_other_clients() && !with_clients);
        let guarantee = match stronger.cloned() {
            None => task.guarantee_in(model, &circumstances),
            Some(mut carried) => {
                let stronger = carried.trust_model;
                carried.carried_over_from.get_or_insert(stronger);
                carried.remarks.push(NOT_ASKED.to_owned());
                carried.trust_model = model;
                carried
            }
        };
        found.push(guarantee);
    }
    found.into_iter().map(Cell::from).collect()
}

/// One estimate, of a total to which one of so many clients adds.
struct Predicted {
    reports: u64,
    share: usize,
}

/// The standard deviation of an estimate, and what it is off by with probability 5 % at most.
struct Errors {
    std: f64,
    margin_95: f64,
}

impl PolicyVisitor for Predicted {
    type Output = Errors;

    /// Clients that are spread evenly stay so when they randomize.
    fn visit<P>(self, policy: P) -> Errors
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let share = u64::try_from(self.share).unwrap_or(u64::MAX);
        let total = self.reports / share;
        let estimates = policy.estimate(&[total.into()], self.reports);
        let std = estimates.first().map_or(f64::NAN, |one| one.standard_error);
        let law = policy.noisy_total(self.reports);
        let margin = Rational::new(1, 20)
            .ok()
            .zip(law)
            .and_then(|(beta, law)| law.margin(total, &beta).ok());
        let divisor = directed::count(policy.divisor(self.reports));
        Errors {
            std,
            // Chebyshev, where the law is not known.
            margin_95: margin.map_or(20_f64.sqrt() * std, |margin| margin / divisor),
        }
    }
}

impl From<Guarantee> for Cell {
    fn from(guarantee: Guarantee) -> Self {
        let model = guarantee.trust_model;
        let none_because = match &guarantee.bound {
            PrivacyBound::Absent { reason } => Some(reason.clone()),
            PrivacyBound::Proved(_) | PrivacyBound::TotalVariation { .. } => None,
        };
        let total_variation = match &guarantee.bound {
            PrivacyBound::TotalVariation { delta, .. } => Some(delta.clone()),
            PrivacyBound::Proved(_) | PrivacyBound::Absent { .. } => None,
        };
        Self {
            total_variation,
            short: match guarantee.remarks.iter().any(|note| note == NOT_ASKED) {
                true => format!("≤{}", short(&guarantee.bound)),
                false => short(&guarantee.bound),
            },
            guarantee: guarantee.bound.to_string(),
            budget: guarantee.bound.budget().cloned(),
            also: guarantee.also,
            protects_nobody: guarantee.is_weak,
            notes: guarantee.remarks,
            trust_model: model.abbreviation(),
            must_be_honest: model.must_be_honest(),
            holds_against: model.adversary(),
            adjacency: guarantee.adjacency.to_string(),
            none_because,
            carried_over_from: guarantee.carried_over_from.map(TrustModel::abbreviation),
            provided_that: guarantee.assumptions,
            otherwise: guarantee.otherwise.to_string(),
            remains: guarantee.otherwise,
        }
    }
}

impl Cell {
    /// Who must be honest for this to hold, then what remains if they are not: a line each.
    /// What the client's own noise guarantees by itself and what one honest aggregator gives are in the
    /// table, in the columns of `of_client` and `of_one`.
    pub(super) fn sentences(&self, of_client: Option<&Self>, of_one: Option<&Self>) -> Vec<String> {
        if let Some(reason) = &self.none_because {
            return vec![format!("no guarantee: {reason}.")];
        }
        if let Some(stronger) = &self.carried_over_from {
            let is_cut = self.notes.iter().any(|note| note == NOT_ASKED);
            let cut = if is_cut {
                format!(" There may be a smaller one: {NOT_ASKED}.")
            } else {
                String::new()
            };
            return vec![format!("as {stronger}: what holds there holds here.{cut}")];
        }
        let who = &self.must_be_honest;
        let are = if who.contains(" and ") { "are" } else { "is" };
        let in_the_table = |remains: &FallbackPart| match remains {
            FallbackPart::OneAggregator(bound) if of_one.is_some_and(|one| one.is(bound)) => {
                "what column OAOC says".to_owned()
            }
            FallbackPart::OwnRandomness(own)
                if of_client.is_some_and(|client| client.keeps(own)) =>
            {
                "the ε of column OC".to_owned()
            }
            other => other.to_string(),
        };
        let otherwise: String = self.remains.0.iter().map(in_the_table).collect();
        vec![format!("holds if {who} {are} honest."), format!("Otherwise: {otherwise}.")]
    }
}

impl Cell {
    /// Whether this is the guarantee of the cell.
    fn is(&self, bound: &PrivacyBound) -> bool {
        self.guarantee == bound.to_string()
    }

    /// Whether the cell guarantees this ε.
    fn keeps(&self, own: &Epsilon) -> bool {
        matches!(&self.budget, Some(Budget::Pure { epsilon }) if epsilon == own)
    }
}

/// A guarantee in a few characters.
fn short(bound: &PrivacyBound) -> String {
    match bound {
        PrivacyBound::Absent { .. } => "none".to_owned(),
        PrivacyBound::TotalVariation { delta, .. } => format!("ε 0, δ {}", up(delta.value())),
        PrivacyBound::Proved(Budget::Pure { epsilon }) => format!("ε {}", up(epsilon.value())),
        PrivacyBound::Proved(Budget::Approximate { epsilon, delta }) => {
            format!("ε {}, δ {}", up(epsilon.value()), up(delta.value()))
        }
        PrivacyBound::Proved(Budget::ZeroConcentrated { rho }) => format!("ρ {}", up(rho.value())),
        PrivacyBound::Proved(Budget::Renyi { alpha, tau }) => format!("τ {tau} at α {alpha}"),
    }
}

/// Four digits, rounded up: a bound stays one.
fn up(value: &Rational) -> String {
    figure(value, 4, Rounding::Up)
}
