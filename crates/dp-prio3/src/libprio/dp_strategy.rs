//! A strategy that a task's configuration names.

use std::sync::Arc;

use dp_calibration::{Budget, Query};
use prio::dp::{DifferentialPrivacyBudget, DifferentialPrivacyStrategy};
use serde::{Deserialize, Serialize};

use super::{
    ApproximateDiscreteGaussian, ApproximateDiscreteLaplace, ConcentratedDiscreteGaussian, Noise,
    NoiseStrategy, PureDiscreteLaplace,
};
use crate::Error;

/// Any of the four strategies, chosen when the program runs.
///
/// Written with the tag `dp_strategy`, as Janus writes the strategy of a task:
///
/// ```
/// use dp_prio3::libprio::DpStrategy;
///
/// let strategy: DpStrategy = serde_json::from_str(
///     r#"{
///         "dp_strategy": "ApproximateDiscreteGaussian",
///         "version": 1,
///         "budget": {"epsilon": "0.906", "delta": "1e-9"}
///     }"#,
/// )?;
/// assert!(matches!(strategy, DpStrategy::ApproximateDiscreteGaussian(_)));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// There is no variant without noise: a task without differential privacy has no such strategy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "dp_strategy")]
pub enum DpStrategy {
    /// Discrete Laplace noise for ε.
    PureDiscreteLaplace(PureDiscreteLaplace),
    /// Discrete Laplace noise for (ε, δ).
    ApproximateDiscreteLaplace(ApproximateDiscreteLaplace),
    /// Discrete Gaussian noise for (ε, δ).
    ApproximateDiscreteGaussian(ApproximateDiscreteGaussian),
    /// Discrete Gaussian noise for ρ.
    ConcentratedDiscreteGaussian(ConcentratedDiscreteGaussian),
}

/// The tag, and the budget that belongs to it.
impl DifferentialPrivacyBudget for DpStrategy {}

impl DifferentialPrivacyStrategy for DpStrategy {
    type Budget = Self;

    fn from_budget(budget: Self) -> Self {
        budget
    }
}

impl NoiseStrategy for DpStrategy {
    fn promise(&self) -> Budget {
        match self {
            Self::PureDiscreteLaplace(strategy) => strategy.promise(),
            Self::ApproximateDiscreteLaplace(strategy) => strategy.promise(),
            Self::ApproximateDiscreteGaussian(strategy) => strategy.promise(),
            Self::ConcentratedDiscreteGaussian(strategy) => strategy.promise(),
        }
    }

    fn noise(&self, query: &Query) -> Result<Arc<Noise>, Error> {
        match self {
            Self::PureDiscreteLaplace(strategy) => strategy.noise(query),
            Self::ApproximateDiscreteLaplace(strategy) => strategy.noise(query),
            Self::ApproximateDiscreteGaussian(strategy) => strategy.noise(query),
            Self::ConcentratedDiscreteGaussian(strategy) => strategy.noise(query),
        }
    }
}
