//! What a mechanism promises, in the four common currencies.

use std::fmt::{self, Display, Formatter};

use dp_exact::{Delta, Epsilon, Rational, Rho};
use serde::{Deserialize, Serialize};

use crate::Error;

/// A privacy guarantee, or the allowance that a mechanism is calibrated for.
///
/// Let P and Q be the laws of what is released for two neighbouring inputs, in either order.
///
/// Every parameter is exact, and serializes as the string that was typed:
///
/// ```
/// use dp_calibration::Budget;
///
/// let budget: Budget = serde_json::from_str(
///     r#"{"approximate": {"epsilon": "0.906", "delta": "1e-9"}}"#,
/// )?;
/// assert_eq!(
///     budget.to_string(),
///     "approximate differential privacy with epsilon 0.906 and delta 1e-9",
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", rename_all = "snake_case")]
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
        /// The slack.
        delta: Delta,
    },
    /// ρ-zero-concentrated differential privacy: the Rényi divergence of P from Q of every order
    /// α > 1 is at most ρ·α (Bun, Steinke 2016).
    ZeroConcentrated {
        /// The divergence per order.
        rho: Rho,
    },
    /// (α, τ)-Rényi differential privacy: the Rényi divergence of P from Q of order α is at most
    /// τ (Mironov 2017). [`Budget::renyi`] checks the parameters.
    Renyi {
        /// The order, greater than 1.
        alpha: Rational,
        /// The divergence, not negative.
        tau: Rational,
    },
}

impl Budget {
    /// Rényi differential privacy of order `alpha`, with divergence at most `tau`.
    ///
    /// # Errors
    /// If `alpha` is not greater than 1, or `tau` is negative.
    pub fn renyi(alpha: Rational, tau: Rational) -> Result<Self, Error> {
        if alpha <= Rational::one() {
            return Err(Error::parameter("alpha", alpha, "a number greater than 1"));
        }
        if tau.is_negative() {
            return Err(Error::parameter("tau", tau, "a number of at least 0"));
        }
        Ok(Self::Renyi { alpha, tau })
    }
}

impl Display for Budget {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pure { epsilon } => {
                write!(
                    formatter,
                    "pure differential privacy with epsilon {epsilon}"
                )
            }
            Self::Approximate { epsilon, delta } => write!(
                formatter,
                "approximate differential privacy with epsilon {epsilon} and delta {delta}"
            ),
            Self::ZeroConcentrated { rho } => write!(
                formatter,
                "zero-concentrated differential privacy with rho {rho}"
            ),
            Self::Renyi { alpha, tau } => write!(
                formatter,
                "Rényi differential privacy of order {alpha} with divergence {tau}"
            ),
        }
    }
}

/// A budget as it is read, before the ranges of the Rényi parameters are checked.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Unchecked {
    Pure { epsilon: Epsilon },
    Approximate { epsilon: Epsilon, delta: Delta },
    ZeroConcentrated { rho: Rho },
    Renyi { alpha: Rational, tau: Rational },
}

impl TryFrom<Unchecked> for Budget {
    type Error = Error;

    fn try_from(unchecked: Unchecked) -> Result<Self, Error> {
        Ok(match unchecked {
            Unchecked::Pure { epsilon } => Self::Pure { epsilon },
            Unchecked::Approximate { epsilon, delta } => Self::Approximate { epsilon, delta },
            Unchecked::ZeroConcentrated { rho } => Self::ZeroConcentrated { rho },
            Unchecked::Renyi { alpha, tau } => return Self::renyi(alpha, tau),
        })
    }
}
