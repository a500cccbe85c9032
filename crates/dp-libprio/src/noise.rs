//! Noise that is calibrated for one query, and the room that it needs in the field.

use std::sync::{Arc, Mutex, PoisonError};

use dp_calibration::{NoiseDistribution, Query, utility};
use dp_exact::ParameterError;
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism as _};
use dp_prio3::types::{MAX_AGGREGATORS, max_entry};
use num_bigint::BigUint;
use rand_core::CryptoRng;

use crate::{Error, SignedField, Strategy};

/// Noise calibrated for one query: independent draws of one law, one for each entry.
#[derive(Clone, Debug)]
pub struct Noise {
    mechanism: Mechanism,
    query: Query,
}

#[derive(Clone, Debug)]
pub(crate) enum Mechanism {
    Laplace(DiscreteLaplace),
    Gaussian(DiscreteGaussian),
}

impl Noise {
    /// What the noise is calibrated for.
    #[must_use]
    pub const fn query(&self) -> &Query {
        &self.query
    }

    /// The law of one draw, with its exact parameter.
    #[must_use]
    pub fn law(&self) -> NoiseDistribution {
        match &self.mechanism {
            Mechanism::Laplace(law) => law.law(),
            Mechanism::Gaussian(law) => law.law(),
        }
    }

    /// The standard deviation of one aggregator's noise in one total, in the unit of the
    /// measurement. With A aggregators that all add noise, a total has √A times as much.
    ///
    /// # Errors
    ///
    /// If the parameter is outside 1e-3 to 1e30.
    pub fn standard_deviation(&self) -> Result<f64, Error> {
        let noise = match self.law() {
            NoiseDistribution::DiscreteLaplace { scale } => utility::TotalNoise::laplace(scale)?,
            NoiseDistribution::DiscreteGaussian { variance } => {
                utility::TotalNoise::gaussian(variance)?
            }
        };
        Ok(noise.standard_deviation())
    }

    /// Adds a draw to every entry.
    pub(crate) fn add_to<F, R>(&self, share: &mut [F], rng: &mut R) -> Result<(), Error>
    where
        F: SignedField,
        R: CryptoRng + ?Sized,
    {
        match &self.mechanism {
            Mechanism::Laplace(law) => law.add_to(share, rng),
            Mechanism::Gaussian(law) => law.add_to(share, rng),
        }
    }

    /// Whether totals over `reports` reports stay in (−p/2, p/2), with the noise of as many
    /// aggregators as Prio3 admits, except with probability 2^−64.
    ///
    /// Beyond that a total would be read with the wrong sign. It says nothing on privacy: reducing
    /// modulo p is post-processing.
    pub(crate) fn check_room<F: SignedField>(
        &self,
        entries: usize,
        reports: usize,
    ) -> Result<(), ParameterError> {
        let draws = entries.saturating_mul(MAX_AGGREGATORS);
        let bits = 64 + usize::BITS - draws.leading_zeros();
        let noise = self.tail_bound(bits) * MAX_AGGREGATORS;
        let total = BigUint::from(max_entry(&self.query)) * reports;
        let room = BigUint::from(F::MAX_SIGNED.unsigned_abs());
        if total + &noise <= room {
            return Ok(());
        }
        Err(ParameterError::new(
            "reports",
            reports,
            format!("few enough that totals, with noise up to {noise}, are at most {room}"),
        ))
    }

    /// b with P(|X| > b) ≤ 2^−`bits` for one draw X.
    fn tail_bound(&self, bits: u32) -> BigUint {
        match &self.mechanism {
            Mechanism::Laplace(law) => law.tail_bound(bits),
            Mechanism::Gaussian(law) => law.tail_bound(bits),
        }
    }
}

/// The most calibrations that a process keeps: the least recently used is forgotten first.
pub const MAX_KEPT: usize = 64;

/// What this process has calibrated, the most recently used last. A server reads a strategy from its database at
/// every collection, so noise is not kept with the strategy.
static KEPT: Mutex<Vec<(Strategy, Arc<Noise>)>> = Mutex::new(Vec::new());

/// The noise of a strategy for `query`, by `calibrate` if it is not kept. Nobody waits for a calibration: the
/// lock is held to look, and to put away what was found.
pub(crate) fn kept(
    strategy: &Strategy,
    query: &Query,
    calibrate: impl FnOnce() -> Result<Mechanism, Error>,
) -> Result<Arc<Noise>, Error> {
    let lock = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let find = |kept: &mut Vec<(Strategy, Arc<Noise>)>| {
        let is_it = |(of, noise): &(Strategy, Arc<Noise>)| of == strategy && noise.query == *query;
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
    let noise = Arc::new(Noise { mechanism, query });
    if kept.len() >= MAX_KEPT {
        kept.remove(0);
    }
    kept.push((strategy.clone(), Arc::clone(&noise)));
    Ok(noise)
}
