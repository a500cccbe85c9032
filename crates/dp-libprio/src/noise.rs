//! Noise for one query, and its room in the field.

use dp_calibration::strategy_matrix::{HistogramEstimator, StrategyMatrix};
use dp_calibration::{Query, VectorNoise};
use dp_exact::ParameterError;
use dp_prio3::MAX_AGGREGATORS;
use dp_prio3::mechanisms::NoiseMechanism;
use num_bigint::BigUint;

use crate::SignedField;

/// Noise for one query: independent draws, one for each entry, or one draw for all.
#[derive(Clone, Debug)]
pub struct CalibratedNoise {
    pub(crate) mechanism: NoiseMechanism,
    /// The query for which the noise is calibrated.
    pub query: Query,
    /// The matrix that shares are multiplied by before the noise is added, if there is one.
    pub matrix: Option<StrategyMatrix>,
}

impl CalibratedNoise {
    /// Solves for the histogram, its ranges and its distribution function from the signed totals
    /// behind a matrix; `None` without one.
    #[must_use]
    pub fn estimator(&self) -> Option<HistogramEstimator> {
        self.matrix.clone().map(HistogramEstimator::new)
    }

    /// The distribution of the noise in all entries, with its exact parameter.
    #[must_use]
    pub fn distribution(&self) -> VectorNoise {
        self.mechanism.distribution().clone()
    }

    /// The standard deviation of one aggregator's noise in one total, in the unit of the
    /// measurement, or of the entries of a matrix. With A aggregators a total has √A times this.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.distribution().standard_deviation()
    }

    /// Checks that all `entries` totals over `reports` reports, with the noise of 254 aggregators,
    /// stay in (−p/2, p/2) except with probability 2^−64. `Err`, about `reports`, if they may not.
    pub(crate) fn check_room<F: SignedField>(
        &self,
        entries: usize,
        reports: usize,
    ) -> Result<(), ParameterError> {
        let noise = self.mechanism.bound_of_totals(MAX_AGGREGATORS, entries);
        let entry = self.matrix.as_ref().map(|matrix| matrix.largest_entry().into());
        let total = BigUint::from(entry.unwrap_or(self.query.max_entry())) * reports;
        let room = BigUint::from(F::MAX_SIGNED.unsigned_abs());
        if total + &noise <= room {
            return Ok(());
        }
        let accepted =
            format!("few enough that totals, with noise up to {noise}, are at most {room}");
        Err(ParameterError::new("reports", reports, accepted))
    }
}
