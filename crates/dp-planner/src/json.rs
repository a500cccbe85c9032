//! The plan as JSON.
//!
//! Numbers are strings: decimals rounded up in guarantees, exact values of parameters, all digits
//! of errors. An absent guarantee is null; its reason stands beside it.

use std::collections::BTreeMap;

use dp_calibration::{Budget, Query};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use crate::Plan;
use crate::estimate_errors::EstimateErrors;
use crate::guarantee::{Guarantees, decimal, slack_words};
use crate::target::{Accuracy, BudgetScope};

/// The version of the JSON form of a plan.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct ChoiceJson<'a> {
    policy: &'static str,
    mechanism: String,
    parameter: BTreeMap<&'static str, String>,
    clients: String,
    #[serde(flatten)]
    errors: EstimateErrors,
    per_release: &'a Guarantees,
    total: &'a Guarantees,
    /// Why a smaller ε could be proved; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    loose: Option<String>,
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.complete();
        let choices = self.choices.iter().map(|choice| ChoiceJson {
            policy: choice.policy.name,
            mechanism: choice.draft.name(),
            parameter: choice
                .parameters
                .iter()
                .map(|(name, value)| (*name, value.to_string()))
                .collect(),
            clients: choice.clients.to_string(),
            errors: choice.errors,
            per_release: &choice.per_release,
            total: &choice.total,
            loose: choice.slack_reason(&self.target).map(slack_words),
        });
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema_version", &SCHEMA_VERSION)?;
        map.serialize_entry("job", &InOrder(self.inputs()))?;
        map.serialize_entry("choices", &choices.collect::<Vec<_>>())?;
        map.serialize_entry("excluded", &self.excluded)?;
        map.serialize_entry("chosen", &self.chosen().map(|choice| choice.policy.name))?;
        map.end()
    }
}

struct InOrder(Vec<(&'static str, String)>);

impl Serialize for InOrder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Plan {
    /// The job and the target, by the names of the JSON form.
    #[must_use]
    pub fn inputs(&self) -> Vec<(&'static str, String)> {
        let (job, target) = (&self.job, &self.target);
        let mut inputs = vec![("type", job.query.to_string())];
        if matches!(job.query, Query::Histogram { .. }) {
            inputs.push(("for", job.workload.to_string()));
        }
        inputs.extend(job.grid.iter().map(|grid| ("grid", grid.to_string())));
        if target.budget.is_none() || target.accuracy.is_none() {
            inputs.extend([
                ("clients", job.clients.to_string()),
                ("honest_clients", job.honest_clients().to_string()),
                ("sampling_error", job.sampling_error().to_string()),
            ]);
        }
        let scope = match target.scope {
            BudgetScope::Release => "release",
            BudgetScope::Total => "total",
        };
        inputs.extend([
            ("aggregators", job.aggregators.to_string()),
            ("releases", job.releases.to_string()),
            ("reports_per_client", job.reports_per_client.to_string()),
            ("adjacency", job.adjacency.to_string()),
            ("honest_fraction", job.honest_fraction.to_string()),
            ("against", target.trust_model.abbreviation()),
            ("scope", scope.to_owned()),
        ]);
        match &target.budget {
            Some(Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. }) => {
                inputs.push(("epsilon", epsilon.to_string()));
            }
            Some(Budget::ZeroConcentrated { rho }) => inputs.push(("rho", rho.to_string())),
            Some(Budget::Renyi { .. }) | None => {}
        }
        inputs.push(("delta", decimal(target.delta.value())));
        let if_all_collude = target.if_all_collude.iter();
        inputs.extend(if_all_collude.map(|epsilon| ("if_all_collude", epsilon.to_string())));
        inputs.extend(target.accuracy.iter().map(|accuracy| match accuracy {
            Accuracy::StandardDeviation(bound) => ("std", bound.to_string()),
            Accuracy::Margin(bound) => ("margin", bound.to_string()),
        }));
        inputs
    }
}
