//! Every conversion by its name, with the source of its bound.

use std::fmt::{self, Display, Formatter};

use dp_exact::{Delta, Epsilon, Rational, Rho};

use super::{pure_to_renyi, pure_to_rho, renyi_to_delta, renyi_to_epsilon, rounded_up};
use crate::{Result, zcdp};

/// A guarantee in one currency, and the currency to which it is converted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are the parameters of the guarantee")]
pub enum Conversion {
    /// The ε at δ of zero-concentrated privacy.
    RhoToEpsilon { rho: Rho, delta: Delta },
    /// The δ at ε of zero-concentrated privacy.
    RhoToDelta { rho: Rho, epsilon: Epsilon },
    /// The ε at δ of Rényi privacy of one order.
    RenyiToEpsilon { alpha: Rational, tau: Rational, delta: Delta },
    /// The δ at ε of Rényi privacy of one order.
    RenyiToDelta { alpha: Rational, tau: Rational, epsilon: Epsilon },
    /// The ρ of pure privacy.
    PureToRho { epsilon: Epsilon },
    /// The Rényi divergence τ of pure privacy at one order.
    PureToRenyi { epsilon: Epsilon, alpha: Rational },
}

/// The upper bound of one conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertedBound {
    /// The converted ε, δ, ρ or τ, rounded up.
    pub value: Rational,
    /// The theorem, or in which sense the value is the least.
    pub by: &'static str,
    /// Why the bound holds, in words.
    pub certificate: &'static str,
}

/// Source of the conversion from ρ to (ε, δ).
const COROLLARY_13: &str = "by Canonne, Kamath, Steinke 2020, Corollary 13";
/// Source of the conversion from Rényi privacy of one order to (ε, δ).
const PROPOSITION_12: &str = "by Canonne, Kamath, Steinke 2020, Proposition 12";

/// Why a bound at an order found by floats is rigorous.
const BEST_ORDER: &str = "Every order of the Rényi divergence gives a valid bound. The best order is \
    proposed in floating point, and its bound is certified in interval arithmetic.";

/// Why the bound by one order is rigorous, and how loose it is.
const ONE_ORDER: &str = "The formula of the proposition, rounded up in interval arithmetic. The least epsilon \
    that this divergence allows is smaller: by less than 0.1 % at orders above 10, by much more near order 1.";

impl Conversion {
    /// The tightest bound that this crate computes for this conversion.
    ///
    /// # Errors
    /// Those of the function of this module, or of [`zcdp`], that computes the bound.
    pub fn bound(&self) -> Result<ConvertedBound> {
        let (value, by, certificate) = match self {
            Self::RhoToEpsilon { rho, delta } => {
                (zcdp::epsilon(rho, delta)?, COROLLARY_13, BEST_ORDER)
            }
            Self::RhoToDelta { rho, epsilon } => {
                (rounded_up(&zcdp::delta(rho, epsilon)?)?, COROLLARY_13, BEST_ORDER)
            }
            Self::RenyiToEpsilon { alpha, tau, delta } => {
                (renyi_to_epsilon(alpha, tau, delta)?, PROPOSITION_12, ONE_ORDER)
            }
            Self::RenyiToDelta { alpha, tau, epsilon } => {
                (renyi_to_delta(alpha, tau, epsilon)?, PROPOSITION_12, ONE_ORDER)
            }
            Self::PureToRho { epsilon } => {
                let by = "epsilon·tanh(epsilon/2), rounded up";
                let certificate = "Randomized response is the worst mechanism, and attains it as the \
                                   order falls to 1.";
                (pure_to_rho(epsilon)?.value().clone(), by, certificate)
            }
            Self::PureToRenyi { epsilon, alpha } => {
                let by = "the Rényi divergence, rounded up";
                let certificate = "Randomized response is the worst mechanism, and attains it.";
                (pure_to_renyi(epsilon, alpha)?, by, certificate)
            }
        };
        Ok(ConvertedBound { value, by, certificate })
    }
}

impl Display for Conversion {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let concentrated = "Zero-concentrated differential privacy";
        let renyi = "Rényi differential privacy";
        let pure = "Pure differential privacy";
        match self {
            Self::RhoToEpsilon { rho, delta } => {
                write!(formatter, "{concentrated} with rho {rho}, at delta {delta}")
            }
            Self::RhoToDelta { rho, epsilon } => {
                write!(formatter, "{concentrated} with rho {rho}, at epsilon {epsilon}")
            }
            Self::RenyiToEpsilon { alpha, tau, delta } => write!(
                formatter,
                "{renyi} of order {alpha} with divergence {tau}, at delta {delta}"
            ),
            Self::RenyiToDelta { alpha, tau, epsilon } => write!(
                formatter,
                "{renyi} of order {alpha} with divergence {tau}, at epsilon {epsilon}"
            ),
            Self::PureToRho { epsilon } => write!(formatter, "{pure} with epsilon {epsilon}"),
            Self::PureToRenyi { epsilon, alpha } => {
                write!(formatter, "{pure} with epsilon {epsilon}, at order {alpha}")
            }
        }
    }
}
