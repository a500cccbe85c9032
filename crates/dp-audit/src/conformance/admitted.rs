//! Which collections a law is one of: those of so many totals as the query has, whose true totals so many measurements can
//! have.

use dp_calibration::Query;
use dp_exact::ParameterError;

use super::Collected;
use super::expected::Expected;

/// The largest number of measurements and the largest true total: those whose doubles, and their sums with noise, are exact.
const MOST: u64 = 1_000_000_000_000_000;

impl Expected {
    /// That a collection is one of a batch with this law.
    pub(super) fn admits(&self, collected: &Collected) -> Result<(), ParameterError> {
        self.admits_reports(collected)?;
        self.admits_truths(collected)?;
        let (truths, released) = (collected.truths.len(), collected.released.len());
        if released != truths {
            let accepted = format!("{truths} values, as many as there are truths");
            return Err(ParameterError::new("released", released, accepted));
        }
        let value = collected.released.iter().find(|value| !value.is_finite());
        value.map_or(Ok(()), |value| {
            Err(ParameterError::new("released", value, "numbers"))
        })
    }

    fn admits_reports(&self, collected: &Collected) -> Result<(), ParameterError> {
        let Collected {
            reports, submitted, ..
        } = *collected;
        if submitted > MOST {
            let accepted = format!("at most {MOST} measurements");
            return Err(ParameterError::new("submitted", submitted, accepted));
        }
        if let Some(compensation) = self.compensation.filter(|batch| batch.reports != reports) {
            let accepted = format!("{}, on which compensation depends", compensation.reports);
            return Err(ParameterError::new("reports", reports, accepted));
        }
        if self.dropping.is_none() && reports != submitted {
            let accepted = format!("{submitted}, as many as there are measurements");
            return Err(ParameterError::new("reports", reports, accepted));
        }
        if reports > submitted {
            let accepted = format!("at most {submitted}, as many as there are measurements");
            return Err(ParameterError::new("reports", reports, accepted));
        }
        Ok(())
    }

    fn admits_truths(&self, collected: &Collected) -> Result<(), ParameterError> {
        let Collected {
            submitted,
            ref truths,
            ..
        } = *collected;
        let expected = totals(&self.query);
        if truths.len() != expected {
            let accepted = format!("{expected}, as many as the aggregate has");
            return Err(ParameterError::new("totals", truths.len(), accepted));
        }
        let (of_entry, of_all) = largest(&self.query);
        let most = of_entry.saturating_mul(submitted.into()).min(MOST.into());
        let is_within = |truth: &i64| u128::try_from(*truth).is_ok_and(|truth| truth <= most);
        if let Some(truth) = truths.iter().find(|truth| !is_within(truth)) {
            let accepted = format!("a total from 0 to {most}, of {submitted} measurements");
            return Err(ParameterError::new("truth", truth, accepted));
        }
        let sum: u128 = truths
            .iter()
            .map(|truth| u128::from(truth.unsigned_abs()))
            .sum();
        let of_all = of_all.saturating_mul(submitted.into());
        let (is_within, accepted) = match (self.dropping, &self.query) {
            (Some(dropping), _) => {
                let ones = u128::from(submitted) * u128::from(dropping.ones);
                let each = format!("{ones}, where each measurement has {} ones", dropping.ones);
                (sum == ones, each)
            }
            (None, Query::Histogram { .. }) => {
                let each = format!("{of_all}, where each measurement is in one bucket");
                (sum == of_all, each)
            }
            _ => (
                sum <= of_all,
                format!("at most {of_all}, of {submitted} measurements"),
            ),
        };
        if is_within {
            return Ok(());
        }
        Err(ParameterError::new("the sum of all truths", sum, accepted))
    }
}

/// How many totals an aggregate has.
const fn totals(query: &Query) -> usize {
    match *query {
        Query::Count | Query::Sum { .. } | Query::Average { .. } => 1,
        Query::SumVec { length, .. }
        | Query::Histogram { length }
        | Query::MultihotCountVec { length, .. }
        | Query::L1BoundSum { length, .. } => length,
    }
}

/// What a measurement adds at most to one total, and to all of them.
fn largest(query: &Query) -> (u128, u128) {
    match *query {
        Query::Count | Query::Histogram { .. } => (1, 1),
        Query::Sum { max_measurement } | Query::Average { max_measurement } => {
            (max_measurement, max_measurement)
        }
        Query::SumVec {
            length,
            max_measurement,
        } => (
            max_measurement,
            max_measurement.saturating_mul(length as u128),
        ),
        Query::MultihotCountVec { max_weight, .. } => (1, max_weight as u128),
        Query::L1BoundSum {
            max_measurement, ..
        } => (max_measurement, max_measurement),
    }
}
