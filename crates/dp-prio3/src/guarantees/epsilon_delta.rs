//! A proved pair (ε, δ), the bound of a guarantee, and the bounds that protect nobody.
//!
//! **ε above 20.** The outcome may multiply an observer's odds between two measurements of a client
//! by e^ε, and e^20 = 485 165 195: enough to tell one person from all others of a continent. **δ
//! above 1/1000.** A mechanism that publishes each measurement in full with probability δ keeps (0,
//! δ): of a batch of a thousand it reveals one person on average. A budget of another kind is
//! converted to an ε at a given δ.

use std::fmt;

use dp_calibration::{Budget, conversion, zcdp};
use dp_exact::{Delta, Epsilon, Rational};

use crate::Error;

/// The reciprocal of the least ε of a pair. A proved ε of 0 counts as this one: (0, δ) keeps every
/// pair with the same δ, and a budget has an ε above 0.
const LEAST: u64 = 1_000_000_000;

/// A proved pair (ε, δ).
#[derive(Clone, Debug, PartialEq)]
pub struct EpsilonDelta {
    epsilon: Epsilon,
    delta: Delta,
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

    /// The pair (ε, δ) of a pure or an approximate budget, exactly; `None` for other budgets.
    pub(crate) fn of(budget: &Budget) -> Result<Option<Self>, Error> {
        let (epsilon, delta) = match budget {
            Budget::Pure { epsilon } => (epsilon.clone(), Delta::new(Rational::zero())?),
            Budget::Approximate { epsilon, delta } => (epsilon.clone(), delta.clone()),
            _ => return Ok(None),
        };
        Ok(Some(Self { epsilon, delta }))
    }

    /// The pair of two numbers; `None` unless ε is at least 0 and δ from 0 to 1.
    #[must_use]
    pub fn of_pair(epsilon: &Rational, delta: &Rational) -> Option<Self> {
        Self::new(epsilon.clone(), Delta::new(delta.clone()).ok()?).ok()
    }

    /// ε, above 0.
    #[must_use]
    pub fn epsilon(&self) -> &Rational {
        self.epsilon.value()
    }

    /// δ.
    #[must_use]
    pub const fn delta(&self) -> &Delta {
        &self.delta
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

    /// The pair as a guarantee.
    #[must_use]
    pub fn bound(&self) -> PrivacyBound {
        PrivacyBound::Proved(self.budget())
    }

    /// Whether the pair protects nobody: its ε is above [`MAX_MEANINGFUL_EPSILON`] or its δ above
    /// 1/[`MAX_MEANINGFUL_DELTA_RECIPROCAL`].
    #[must_use]
    pub fn protects_nobody(&self) -> bool {
        is_large_epsilon(self.epsilon()) || is_large_delta(&self.delta)
    }

    /// Whether `self` is at least as strong as `other`: neither its ε nor its δ is larger.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.epsilon() <= other.epsilon() && self.delta <= other.delta
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
        reason: String,
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

impl fmt::Display for PrivacyBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proved(budget) => write!(f, "{budget}"),
            Self::Absent { reason } => write!(f, "no guarantee: {reason}"),
        }
    }
}

/// The largest ε that counts as a protection.
pub const MAX_MEANINGFUL_EPSILON: u64 = 20;

/// The reciprocal of the largest δ that counts as a protection, 1/1000.
pub const MAX_MEANINGFUL_DELTA_RECIPROCAL: u64 = 1_000;

/// The warning for a guarantee beyond these limits.
pub const WEAK: &str = "This protects nobody: its epsilon is above 20 or its delta above 0.001.";

/// Whether a budget is so weak that it protects nobody: its ε is above
/// [`MAX_MEANINGFUL_EPSILON`] or its δ above 1/[`MAX_MEANINGFUL_DELTA_RECIPROCAL`]. A
/// zero-concentrated or a Rényi budget is judged by the ε to which it converts at `delta`, or at
/// 1/1000 if `delta` is 0; one that cannot be converted counts as weak.
#[must_use]
pub fn protects_nobody(budget: &Budget, delta: &Delta) -> bool {
    let at = match delta.value().is_zero() {
        true => Rational::new(1, MAX_MEANINGFUL_DELTA_RECIPROCAL)
            .ok()
            .and_then(|largest| Delta::new(largest).ok()),
        false => Some(delta.clone()),
    };
    let converted = match (budget, at) {
        (Budget::Pure { epsilon }, _) => return is_large_epsilon(epsilon.value()),
        (Budget::Approximate { epsilon, delta }, _) => {
            return is_large_epsilon(epsilon.value()) || is_large_delta(delta);
        }
        (_, None) => return true,
        (_, Some(at)) if is_large_delta(&at) => return true,
        (Budget::ZeroConcentrated { rho }, Some(at)) => zcdp::epsilon(rho, &at),
        (Budget::Renyi { alpha, tau }, Some(at)) => conversion::renyi_to_epsilon(alpha, tau, &at),
    };
    converted.map_or(true, |epsilon| is_large_epsilon(&epsilon))
}

/// Whether ε is above 20.
fn is_large_epsilon(epsilon: &Rational) -> bool {
    *epsilon > Rational::from(MAX_MEANINGFUL_EPSILON)
}

/// Whether δ is above 1/1000.
fn is_large_delta(delta: &Delta) -> bool {
    delta.value() * &Rational::from(MAX_MEANINGFUL_DELTA_RECIPROCAL) > Rational::one()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceilings_are_20_and_a_thousandth() {
        let delta = |text: &str| text.parse::<Delta>().expect("a delta");
        let pure = |text: &str| Budget::Pure { epsilon: text.parse().expect("an epsilon") };
        let both = |epsilon: &str, slack: &str| {
            Budget::approximate(epsilon.parse().expect("an epsilon"), delta(slack))
        };
        let rho = |text: &str| Budget::ZeroConcentrated { rho: text.parse().expect("a rho") };
        let at = delta("1e-9");
        for (budget, weak) in [
            (pure("20"), false),
            (pure("20.0000000001"), true),
            (pure("1e1000"), true),
            (both("1", "1e-3"), false),
            (both("1", "0.0010000001"), true),
            (both("21", "1e-9"), true),
            (rho("1"), false),
            (rho("20"), true),
            (rho("1e1000"), true),
        ] {
            assert_eq!(protects_nobody(&budget, &at), weak, "{budget}");
        }
        // At a delta above the ceiling nothing is guaranteed to speak of.
        assert!(protects_nobody(&rho("1/8"), &delta("1/2")));
        assert!(!protects_nobody(&rho("1/8"), &delta("0")));
    }
}
