//! A job and its target by the names of the options of `plan`.

use std::str::FromStr;

use dp_calibration::strategy_matrix::Workload;
use dp_calibration::{Adjacency, Budget, Refusal, TrustModel};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use dp_prio3::grid::Grid;
use dp_prio3::number::optional_integer;
use dp_task::DEFAULT_DELTA;
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer};

use crate::job::MAX_CLIENTS;
use crate::target::{Accuracy, BudgetScope, ErrorBound, Target, trust_model_against};
use crate::{Error, Job, MAX_RELEASES};

const MOST_CLIENTS: u128 = MAX_CLIENTS as u128;
const MOST_RELEASES: u128 = MAX_RELEASES as u128;

/// A job and its target. An absent field has the default of `plan`.
///
/// As a document it is a map from the names of the options to texts; an unknown name is refused.
///
/// ```
/// use dp_planner::PlanRequest;
///
/// let options = [("type", "histogram:40"), ("clients", "250000"), ("epsilon", "-1")];
/// let error = PlanRequest::of_options(options).unwrap_err();
/// assert_eq!(error.to_string(), "epsilon is -1: expected a number greater than 0");
/// assert_eq!(error.field(), Some("epsilon"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlanRequest {
    /// The aggregate, such as `histogram:40`; with a grid `sum`, `average` or `sumvec:LENGTH`.
    #[serde(rename = "type")]
    pub query: Option<String>,
    /// What is read off a histogram, whose error ranks the policies: `buckets` (the default),
    /// `percentiles` or `ranges`.
    #[serde(rename = "for", deserialize_with = "parsed")]
    pub workload: Option<Workload>,
    /// `LOW..HIGH/STEP` of real numbers.
    #[serde(deserialize_with = "parsed")]
    pub grid: Option<Grid>,
    /// Number of reports in one release; absent if a budget and an accuracy determine it.
    #[serde(deserialize_with = "optional_integer::<_, _, 1, MOST_CLIENTS>")]
    pub clients: Option<u64>,
    /// Number of aggregators; 2 if absent.
    #[serde(deserialize_with = "optional_integer::<_, _, 2, 254>")]
    pub aggregators: Option<usize>,
    /// Number of releases over the same clients; 1 if absent.
    #[serde(deserialize_with = "optional_integer::<_, _, 1, MOST_RELEASES>")]
    pub releases: Option<u32>,
    /// Upper limit on reports of one person in one release; 1 if absent.
    #[serde(deserialize_with = "optional_integer::<_, _, 1, MOST_RELEASES>")]
    pub reports_per_client: Option<u32>,
    /// `replacement` (the default) or `deletion`.
    #[serde(deserialize_with = "parsed")]
    pub adjacency: Option<Adjacency>,
    /// Fraction of honest clients; 1 if absent.
    pub honest_fraction: Option<Rational>,
    /// ε of the budget.
    pub epsilon: Option<Epsilon>,
    /// δ of the budget, at which ε is reported; if absent 0, or 1e-9 with ρ.
    pub delta: Option<Delta>,
    /// ρ of a zero-concentrated budget, in place of ε.
    pub rho: Option<Rho>,
    /// `true` if the budget is for all releases together; `false` (the default) if for each.
    #[serde(rename = "total", deserialize_with = "scope")]
    pub scope: Option<BudgetScope>,
    /// The adversary, by a name of [`trust_model_against`]; `one-aggregator` if absent.
    #[serde(deserialize_with = "against")]
    pub against: Option<TrustModel>,
    /// Upper bound on ε if all aggregators collude, beside the budget.
    pub if_all_collude: Option<Epsilon>,
    /// Upper bound on the standard deviation of one estimate.
    #[serde(deserialize_with = "parsed")]
    pub std: Option<ErrorBound>,
    /// Upper bound on the error of one estimate in 95 % of cases, in place of `std`.
    #[serde(deserialize_with = "parsed")]
    pub margin: Option<ErrorBound>,
}

impl PlanRequest {
    /// Reads options by their names, each as a text.
    ///
    /// # Errors
    /// The first option that is unknown or not accepted.
    pub fn of_options<'a>(
        options: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Error> {
        Ok(dp_task::read_texts(options)?)
    }

    /// Reads a JSON object whose members are options, each as a text.
    ///
    /// # Errors
    /// If it is no JSON, or an option is unknown or not accepted.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Ok(dp_task::read_json(text)?)
    }

    /// The job and its target.
    ///
    /// # Errors
    /// If the query or the clients are absent, or two fields contradict each other.
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

    fn job(&self) -> Result<Job, Error> {
        let accepted = "what is aggregated, such as histogram:40";
        let query = self.query.as_deref().ok_or_else(|| Refusal::missing("type", accepted))?;
        let query = match &self.grid {
            Some(grid) => Job::query_on(query, grid)?,
            None => query.parse().map_err(|error: ParameterError| error.renamed("type"))?,
        };
        let reports_per_client = self.reports_per_client.unwrap_or(1);
        // Clients that are asked for are no fewer than the reports of one person.
        let clients = self.clients.unwrap_or(reports_per_client.into());
        Ok(Job {
            workload: self.workload.unwrap_or_default(),
            grid: self.grid.clone(),
            aggregators: self.aggregators.unwrap_or(2),
            releases: self.releases.unwrap_or(1),
            reports_per_client,
            adjacency: self.adjacency.unwrap_or_default(),
            honest_fraction: self.honest_fraction.clone().unwrap_or_else(Rational::one),
            ..Job::new(query, clients)
        })
    }

    fn target(&self) -> Result<Target, Error> {
        let delta: Delta = match (&self.delta, &self.rho) {
            (Some(delta), _) => delta.clone(),
            (None, Some(_)) => DEFAULT_DELTA.parse()?,
            (None, None) => "0".parse()?,
        };
        let one_of_them = "leave one of them out";
        let budget = match (self.epsilon.clone(), self.rho.clone()) {
            (Some(both), Some(_)) => {
                let error = Refusal::contradiction("epsilon", &both, "with --rho", one_of_them);
                return Err(error.into());
            }
            (Some(epsilon), None) if delta.value().is_zero() => Some(Budget::Pure { epsilon }),
            (Some(epsilon), None) => Some(Budget::approximate(epsilon, delta.clone())),
            (None, rho) => rho.map(|rho| Budget::ZeroConcentrated { rho }),
        };
        let accuracy = match (&self.std, &self.margin) {
            (Some(_), Some(both)) => {
                let error = Refusal::contradiction("margin", both, "with --std", one_of_them);
                return Err(error.into());
            }
            (Some(std), None) => Some(Accuracy::StandardDeviation(std.clone())),
            (None, margin) => margin.clone().map(Accuracy::Margin),
        };
        Ok(Target {
            budget,
            delta,
            accuracy,
            scope: self.scope.unwrap_or_default(),
            trust_model: self.against.unwrap_or(TrustModel::OneAggregatorOneClient),
            if_all_collude: self.if_all_collude.clone(),
        })
    }
}

/// Reads a text by `parse`, if the field is there.
fn read_by<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    parse: impl FnOnce(&str) -> Result<T, ParameterError>,
) -> Result<Option<T>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let refused = |error: ParameterError| {
        D::Error::invalid_value(Unexpected::Str(error.value()), &error.accepted())
    };
    parse(&text).map(Some).map_err(refused)
}

fn parsed<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: FromStr<Err = ParameterError>,
{
    read_by(deserializer, str::parse)
}

fn against<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TrustModel>, D::Error> {
    read_by(deserializer, trust_model_against)
}

fn scope<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BudgetScope>, D::Error> {
    read_by(deserializer, |text| match text {
        "false" => Ok(BudgetScope::Release),
        "true" => Ok(BudgetScope::Total),
        _ => Err(ParameterError::new("total", text, "true or false")),
    })
}

#[cfg(test)]
mod tests {
    use dp_calibration::Query;
    use serde_json::{Value, json};

    use super::*;

    const FIELDS: &str = "type for grid clients aggregators releases reports-per-client adjacency \
                          honest-fraction epsilon delta rho total against if-all-collude std margin";

    fn read(document: &Value) -> Result<(Job, Target), Error> {
        PlanRequest::from_json(&document.to_string())?.read()
    }

    #[test]
    fn every_field_is_read_by_the_name_of_its_option() -> Result<(), Error> {
        let (job, target) = read(&json!({
            "type": "average", "grid": "0..10/0.5", "clients": "1e4", "aggregators": "3", "releases": "7",
            "reports-per-client": "2", "adjacency": "deletion", "honest-fraction": "0.9",
            "epsilon": "1", "delta": "1e-8", "total": "true",
            "against": "collector"
        }))?;
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
            let error = read(&document).expect_err("a refusal");
            error.field().map(str::to_owned)
        };
        for field in FIELDS.split(' ') {
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
