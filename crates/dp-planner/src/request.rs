//! A job and its target as text, as options, a form or a page's address hold them.

use std::str::FromStr;

use dp_calibration::{Budget, Query, Refusal, TrustModel};
use dp_exact::{Delta, ParameterError, Rational, parse_integer};
use dp_prio3::EpsilonDelta;
use dp_prio3::grid::Grid;
use serde::Deserialize;

use crate::job::MAX_CLIENTS;
use crate::target::{Accuracy, BudgetScope, DELTA_OF_RHO, Target, trust_model_against};
use crate::{Error, Job, MAX_RELEASES};

/// A job and its target as text. An absent field has the default of `plan`.
///
/// As a document it is a map from the names of the options to texts; an unknown name is refused.
///
/// ```
/// use dp_planner::PlanRequest;
///
/// let request = PlanRequest {
///     query: Some("histogram:40".to_owned()),
///     clients: Some("250000".to_owned()),
///     epsilon: Some("-1".to_owned()),
///     ..PlanRequest::default()
/// };
/// let error = request.read().unwrap_err();
/// assert_eq!(error.to_string(), "epsilon is -1: expected a number greater than 0");
/// assert_eq!(PlanRequest::field_of(&error), Some("epsilon"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlanRequest {
    /// The aggregate, such as `histogram:40`; with a grid `sum`, `average` or `sumvec:LENGTH`.
    #[serde(rename = "type")]
    pub query: Option<String>,
    /// What is read off a histogram, whose error ranks the policies: `buckets` (the default),
    /// `percentiles` or `ranges`.
    #[serde(rename = "for")]
    pub workload: Option<String>,
    /// `LOW..HIGH/STEP` of real numbers.
    pub grid: Option<String>,
    /// Number of reports in one release; absent if a budget and an accuracy determine it.
    pub clients: Option<String>,
    /// Number of aggregators; 2 if absent.
    pub aggregators: Option<String>,
    /// Number of releases over the same clients; 1 if absent.
    pub releases: Option<String>,
    /// Upper limit on reports of one person in one release; 1 if absent.
    pub reports_per_client: Option<String>,
    /// `replacement` (the default) or `deletion`.
    pub adjacency: Option<String>,
    /// Fraction of honest clients; 1 if absent.
    pub honest_fraction: Option<String>,
    /// ε of the budget.
    pub epsilon: Option<String>,
    /// δ of the budget, at which ε is reported; if absent 0, or 1e-9 with ρ.
    pub delta: Option<String>,
    /// ρ of a zero-concentrated budget, in place of ε.
    pub rho: Option<String>,
    /// `true` if the budget is for all releases together; `false` (the default) if for each.
    pub total: Option<String>,
    /// The adversary, by a name of [`trust_model_against`]; `one-aggregator` if absent.
    pub against: Option<String>,
    /// Upper bound on ε if all aggregators collude, beside the budget.
    pub if_all_collude: Option<String>,
    /// Upper bound on the standard deviation of one estimate: an [`ErrorBound`](crate::ErrorBound).
    pub std: Option<String>,
    /// Upper bound on the error of one estimate in 95 % of cases, in place of `std`.
    pub margin: Option<String>,
}

impl PlanRequest {
    /// The job and its target.
    ///
    /// # Errors
    /// If a field is absent or not accepted, or two of them contradict each other.
    pub fn read(&self) -> Result<(Job, Target), Error> {
        let (job, target) = (self.job()?, self.target()?);
        // Clients are given, or asked for.
        let are_asked = target.budget.is_some() && target.accuracy.is_some();
        match (&self.clients, are_asked) {
            (Some(clients), true) => {
                let conflict = "with a budget and an accuracy, which say how many it takes";
                Err(Refusal::contradiction("clients", clients, conflict, "leave it out").into())
            }
            (None, false) => {
                Err(Refusal::missing("clients", "how many there are, such as 1e5").into())
            }
            _ => Ok((job, target)),
        }
    }

    /// The name of the field that an error is about, or of another parameter that it names.
    #[must_use]
    pub fn field_of(error: &Error) -> Option<&str> {
        match error {
            Error::Parameter(error) => Some(error.name()),
            Error::Refused(Refusal::Missing { name, .. }) => Some(name),
            Error::Refused(Refusal::Contradiction { given, .. }) => given.split(' ').next(),
            _ => None,
        }
    }

    fn job(&self) -> Result<Job, Error> {
        let accepted = "what is aggregated, such as histogram:40";
        let query = self.query.as_deref().ok_or_else(|| Refusal::missing("type", accepted))?;
        let grid: Option<Grid> = read("grid", &self.grid)?;
        let query: Result<Query, _> = match &grid {
            Some(grid) => Job::query_on(query, grid),
            None => query.parse(),
        };
        let query = query.map_err(|error| error.renamed("type"))?;
        let times = |name, text: &Option<String>| {
            parse_integer(name, text.as_deref().unwrap_or("1"), 1..=MAX_RELEASES)
        };
        let reports_per_client = times("reports-per-client", &self.reports_per_client)?;
        let clients = match &self.clients {
            Some(clients) => parse_integer("clients", clients, 1..=MAX_CLIENTS)?,
            // They are asked for, and are no fewer than the reports of one person.
            None => reports_per_client.into(),
        };
        Ok(Job {
            workload: read("for", &self.workload)?.unwrap_or_default(),
            grid,
            aggregators: parse_integer(
                "aggregators",
                self.aggregators.as_deref().unwrap_or("2"),
                2..=254,
            )?,
            releases: times("releases", &self.releases)?,
            reports_per_client,
            adjacency: read("adjacency", &self.adjacency)?.unwrap_or_default(),
            honest_fraction: read("honest-fraction", &self.honest_fraction)?
                .unwrap_or_else(Rational::one),
            ..Job::new(query, clients)
        })
    }

    fn target(&self) -> Result<Target, Error> {
        let delta: Delta = match (read("delta", &self.delta)?, &self.rho) {
            (Some(delta), _) => delta,
            (None, Some(_)) => DELTA_OF_RHO.parse()?,
            (None, None) => "0".parse()?,
        };
        Ok(Target {
            budget: self.budget(&delta)?,
            delta,
            accuracy: self.accuracy()?,
            scope: match self.total.as_deref() {
                None | Some("false") => BudgetScope::Release,
                Some("true") => BudgetScope::Total,
                Some(other) => {
                    return Err(ParameterError::new("total", other, "true or false").into());
                }
            },
            trust_model: match &self.against {
                Some(text) => trust_model_against(text)?,
                None => TrustModel::OneAggregatorOneClient,
            },
            if_all_collude: read("if-all-collude", &self.if_all_collude)?,
        })
    }

    fn budget(&self, delta: &Delta) -> Result<Option<Budget>, Error> {
        if let (Some(epsilon), Some(_)) = (&self.epsilon, &self.rho) {
            let change = "leave one of them out";
            return Err(Refusal::contradiction("epsilon", epsilon, "with --rho", change).into());
        }
        if let Some(rho) = read("rho", &self.rho)? {
            return Ok(Some(Budget::ZeroConcentrated { rho }));
        }
        let epsilon = read("epsilon", &self.epsilon)?;
        Ok(epsilon.map(|epsilon| EpsilonDelta { epsilon, delta: delta.clone() }.budget()))
    }

    fn accuracy(&self) -> Result<Option<Accuracy>, Error> {
        let std = read("std", &self.std)?.map(Accuracy::StandardDeviation);
        let margin = read("margin", &self.margin)?.map(Accuracy::Margin);
        if let (Some(_), Some(margin)) = (&std, &self.margin) {
            let change = "leave one of them out";
            return Err(Refusal::contradiction("margin", margin, "with --std", change).into());
        }
        Ok(std.or(margin))
    }
}

/// The value of a field; an error names the field.
#[expect(clippy::ref_option, reason = "fields of a request")]
fn read<T>(name: &'static str, text: &Option<String>) -> Result<Option<T>, ParameterError>
where
    T: FromStr<Err = ParameterError>,
{
    let value = text.as_deref().map(str::parse).transpose();
    value.map_err(|error: ParameterError| error.renamed(name))
}

#[cfg(test)]
mod tests {
    use dp_calibration::Adjacency;
    use serde_json::{Value, json};

    use super::*;

    const FIELDS: [&str; 17] = [
        "type",
        "for",
        "grid",
        "clients",
        "aggregators",
        "releases",
        "reports-per-client",
        "adjacency",
        "honest-fraction",
        "epsilon",
        "delta",
        "rho",
        "total",
        "against",
        "if-all-collude",
        "std",
        "margin",
    ];

    fn request(document: Value) -> PlanRequest {
        serde_json::from_value(document).expect("a request")
    }

    #[test]
    fn every_field_is_read_by_the_name_of_its_option() -> Result<(), Error> {
        let request = request(json!({
            "type": "average", "grid": "0..10/0.5", "clients": "1e4", "aggregators": "3", "releases": "7",
            "reports-per-client": "2", "adjacency": "deletion", "honest-fraction": "0.9",
            "epsilon": "1", "delta": "1e-8", "total": "true",
            "against": "collector"
        }));
        let (job, target) = request.read()?;
        assert_eq!((job.clients, job.aggregators, job.releases), (10_000, 3, 7));
        assert_eq!(job.reports_per_client, 2);
        assert_eq!(job.adjacency, Adjacency::Deletion);
        assert_eq!(job.honest_fraction, "9/10".parse::<Rational>()?);
        assert_eq!(job.query, Query::Average { max_measurement: 20 });
        assert_eq!(target.scope, BudgetScope::Total);
        assert_eq!(target.trust_model, TrustModel::OneAggregatorMostClients);
        assert!(matches!(target.budget, Some(Budget::Approximate { .. })));
        Ok(())
    }

    #[test]
    fn an_error_names_the_field_that_is_wrong_missing_or_contradicts() {
        let named = |document: Value| {
            let error = request(document).read().expect_err("a refusal");
            PlanRequest::field_of(&error).map(str::to_owned)
        };
        for field in FIELDS {
            let mut document = json!({"type": "sum", "grid": "0..10/1", "clients": "100"});
            document[field] = json!("nonsense");
            assert_eq!(named(document).as_deref(), Some(field));
        }
        let with = |field: &str, other: &str| {
            named(json!({"type": "count", "clients": "9", field: "1", other: "1"}))
        };
        assert_eq!(named(json!({})).as_deref(), Some("type"));
        assert_eq!(named(json!({"type": "count", "epsilon": "1"})).as_deref(), Some("clients"));
        assert_eq!(with("epsilon", "rho").as_deref(), Some("epsilon"));
        assert_eq!(with("std", "margin").as_deref(), Some("margin"));
        assert_eq!(with("std", "epsilon").as_deref(), Some("clients"));
    }
}
