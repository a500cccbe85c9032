//! A proved pair (ε, δ), the bound of a guarantee, and the bounds that protect nobody.
//!
//! An ε above 20 lets the outcome multiply an observer's odds between two measurements by e^20 =
//! 485 165 195, enough to tell one person from all others of a continent. A mechanism that
//! publishes each measurement in full with probability δ keeps (0, δ): above 1/1000 it reveals one
//! person of a thousand.

use dp_calibration::{Budget, conversion, zcdp};
use dp_exact::{Delta, Epsilon, Rational};

use super::condition::AbsenceReason;
use crate::Error;

/// The reciprocal of the least ε of a pair, as which a proved ε of 0 counts.
const LEAST: u64 = 1_000_000_000;

/// A proved pair (ε, δ).
#[derive(Clone, Debug, PartialEq)]
pub struct EpsilonDelta {
    /// ε, above 0.
    pub epsilon: Epsilon,
    /// δ.
    pub delta: Delta,
}

impl EpsilonDelta {
    /// (`epsilon`, `delta`), where an ε of 0 counts as 1e-9.
    ///
    /// # Errors
    /// If `epsilon` is negative, or too long for an [`Epsilon`].
    pub fn new(epsilon: Rational, delta: Delta) -> Result<Self, Error> {
        let epsilon = if epsilon.is_zero() { Rational::new(1, LEAST)? } else { epsilon };
        Ok(Self { epsilon: Epsilon::new(epsilon)?, delta })
    }

    /// The pair as a budget: a pure one where δ is 0.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let (epsilon, delta) = (self.epsilon.clone(), self.delta.clone());
        match delta.value().is_zero() {
            true => Budget::Pure { epsilon },
            false => Budget::Approximate { epsilon, delta },
        }
    }
}

/// The bound of a guarantee under one trust model.
#[derive(Clone, Debug, PartialEq)]
pub enum PrivacyBound {
    /// A budget that is proved.
    Proved(Budget),
    /// There is no guarantee.
    Absent {
        /// The reason.
        reason: AbsenceReason,
    },
}

impl PrivacyBound {
    /// The budget that is proved; `None` without a guarantee.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        match self {
            Self::Proved(budget) => Some(budget),
            Self::Absent { .. } => None,
        }
    }
}

/// The largest ε that counts as a protection.
pub const MAX_MEANINGFUL_EPSILON: u64 = 20;

/// The reciprocal of the largest δ that counts as a protection, 1/1000.
pub const MAX_MEANINGFUL_DELTA_RECIPROCAL: u64 = 1_000;

/// The warning for a guarantee beyond these limits.
pub const WEAK: &str = "This protects nobody: its epsilon is above 20 or its delta above 0.001.";

/// Whether a budget protects nobody: its ε is above [`MAX_MEANINGFUL_EPSILON`] or its δ above
/// 1/[`MAX_MEANINGFUL_DELTA_RECIPROCAL`]. A zero-concentrated or a Rényi budget is judged by the ε
/// to which it converts at `delta`, at 1e-40 if `delta` is smaller, and at 1/1000 if it is 0.
#[must_use]
pub fn protects_nobody(budget: &Budget, delta: &Delta) -> bool {
    let is_large = |delta: &Delta| {
        delta.value() * &Rational::from(MAX_MEANINGFUL_DELTA_RECIPROCAL) > Rational::one()
    };
    let at = match delta.value().is_zero() {
        true => constant("1/1000"),
        false => delta.clone().max(constant("1e-40")),
    };
    let epsilon = match budget {
        Budget::Pure { epsilon } => Ok(epsilon.value().clone()),
        Budget::Approximate { delta, .. } if is_large(delta) => return true,
        Budget::Approximate { epsilon, .. } => Ok(epsilon.value().clone()),
        _ if is_large(&at) => return true,
        Budget::ZeroConcentrated { rho } => zcdp::epsilon(rho, &at),
        Budget::Renyi { alpha, tau } => conversion::renyi_to_epsilon(alpha, tau, &at),
    };
    // An ε that cannot be computed is no protection.
    epsilon.map_or(true, |epsilon| epsilon > Rational::from(MAX_MEANINGFUL_EPSILON))
}

/// A δ that is written in this file.
fn constant(text: &str) -> Delta {
    text.parse().expect("a number above 0 and below 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tests of `dp-libprio` and `dp-task` have budgets at the ceilings and beyond them.
    #[test]
    fn budgets_out_of_the_range_of_conversions_are_judged_too() {
        let delta = |text: &str| text.parse::<Delta>().expect("a delta");
        let pure = |text: &str| Budget::Pure { epsilon: text.parse().expect("an epsilon") };
        let rho = |text: &str| Budget::ZeroConcentrated { rho: text.parse().expect("a rho") };
        for (budget, at, weak) in [
            (pure("1e1000"), "1e-9", true),
            (rho("1e1000"), "1e-9", true),
            // At a delta above the ceiling nothing is guaranteed to speak of.
            (rho("1/8"), "1/2", true),
            (rho("1/8"), "0", false),
            // An ε of 5 at 1e-50, for which nothing is converted.
            (rho("1/20"), "1e-50", false),
        ] {
            assert_eq!(protects_nobody(&budget, &delta(at)), weak, "{budget}");
        }
    }
}
