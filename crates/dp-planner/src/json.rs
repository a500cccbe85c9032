//! The plan as JSON.
//!
//! Numbers are strings: those of a promise decimals that are rounded up, parameters exact, errors in
//! full. A promise that is missing is null, with its reason beside it; beside one that is looser than could
//! be proved stands why.

use std::collections::BTreeMap;

use dp_calibration::Budget;
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeStruct as _, Serializer};

use crate::promise::{Loose, Promises, decimal};
use crate::wanted::{Accuracy, Scope, Wanted};
use crate::{Choice, Plan};

/// The version of the form in which a plan is written.
pub const SCHEMA_VERSION: u32 = 1;

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let choices = self.choices.iter();
        let choices: Vec<Written<'_>> = choices
            .map(|choice| Written::of(choice, &self.wanted))
            .collect();
        let excluded = self.excluded.iter().map(|excluded| Out {
            policy: excluded.policy.name,
            reason: &excluded.reason,
        });
        let over_all = self.over_all.as_ref().map(|found| OverAllWritten {
            policy: found.policy.name,
            std: found.errors.std.to_string(),
            margin_95: found.errors.margin_95.to_string(),
            max_error_95: found.errors.max_error_95.to_string(),
        });
        let mut fields = serializer.serialize_struct("Plan", 6)?;
        fields.serialize_field("schema_version", &SCHEMA_VERSION)?;
        fields.serialize_field("job", &Asked(self))?;
        fields.serialize_field("choices", &choices)?;
        fields.serialize_field("excluded", &excluded.collect::<Vec<_>>())?;
        let chosen = self.chosen().map(|choice| choice.policy.name);
        fields.serialize_field("chosen", &chosen)?;
        fields.serialize_field("over_all", &over_all)?;
        fields.end()
    }
}

#[derive(Serialize)]
struct Out<'a> {
    policy: &'static str,
    reason: &'a str,
}

#[derive(Serialize)]
struct OverAllWritten {
    policy: &'static str,
    std: String,
    margin_95: String,
    max_error_95: String,
}

#[derive(Serialize)]
struct Written<'a> {
    policy: &'static str,
    mechanism: &'a str,
    parameter: BTreeMap<&'static str, String>,
    clients: String,
    std: String,
    margin_95: String,
    max_error_95: String,
    per_release: &'a Promises,
    total: &'a Promises,
    /// Why it may deserve a better place.
    #[serde(skip_serializing_if = "Option::is_none")]
    loose: Option<&'static str>,
}

impl<'a> Written<'a> {
    fn of(choice: &'a Choice, wanted: &Wanted) -> Self {
        let parameters = choice.parameters.iter();
        Self {
            policy: choice.policy.name,
            mechanism: choice.draft.description(),
            parameter: parameters
                .map(|(name, value)| (*name, value.to_string()))
                .collect(),
            clients: choice.clients.to_string(),
            std: choice.errors.std.to_string(),
            margin_95: choice.errors.margin_95.to_string(),
            max_error_95: choice.errors.max_error_95.to_string(),
            per_release: &choice.per_release,
            total: &choice.total,
            loose: choice.loose(wanted).map(Loose::reason),
        }
    }
}

/// The job and what is wanted of it, as they were given.
struct Asked<'a>(&'a Plan);

impl Serialize for Asked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (job, wanted) = (&self.0.job, &self.0.wanted);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", &job.query.to_string())?;
        if let Some(grid) = &job.grid {
            map.serialize_entry("grid", &grid.to_string())?;
        }
        let are_asked = wanted.budget.is_some() && wanted.accuracy.is_some();
        if !are_asked {
            map.serialize_entry("clients", &job.clients.to_string())?;
            map.serialize_entry("honest_clients", &job.honest_clients().to_string())?;
            map.serialize_entry("sampling_error", &job.sampling_error().to_string())?;
        }
        map.serialize_entry("aggregators", &job.aggregators.to_string())?;
        map.serialize_entry("releases", &job.releases.to_string())?;
        map.serialize_entry("reports_per_client", &job.reports_per_client.to_string())?;
        map.serialize_entry("adjacency", &job.adjacency)?;
        map.serialize_entry("honest_fraction", &job.honest_fraction.to_string())?;
        map.serialize_entry("honest_aggregators", &job.honest_aggregators.to_string())?;
        map.serialize_entry("against", &wanted.against.trust_model().abbreviation())?;
        let scope = match wanted.scope {
            Scope::Release => "release",
            Scope::Total => "total",
        };
        map.serialize_entry("scope", scope)?;
        match &wanted.budget {
            Some(Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. }) => {
                map.serialize_entry("epsilon", &epsilon.to_string())?;
            }
            Some(Budget::ZeroConcentrated { rho }) => {
                map.serialize_entry("rho", &rho.to_string())?;
            }
            Some(Budget::Renyi { .. }) | None => {}
        }
        map.serialize_entry("delta", &decimal(wanted.delta.value()))?;
        if let Some(left) = &wanted.if_all_collude {
            map.serialize_entry("if_all_collude", &left.to_string())?;
        }
        if let Some(accuracy) = &wanted.accuracy {
            let name = match accuracy {
                Accuracy::StandardDeviation(_) => "std",
                Accuracy::Margin(_) => "margin",
            };
            map.serialize_entry(name, &accuracy.amount().to_string())?;
        }
        map.end()
    }
}
