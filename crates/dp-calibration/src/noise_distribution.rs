//! The distributions of noise.

use dp_exact::{ParameterError, Rational, elementary};
use serde::{Deserialize, Serialize};

use crate::{Budget, Result, SensitivityBound};

/// The distribution of one draw of noise, with its exact parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum NoiseDistribution {
    /// P(x) ∝ e^(−x²/(2σ²)) on the integers (Canonne, Kamath, Steinke 2020, Definition 1).
    DiscreteGaussian {
        /// The variance parameter σ².
        variance: Rational,
    },
    /// P(x) ∝ e^(−|x|/t) on the integers (Ghosh, Roughgarden, Sundararajan 2009).
    DiscreteLaplace {
        /// The scale t.
        scale: Rational,
    },
}

impl NoiseDistribution {
    /// The kind of the distribution.
    pub const fn kind(&self) -> NoiseKind {
        match self {
            Self::DiscreteGaussian { .. } => NoiseKind::DiscreteGaussian,
            Self::DiscreteLaplace { .. } => NoiseKind::DiscreteLaplace,
        }
    }

    /// The name and the value of the parameter: `scale` or `variance`.
    #[must_use]
    pub const fn parameter(&self) -> (&'static str, &Rational) {
        match self {
            Self::DiscreteGaussian { variance } => ("variance", variance),
            Self::DiscreteLaplace { scale } => ("scale", scale),
        }
    }

    /// The standard deviation of one draw, by floats; for the Gaussian below σ where σ < 1.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        match self {
            Self::DiscreteLaplace { scale } => {
                // √(2q)/(1−q) = 1/(√2·sinh(1/(2t))), q = e^(−1/t)
                let rate = scale.to_f64().recip();
                (std::f64::consts::SQRT_2 * elementary::sinh(rate / 2.0)).recip()
            }
            // The discrete sum differs by less than e^(−190).
            Self::DiscreteGaussian { variance } if *variance > 10 => variance.to_f64().sqrt(),
            Self::DiscreteGaussian { variance } => {
                let rate = (2.0 * variance.to_f64()).recip();
                let bells =
                    || (1..200).map(f64::from).map(|x| (x * x, elementary::exp(-x * x * rate)));
                let total = 1.0 + 2.0 * bells().map(|(_, bell)| bell).sum::<f64>();
                let square: f64 = bells().map(|(square, bell)| 2.0 * square * bell).sum();
                (square / total).sqrt()
            }
        }
    }
}

/// A distribution of noise, without its scale or variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoiseKind {
    /// P(x) ∝ e^(−|x|/t), calibrated to pure or approximate differential privacy.
    DiscreteLaplace,
    /// P(x) ∝ e^(−x²/(2σ²)), calibrated to approximate or zero-concentrated differential privacy.
    DiscreteGaussian,
}

impl NoiseKind {
    /// The distribution, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DiscreteLaplace => "discrete Laplace",
            Self::DiscreteGaussian => "discrete Gaussian",
        }
    }

    /// The distribution with this scale or variance.
    pub const fn distribution(self, parameter: Rational) -> NoiseDistribution {
        match self {
            Self::DiscreteLaplace => NoiseDistribution::DiscreteLaplace { scale: parameter },
            Self::DiscreteGaussian => NoiseDistribution::DiscreteGaussian { variance: parameter },
        }
    }

    /// The noise of one aggregator that keeps `budget` for one person's `contribution`: the
    /// calibration of policies and plans ([`SensitivityBound::scale`], [`SensitivityBound::variance`]).
    ///
    /// # Errors
    /// If the budget is of a kind that this distribution cannot keep, or out of range.
    pub fn calibrate(
        self,
        contribution: &SensitivityBound,
        budget: &Budget,
    ) -> Result<NoiseDistribution> {
        Ok(self.distribution(match self {
            Self::DiscreteLaplace => contribution.scale(budget)?,
            Self::DiscreteGaussian => contribution.variance(budget)?,
        }))
    }

    /// Checks that policies calibrate this distribution to budgets of this kind.
    ///
    /// # Errors
    /// If they do not.
    pub fn check_kind(self, budget: &Budget) -> Result<(), ParameterError> {
        let accepted = match (self, budget) {
            (_, Budget::Approximate { .. })
            | (Self::DiscreteLaplace, Budget::Pure { .. })
            | (Self::DiscreteGaussian, Budget::ZeroConcentrated { .. }) => return Ok(()),
            (Self::DiscreteLaplace, _) => "a pure or an approximate budget",
            (Self::DiscreteGaussian, _) => "an approximate or a zero-concentrated budget",
        };
        Err(ParameterError::new("budget", budget, accepted))
    }
}
