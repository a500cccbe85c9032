//! Every conversion by its name, with the source of its bound.

use std::fmt::{self, Display, Formatter};

use dp_exact::{Delta, Epsilon, Rational, grouped};

use super::{
    pure_to_renyi, pure_to_rho, renyi_to_delta, renyi_to_epsilon, response_rho, rounded_up,
};
use crate::{Budget, Refusal, Result, zcdp};

/// A guarantee in one currency, and the currency to which it is converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The guarantee.
    pub from: Budget,
    /// What is asked of it.
    pub to: Currency,
}

/// The figure of a guarantee that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Currency {
    /// The ε at this δ, of zero-concentrated privacy or of Rényi privacy of one order.
    EpsilonAt(Delta),
    /// The δ at this ε, of zero-concentrated privacy or of Rényi privacy of one order.
    DeltaAt(Epsilon),
    /// The ρ of pure privacy.
    Rho,
    /// The ρ of randomized response with this number of answers, whose odds are e^ε.
    RhoOfAnswers(u64),
    /// The Rényi divergence τ of pure privacy at this order.
    TauAt(Rational),
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
    proposed in floating point, and its bound is certified in interval arithmetic. The least epsilon that rho \
    allows may be some 0.1 % smaller.";

/// Why the bound by one order is rigorous, and how loose it is.
const ONE_ORDER: &str = "The formula of the proposition, rounded up in interval arithmetic. The least epsilon \
    that this divergence allows is smaller: by less than 0.1 % at orders above 10, by much more near order 1.";

impl Conversion {
    /// The tightest bound that this crate computes for this conversion.
    ///
    /// # Errors
    /// If no method bounds this figure of this guarantee; or with the error of the function that
    /// computes the bound, in this module or in [`zcdp`].
    pub fn bound(&self) -> Result<ConvertedBound> {
        let (value, by, certificate) = match (&self.from, &self.to) {
            (Budget::ZeroConcentrated { rho }, Currency::EpsilonAt(delta)) => {
                (zcdp::epsilon(rho, delta)?, COROLLARY_13, BEST_ORDER)
            }
            (Budget::ZeroConcentrated { rho }, Currency::DeltaAt(epsilon)) => {
                (rounded_up(&zcdp::delta(rho, epsilon)?)?, COROLLARY_13, BEST_ORDER)
            }
            (Budget::Renyi { alpha, tau }, Currency::EpsilonAt(delta)) => {
                (renyi_to_epsilon(alpha, tau, delta)?, PROPOSITION_12, ONE_ORDER)
            }
            (Budget::Renyi { alpha, tau }, Currency::DeltaAt(epsilon)) => {
                (renyi_to_delta(alpha, tau, epsilon)?, PROPOSITION_12, ONE_ORDER)
            }
            (Budget::Pure { epsilon }, Currency::Rho) => {
                let by = "epsilon·tanh(epsilon/2), rounded up";
                let certificate = "Randomized response is the worst mechanism, and attains it as the \
                                   order falls to 1.";
                (pure_to_rho(epsilon)?.value().clone(), by, certificate)
            }
            (Budget::Pure { epsilon }, Currency::RhoOfAnswers(answers)) => {
                let by = "the supremum over all orders, rounded up";
                let certificate = "The Rényi divergence over its order grows up to one order, or falls from \
                                   order 1 on. Its maximum is certified in interval arithmetic.";
                (response_rho(epsilon, *answers)?.value().clone(), by, certificate)
            }
            (Budget::Pure { epsilon }, Currency::TauAt(alpha)) => {
                let by = "the Rényi divergence, rounded up";
                let certificate = "Randomized response is the worst mechanism, and attains it.";
                (pure_to_renyi(epsilon, alpha)?, by, certificate)
            }
            _ => {
                let change =
                    "convert rho, or alpha and tau, to epsilon or delta, and epsilon to rho or tau";
                return Err(Refusal::not_available("this conversion", change).into());
            }
        };
        Ok(ConvertedBound { value, by, certificate })
    }
}

impl Display for Conversion {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let from = self.from.to_string();
        let (first, rest) = from.split_at(1);
        write!(formatter, "{}{rest}", first.to_ascii_uppercase())?;
        match &self.to {
            Currency::EpsilonAt(delta) => write!(formatter, ", at delta {delta}"),
            Currency::DeltaAt(epsilon) => write!(formatter, ", at epsilon {epsilon}"),
            Currency::TauAt(alpha) => write!(formatter, ", at order {alpha}"),
            Currency::RhoOfAnswers(answers) => {
                write!(formatter, ", of randomized response with {} answers", grouped(answers))
            }
            Currency::Rho => Ok(()),
        }
    }
}
