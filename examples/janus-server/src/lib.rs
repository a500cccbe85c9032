#![doc = include_str!("../README.md")]

mod circuits;

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

pub use dp_libprio;
use dp_libprio::{CalibratedNoise, Error, Query};
use prio::dp::{
    DifferentialPrivacyBudget, DifferentialPrivacyDistribution, DifferentialPrivacyStrategy,
    DpError,
};
use serde::{Deserialize, Serialize};

pub use circuits::{EnforcedQuery, SharedField};

/// The most calibrations that a process keeps.
const MOST_KEPT: usize = 4096;

/// The noise of every strategy and query that this process has used.
static CALIBRATED: LazyLock<Mutex<HashMap<(dp_libprio::Strategy, Query), CalibratedNoise>>> =
    LazyLock::new(Mutex::default);

/// A strategy of `dp-libprio` for prio 0.16, written and read as it is.
///
/// It is its own budget, as `from_budget` of prio cannot fail.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Strategy(pub dp_libprio::Strategy);

impl Strategy {
    /// The noise that keeps the budget for `query`. Each process calibrates once for a strategy and
    /// query: a server may draw inside a transaction, where a calibration would hold a lock.
    ///
    /// # Errors
    /// As [`dp_libprio::Strategy::noise`].
    pub fn calibrated(&self, query: &Query) -> Result<CalibratedNoise, Error> {
        // Whoever panicked has left whole entries.
        let kept = || CALIBRATED.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.0.clone(), query.clone());
        if let Some(noise) = kept().get(&key) {
            return Ok(noise.clone());
        }
        // Other tasks do not wait for this one.
        let noise = self.0.noise(query)?;
        let mut kept = kept();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key, noise.clone());
        Ok(noise)
    }
}

/// The noise for one query, as prio 0.16 asks for it.
#[derive(Clone, Debug)]
pub struct Noise(pub CalibratedNoise);

impl DifferentialPrivacyDistribution for Noise {}

impl DifferentialPrivacyBudget for Strategy {}

impl DifferentialPrivacyStrategy for Strategy {
    type Budget = Self;
    type Distribution = Noise;
    type Sensitivity = Query;

    fn from_budget(budget: Self) -> Self {
        budget
    }

    fn create_distribution(&self, query: Query) -> Result<Noise, DpError> {
        self.calibrated(&query).map(Noise).map_err(|error| failed(&error))
    }
}

/// The error of prio for an error of the noise.
fn failed(error: &impl std::fmt::Display) -> DpError {
    DpError::InvalidParameter(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_calibrates_once_for_a_strategy_and_a_query() {
        let budget = dp_libprio::Budget::Pure { epsilon: "1".parse().expect("a number") };
        let strategy = dp_libprio::Strategy::discrete_laplace(budget).expect("in range");
        let (query, own) = (Query::Histogram { length: 5 }, Strategy(strategy.clone()));
        let noises = [(); 2].map(|()| own.calibrated(&query).expect("noise"));
        let kept = CALIBRATED.lock().expect("nobody panics");
        assert_eq!(kept.keys().collect::<Vec<_>>(), [&(strategy, query)]);
        assert_eq!(noises[0].distribution(), noises[1].distribution());
    }
}
