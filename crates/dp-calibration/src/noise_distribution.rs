//! The distributions of noise.

use dp_exact::Rational;
use serde::{Deserialize, Serialize};

use crate::{Adjacency, Budget, Error, Query};

/// The distribution of one draw of noise, with its exact parameter.
///
/// ```
/// use dp_calibration::{Budget, NoiseDistribution, Query};
///
/// let query = Query::Histogram { length: 24 };
/// let budget = Budget::approximate("0.906".parse()?, "1e-9".parse()?);
/// let gaussian = NoiseDistribution::calibrated_gaussian(&query, &budget)?;
/// let laplace = NoiseDistribution::calibrated_laplace(&query, &budget)?;
/// println!("{gaussian:?} or {laplace:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// The least discrete Gaussian noise of one aggregator with which one report of a client,
    /// replaced by another, keeps `budget`.
    ///
    /// # Errors
    /// As [`Query::contribution`] and
    /// [`Contribution::variance`](crate::Contribution::variance).
    pub fn calibrated_gaussian(query: &Query, budget: &Budget) -> Result<Self, Error> {
        let contribution = query.contribution(Adjacency::Replacement, 1, 1)?;
        let variance = contribution.variance(budget)?;
        Ok(Self::DiscreteGaussian { variance })
    }

    /// The least discrete Laplace noise of one aggregator with which one report of a client,
    /// replaced by another, keeps `budget`.
    ///
    /// # Errors
    /// As [`Query::contribution`] and [`Contribution::scale`](crate::Contribution::scale).
    pub fn calibrated_laplace(query: &Query, budget: &Budget) -> Result<Self, Error> {
        let contribution = query.contribution(Adjacency::Replacement, 1, 1)?;
        let scale = contribution.scale(budget)?;
        Ok(Self::DiscreteLaplace { scale })
    }
}
