//! Every conversion by its name: the tightest known bound, and for a Rényi divergence the classical
//! one beside it.

use std::fmt::{self, Display, Formatter};

use dp_exact::{Delta, Epsilon, Rational, Rho};

use super::{
    pure_to_renyi, pure_to_rho, renyi_to_delta, renyi_to_delta_classical, renyi_to_epsilon,
    renyi_to_epsilon_classical, rounded_up,
};
use crate::{Error, zcdp};

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

/// An upper bound and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourcedBound {
    /// The converted ε, δ, ρ or τ, rounded up.
    pub value: Rational,
    /// The theorem, or in which sense the value is the least.
    pub by: &'static str,
}

/// The bounds of one conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertedBounds {
    /// The tightest known bound.
    pub tightest: SourcedBound,
    /// The looser bound of one Rényi order, which certificates have.
    pub classical: Option<SourcedBound>,
    /// Why the tightest bound holds, in words.
    pub certificate: &'static str,
}

/// Source of the conversion from ρ to (ε, δ).
const COROLLARY_13: &str = "by Canonne, Kamath, Steinke 2020, Corollary 13";
/// Source of the classical conversion from Rényi privacy to (ε, δ).
const PROPOSITION_12: &str = "by Canonne, Kamath, Steinke 2020, Proposition 12";

/// Why a bound at an order found by floats is rigorous.
const BEST_ORDER: &str = "Every order of the Rényi divergence gives a valid bound. The best order is \
    proposed in floating point, and its bound is certified in interval arithmetic.";

/// Why the bound by pairs of coins is rigorous and tight.
const JOINT_RANGE: &str = "No pair of distributions has this divergence and a larger delta: the joint \
    range of the two is that of pairs of coins (Asoodeh, Liao, Calmon, Kosut, Sankar 2020), and is \
    certified in interval arithmetic. The best pair of coins attains it.";

impl Conversion {
    /// The tightest and the classical bound of this conversion.
    ///
    /// # Errors
    /// Those of the function of this module, or of [`zcdp`], that computes the bound.
    pub fn bounds(&self) -> Result<ConvertedBounds, Error> {
        let (value, by, classical, certificate) = match self {
            Self::RhoToEpsilon { rho, delta } => {
                (zcdp::epsilon(rho, delta)?, COROLLARY_13, None, BEST_ORDER)
            }
            Self::RhoToDelta { rho, epsilon } => {
                (rounded_up(&zcdp::delta(rho, epsilon)?)?, COROLLARY_13, None, BEST_ORDER)
            }
            Self::RenyiToEpsilon { alpha, tau, delta } => {
                let by = "the least epsilon of twelve digits that this divergence allows";
                let classical = renyi_to_epsilon_classical(alpha, tau, delta)?;
                (renyi_to_epsilon(alpha, tau, delta)?, by, Some(classical), JOINT_RANGE)
            }
            Self::RenyiToDelta { alpha, tau, epsilon } => {
                let by = "the least delta of twelve digits that this divergence allows";
                let classical = renyi_to_delta_classical(alpha, tau, epsilon)?;
                (renyi_to_delta(alpha, tau, epsilon)?, by, Some(classical), JOINT_RANGE)
            }
            Self::PureToRho { epsilon } => {
                let by = "epsilon·tanh(epsilon/2), rounded up";
                let certificate = "Randomized response is the worst mechanism, and attains it as the \
                                   order falls to 1.";
                (pure_to_rho(epsilon)?.value().clone(), by, None, certificate)
            }
            Self::PureToRenyi { epsilon, alpha } => {
                let by = "the Rényi divergence, rounded up";
                let certificate = "Randomized response is the worst mechanism, and attains it.";
                (pure_to_renyi(epsilon, alpha)?, by, None, certificate)
            }
        };
        let classical = classical.map(|value| SourcedBound { value, by: PROPOSITION_12 });
        Ok(ConvertedBounds { tightest: SourcedBound { value, by }, classical, certificate })
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
