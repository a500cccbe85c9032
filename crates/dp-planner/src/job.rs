//! The job: what is aggregated, of how many clients, how often.

use dp_calibration::strategy_matrix::Workload;
use dp_calibration::{Adjacency, Query, Refusal};
use dp_exact::{ParameterError, Rational};
use dp_prio3::grid::Grid;

use crate::Error;

/// The largest number of releases of a job.
pub const MAX_RELEASES: u32 = 1 << 20;

pub(crate) const MAX_CLIENTS: u64 = 10_000_000_000;

/// What is to be aggregated, over how many clients and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The aggregate.
    pub query: Query,
    /// What is read off a histogram, whose error ranks policies; otherwise [`Workload::Buckets`].
    pub workload: Workload,
    /// The grid of real measurements; `query` is about its cells.
    pub grid: Option<Grid>,
    /// Number of reports in one release: the clients, if each sends one.
    pub clients: u64,
    /// Number of aggregators, 2 to 254.
    pub aggregators: usize,
    /// Number of releases over the same clients.
    pub releases: u32,
    /// Upper limit on reports of one person in one release.
    pub reports_per_client: u32,
    /// The neighbouring relation of the guarantee.
    pub adjacency: Adjacency,
    /// Fraction of the reports that honest clients send, for OAMC.
    pub honest_fraction: Rational,
}

impl Job {
    /// A job with two aggregators, one release, one report per client, honest clients, and
    /// neighbours by replacement, where the buckets of a histogram are asked for.
    #[must_use]
    pub fn new(query: Query, clients: u64) -> Self {
        Self {
            query,
            workload: Workload::Buckets,
            grid: None,
            clients,
            aggregators: 2,
            releases: 1,
            reports_per_client: 1,
            adjacency: Adjacency::Replacement,
            honest_fraction: Rational::one(),
        }
    }

    /// A query over the cells of a grid: `sum`, `average` or `sumvec:LENGTH`. The grid determines
    /// the largest measurement.
    ///
    /// # Errors
    /// If the text is no such query.
    pub fn query_on(text: &str, grid: &Grid) -> Result<Query, ParameterError> {
        let with_largest = format!("{}:{}", text.trim(), grid.max_measurement());
        match with_largest.parse() {
            Ok(query @ (Query::Sum { .. } | Query::Average { .. } | Query::SumVec { .. })) => {
                Ok(query)
            }
            _ => {
                let accepted = "sum, average or sumvec:LENGTH, whose largest number the grid says";
                Err(ParameterError::new("type", text, accepted))
            }
        }
    }

    /// Number of reports that honest clients send, at least 1.
    #[must_use]
    pub fn honest_clients(&self) -> u64 {
        let honest = (&self.honest_fraction * &Rational::from(self.clients)).floor();
        // Of a fraction that no plan accepts nobody else counts.
        u64::try_from(honest).unwrap_or(1).max(1)
    }

    /// Number of totals in one release: of buckets, entries or, for one number, 1.
    #[must_use]
    pub fn estimates(&self) -> u64 {
        self.query.totals() as u64
    }

    /// One estimate in words: `an estimate`, `a prefix` or `a range`.
    #[must_use]
    pub const fn estimate(&self) -> &'static str {
        match self.workload {
            Workload::Buckets => "an estimate",
            Workload::Percentiles => "a prefix",
            Workload::Ranges => "a range",
        }
    }

    /// Refuses numbers out of range, percentiles and ranges of anything but a histogram, and a
    /// query whose totals no neighbour changes.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let is_histogram = matches!(self.query, Query::Histogram { .. });
        if self.workload != Workload::Buckets && !is_histogram {
            let accepted = "buckets: percentiles and ranges need the order of the buckets of a \
                            histogram:LENGTH";
            return Err(ParameterError::new("for", self.workload, accepted).into());
        }
        if self.query.sensitivity(self.adjacency)?.l1 == 0u32.into() {
            let change = "its count, the number of reports, is known without noise. Take at least \
                          2 buckets";
            let what = "noise for a histogram of one bucket";
            return Err(Refusal::not_available(what, change).into());
        }
        for (name, value, least, most) in [
            ("clients", self.clients, 1, MAX_CLIENTS),
            ("aggregators", self.aggregators as u64, 2, 254),
            ("releases", self.releases.into(), 1, MAX_RELEASES.into()),
            ("reports-per-client", self.reports_per_client.into(), 1, 1 << 20),
        ] {
            if !(least..=most).contains(&value) {
                let accepted = format!("an integer from {least} to {most}");
                return Err(ParameterError::new(name, value, accepted).into());
            }
        }
        if u64::from(self.reports_per_client) > self.clients {
            let accepted = format!("at most {}, the reports of a release", self.clients);
            let value = self.reports_per_client;
            return Err(ParameterError::new("reports-per-client", value, accepted).into());
        }
        if !self.honest_fraction.is_positive() || self.honest_fraction > Rational::one() {
            let accepted = "a number above 0 and at most 1";
            let value = &self.honest_fraction;
            return Err(ParameterError::new("honest-fraction", value, accepted).into());
        }
        Ok(())
    }
}
