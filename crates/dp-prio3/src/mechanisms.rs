//! The noise that an aggregator adds to its share.
//!
//! | noise | pure | approximate | zero-concentrated |
//! |---|---|---|---|
//! | discrete Laplace | scale Δ₁/ε | by the exact divergence | |
//! | discrete Gaussian | | by the exact divergence | variance Δ₂²/(2ρ) |
//!
//! A pair without a proof is refused, [`Error::BudgetKind`]. Sources: Cook, "Differential Privacy
//! Mechanism for Prio3 and PureDpDiscreteLaplace", 2024; Canonne, Kamath, Steinke 2020 (CKS20). Any
//! dimension: P(y)/P(y + d) ≤ e^(‖d‖₁/t) for Laplace noise of scale t. Reducing the result modulo p
//! is post-processing.

use std::sync::{Arc, OnceLock};

use dp_calibration::{
    Adjacency, Budget, NoiseDistribution, Query, WorstCaseDifference, conversion,
    discrete_gaussian, discrete_laplace, laplace, noise_sum, zcdp,
};
use dp_exact::{Delta, ParameterError, Rational, elementary};
use num_bigint::BigUint;
use rand_core::CryptoRng;

use crate::Error;
use crate::field::{NoiseBlock, SignedField};
use crate::guarantees::{Circumstances, EpsilonDelta};

/// A distribution of noise, without its scale or variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoiseKind {
    /// P(x) ∝ e^(−|x|/t), calibrated to pure or approximate differential privacy.
    DiscreteLaplace,
    /// P(x) ∝ e^(−x²/(2σ²)), calibrated to approximate or zero-concentrated differential privacy.
    DiscreteGaussian,
}

impl NoiseKind {
    /// The distribution, for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DiscreteLaplace => "discrete Laplace",
            Self::DiscreteGaussian => "discrete Gaussian",
        }
    }

    /// Checks that this distribution is calibrated to budgets of this kind.
    ///
    /// # Errors
    /// [`Error::BudgetKind`] if it is not.
    pub fn check_kind(self, budget: &Budget) -> Result<(), Error> {
        match (self, budget) {
            (_, Budget::Approximate { .. })
            | (Self::DiscreteLaplace, Budget::Pure { .. })
            | (Self::DiscreteGaussian, Budget::ZeroConcentrated { .. }) => Ok(()),
            _ => Err(self.refused(budget)),
        }
    }

    /// The error that this distribution is not calibrated to budgets of this kind.
    fn refused(self, budget: &Budget) -> Error {
        let accepted = match self {
            Self::DiscreteLaplace => "a pure or an approximate budget",
            Self::DiscreteGaussian => "an approximate or a zero-concentrated budget",
        };
        Error::BudgetKind { noise: self.name(), budget: Box::new(budget.clone()), accepted }
    }
}

/// Independent integer noise with one distribution at every coordinate, calibrated to a budget.
#[derive(Clone, Debug)]
pub struct NoiseMechanism {
    /// The budget of one release with the noise of one aggregator.
    budget: Budget,
    distribution: NoiseDistribution,
    /// The sampler, which the first draw builds, since plans and descriptions draw nothing. Clones
    /// share it.
    sampler: Arc<OnceLock<Sampler>>,
}

/// The sampler of one of the distributions.
#[derive(Debug)]
enum Sampler {
    Laplace(dp_samplers::DiscreteLaplace),
    Gaussian(dp_samplers::DiscreteGaussian),
}

impl NoiseMechanism {
    /// The least noise known to keep `budget` when one measurement of `query` is replaced: ε by the
    /// scale Δ₁/ε and ρ by σ² = Δ₂²/(2ρ), exactly (CKS20, Theorem 14); (ε, δ) by the exact
    /// hockey-stick divergence.
    ///
    /// # Errors
    /// [`Error::BudgetKind`] if this distribution is not calibrated to budgets of that kind;
    /// otherwise if the budget cannot be kept, or its parameters are out of range.
    pub fn calibrate(kind: NoiseKind, query: &Query, budget: &Budget) -> Result<Self, Error> {
        let adjacency = Adjacency::Replacement;
        if let Budget::Approximate { delta, .. } = budget
            && delta.value().is_zero()
        {
            let accepted = "above 0 and below 1: delta = 0 is a pure budget";
            return Err(ParameterError::new("delta", delta, accepted).into());
        }
        let distribution = match (kind, budget) {
            (NoiseKind::DiscreteLaplace, Budget::Pure { epsilon }) => {
                let scale = laplace::scale(epsilon, &query.sensitivity(adjacency)?.l1)?;
                NoiseDistribution::DiscreteLaplace { scale }
            }
            (NoiseKind::DiscreteLaplace, Budget::Approximate { epsilon, delta }) => {
                let found = discrete_laplace::calibrate_query(query, adjacency, epsilon, delta)?;
                NoiseDistribution::DiscreteLaplace { scale: found.scale }
            }
            (NoiseKind::DiscreteGaussian, Budget::Approximate { epsilon, delta }) => {
                let found = discrete_gaussian::calibrate_query(query, adjacency, epsilon, delta)?;
                NoiseDistribution::DiscreteGaussian { variance: found.variance }
            }
            (NoiseKind::DiscreteGaussian, Budget::ZeroConcentrated { rho }) => {
                let variance = zcdp::variance(rho, &query.sensitivity(adjacency)?.l2_squared)?;
                NoiseDistribution::DiscreteGaussian { variance }
            }
            _ => return Err(kind.refused(budget)),
        };
        match &distribution {
            NoiseDistribution::DiscreteLaplace { scale } => {
                dp_samplers::DiscreteLaplace::check(scale)?;
            }
            NoiseDistribution::DiscreteGaussian { variance } => {
                dp_samplers::DiscreteGaussian::check(variance)?;
            }
        }
        Ok(Self { budget: budget.clone(), distribution, sampler: Arc::default() })
    }

    /// The distribution of one draw.
    #[must_use]
    pub const fn distribution(&self) -> &NoiseDistribution {
        &self.distribution
    }

    /// The kind of the distribution.
    #[must_use]
    pub const fn kind(&self) -> NoiseKind {
        match self.distribution {
            NoiseDistribution::DiscreteLaplace { .. } => NoiseKind::DiscreteLaplace,
            NoiseDistribution::DiscreteGaussian { .. } => NoiseKind::DiscreteGaussian,
        }
    }

    /// The budget of one release with the noise of one aggregator.
    #[must_use]
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The sampler, built by the first call that succeeds.
    fn sampler(&self) -> Result<&Sampler, Error> {
        if let Some(built) = self.sampler.get() {
            return Ok(built);
        }
        let built = match &self.distribution {
            NoiseDistribution::DiscreteLaplace { scale } => {
                Sampler::Laplace(dp_samplers::DiscreteLaplace::new(scale)?)
            }
            NoiseDistribution::DiscreteGaussian { variance } => {
                Sampler::Gaussian(dp_samplers::DiscreteGaussian::new(variance)?)
            }
        };
        Ok(self.sampler.get_or_init(|| built))
    }

    /// Adds a fresh draw to every entry of a share. The draws are wiped.
    ///
    /// # Errors
    /// If a draw does not fit. Some entries of the share then lack noise, and it must not be
    /// released.
    pub fn add_to<F, R>(&self, share: &mut [F], rng: &mut R) -> Result<(), Error>
    where
        F: SignedField,
        R: CryptoRng + ?Sized,
    {
        let sampler = self.sampler()?;
        NoiseBlock::new().add_to(share, |noise| match sampler {
            Sampler::Laplace(law) => Ok(law.fill(rng, noise)?),
            Sampler::Gaussian(law) => Ok(law.fill(rng, noise)?),
        })
    }

    /// The variance of one draw, rounded, for estimates. For Laplace noise 2q/(1 − q)² with q =
    /// e^(−1/t), in the form with sinh, which keeps its precision for large t. For Gaussian noise σ²
    /// from σ² = 4 on, off by less than 10^−30; below, the series is summed.
    #[must_use]
    pub fn variance(&self) -> f64 {
        match &self.distribution {
            NoiseDistribution::DiscreteLaplace { scale } => {
                0.5 / elementary::powi(elementary::sinh(0.5 / scale.to_f64()), 2)
            }
            NoiseDistribution::DiscreteGaussian { variance } => match variance.to_f64() {
                parameter if parameter >= 4.0 => parameter,
                parameter => summed_variance(parameter),
            },
        }
    }

    /// An integer b with P(|X| > b) ≤ 2^−`bits` for one draw X.
    ///
    /// P(|X| > b) is at most 2·e^(−b/t) for Laplace noise, and at most 2·e^(−b²/(2σ²)) for Gaussian
    /// noise, as E[e^(λX)] ≤ e^(λ²σ²/2) (CKS20, the discrete Gaussian is sub-Gaussian). So b ≥
    /// t·(`bits` + 1)·ln 2, or b² ≥ 2σ²·(`bits` + 1)·ln 2, suffices, and ln 2 < 7/10.
    #[must_use]
    pub fn tail_bound(&self, bits: u32) -> BigUint {
        let exponent = BigUint::from(bits) + 1u32;
        let least = |parameter: &Rational, factor: u32| -> BigUint {
            parameter.numerator().magnitude() * exponent * factor
                / (parameter.denominator().magnitude() * 10u32)
        };
        // One more is an integer above the number that `least` rounds down.
        match &self.distribution {
            NoiseDistribution::DiscreteLaplace { scale } => least(scale, 7) + 1u32,
            NoiseDistribution::DiscreteGaussian { variance } => least(variance, 14).sqrt() + 1u32,
        }
    }

    /// Upper bound on ε at `delta` of the noise of `aggregators` honest aggregators in one release
    /// that one person changes by `difference`, by the exact divergence. `None` where the budget
    /// says as much, or Gaussian noise meets δ = 0.
    ///
    /// Further aggregators gain nothing with Laplace noise: in its tails, the sum of several draws
    /// has the probability ratios of one draw. A ρ is not divided, since sums of discrete Gaussians
    /// are not discrete Gaussians.
    fn epsilon_of_release(
        &self,
        difference: &WorstCaseDifference,
        delta: &Delta,
        aggregators: usize,
    ) -> Result<Option<Rational>, Error> {
        let own = match &self.budget {
            Budget::Approximate { delta, .. } => Some(delta),
            _ => None,
        };
        Ok(match &self.distribution {
            NoiseDistribution::DiscreteLaplace { scale } => match own {
                Some(own) if own != delta => {
                    Some(discrete_laplace::epsilon(scale, delta, difference)?)
                }
                _ => None,
            },
            NoiseDistribution::DiscreteGaussian { variance } => {
                if delta.value().is_zero() || (own == Some(delta) && aggregators < 2) {
                    return Ok(None);
                }
                let honest = counted(aggregators);
                Some(noise_sum::gaussian_epsilon(variance, delta, difference, honest)?)
            }
        })
    }

    /// (ε, δ) of all releases of the circumstances together, at their δ at most, with the noise of
    /// `aggregators` honest aggregators in each. `None` if nothing is proved at so small a δ.
    ///
    /// # Errors
    /// If it is beyond the calibration's reach.
    pub(crate) fn composed_pair(
        &self,
        query: &Query,
        aggregators: usize,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let delta = &circumstances.delta;
        if circumstances.is_one_report() {
            let own = converted(&self.budget, delta)?;
            if let Some(difference) = query.worst_case_difference(Adjacency::Replacement)? {
                let epsilon = self.epsilon_of_release(&difference, delta, aggregators)?;
                return match (own, epsilon) {
                    (Some(own), Some(epsilon)) if *own.epsilon() <= epsilon => Ok(Some(own)),
                    (_, Some(epsilon)) => EpsilonDelta::new(epsilon, delta.clone()).map(Some),
                    (own, None) => Ok(own),
                };
            }
            // The calibration behind a strategy matrix keeps its own δ; a search for ε could exceed
            // the budget by a last digit. The ε of a ρ is larger than the one of the noise.
            let is_matrix = matches!(query, Query::HistogramRanges { .. });
            let is_concentrated = matches!(self.budget, Budget::ZeroConcentrated { .. });
            if !is_matrix || (aggregators < 2 && own.is_some() && !is_concentrated) {
                return Ok(own);
            }
        }
        if self.kind() == NoiseKind::DiscreteGaussian && delta.value().is_zero() {
            return Ok(None);
        }
        let reports = circumstances.reports_per_client;
        let adjacency = circumstances.adjacency;
        let contribution = query.contribution(adjacency, reports, circumstances.releases)?;
        let honest = u32::try_from(aggregators).unwrap_or(u32::MAX);
        let (epsilon, delta) = contribution.loss(&self.distribution, delta, honest)?;
        EpsilonDelta::new(epsilon, delta).map(Some)
    }

    /// The parameters by name, exactly: the budget's, then the distribution's.
    #[must_use]
    pub fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = match &self.budget {
            Budget::Pure { epsilon } => vec![("epsilon", epsilon.to_string())],
            Budget::Approximate { epsilon, delta } => {
                vec![("epsilon", epsilon.to_string()), ("delta", delta.to_string())]
            }
            Budget::ZeroConcentrated { rho } => vec![("rho", rho.to_string())],
            Budget::Renyi { alpha, tau } => {
                vec![("alpha", alpha.to_string()), ("tau", tau.to_string())]
            }
        };
        parameters.push(match &self.distribution {
            NoiseDistribution::DiscreteLaplace { scale } => ("scale", scale.to_string()),
            NoiseDistribution::DiscreteGaussian { variance } => ("variance", variance.to_string()),
        });
        parameters
    }
}

/// The number of honest aggregators, of all `honest` ones, whose noise counts in a bound: at most
/// 64.
pub(crate) fn counted(honest: usize) -> u32 {
    u32::try_from(honest.clamp(1, 64)).unwrap_or(1)
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

/// The pair (ε, δ') with δ' ≤ `delta` that follows from the budget alone. `None` if δ' would exceed
/// `delta`, or δ = 0 meets a concentrated or Rényi budget.
fn converted(budget: &Budget, delta: &Delta) -> Result<Option<EpsilonDelta>, Error> {
    let epsilon = match budget {
        Budget::Pure { .. } | Budget::Approximate { .. } => {
            let pair = EpsilonDelta::of(budget)?;
            return Ok(pair.filter(|pair| pair.delta() <= delta));
        }
        _ if delta.value().is_zero() => return Ok(None),
        Budget::ZeroConcentrated { rho } => zcdp::epsilon(rho, delta)?,
        Budget::Renyi { alpha, tau } => conversion::renyi_to_epsilon(alpha, tau, delta)?,
    };
    EpsilonDelta::new(epsilon, delta.clone()).map(Some)
}
