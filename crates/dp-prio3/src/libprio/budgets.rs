//! Privacy budgets as libprio's strategies take them: checked when they are made or read.
//!
//! A [`DifferentialPrivacyStrategy`](prio::dp::DifferentialPrivacyStrategy) is made from its budget
//! without a chance to fail. So a budget that exists is one that a strategy can be calibrated for:
//! its numbers are exact, of bounded length, and within the ranges of `dp-calibration`.
//!
//! As text each number is a string, `{"epsilon": "0.906", "delta": "1e-9"}`. A number that is
//! written as a JSON number is refused, because it would pass through binary fractions.

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use prio::dp::DifferentialPrivacyBudget;
use serde::{Deserialize, Serialize};

/// The most bits of a numerator or denominator. δ = 1e-500 has 1661.
const MAX_BITS: u64 = 2048;

/// ε-differential privacy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "UncheckedPure")]
pub struct PureBudget {
    epsilon: Epsilon,
}

/// (ε, δ)-differential privacy with δ > 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "UncheckedApproximate")]
pub struct ApproximateBudget {
    epsilon: Epsilon,
    delta: Delta,
}

/// ρ-zero-concentrated differential privacy (Bun, Steinke 2016).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "UncheckedConcentrated")]
pub struct ConcentratedBudget {
    rho: Rho,
}

impl PureBudget {
    /// ε-differential privacy.
    ///
    /// # Errors
    ///
    /// Unless ε is from 1e-9 to 10 000, of at most 2048 bits in numerator and denominator.
    pub fn new(epsilon: Epsilon) -> Result<Self, ParameterError> {
        check_epsilon(&epsilon)?;
        Ok(Self { epsilon })
    }

    /// ε.
    #[must_use]
    pub const fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }
}

impl ApproximateBudget {
    /// (ε, δ)-differential privacy.
    ///
    /// # Errors
    ///
    /// Unless ε is from 1e-9 to 10 000 and δ from 1e-500 to 0.9, each of at most 2048 bits in
    /// numerator and denominator. For δ = 0 there is [`PureBudget`].
    pub fn new(epsilon: Epsilon, delta: Delta) -> Result<Self, ParameterError> {
        check_epsilon(&epsilon)?;
        let value = delta.value();
        if within(
            value,
            &Rational::new(1, 10)?.pow(500),
            &Rational::new(9, 10)?,
        ) {
            Ok(Self { epsilon, delta })
        } else {
            let accepted = "a number from 1e-500 to 0.9, of at most 2048 bits";
            Err(ParameterError::new("delta", &delta, accepted))
        }
    }

    /// ε.
    #[must_use]
    pub const fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// δ.
    #[must_use]
    pub const fn delta(&self) -> &Delta {
        &self.delta
    }
}

impl ConcentratedBudget {
    /// ρ-zero-concentrated differential privacy. Canonne, Kamath, Steinke 2020 write ρ = ε²/2.
    ///
    /// # Errors
    ///
    /// Unless ρ is from 1e-30 to 1e6, of at most 2048 bits in numerator and denominator.
    pub fn new(rho: Rho) -> Result<Self, ParameterError> {
        let least = Rational::new(1, 10)?.pow(30);
        if within(rho.value(), &least, &Rational::integer(1_000_000)) {
            Ok(Self { rho })
        } else {
            let accepted = "a number from 1e-30 to 1e6, of at most 2048 bits";
            Err(ParameterError::new("rho", &rho, accepted))
        }
    }

    /// ρ.
    #[must_use]
    pub const fn rho(&self) -> &Rho {
        &self.rho
    }
}

impl DifferentialPrivacyBudget for PureBudget {}
impl DifferentialPrivacyBudget for ApproximateBudget {}
impl DifferentialPrivacyBudget for ConcentratedBudget {}

impl From<&PureBudget> for Budget {
    fn from(budget: &PureBudget) -> Self {
        Self::Pure {
            epsilon: budget.epsilon.clone(),
        }
    }
}

impl From<&ApproximateBudget> for Budget {
    fn from(budget: &ApproximateBudget) -> Self {
        Self::Approximate {
            epsilon: budget.epsilon.clone(),
            delta: budget.delta.clone(),
        }
    }
}

impl From<&ConcentratedBudget> for Budget {
    fn from(budget: &ConcentratedBudget) -> Self {
        Self::ZeroConcentrated {
            rho: budget.rho.clone(),
        }
    }
}

fn check_epsilon(epsilon: &Epsilon) -> Result<(), ParameterError> {
    let least = Rational::new(1, 1_000_000_000)?;
    if within(epsilon.value(), &least, &Rational::integer(10_000)) {
        Ok(())
    } else {
        let accepted = "a number from 1e-9 to 10000, of at most 2048 bits";
        Err(ParameterError::new("epsilon", epsilon, accepted))
    }
}

/// Whether `value` is short enough, and from `least` to `largest`.
fn within(value: &Rational, least: &Rational, largest: &Rational) -> bool {
    value.bits() <= MAX_BITS && least <= value && value <= largest
}

/// What is read, before its range is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedPure {
    epsilon: Epsilon,
}

/// What is read, before its range is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedApproximate {
    epsilon: Epsilon,
    delta: Delta,
}

/// What is read, before its range is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedConcentrated {
    rho: Rho,
}

impl TryFrom<UncheckedPure> for PureBudget {
    type Error = ParameterError;

    fn try_from(read: UncheckedPure) -> Result<Self, ParameterError> {
        Self::new(read.epsilon)
    }
}

impl TryFrom<UncheckedApproximate> for ApproximateBudget {
    type Error = ParameterError;

    fn try_from(read: UncheckedApproximate) -> Result<Self, ParameterError> {
        Self::new(read.epsilon, read.delta)
    }
}

impl TryFrom<UncheckedConcentrated> for ConcentratedBudget {
    type Error = ParameterError;

    fn try_from(read: UncheckedConcentrated) -> Result<Self, ParameterError> {
        Self::new(read.rho)
    }
}
