//! Noise that is calibrated for one query, and the room that it needs in the field.

use dp_calibration::{Query, utility};
use dp_exact::{ParameterError, Rational};
use num_bigint::BigUint;
use rand_core::CryptoRng;

use crate::Error;
use crate::field::{NoiseBlock, SignedField};
use crate::types::MAX_AGGREGATORS;

/// Noise calibrated for one query: independent draws of one law, one for each entry.
#[derive(Clone, Debug)]
pub struct Noise {
    law: Sampler,
    query: Query,
}

#[derive(Clone, Debug)]
enum Sampler {
    Laplace(dp_samplers::DiscreteLaplace),
    Gaussian(dp_samplers::DiscreteGaussian),
}

impl Noise {
    /// P(x) ∝ e^(−|x|/t) with t = `scale`.
    pub(super) fn laplace(query: &Query, scale: &Rational) -> Result<Self, Error> {
        Ok(Self {
            law: Sampler::Laplace(dp_samplers::DiscreteLaplace::new(scale)?),
            query: query.clone(),
        })
    }

    /// P(x) ∝ e^(−x²/(2σ²)) with σ² = `variance`.
    pub(super) fn gaussian(query: &Query, variance: &Rational) -> Result<Self, Error> {
        Ok(Self {
            law: Sampler::Gaussian(dp_samplers::DiscreteGaussian::new(variance)?),
            query: query.clone(),
        })
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
            Sampler::Laplace(law) => Some(law.scale()),
            Sampler::Gaussian(_) => None,
        }
    }

    /// The variance parameter σ² of discrete Gaussian noise.
    #[must_use]
    pub fn variance_parameter(&self) -> Option<&Rational> {
        match &self.law {
            Sampler::Laplace(_) => None,
            Sampler::Gaussian(law) => Some(law.variance()),
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
            Sampler::Laplace(law) => utility::Noise::laplace(law.scale().clone())?,
            Sampler::Gaussian(law) => utility::Noise::gaussian(law.variance().clone())?,
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
            Sampler::Laplace(law) => block.add_to(share, |noise| law.fill(rng, noise))?,
            Sampler::Gaussian(law) => block.add_to(share, |noise| law.fill(rng, noise))?,
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
    ///
    /// Laplace: P(|X| > b) ≤ 2·e^(−b/t), so b = t·(bits + 1)·ln 2 suffices. Gaussian:
    /// P(|X| > b) ≤ 2·e^(−b²/(2σ²)) (sub-Gaussian by Canonne, Kamath, Steinke 2020), so
    /// b² = 2σ²·(bits + 1)·ln 2 does. ln 2 < 7/10.
    fn tail_bound(&self, bits: u32) -> BigUint {
        let exponent = BigUint::from(bits) + 1u32;
        match &self.law {
            Sampler::Laplace(law) => rounded_up(law.scale(), &(exponent * 7u32)),
            Sampler::Gaussian(law) => rounded_up(law.variance(), &(exponent * 14u32)).sqrt() + 1u32,
        }
    }
}

/// More than `value` · `tenths` / 10, by at most 1.
fn rounded_up(value: &Rational, tenths: &BigUint) -> BigUint {
    let numerator = value.numerator().magnitude() * tenths;
    numerator / (value.denominator().magnitude() * 10u32) + 1u32
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
