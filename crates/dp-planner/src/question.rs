//! A question as it is typed: text by the names of the options of `plan`, which is also how a page's
//! address or a form holds it.

use std::str::FromStr;

use dp_calibration::{Adjacency, Budget, Query, TrustModel};
use dp_exact::{Delta, ParameterError, Rational, Refusal, parse_integer};
use dp_prio3::grid::Grid;
use serde::Deserialize;

use crate::target::{Accuracy, BudgetScope, DELTA_OF_RHO, Target, trust_model_against};
use crate::{Error, Job, MAX_RELEASES};

/// The most clients of a job.
const MOST_CLIENTS: u64 = 10_000_000_000;

/// A job and what is wanted of it, as text. What is absent has the default of `plan`.
///
/// As a document it is a map from those names to texts; an unknown name is refused.
///
/// ```
/// use dp_planner::{PlanRequest, plan};
///
/// let question = PlanRequest {
///     query: Some("histogram:40".to_owned()),
///     clients: Some("250000".to_owned()),
///     epsilon: Some("1".to_owned()),
///     ..Question::default()
/// };
/// let (job, target) = question.read()?;
/// assert_eq!(job.aggregators, 2);
/// assert!(plan(&job, &target)?.chosen().is_some());
///
/// // What is wrong is told by the name of its field.
/// let wrong = PlanRequest { epsilon: Some("-1".to_owned()), ..question };
/// let error = wrong.read().unwrap_err();
/// assert_eq!(error.to_string(), "epsilon is -1: expected a number greater than 0");
/// assert_eq!(PlanRequest::field_of(&error), Some("epsilon"));
/// # Ok::<(), dp_planner::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlanRequest {
    /// What is aggregated, such as `histogram:40`; with a grid `sum`, `average` or `sumvec:LENGTH`.
    #[serde(rename = "type")]
    pub query: Option<String>,
    /// `LOW..HIGH/STEP` of real numbers.
    pub grid: Option<String>,
    /// Reports of one release: absent where a budget and an accuracy ask for them.
    pub clients: Option<String>,
    /// Aggregators; 2 if absent.
    pub aggregators: Option<String>,
    /// Releases over the same clients; 1 if absent.
    pub releases: Option<String>,
    /// Reports that one person may have in one release; 1 if absent.
    pub reports_per_client: Option<String>,
    /// `replacement`, as where it is absent, or `deletion`.
    pub adjacency: Option<String>,
    /// The fraction of the clients that is honest; 1 if absent.
    pub honest_fraction: Option<String>,
    /// Up to how many honest aggregators guarantees are stated; all of them, at most 4, if absent.
    pub honest_aggregators: Option<String>,
    /// The ε of the budget.
    pub epsilon: Option<String>,
    /// The δ of the budget, or at which ε is stated; 0 if absent, 1e-9 with ρ.
    pub delta: Option<String>,
    /// The ρ of a zero-concentrated budget, in place of ε.
    pub rho: Option<String>,
    /// `true` if the budget is for all releases together; `false`, as where it is absent, if for each.
    pub total: Option<String>,
    /// Whom the guarantee holds against, as [`trust_model_against`] reads it; one aggregator is honest if absent.
    pub against: Option<String>,
    /// The ε that is left if all aggregators collude, beside the budget.
    pub if_all_collude: Option<String>,
    /// The standard deviation of one estimate, at most: an [`ErrorBound`](crate::ErrorBound).
    pub std: Option<String>,
    /// The error that one estimate exceeds in 5 % of cases, at most, in place of `std`.
    pub margin: Option<String>,
}

impl PlanRequest {
    /// The names of the fields.
    pub const FIELDS: [&str; 17] = [
        "type",
        "grid",
        "clients",
        "aggregators",
        "releases",
        "reports-per-client",
        "adjacency",
        "honest-fraction",
        "honest-aggregators",
        "epsilon",
        "delta",
        "rho",
        "total",
        "against",
        "if-all-collude",
        "std",
        "margin",
    ];

    /// The job and what is wanted of it.
    ///
    /// # Errors
    /// If a text is not what its field accepts, a field that is needed is absent, or two of them
    /// contradict each other.
    pub fn read(&self) -> Result<(Job, Target), Error> {
        let (job, target) = (self.job()?, self.target()?);
        self.check_clients(&target)?;
        Ok((job, target))
    }

    /// Which field an error is about, if it is about one.
    #[must_use]
    pub fn field_of(error: &Error) -> Option<&'static str> {
        let name = match error {
            Error::Parameter(error) => error.name(),
            Error::Refused(Refusal::Missing { name, .. }) => name,
            Error::Refused(Refusal::Contradiction { given, .. }) => given.split(' ').next()?,
            _ => return None,
        };
        Self::FIELDS.into_iter().find(|field| *field == name)
    }

    fn job(&self) -> Result<Job, Error> {
        let accepted = "what is aggregated, such as histogram:40";
        let query = self.query.as_deref();
        let query = query.ok_or_else(|| Refusal::missing("type", accepted))?;
        let grid = read::<Grid>("grid", self.grid.as_deref())?;
        let query: Result<Query, _> = match &grid {
            Some(grid) => Job::query_on(query, grid),
            None => query.parse(),
        };
        let query = query.map_err(|error| error.renamed("type"))?;
        let aggregators = match &self.aggregators {
            Some(aggregators) => parse_integer("aggregators", aggregators, 2..=254)?,
            None => 2,
        };
        let honest_aggregators = match &self.honest_aggregators {
            Some(honest) => parse_integer("honest-aggregators", honest, 1..=aggregators)?,
            None => aggregators.min(4),
        };
        let times = |name, text: &Option<String>| match text {
            Some(text) => parse_integer(name, text, 1..=MAX_RELEASES),
            None => Ok(1),
        };
        let honest_fraction = read("honest-fraction", self.honest_fraction.as_deref())?;
        let reports_per_client = times("reports-per-client", &self.reports_per_client)?;
        let clients = match &self.clients {
            Some(clients) => parse_integer("clients", clients, 1..=MOST_CLIENTS)?,
            // They are asked for, and are no fewer than the reports of one person.
            None => reports_per_client.into(),
        };
        Ok(Job {
            grid,
            aggregators,
            honest_aggregators,
            releases: times("releases", &self.releases)?,
            reports_per_client,
            adjacency: read::<Adjacency>("adjacency", self.adjacency.as_deref())?
                .unwrap_or_default(),
            honest_fraction: honest_fraction.unwrap_or_else(Rational::one),
            ..Job::new(query, clients)
        })
    }

    fn target(&self) -> Result<Target, Error> {
        let delta = read::<Delta>("delta", self.delta.as_deref())?;
        let default = match &self.rho {
            Some(_) => DELTA_OF_RHO,
            None => "0",
        };
        Ok(Target {
            budget: self.budget(delta.as_ref())?,
            delta: delta.map_or_else(|| default.parse(), Ok)?,
            accuracy: self.accuracy()?,
            scope: self.scope()?,
            trust_model: match &self.against {
                Some(text) => trust_model_against(text)?,
                None => TrustModel::OneAggregatorOneClient,
            },
            if_all_collude: read("if-all-collude", self.if_all_collude.as_deref())?,
        })
    }

    fn budget(&self, delta: Option<&Delta>) -> Result<Option<Budget>, Error> {
        if let (Some(epsilon), Some(_)) = (&self.epsilon, &self.rho) {
            let change = "leave one of them out";
            return Err(Refusal::contradiction("epsilon", epsilon, "with --rho", change).into());
        }
        let rho = read("rho", self.rho.as_deref())?;
        let of_rho = rho.map(|rho| Budget::ZeroConcentrated { rho });
        let epsilon = read("epsilon", self.epsilon.as_deref())?;
        let of_epsilon = epsilon.map(|epsilon| match delta {
            Some(delta) if !delta.value().is_zero() => {
                Budget::Approximate { epsilon, delta: delta.clone() }
            }
            _ => Budget::Pure { epsilon },
        });
        Ok(of_rho.or(of_epsilon))
    }

    fn accuracy(&self) -> Result<Option<Accuracy>, Error> {
        let std = read("std", self.std.as_deref())?.map(Accuracy::StandardDeviation);
        let margin = read("margin", self.margin.as_deref())?.map(Accuracy::Margin);
        if let (Some(_), Some(margin)) = (&std, &self.margin) {
            let change = "leave one of them out";
            return Err(Refusal::contradiction("margin", margin, "with --std", change).into());
        }
        Ok(std.or(margin))
    }

    fn scope(&self) -> Result<BudgetScope, ParameterError> {
        match self.total.as_deref() {
            None | Some("false") => Ok(BudgetScope::Release),
            Some("true") => Ok(BudgetScope::Total),
            Some(other) => Err(ParameterError::new("total", other, "true or false")),
        }
    }

    /// Clients are given, or asked for.
    fn check_clients(&self, target: &Target) -> Result<(), Refusal> {
        let are_asked = target.budget.is_some() && target.accuracy.is_some();
        match (&self.clients, are_asked) {
            (Some(clients), true) => {
                let place = "with a budget and an accuracy, which say how many it takes";
                Err(Refusal::contradiction("clients", clients, place, "leave it out"))
            }
            (None, false) => Err(Refusal::missing("clients", "how many there are, such as 1e5")),
            _ => Ok(()),
        }
    }
}

/// The value of a field, whose name an error has.
fn read<T>(name: &'static str, text: Option<&str>) -> Result<Option<T>, ParameterError>
where
    T: FromStr<Err = ParameterError>,
{
    let value = text.map(str::parse).transpose();
    value.map_err(|error: ParameterError| error.renamed(name))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn question(document: Value) -> PlanRequest {
        serde_json::from_value(document).expect("a question")
    }

    #[test]
    fn every_field_is_read_and_written_by_the_name_of_its_option() -> Result<(), Error> {
        let document = json!({
            "type": "average", "grid": "0..10/0.5", "clients": "1e4", "aggregators": "3", "releases": "7",
            "reports-per-client": "2", "adjacency": "deletion", "honest-fraction": "0.9",
            "honest-aggregators": "2", "epsilon": "1", "delta": "1e-8", "total": "true",
            "against": "collector"
        });
        let asked = question(document);
        let (job, target) = asked.read()?;
        assert_eq!((job.clients, job.aggregators, job.releases), (10_000, 3, 7));
        assert_eq!((job.reports_per_client, job.honest_aggregators), (2, 2));
        assert_eq!(job.adjacency, Adjacency::Deletion);
        assert_eq!(job.honest_fraction, "9/10".parse::<Rational>()?);
        assert_eq!(job.query, Query::Average { max_measurement: 20 });
        assert_eq!(
            (target.scope, target.trust_model),
            (BudgetScope::Total, TrustModel::OneAggregatorMostClients)
        );
        assert!(matches!(target.budget, Some(Budget::Approximate { .. })));
        Ok(())
    }

    /// A field that is not what it accepts is named, whichever it is: alone wrong beside a good question.
    #[test]
    fn every_field_that_is_wrong_is_named() {
        for field in PlanRequest::FIELDS {
            let mut document = json!({"type": "sum", "grid": "0..10/1", "clients": "100"});
            document[field] = json!("nonsense");
            let error = question(document).read().expect_err(field);
            assert_eq!(PlanRequest::field_of(&error), Some(field), "{error}");
            assert!(error.to_string().contains("nonsense"), "{error}");
        }
    }

    #[test]
    fn what_is_missing_or_contradicts_is_named() {
        let named = |document: Value| {
            let error = question(document).read().expect_err("a refusal");
            PlanRequest::field_of(&error)
        };
        assert_eq!(named(json!({})), Some("type"));
        assert_eq!(named(json!({"type": "count", "epsilon": "1"})), Some("clients"));
        let both = json!({"type": "count", "clients": "9", "epsilon": "1", "rho": "1"});
        assert_eq!(named(both), Some("epsilon"));
        let both = json!({"type": "count", "clients": "9", "std": "1", "margin": "1"});
        assert_eq!(named(both), Some("margin"));
        let asked = json!({"type": "count", "clients": "9", "std": "1", "epsilon": "1"});
        assert_eq!(named(asked), Some("clients"));
        // What no single field is to blame for has none.
        let nothing = question(json!({"type": "count", "clients": "9"})).read();
        let (job, target) = nothing.expect("a job of which nothing is wanted");
        let error = crate::plan(&job, &target).expect_err("nothing is wanted");
        assert_eq!(PlanRequest::field_of(&error), None);
    }
}
