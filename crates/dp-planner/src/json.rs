//! The plan as JSON.
//!
//! Numbers are strings: those of a guarantee decimals that are rounded up, parameters exact, errors in
//! full. A guarantee that is missing is null, with its reason beside it; beside one that is looser than could
//! be proved stands why.

use std::collections::BTreeMap;

use dp_calibration::Budget;
use serde::Serialize;
use serde::ser::Serializer;

use crate::errors::EstimateErrors;
use crate::guarantee::{Guarantees, SlackReason, decimal};
use crate::target::{Accuracy, BudgetScope};
use crate::{Plan, PolicyChoice};

/// The version of the form in which a plan is written.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    #[serde(serialize_with = "in_order")]
    job: Vec<(&'static str, String)>,
    choices: Vec<Chosen<'a>>,
    excluded: Vec<Excluded<'a>>,
    chosen: Option<&'static str>,
    over_all: Option<TotalBudgetChoice>,
}

#[derive(Serialize)]
struct Chosen<'a> {
    policy: &'static str,
    mechanism: &'a str,
    parameter: BTreeMap<&'static str, String>,
    clients: String,
    #[serde(flatten)]
    errors: Figures,
    per_release: &'a Guarantees,
    total: &'a Guarantees,
    /// Why it may deserve a better place.
    #[serde(skip_serializing_if = "Option::is_none")]
    loose: Option<&'static str>,
}

#[derive(Serialize)]
struct Excluded<'a> {
    policy: &'static str,
    reason: &'a str,
}

#[derive(Serialize)]
struct TotalBudgetChoice {
    policy: &'static str,
    #[serde(flatten)]
    errors: Figures,
}

#[derive(Serialize)]
struct Figures {
    std: String,
    margin_95: String,
    max_error_95: String,
}

impl From<EstimateErrors> for Figures {
    fn from(errors: EstimateErrors) -> Self {
        Self {
            std: errors.std.to_string(),
            margin_95: errors.margin_95.to_string(),
            max_error_95: errors.max_error_95.to_string(),
        }
    }
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let choices = self.choices.iter().map(|choice: &PolicyChoice| {
            let parameters = choice.parameters.iter();
            let parameters = parameters.map(|(name, value)| (*name, value.to_string()));
            Chosen {
                policy: choice.policy.name,
                mechanism: choice.draft.description(),
                parameter: parameters.collect(),
                clients: choice.clients.to_string(),
                errors: choice.errors.into(),
                per_release: &choice.per_release,
                total: &choice.total,
                loose: choice.loose(&self.target).map(SlackReason::reason),
            }
        });
        let excluded = self
            .excluded
            .iter()
            .map(|excluded| Excluded { policy: excluded.policy.name, reason: &excluded.reason });
        let over_all = self.over_all.as_ref().map(|found| TotalBudgetChoice {
            policy: found.policy.name,
            errors: found.errors.into(),
        });
        let document = Document {
            schema_version: SCHEMA_VERSION,
            job: self.asked(),
            choices: choices.collect(),
            excluded: excluded.collect(),
            chosen: self.chosen().map(|choice| choice.policy.name),
            over_all,
        };
        document.serialize(serializer)
    }
}

fn in_order<S: Serializer>(
    fields: &[(&'static str, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
}

impl Plan {
    /// The job and what is wanted of it, as they were given.
    fn asked(&self) -> Vec<(&'static str, String)> {
        let (job, target) = (&self.job, &self.target);
        let mut asked = vec![("type", job.query.to_string())];
        asked.extend(job.grid.iter().map(|grid| ("grid", grid.to_string())));
        if target.budget.is_none() || target.accuracy.is_none() {
            asked.extend([
                ("clients", job.clients.to_string()),
                ("honest_clients", job.honest_clients().to_string()),
                ("sampling_error", job.sampling_error().to_string()),
            ]);
        }
        let scope = match target.scope {
            BudgetScope::Release => "release",
            BudgetScope::Total => "total",
        };
        asked.extend([
            ("aggregators", job.aggregators.to_string()),
            ("releases", job.releases.to_string()),
            ("reports_per_client", job.reports_per_client.to_string()),
            ("adjacency", job.adjacency.to_string()),
            ("honest_fraction", job.honest_fraction.to_string()),
            ("honest_aggregators", job.honest_aggregators.to_string()),
            ("against", target.trust_model.abbreviation()),
            ("scope", scope.to_owned()),
        ]);
        match &target.budget {
            Some(Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. }) => {
                asked.push(("epsilon", epsilon.to_string()));
            }
            Some(Budget::ZeroConcentrated { rho }) => asked.push(("rho", rho.to_string())),
            Some(Budget::Renyi { .. }) | None => {}
        }
        asked.push(("delta", decimal(target.delta.value())));
        let left = target.if_all_collude.iter();
        asked.extend(left.map(|left| ("if_all_collude", left.to_string())));
        asked.extend(target.accuracy.iter().map(|accuracy| match accuracy {
            Accuracy::StandardDeviation(amount) => ("std", amount.to_string()),
            Accuracy::Margin(amount) => ("margin", amount.to_string()),
        }));
        asked
    }
}
