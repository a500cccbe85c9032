//! A conversion as a question: the tightest answer that is known, the classical ones beside it.

use std::fmt::{self, Display, Formatter};

use dp_exact::{Delta, Epsilon, Interval, Rational, Rho, refine};

use super::{
    pure_to_renyi, pure_to_renyi_classical, pure_to_rho, pure_to_rho_classical, renyi_to_delta,
    renyi_to_delta_classical, renyi_to_epsilon, renyi_to_epsilon_classical, rho_to_delta,
    rho_to_epsilon,
};
use crate::{Error, zcdp};

/// A guarantee in one currency, and what is asked of it in another.
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

/// A bound, rounded to the safe side, and what it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourcedBound {
    /// The ε, δ, ρ or τ that is asked for.
    pub value: Rational,
    /// The theorem, or in which sense the value is the least.
    pub by: &'static str,
}

/// What a guarantee means in another currency.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// The tightest bound that is known.
    pub tightest: SourcedBound,
    /// Looser ones of the literature, the tighter ones first.
    pub classical: Vec<SourcedBound>,
    certificate: &'static str,
}

const ONE_ORDER: &str = "the least that one order proves, of the orders that were searched";
const COROLLARY_13: &str = "by Canonne, Kamath, Steinke 2020, Corollary 13";
const PROPOSITION_12: &str = "by Canonne, Kamath, Steinke 2020, Proposition 12";

const JOINT_RANGE: &str = "No pair of laws has this divergence and a larger delta: the joint range \
    of the two is that of pairs of coins (Asoodeh, Liao, Calmon, Kosut, Sankar 2020), and is \
    certified in interval arithmetic. The best pair of coins attains it.";

impl Conversion {
    /// The answer.
    ///
    /// # Errors
    /// Those of the function of this module that has the conversion's name.
    pub fn answer(&self) -> Result<Converted, Error> {
        match self {
            Self::RhoToEpsilon { rho, delta } => {
                let tightest = bound(rho_to_epsilon(rho, delta)?, ONE_ORDER);
                let simple = "rho + 2·√(rho·ln(1/delta)) (Bun, Steinke 2016, Proposition 1.3)";
                let classical = vec![
                    bound(zcdp::epsilon(rho, delta)?, COROLLARY_13),
                    bound(rho_to_epsilon_classical(rho, delta)?, simple),
                ];
                let certificate = "At one well-chosen order, the Rényi divergence bounds delta \
                    (Corollary 13), and more tightly the joint range of divergence and delta (Asoodeh, \
                    Liao, Calmon, Kosut, Sankar 2020); any order gives a valid bound, which is certified \
                    in interval arithmetic.";
                Ok(Converted { tightest, classical, certificate })
            }
            Self::RhoToDelta { rho, epsilon } => {
                let tightest = bound(rho_to_delta(rho, epsilon)?, ONE_ORDER);
                let corollary = zcdp::delta(rho, epsilon)?.upper().to_rational();
                let corollary = corollary.ok_or(dp_exact::PrecisionError)?;
                let certificate = "At one well-chosen order, the Rényi divergence bounds delta, and more \
                    tightly the joint range of divergence and delta (Asoodeh, Liao, Calmon, Kosut, \
                    Sankar 2020).";
                Ok(Converted {
                    tightest,
                    classical: vec![bound(corollary, COROLLARY_13)],
                    certificate,
                })
            }
            Self::RenyiToEpsilon { alpha, tau, delta } => {
                let least = "the least epsilon of twelve digits that this divergence allows";
                let classical = renyi_to_epsilon_classical(alpha, tau, delta)?;
                Ok(Converted {
                    tightest: bound(renyi_to_epsilon(alpha, tau, delta)?, least),
                    classical: vec![bound(classical, PROPOSITION_12)],
                    certificate: JOINT_RANGE,
                })
            }
            Self::RenyiToDelta { alpha, tau, epsilon } => {
                let least = "the least delta of twelve digits that this divergence allows";
                let classical = renyi_to_delta_classical(alpha, tau, epsilon)?;
                Ok(Converted {
                    tightest: bound(renyi_to_delta(alpha, tau, epsilon)?, least),
                    classical: vec![bound(classical, PROPOSITION_12)],
                    certificate: JOINT_RANGE,
                })
            }
            Self::PureToRho { epsilon } => {
                let tightest = pure_to_rho(epsilon)?.value().clone();
                let classical = pure_to_rho_classical(epsilon)?.value().clone();
                let square = "epsilon^2/2 (Bun, Steinke 2016, Proposition 1.4)";
                Ok(Converted {
                    tightest: bound(tightest, "epsilon·tanh(epsilon/2), rounded up"),
                    classical: vec![bound(classical, square)],
                    certificate: "Randomized response is the worst mechanism, and attains it as the \
                                  order falls to 1.",
                })
            }
            Self::PureToRenyi { epsilon, alpha } => {
                let tightest = pure_to_renyi(epsilon, alpha)?;
                let classical = pure_to_renyi_classical(epsilon, alpha);
                let smaller = "the smaller of epsilon and alpha·epsilon^2/2 (Bun, Steinke 2016)";
                Ok(Converted {
                    tightest: bound(tightest, "the Rényi divergence, rounded up"),
                    classical: vec![bound(classical, smaller)],
                    certificate: "Randomized response is the worst mechanism, and attains it.",
                })
            }
        }
    }
}

fn bound(value: Rational, by: &'static str) -> SourcedBound {
    SourcedBound { value, by }
}

/// The classical ε = ρ + 2·√(ρ·ln(1/δ)) (Bun, Steinke 2016, Proposition 1.3), rounded up.
///
/// # Errors
/// If δ is 0.
pub fn rho_to_epsilon_classical(rho: &Rho, delta: &Delta) -> Result<Rational, Error> {
    if delta.value().is_zero() {
        return Err(Error::parameter("delta", delta, "a number greater than 0"));
    }
    let epsilon = refine(|precision| {
        let precision = precision.max(128);
        let log = -Interval::rational(delta.value(), precision).ln()?;
        let rho = Interval::rational(rho.value(), precision);
        let epsilon = &rho + &(&rho * &log).sqrt()?.shifted(1);
        epsilon.upper().to_rational()
    })?;
    Ok(epsilon)
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

impl Converted {
    /// Why the tightest bound holds, in words.
    #[must_use]
    pub const fn certificate(&self) -> &'static str {
        self.certificate
    }
}

/// Why [`super::for_group`] holds, in words.
#[must_use]
pub fn group_certificate(size: u32) -> String {
    format!(
        "The group's data change one member at a time, in {size} steps, each within the budget. A \
         guarantee under deletion is one under replacement for a group of 2."
    )
}
