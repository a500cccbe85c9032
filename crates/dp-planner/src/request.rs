//! A job and its target by the names of the options of `plan`.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::str::FromStr;

use dp_calibration::{BigInt, Budget, Query, Refusal, TrustModel};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho, parse_integer};
use dp_prio3::grid::Grid;

use crate::job::MAX_CLIENTS;
use crate::target::{Accuracy, BudgetScope, Target, default_delta, no_delta, trust_model_against};
use crate::{Error, Job, MAX_RELEASES};

/// Options of `plan` that were not read yet, by their names.
struct Options(BTreeMap<String, String>);

/// Reads a job and its target from the options of `plan`, each a name and a text.
///
/// | option | what it says | if absent |
/// |---|---|---|
/// | `type` | the aggregate, such as `histogram:40`; with a grid `sum`, `average` or `sumvec:LENGTH` | refused |
/// | `for` | what is read off a histogram: `buckets`, `percentiles` or `ranges` | `buckets` |
/// | `grid` | real numbers, as `LOW..HIGH/STEP` | integers |
/// | `clients` | reports in one release | asked for, with a budget and an accuracy |
/// | `aggregators` | number of aggregators | 2 |
/// | `releases` | releases over the same clients | 1 |
/// | `reports-per-client` | most reports of one person in one release | 1 |
/// | `adjacency` | `replacement`, `deletion` or `one-coordinate` | `replacement` |
/// | `honest-fraction` | fraction of honest clients | 1 |
/// | `epsilon`, `rho` | the budget, by either of them | an accuracy alone |
/// | `delta` | δ of the budget, at which ε is reported | 0; 1e-9 with `rho` |
/// | `total` | whether the budget is for all releases together: `true` or `false` | `false` |
/// | `against` | the adversary, a name of [`trust_model_against`] | `one-aggregator` |
/// | `if-all-collude` | upper bound on ε if all aggregators collude, beside the budget | – |
/// | `std`, `margin` | bound on the error of one estimate, by either of them | a budget alone |
///
/// ```
/// let options = [("type", "histogram:40"), ("clients", "250000"), ("epsilon", "-1")];
/// let error = dp_planner::job_and_target(options).unwrap_err();
/// assert_eq!(error.to_string(), "epsilon is -1: expected a number greater than 0");
/// assert_eq!(error.field(), Some("epsilon"));
/// ```
///
/// # Errors
/// The first option that is not accepted, unknown or missing, or that contradicts another one.
pub fn job_and_target(
    options: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
) -> Result<(Job, Target), Error> {
    let options = options.into_iter().map(|(name, text)| (name.into(), text.into()));
    let mut options = Options(options.collect());
    let clients = options.integer("clients", 1..=MAX_CLIENTS)?;
    let (job, target) = (options.job(clients)?, options.target()?);
    if let Some((name, text)) = options.0.first_key_value() {
        return Err(ParameterError::new(name, text, "no such option of plan").into());
    }
    // Clients are given, or asked for.
    let are_asked = target.budget.is_some() && target.accuracy.is_some();
    match (clients, are_asked) {
        (Some(clients), true) => {
            let conflict = "with a budget and an accuracy, which say how many it takes";
            Err(Refusal::contradiction("clients", clients, conflict, "leave it out").into())
        }
        (None, false) => Err(Refusal::missing("clients", "how many there are, such as 1e5").into()),
        _ => Ok((job, target)),
    }
}

impl Options {
    /// Takes an option and reads its text by `parse`; `None` if the option is absent.
    fn read<T>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, ParameterError>,
    ) -> Result<Option<T>, ParameterError> {
        let parsed = self.0.remove(name).map(|text| parse(&text)).transpose();
        parsed.map_err(|error| error.renamed(name))
    }

    /// Takes an option of any type that is read from a text; `None` if it is absent.
    fn parsed<T>(&mut self, name: &str) -> Result<Option<T>, ParameterError>
    where
        T: FromStr<Err = ParameterError>,
    {
        self.read(name, |text| text.trim().parse())
    }

    /// Takes an option that is an integer in the range `accepted`; `None` if it is absent.
    fn integer<T>(
        &mut self,
        name: &'static str,
        accepted: RangeInclusive<T>,
    ) -> Result<Option<T>, ParameterError>
    where
        T: TryFrom<BigInt> + PartialOrd + std::fmt::Display,
    {
        self.read(name, |text| parse_integer(name, text, accepted))
    }

    /// Takes the options of the job. If `clients` are to be found, `None`, the job has as many as
    /// one person sends reports.
    fn job(&mut self, clients: Option<u64>) -> Result<Job, Error> {
        let grid: Option<Grid> = self.parsed("grid")?;
        let query = self.read("type", |text| match &grid {
            Some(grid) => Job::query_on(text, grid),
            None => text.parse::<Query>(),
        })?;
        let accepted = "what is aggregated, such as histogram:40";
        let query = query.ok_or_else(|| Refusal::missing("type", accepted))?;
        let reports_per_client = self.integer("reports-per-client", 1..=MAX_RELEASES)?.unwrap_or(1);
        Ok(Job {
            query,
            workload: self.parsed("for")?.unwrap_or_default(),
            grid,
            // Clients that are asked for are no fewer than the reports of one person.
            clients: clients.unwrap_or(reports_per_client.into()),
            aggregators: self.integer("aggregators", 2..=254)?.unwrap_or(2),
            releases: self.integer("releases", 1..=MAX_RELEASES)?.unwrap_or(1),
            reports_per_client,
            adjacency: self.parsed("adjacency")?.unwrap_or_default(),
            honest_fraction: self.parsed("honest-fraction")?.unwrap_or_else(Rational::one),
        })
    }

    /// Takes the options of the target; `Err` for `epsilon` with `rho`, or `std` with `margin`.
    fn target(&mut self) -> Result<Target, Error> {
        let one_of_them = "leave one of them out";
        let (epsilon, delta) = (self.parsed::<Epsilon>("epsilon")?, self.parsed::<Delta>("delta")?);
        let (delta, budget) = match (epsilon, self.parsed::<Rho>("rho")?) {
            (Some(both), Some(_)) => {
                let error = Refusal::contradiction("epsilon", &both, "with --rho", one_of_them);
                return Err(error.into());
            }
            (None, Some(rho)) => {
                (delta.unwrap_or_else(default_delta), Some(Budget::ZeroConcentrated { rho }))
            }
            (epsilon, None) => {
                let delta = delta.unwrap_or_else(no_delta);
                let budget = epsilon.map(|epsilon| match delta.value().is_zero() {
                    true => Budget::Pure { epsilon },
                    false => Budget::Approximate { epsilon, delta: delta.clone() },
                });
                (delta, budget)
            }
        };
        let scope = self.read("total", |text| match text {
            "false" => Ok(BudgetScope::Release),
            "true" => Ok(BudgetScope::Total),
            _ => Err(ParameterError::new("total", text, "true or false")),
        })?;
        let against = self.read("against", trust_model_against)?;
        let if_all_collude = self.parsed("if-all-collude")?;
        let accuracy = match (self.parsed("std")?, self.parsed("margin")?) {
            (Some(_), Some(both)) => {
                let error = Refusal::contradiction("margin", both, "with --std", one_of_them);
                return Err(error.into());
            }
            (Some(std), None) => Some(Accuracy::StandardDeviation(std)),
            (None, margin) => margin.map(Accuracy::Margin),
        };
        Ok(Target {
            budget,
            accuracy,
            delta,
            scope: scope.unwrap_or_default(),
            trust_model: against.unwrap_or(TrustModel::OneAggregatorOneClient),
            if_all_collude,
        })
    }
}

#[cfg(test)]
mod tests {
    use dp_calibration::Adjacency;

    use super::*;

    const OPTIONS: &str = "type for grid clients aggregators releases reports-per-client adjacency \
                           honest-fraction epsilon delta rho total against if-all-collude std margin";

    /// Reads options that are written as `name=text`.
    fn read(options: &str) -> Result<(Job, Target), Error> {
        job_and_target(options.split_whitespace().filter_map(|option| option.split_once('=')))
    }

    #[test]
    fn every_option_is_read_by_its_name() -> Result<(), Error> {
        let (job, target) = read(
            "type=average grid=0..10/0.5 clients=1e4 aggregators=3 releases=7 reports-per-client=2 \
             adjacency=deletion honest-fraction=0.9 epsilon=1 delta=1e-8 total=true against=collector",
        )?;
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
    fn an_error_names_the_option_that_is_wrong_missing_or_contradicts() {
        let check = |options: &str, name: &str| {
            let error = read(options).expect_err(options);
            assert_eq!(error.field(), Some(name), "{options}");
        };
        for name in OPTIONS.split(' ') {
            check(&format!("type=sum grid=0..10/1 clients=100 {name}=nonsense"), name);
        }
        check("", "type");
        check("type=count epsilon=1", "clients");
        check("type=count clients=9 epsilon=1 rho=1", "epsilon");
        check("type=count clients=9 std=1 margin=1", "margin");
        check("type=count clients=9 std=1 epsilon=1", "clients");
        check("type=count clients=9 epsilon=1 eps=1", "eps");
    }
}
