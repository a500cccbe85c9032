//! Discrete Gaussian noise: P(x) ∝ e^(−x²/(2σ²)), by its variance parameter σ².
//!
//! σ² is calibrated to (ε, δ) by the exact hockey-stick divergence of the **discrete** noise at the
//! worst-case difference of two measurements (for a histogram, one unit less in one bucket and one
//! more in another); the σ of a continuous Gaussian would break the guarantee. Or to ρ, by σ² =
//! Δ₂²/(2ρ). Source: Canonne, Kamath, Steinke 2020 (arXiv 2004.00010) for the noise and its
//! sampler; the calibration is in `dp_calibration::discrete_gaussian`.

use dp_calibration::{
    Adjacency, Budget, NoiseDistribution, Query, WorstCaseDifference, discrete_gaussian, noise_sum,
    zcdp,
};
use dp_exact::{Delta, Rational, elementary};
use dp_samplers::FromDraw;
use num_bigint::BigUint;
use rand_core::CryptoRng;

use super::{LazySampler, NoiseMechanism, check_above_zero, get_or_build};
use crate::Error;

/// The largest number of honest aggregators whose noise is counted in a bound.
const MAX_HONEST: usize = 64;

/// Discrete Gaussian noise, calibrated to approximate or zero-concentrated differential privacy.
#[derive(Clone, Debug)]
pub struct DiscreteGaussian {
    /// The budget of one release with the noise of one aggregator.
    budget: Budget,
    /// The variance parameter σ².
    variance: Rational,
    sampler: LazySampler<dp_samplers::DiscreteGaussian>,
}

/// The kinds of budget to which the noise is calibrated, for errors.
const ACCEPTED: &str = "an approximate or a zero-concentrated budget";

impl DiscreteGaussian {
    /// Noise with variance parameter σ² = `variance`, which the caller has shown to keep `budget`.
    fn new(variance: Rational, budget: Budget) -> Result<Self, Error> {
        dp_samplers::DiscreteGaussian::check(&variance)?;
        Ok(Self { budget, variance, sampler: LazySampler::default() })
    }

    /// The variance parameter σ².
    #[must_use]
    pub const fn variance_parameter(&self) -> &Rational {
        &self.variance
    }

    /// The sampler: it has the distribution of the mechanism. The first call, or the first draw,
    /// builds it.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn sampler(&self) -> Result<&dp_samplers::DiscreteGaussian, Error> {
        get_or_build(&self.sampler, || dp_samplers::DiscreteGaussian::new(&self.variance))
    }
}

impl NoiseMechanism for DiscreteGaussian {
    const NAME: &'static str = "discrete Gaussian";

    /// (ε, δ) by the exact hockey-stick divergence; ρ by σ² = Δ₂²/(2ρ), exactly (CKS20, Theorem
    /// 14).
    fn calibrate(query: &Query, budget: &Budget) -> Result<Self, Error> {
        let adjacency = Adjacency::Replacement;
        let variance = match budget {
            Budget::Approximate { epsilon, delta } => {
                check_above_zero(delta)?;
                discrete_gaussian::calibrate_query(query, adjacency, epsilon, delta)?.variance
            }
            Budget::ZeroConcentrated { rho } => {
                zcdp::variance(rho, &query.sensitivity(adjacency)?.l2_squared)?
            }
            _ => return Err(Error::budget_kind(Self::NAME, budget, ACCEPTED)),
        };
        Self::new(variance, budget.clone())
    }

    fn check_kind(budget: &Budget) -> Result<(), Error> {
        match budget {
            Budget::Approximate { .. } | Budget::ZeroConcentrated { .. } => Ok(()),
            _ => Err(Error::budget_kind(Self::NAME, budget, ACCEPTED)),
        }
    }

    fn fill<T, R>(&self, rng: &mut R, noise: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized,
    {
        Ok(self.sampler()?.fill(rng, noise)?)
    }

    /// The variance of one draw, rounded. From σ² = 4 on it is σ² itself, off by less than 10^−30;
    /// below 4 the series is summed.
    fn variance(&self) -> f64 {
        match self.variance.to_f64() {
            parameter if parameter >= 4.0 => parameter,
            parameter => summed_variance(parameter),
        }
    }

    /// An integer b with P(|X| > b) ≤ 2^−`bits` for one draw X. P(|X| > b) ≤ 2·e^(−b²/(2σ²)), since
    /// E[e^(λX)] ≤ e^(λ²σ²/2) (CKS20, the discrete Gaussian is sub-Gaussian). So b² ≥ 2σ²·(`bits` +
    /// 1)·ln 2 suffices, and ln 2 < 7/10.
    fn tail_bound(&self, bits: u32) -> BigUint {
        let exponent = BigUint::from(bits) + 1u32;
        let numerator = self.variance.numerator().magnitude() * exponent * 14u32;
        let denominator = self.variance.denominator().magnitude() * 10u32;
        let square: BigUint = numerator / denominator;
        // (⌊√s⌋ + 1)² is an integer above s rounded down, and so above s.
        square.sqrt() + 1u32
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Upper bound on ε at `delta` under the summed noise of `aggregators` honest aggregators.
    /// `None` where δ is 0, or where the budget itself states the ε of one aggregator at `delta`. A
    /// ρ is not divided, since sums of discrete Gaussians are not discrete Gaussians.
    fn epsilon_of_release(
        &self,
        difference: &WorstCaseDifference,
        delta: &Delta,
        aggregators: usize,
    ) -> Result<Option<Rational>, Error> {
        let is_own = matches!(&self.budget, Budget::Approximate { delta: own, .. } if own == delta);
        if delta.value().is_zero() || (is_own && aggregators < 2) {
            return Ok(None);
        }
        let counted = u32::try_from(aggregators.clamp(1, MAX_HONEST)).unwrap_or(1);
        let found = noise_sum::gaussian_epsilon(&self.variance, delta, difference, counted)?;
        Ok(Some(found))
    }

    fn distribution(&self) -> NoiseDistribution {
        NoiseDistribution::DiscreteGaussian { variance: self.variance.clone() }
    }
}

/// The variance E[X²] of one draw X for σ² = `parameter` < 4, rounded. The sum ends at |x| = 60;
/// the omitted terms are below e^−450.
fn summed_variance(parameter: f64) -> f64 {
    let (mut norm, mut square) = (1.0, 0.0);
    for x in 1..=60 {
        let x = f64::from(x);
        let density = elementary::exp(-x * x / (2.0 * parameter));
        norm += 2.0 * density;
        square += 2.0 * elementary::powi(x, 2) * density;
    }
    square / norm
}
