//! The distributions of noise.

use dp_exact::Rational;
use serde::{Deserialize, Serialize};

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
