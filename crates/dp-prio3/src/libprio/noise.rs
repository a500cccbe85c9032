//! Noise that is calibrated for one query, and the room that it needs in the field.

use dp_calibration::{Query, utility};
use dp_exact::{ParameterError, Rational};
use num_bigint::BigUint;
use rand_core::CryptoRng;

use crate::Error;
use crate::field::{NoiseBlock, SignedField};
use crate::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use crate::types::MAX_AGGREGATORS;

/// Noise calibrated for one query: independent draws of one law, one for each entry.
#[derive(Clone, Debug)]
pub struct Noise {
    law: Law,
    query: Query,
}

#[derive(Clone, Debug)]
enum Law {
    Laplace(DiscreteLaplace),
    Gaussian(DiscreteGaussian),
}

impl Noise {
    /// Discrete Laplace noise that was calibrated for `query`.
    pub(super) fn laplace(query: &Query, mechanism: DiscreteLaplace) -> Self {
        Self {
            law: Law::Laplace(mechanism),
            query: query.clone(),
        }
    }

    /// Discrete Gaussian noise that was calibrated for `query`.
    pub(super) fn gaussian(query: &Query, mechanism: DiscreteGaussian) -> Self {
        Self {
            law: Law::Gaussian(mechanism),
            query: query.clone(),
        }
    }

    /// What the noise is calibrated for.
    #[must_use]
    pub const fn query(&self) -> &Query {
        &self.query
    }

    /// The scale t of discrete Laplace noise.
    #[must_use]
    pub fn scale(&self) -> Option<&Rational> {
        match &self.law {
            Law::Laplace(law) => Some(law.scale()),
            Law::Gaussian(_) => None,
        }
    }

    /// The variance parameter σ² of discrete Gaussian noise.
    #[must_use]
    pub fn variance_parameter(&self) -> Option<&Rational> {
        match &self.law {
            Law::Laplace(_) => None,
            Law::Gaussian(law) => Some(law.variance_parameter()),
        }
    }

    /// The standard deviation of one aggregator's noise in one total, in the unit of the
    /// measurement. With A aggregators that all add noise, a total has √A times as much.
    ///
    /// # Errors
    ///
    /// If the parameter is outside 1e-3 to 1e30.
    pub fn standard_deviation(&self) -> Result<f64, Error> {
        let noise = match &self.law {
            Law::Laplace(law) => utility::Noise::laplace(law.scale().clone())?,
            Law::Gaussian(law) => utility::Noise::gaussian(law.variance_parameter().clone())?,
        };
        Ok(noise.standard_deviation())
    }

    /// Adds a draw to every entry.
    pub(super) fn add_to<F, R>(&self, share: &mut [F], rng: &mut R) -> Result<(), Error>
    where
        F: SignedField,
        R: CryptoRng + ?Sized,
    {
        let mut block = NoiseBlock::new();
        match &self.law {
            Law::Laplace(law) => block.add_to(share, |noise| law.fill(rng, noise))?,
            Law::Gaussian(law) => block.add_to(share, |noise| law.fill(rng, noise))?,
        }
        Ok(())
    }

    /// Whether totals over `reports` reports stay in (−p/2, p/2), with the noise of as many
    /// aggregators as Prio3 admits, except with probability 2^−64.
    ///
    /// Beyond that a total would be read with the wrong sign. It says nothing on privacy: reducing
    /// modulo p is post-processing.
    pub(super) fn check_room<F: SignedField>(
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
        match &self.law {
            Law::Laplace(law) => law.tail_bound(bits),
            Law::Gaussian(law) => law.tail_bound(bits),
        }
    }
}

/// The most that one valid measurement adds to one entry.
const fn max_entry(query: &Query) -> u128 {
    match *query {
        Query::Count | Query::Histogram { .. } | Query::MultihotCountVec { .. } => 1,
        Query::Sum { max_measurement }
        | Query::Average { max_measurement }
        | Query::SumVec {
            max_measurement, ..
        }
        | Query::L1BoundSum {
            max_measurement, ..
        } => max_measurement,
    }
}
