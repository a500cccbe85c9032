//! A pair (ε, δ) that is proved of one release, where ε may be 0.

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, ParameterError, Rational};

use super::promise::Promise;
use crate::Error;

/// The reciprocal of the ε at which a budget counts ε = 0.
const COUNTED_AS: u64 = 1_000_000_000;

/// A proved pair (ε, δ), with ε ≥ 0.
///
/// ε = 0 means that no set of outcomes differs in probability by more than δ: the distance of the
/// two laws in total variation is at most δ.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    epsilon: Rational,
    delta: Delta,
    budget: Budget,
}

impl Loss {
    /// (`epsilon`, `delta`).
    ///
    /// # Errors
    ///
    /// If `epsilon` is negative, or too long for an [`Epsilon`].
    pub fn new(epsilon: Rational, delta: Delta) -> Result<Self, Error> {
        if epsilon.is_negative() {
            let accepted = "a number of at least 0";
            return Err(ParameterError::new("epsilon", epsilon, accepted).into());
        }
        let counted = if epsilon.is_zero() {
            Rational::new(1, COUNTED_AS)?
        } else {
            epsilon.clone()
        };
        let counted = Epsilon::new(counted)?;
        let budget = if delta.value().is_zero() {
            Budget::Pure { epsilon: counted }
        } else {
            Budget::Approximate {
                epsilon: counted,
                delta: delta.clone(),
            }
        };
        Ok(Self {
            epsilon,
            delta,
            budget,
        })
    }

    /// The pair of a budget that is one: of a pure budget (ε, 0); `None` of the others.
    ///
    /// # Errors
    ///
    /// None in practice: 0 is a δ.
    pub fn of(budget: &Budget) -> Result<Option<Self>, Error> {
        let (epsilon, delta) = match budget {
            Budget::Pure { epsilon } => (epsilon, Delta::new(Rational::zero())?),
            Budget::Approximate { epsilon, delta } => (epsilon, delta.clone()),
            Budget::ZeroConcentrated { .. } | Budget::Renyi { .. } => return Ok(None),
        };
        Ok(Some(Self {
            epsilon: epsilon.value().clone(),
            delta,
            budget: budget.clone(),
        }))
    }

    /// ε, at least 0.
    #[must_use]
    pub const fn epsilon(&self) -> &Rational {
        &self.epsilon
    }

    /// δ.
    #[must_use]
    pub const fn delta(&self) -> &Delta {
        &self.delta
    }

    /// A budget that the pair keeps. Its ε is that of the pair, or 1e-9 where that is 0: budgets
    /// have an ε above 0, and (0, δ) keeps every one of the same δ.
    #[must_use]
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The pair as a promise.
    #[must_use]
    pub fn promise(&self) -> Promise {
        if self.epsilon.is_zero() {
            Promise::TotalVariation {
                delta: self.delta.clone(),
                counted_as: self.budget.clone(),
            }
        } else {
            Promise::Proved(self.budget.clone())
        }
    }

    /// Whether it says at least as much as `other`.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.epsilon <= other.epsilon && self.delta <= other.delta
    }
}

/// The pair (ε, δ), where ε may be 0.
pub(crate) fn approximate(epsilon: Rational, delta: &Delta) -> Result<Loss, Error> {
    Loss::new(epsilon, delta.clone())
}
