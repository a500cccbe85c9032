//! The job: what is aggregated, of how many clients, how often.

use dp_calibration::{Adjacency, Query};
use dp_exact::{ParameterError, Rational, Refusal};
use dp_prio3::grid::Grid;

use crate::Error;

/// The most releases of a job.
pub const MAX_RELEASES: u32 = 1 << 20;

/// What is to be aggregated, of whom, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// What is aggregated.
    pub query: Query,
    /// The grid of real numbers, of which `query` counts the cells.
    pub grid: Option<Grid>,
    /// Reports in one release: the clients, where each sends one.
    pub clients: u64,
    /// Aggregators, 2 to 254.
    pub aggregators: usize,
    /// Releases over the same clients.
    pub releases: u32,
    /// Reports that one person may have in one release.
    pub reports_per_client: u32,
    /// Which batches are neighbours.
    pub adjacency: Adjacency,
    /// The fraction of the reports that is of honest clients, for OAMC.
    pub honest_fraction: Rational,
    /// Up to how many honest aggregators guarantees are stated.
    pub honest_aggregators: usize,
}

impl Job {
    /// Two aggregators, one release, one report each, all clients honest, neighbours by replacement.
    #[must_use]
    pub fn new(query: Query, clients: u64) -> Self {
        Self {
            query,
            grid: None,
            clients,
            aggregators: 2,
            releases: 1,
            reports_per_client: 1,
            adjacency: Adjacency::Replacement,
            honest_fraction: Rational::one(),
            honest_aggregators: 2,
        }
    }

    /// The query over the cells of a grid: `sum`, `average` or `sumvec:LENGTH`, whose largest
    /// measurement is the grid's.
    ///
    /// # Errors
    /// If the text is none of them.
    pub fn query_on(text: &str, grid: &Grid) -> Result<Query, ParameterError> {
        let refused = || {
            let accepted = "sum, average or sumvec:LENGTH, whose largest number the grid says";
            ParameterError::new("type", text, accepted)
        };
        let with_largest = format!("{}:{}", text.trim(), grid.max_measurement());
        match with_largest.parse() {
            Ok(query @ (Query::Sum { .. } | Query::Average { .. } | Query::SumVec { .. })) => {
                Ok(query)
            }
            Err(error) if error.name() != "query" => Err(error),
            _ => Err(refused()),
        }
    }

    /// How many of the reports are of honest clients, at least 1.
    #[must_use]
    pub fn honest_clients(&self) -> u64 {
        let honest = (&self.honest_fraction * &Rational::from(self.clients)).floor();
        u64::try_from(honest).unwrap_or(1).max(1)
    }

    /// How many numbers are estimated.
    #[must_use]
    pub fn estimates(&self) -> u64 {
        let length = match self.query {
            Query::Count | Query::Sum { .. } | Query::Average { .. } => 1,
            Query::SumVec { length, .. }
            | Query::Histogram { length }
            | Query::MultihotCountVec { length, .. }
            | Query::L1BoundSum { length, .. } => length,
        };
        u64::try_from(length).unwrap_or(u64::MAX)
    }

    /// Refuses numbers out of range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let moves = self.query.sensitivity(self.adjacency)?;
        if moves.l1 == 0u32.into() {
            let what = "noise for a histogram of one bucket, whose count is known without it";
            return Err(Refusal::not_available(what, "take at least 2 buckets").into());
        }
        in_range("clients", self.clients, 1, 10_000_000_000)?;
        in_range("aggregators", self.aggregators, 2, 254)?;
        in_range("releases", self.releases, 1, MAX_RELEASES)?;
        in_range("reports-per-client", self.reports_per_client, 1, 1 << 20)?;
        if u64::from(self.reports_per_client) > self.clients {
            let accepted = format!("at most {}, the reports of a release", self.clients);
            let value = self.reports_per_client;
            return Err(ParameterError::new("reports-per-client", value, accepted).into());
        }
        let most = self.aggregators;
        in_range("honest-aggregators", self.honest_aggregators, 1, most)?;
        if !self.honest_fraction.is_positive() || self.honest_fraction > Rational::one() {
            let accepted = "a number above 0 and at most 1";
            let value = &self.honest_fraction;
            return Err(ParameterError::new("honest-fraction", value, accepted).into());
        }
        Ok(())
    }
}

fn in_range<T>(name: &'static str, value: T, least: T, most: T) -> Result<(), ParameterError>
where
    T: PartialOrd + std::fmt::Display,
{
    if value < least || value > most {
        let accepted = format!("an integer from {least} to {most}");
        return Err(ParameterError::new(name, value, accepted));
    }
    Ok(())
}
