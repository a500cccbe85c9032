//! Discrete Gaussian noise: P(x) ∝ e^(−x²/(2σ²)), by its variance parameter σ².
//!
//! For a histogram, replacing one measurement moves one unit from one bucket to another. σ² is
//! calibrated to (ε, δ) by the exact hockey-stick divergence of the **discrete** noise at that
//! difference; the σ of a continuous Gaussian would break the promise. Source: Canonne, Kamath,
//! Steinke 2020 (arXiv 2004.00010) for the noise and its sampler; the calibration is that of
//! `dp_calibration::discrete_gaussian`.

use dp_calibration::{Budget, discrete_gaussian};
use dp_exact::{Delta, Epsilon, ParameterError, Rational};
use dp_samplers::FromDraw;
use num_bigint::BigUint;
use rand_core::CryptoRng;

use super::{Calibrate, NoiseMechanism};
use crate::Error;
use crate::types::Histogram;

/// An (ε, δ) budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpsilonDelta {
    /// ε.
    pub epsilon: Epsilon,
    /// δ, above 0 for Gaussian noise.
    pub delta: Delta,
}

/// Discrete Gaussian noise, calibrated to approximate differential privacy.
#[derive(Clone, Debug)]
pub struct DiscreteGaussian {
    budget: EpsilonDelta,
    variance: Rational,
    sampler: dp_samplers::DiscreteGaussian,
}

impl DiscreteGaussian {
    /// The variance parameter σ².
    #[must_use]
    pub const fn variance_parameter(&self) -> &Rational {
        &self.variance
    }

    /// The sampler: its law is the mechanism's.
    #[must_use]
    pub const fn sampler(&self) -> &dp_samplers::DiscreteGaussian {
        &self.sampler
    }
}

impl Calibrate<Histogram> for DiscreteGaussian {
    type Budget = EpsilonDelta;

    fn calibrate(_: &Histogram, budget: EpsilonDelta) -> Result<Self, Error> {
        if budget.delta.value().is_zero() {
            return Err(ParameterError::new(
                "delta",
                &budget.delta,
                "above 0 and below 1: no Gaussian noise keeps delta = 0",
            )
            .into());
        }
        let variance =
            discrete_gaussian::calibrate_one_hot(&budget.epsilon, &budget.delta)?.variance;
        let sampler = dp_samplers::DiscreteGaussian::new(&variance)?;
        Ok(Self {
            budget,
            variance,
            sampler,
        })
    }
}

impl NoiseMechanism for DiscreteGaussian {
    const NAME: &'static str = "discrete Gaussian";

    fn fill<T, R>(&self, rng: &mut R, noise: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized,
    {
        Ok(self.sampler.fill(rng, noise)?)
    }

    /// σ² itself once σ² ≥ 4, where the difference is below 10^−30; the sum for less.
    fn variance(&self) -> f64 {
        match self.variance.to_f64() {
            parameter if parameter >= 4.0 => parameter,
            parameter => moment(parameter, 2),
        }
    }

    /// 0 once σ² ≥ 4, where the difference is as small; the sums for less.
    fn excess_kurtosis(&self) -> f64 {
        match self.variance.to_f64() {
            parameter if parameter >= 4.0 => 0.0,
            parameter => moment(parameter, 4) / moment(parameter, 2).powi(2) - 3.0,
        }
    }

    /// P(|X| > b) ≤ 2·e^(−b²/(2σ²)), since E[e^(λX)] ≤ e^(λ²σ²/2) (CKS20, the discrete Gaussian is
    /// sub-Gaussian). At most 2^−bits once b² ≥ 2σ²·(bits + 1)·ln 2; ln 2 < 7/10.
    fn tail_bound(&self, bits: u32) -> BigUint {
        let exponent = BigUint::from(bits) + 1u32;
        let numerator = self.variance.numerator().magnitude() * exponent * 14u32;
        let denominator = self.variance.denominator().magnitude() * 10u32;
        let square: BigUint = numerator / denominator + 1u32;
        square.sqrt() + 1u32
    }

    fn budget(&self) -> Budget {
        Budget::Approximate {
            epsilon: self.budget.epsilon.clone(),
            delta: self.budget.delta.clone(),
        }
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![
            ("epsilon", self.budget.epsilon.to_string()),
            ("delta", self.budget.delta.to_string()),
            ("variance", self.variance.to_string()),
        ]
    }
}

/// E[X^`order`] for an even order at σ² < 4, where the terms beyond 60 are below e^−450.
fn moment(parameter: f64, order: i32) -> f64 {
    let (mut norm, mut moment) = (1.0, 0.0);
    for x in 1..=60 {
        let x = f64::from(x);
        let density = (-x * x / (2.0 * parameter)).exp();
        norm += 2.0 * density;
        moment += 2.0 * x.powi(order) * density;
    }
    moment / norm
}
