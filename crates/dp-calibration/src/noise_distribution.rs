//! The distributions of noise.

use dp_exact::{ParameterError, Rational, elementary};
use serde::{Deserialize, Serialize};

use crate::utility::k_norm;
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

/// The distribution of the noise of one aggregator in all totals of a release.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VectorNoise {
    /// An independent draw in every total.
    Independent(NoiseDistribution),
    /// One draw of P(z) ∝ e^(−‖z‖∞/t) on vectors z of integers (the K-norm mechanism of a cube:
    /// Hardt, Talwar 2010). `docs/k-norm.md` has the proofs.
    DiscreteKNorm {
        /// The scale t.
        scale: Rational,
        /// The number d of totals, at least 2.
        length: u32,
    },
}

impl From<NoiseDistribution> for VectorNoise {
    fn from(distribution: NoiseDistribution) -> Self {
        Self::Independent(distribution)
    }
}

impl VectorNoise {
    /// The kind of the distribution.
    #[must_use]
    pub const fn kind(&self) -> NoiseKind {
        match self {
            Self::Independent(distribution) => distribution.kind(),
            Self::DiscreteKNorm { .. } => NoiseKind::DiscreteKNorm,
        }
    }

    /// The name and the value of the parameter: `scale` or `variance`.
    #[must_use]
    pub const fn parameter(&self) -> (&'static str, &Rational) {
        match self {
            Self::Independent(distribution) => distribution.parameter(),
            Self::DiscreteKNorm { scale, .. } => ("scale", scale),
        }
    }

    /// The noise of one integer that accounts for this noise: of K-norm noise the discrete Laplace
    /// noise of its scale, on [one total of the largest change](SensitivityBound::accounted).
    #[must_use]
    pub fn accounted(&self) -> NoiseDistribution {
        match self {
            Self::Independent(distribution) => distribution.clone(),
            Self::DiscreteKNorm { scale, .. } => {
                NoiseDistribution::DiscreteLaplace { scale: scale.clone() }
            }
        }
    }

    /// The standard deviation of the noise in one total, by floats.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        match self {
            Self::Independent(distribution) => distribution.standard_deviation(),
            Self::DiscreteKNorm { scale, length } => k_norm::standard_deviation(scale, *length),
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
    /// P(z) ∝ e^(−‖z‖∞/t) on vectors, calibrated to pure or approximate differential privacy.
    DiscreteKNorm,
}

impl NoiseKind {
    /// The noise, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DiscreteLaplace => "discrete Laplace noise",
            Self::DiscreteGaussian => "discrete Gaussian noise",
            Self::DiscreteKNorm => "K-norm noise (ℓ∞, cube-shaped)",
        }
    }

    /// The distribution of one integer with this scale or variance; of K-norm noise, the one that
    /// [accounts](VectorNoise::accounted) for it.
    pub const fn distribution(self, parameter: Rational) -> NoiseDistribution {
        match self {
            Self::DiscreteLaplace | Self::DiscreteKNorm => {
                NoiseDistribution::DiscreteLaplace { scale: parameter }
            }
            Self::DiscreteGaussian => NoiseDistribution::DiscreteGaussian { variance: parameter },
        }
    }

    /// The noise in all of `length` totals with this scale or variance.
    pub const fn vector(self, parameter: Rational, length: u32) -> VectorNoise {
        match self {
            Self::DiscreteKNorm => VectorNoise::DiscreteKNorm { scale: parameter, length },
            _ => VectorNoise::Independent(self.distribution(parameter)),
        }
    }

    /// The scale or the variance of the noise of one aggregator that keeps `budget` for one
    /// person's `contribution`: the calibration of policies and plans ([`SensitivityBound::scale`],
    /// [`SensitivityBound::variance`]).
    ///
    /// # Errors
    /// If the budget is of a kind that this distribution cannot keep, or out of range.
    pub fn calibrate(self, contribution: &SensitivityBound, budget: &Budget) -> Result<Rational> {
        let contribution = contribution.accounted(self);
        match self {
            Self::DiscreteLaplace | Self::DiscreteKNorm => contribution.scale(budget),
            Self::DiscreteGaussian => contribution.variance(budget),
        }
    }

    /// Checks that policies calibrate this distribution to budgets of this kind.
    ///
    /// # Errors
    /// If they do not.
    pub fn check_kind(self, budget: &Budget) -> Result<(), ParameterError> {
        let accepted = match (self, budget) {
            (_, Budget::Approximate { .. })
            | (Self::DiscreteLaplace | Self::DiscreteKNorm, Budget::Pure { .. })
            | (Self::DiscreteGaussian, Budget::ZeroConcentrated { .. }) => return Ok(()),
            (Self::DiscreteLaplace | Self::DiscreteKNorm, _) => "a pure or an approximate budget",
            (Self::DiscreteGaussian, _) => "an approximate or a zero-concentrated budget",
        };
        Err(ParameterError::new("budget", budget, accepted))
    }
}
