//! Noise for one query, and its room in the field.

use std::sync::{Arc, Mutex, PoisonError};

use dp_calibration::strategy_matrix::{HistogramEstimator, StrategyMatrix};
use dp_calibration::{NoiseDistribution, Query, utility};
use dp_exact::ParameterError;
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism as _};
use dp_prio3::types::MAX_AGGREGATORS;
use num_bigint::BigUint;
use rand_core::CryptoRng;

use crate::{Error, SignedField, Strategy};

/// Noise for one query: independent draws of one distribution, one for each entry.
#[derive(Clone, Debug)]
pub struct CalibratedNoise {
    mechanism: EitherNoise,
    query: Query,
    matrix: Option<StrategyMatrix>,
}

/// Calibrated noise of one of the two distributions.
#[derive(Clone, Debug)]
pub(crate) enum EitherNoise {
    Laplace(DiscreteLaplace),
    Gaussian(DiscreteGaussian),
}

impl CalibratedNoise {
    /// The query for which the noise is calibrated.
    #[must_use]
    pub const fn query(&self) -> &Query {
        &self.query
    }

    /// The matrix that shares are multiplied by before the noise is added, if there is one.
    #[must_use]
    pub const fn matrix(&self) -> Option<&StrategyMatrix> {
        self.matrix.as_ref()
    }

    /// Solves for the histogram, its ranges and its distribution function from the signed totals behind a matrix; `None`
    /// without one.
    #[must_use]
    pub fn estimator(&self) -> Option<HistogramEstimator> {
        self.matrix.clone().map(HistogramEstimator::new)
    }

    /// The distribution of one draw, with its exact parameter.
    #[must_use]
    pub fn distribution(&self) -> NoiseDistribution {
        match &self.mechanism {
            EitherNoise::Laplace(noise) => noise.distribution(),
            EitherNoise::Gaussian(noise) => noise.distribution(),
        }
    }

    /// The standard deviation of one aggregator's noise in one total, in the unit of the
    /// measurement, or of the entries of a matrix. With A aggregators a total has √A times this.
    ///
    /// # Errors
    /// If the parameter is outside 1e-3 to 1e30.
    pub fn standard_deviation(&self) -> Result<f64, Error> {
        Ok(utility::TotalNoise::new(self.distribution())?.standard_deviation())
    }

    /// Adds an independent draw of the noise to every entry of `share`. After an error some entries
    /// lack noise, and the share must not be released.
    pub(crate) fn add_to<F, R>(&self, share: &mut [F], rng: &mut R) -> Result<(), Error>
    where
        F: SignedField,
        R: CryptoRng + ?Sized,
    {
        match &self.mechanism {
            EitherNoise::Laplace(noise) => noise.add_to(share, rng),
            EitherNoise::Gaussian(noise) => noise.add_to(share, rng),
        }
    }

    /// `Ok` if totals over `reports` reports, with the noise of 254 aggregators, stay in (−p/2,
    /// p/2) except with probability 2^−64. Beyond, a total would be read with the wrong sign, at no
    /// cost in privacy: reducing modulo p is post-processing.
    pub(crate) fn check_room<F: SignedField>(
        &self,
        entries: usize,
        reports: usize,
    ) -> Result<(), ParameterError> {
        let draws = entries.saturating_mul(MAX_AGGREGATORS);
        let bits = 64 + usize::BITS - draws.leading_zeros();
        let noise = self.tail_bound(bits) * MAX_AGGREGATORS;
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

    /// An integer b with P(|X| > b) ≤ 2^−`bits` for one draw X of the noise.
    fn tail_bound(&self, bits: u32) -> BigUint {
        match &self.mechanism {
            EitherNoise::Laplace(noise) => noise.tail_bound(bits),
            EitherNoise::Gaussian(noise) => noise.tail_bound(bits),
        }
    }
}

/// The most calibrations that a process keeps; the least recently used goes first.
pub const MAX_KEPT: usize = 64;

/// The calibrations that this process keeps, the most recently used last. A server reads a strategy
/// from its database at every collection, so noise is not kept with the strategy.
static KEPT: Mutex<Vec<(Strategy, Arc<CalibratedNoise>)>> = Mutex::new(Vec::new());

/// The noise of a strategy for `query`: the kept one, else the noise from `calibrate`, which is
/// then kept. The lock is not held while calibrating.
pub(crate) fn kept(
    strategy: &Strategy,
    query: &Query,
    calibrate: impl FnOnce() -> Result<EitherNoise, Error>,
) -> Result<Arc<CalibratedNoise>, Error> {
    let lock = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let find = |kept: &mut Vec<(Strategy, Arc<CalibratedNoise>)>| {
        let is_it = |(of, noise): &(Strategy, Arc<CalibratedNoise>)| {
            of == strategy && noise.query == *query
        };
        let found = kept.iter().position(is_it)?;
        let entry = kept.remove(found);
        let noise = Arc::clone(&entry.1);
        kept.push(entry);
        Some(noise)
    };
    if let Some(noise) = find(&mut lock()) {
        return Ok(noise);
    }
    let mechanism = calibrate()?;
    let mut kept = lock();
    // Another thread may have been first.
    if let Some(noise) = find(&mut kept) {
        return Ok(noise);
    }
    let query = query.clone();
    let matrix = query.strategy_matrix();
    let noise = Arc::new(CalibratedNoise { mechanism, query, matrix });
    if kept.len() >= MAX_KEPT {
        kept.remove(0);
    }
    kept.push((strategy.clone(), Arc::clone(&noise)));
    Ok(noise)
}
