//! Privacy guarantees in the four common currencies.

// DIFFERENCE from draft-wang §3.1: (ε, δ) bounds every set of outcomes, not every single outcome.

use std::fmt::{self, Display, Formatter};

use dp_exact::{Delta, Epsilon, Rational, Rho};
use serde::{Deserialize, Serialize};

use crate::{Error, Result, accepted};

/// A privacy guarantee, or the allowance that a mechanism is calibrated for.
///
/// Let P and Q be the distributions of the release for two neighbouring inputs, in either order.
///
/// Every parameter is exact, and serializes as the string that was typed:
///
/// ```
/// use dp_calibration::Budget;
///
/// let json = r#"{"approximate": {"epsilon": "0.906", "delta": "1e-9"}}"#;
/// let budget: Budget = serde_json::from_str(json)?;
/// assert!(budget.to_string().ends_with("with epsilon 0.906 and delta 1e-9"));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// `Ord` is for maps and sorted lists; it does not say which budget is stronger.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Budget {
    /// ε-differential privacy: P(S) ≤ e^ε·Q(S) for every set S of outcomes
    /// (Dwork, McSherry, Nissim, Smith 2006).
    Pure {
        /// The largest privacy loss.
        epsilon: Epsilon,
    },
    /// (ε, δ)-differential privacy: P(S) ≤ e^ε·Q(S) + δ for every set S of outcomes
    /// (Dwork, Kenthapadi, McSherry, Mironov, Naor 2006).
    Approximate {
        /// The privacy loss that is exceeded with weight at most `delta`.
        epsilon: Epsilon,
        /// The weight of larger losses, at most.
        delta: Delta,
    },
    /// ρ-zero-concentrated differential privacy: the Rényi divergence of P from Q of every order
    /// α > 1 is at most ρ·α (Bun, Steinke 2016).
    ZeroConcentrated {
        /// The divergence per order.
        rho: Rho,
    },
    /// (α, τ)-Rényi differential privacy: the Rényi divergence of P from Q of order α is at most
    /// τ (Mironov 2017). [`Budget::renyi`] checks the parameters. It has no written form: no noise
    /// is calibrated to it, and no ledger counts it.
    #[serde(skip)]
    Renyi {
        /// The order, greater than 1.
        alpha: Rational,
        /// The divergence, not negative.
        tau: Rational,
    },
}

impl Budget {
    /// (`epsilon`, `delta`)-differential privacy.
    #[must_use]
    pub const fn approximate(epsilon: Epsilon, delta: Delta) -> Self {
        Self::Approximate { epsilon, delta }
    }

    /// Rényi differential privacy of order `alpha`, with divergence at most `tau`.
    ///
    /// # Errors
    /// If `alpha` is not greater than 1, or `tau` is negative.
    pub fn renyi(alpha: Rational, tau: Rational) -> Result<Self> {
        Error::check(alpha > Rational::one(), "alpha", &alpha, "a number greater than 1")?;
        Error::check(!tau.is_negative(), "tau", &tau, "a number of at least 0")?;
        Ok(Self::Renyi { alpha, tau })
    }

    /// Whether every parameter is in the range in which this crate computes: ε from 1e-9 to 100,
    /// δ from 1e-40 to 0.9, ρ from 1e-30 to 1e6, α above 1 and at most 1e9, τ from 0 to 1e6, each
    /// of at most 2048 bits in numerator and denominator.
    ///
    /// # Errors
    /// [`Error::Parameter`], which names the first parameter that is not.
    pub fn check_range(&self) -> Result<()> {
        match self {
            Self::Pure { epsilon } => accepted::epsilon(epsilon).map(|_| ()),
            Self::Approximate { epsilon, delta } => {
                accepted::epsilon(epsilon)?;
                accepted::delta(delta).map(|_| ())
            }
            Self::ZeroConcentrated { rho } => accepted::rho(rho).map(|_| ()),
            Self::Renyi { alpha, tau } => {
                accepted::alpha(alpha)?;
                accepted::tau(tau)
            }
        }
    }
}

impl From<Epsilon> for Budget {
    fn from(epsilon: Epsilon) -> Self {
        Self::Pure { epsilon }
    }
}

impl From<Rho> for Budget {
    fn from(rho: Rho) -> Self {
        Self::ZeroConcentrated { rho }
    }
}

impl Display for Budget {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pure { epsilon } => {
                write!(formatter, "pure differential privacy with epsilon {epsilon}")
            }
            Self::Approximate { epsilon, delta } => write!(
                formatter,
                "approximate differential privacy with epsilon {epsilon} and delta {delta}"
            ),
            Self::ZeroConcentrated { rho } => {
                write!(formatter, "zero-concentrated differential privacy with rho {rho}")
            }
            Self::Renyi { alpha, tau } => write!(
                formatter,
                "Rényi differential privacy of order {alpha} with divergence {tau}"
            ),
        }
    }
}
