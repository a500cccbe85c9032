//! Basic composition: sums of (ε, δ), of ρ, or of the divergence τ of one order.
//!
//! - (ε₁, δ₁), (ε₂, δ₂), … together are (Σε, Σδ) (Dwork, Rothblum, Vadhan 2010, Theorem III.1), and
//!   a pure ε is (ε, 0).
//! - ρ₁, ρ₂, … together are Σρ (Bun, Steinke 2016, Lemma 1.7).
//! - (α, τ₁), (α, τ₂), … together are (α, Στ) (Mironov 2017, Proposition 1).
//!
//! A promise with larger parameters is weaker, so that rounding them up keeps it true.

use dp_calibration::{Budget, Error};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho, Rounding};

use crate::LedgerError;
use crate::amount::Amount;

/// Which rule adds them up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    EpsilonDelta,
    Rho,
    Renyi { alpha: Rational },
}

/// An amount of privacy under basic composition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    kind: Kind,
    /// ε, ρ or τ.
    first: Amount,
    /// δ, or 0.
    second: Amount,
}

impl Sum {
    /// The amounts of a budget, each rounded to the given side.
    pub(crate) fn of(budget: &Budget, rounding: Rounding) -> Result<Self, LedgerError> {
        let amount = |what, value: &Rational| Amount::rounded(what, value, rounding);
        let none = Amount::default();
        let (kind, first, second) = match budget {
            Budget::Pure { epsilon } => (
                Kind::EpsilonDelta,
                amount("epsilon", epsilon.value())?,
                none,
            ),
            Budget::Approximate { epsilon, delta } => (
                Kind::EpsilonDelta,
                amount("epsilon", epsilon.value())?,
                amount("delta", delta.value())?,
            ),
            Budget::ZeroConcentrated { rho } => (Kind::Rho, amount("rho", rho.value())?, none),
            Budget::Renyi { alpha, tau } => {
                // The fields are open: whoever filled them in may not have checked them.
                Budget::renyi(alpha.clone(), tau.clone())?;
                if alpha.bits() > Rational::MAX_BITS {
                    let accepted = "a number of at most 4096 bits";
                    return Err(ParameterError::new("alpha", alpha, accepted).into());
                }
                let alpha = alpha.clone();
                (Kind::Renyi { alpha }, amount("tau", tau)?, none)
            }
        };
        Ok(Self {
            kind,
            first,
            second,
        })
    }

    /// Nothing, of the same kind.
    pub(crate) fn nothing(&self) -> Self {
        Self {
            kind: self.kind.clone(),
            first: Amount::default(),
            second: Amount::default(),
        }
    }

    pub(crate) fn is_of_the_kind_of(&self, other: &Self) -> bool {
        self.kind == other.kind
    }

    /// What budgets of this kind are called.
    pub(crate) fn accepted(&self) -> String {
        match &self.kind {
            Kind::EpsilonDelta => "a pure or approximate budget".to_owned(),
            Kind::Rho => "a zero-concentrated budget".to_owned(),
            Kind::Renyi { alpha } => format!("a Rényi budget of order {alpha}"),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.first.add(&other.first);
        self.second.add(&other.second);
    }

    /// Whether `more` fits within `limit` beside this.
    pub(crate) fn leaves_room_for(&self, more: &Self, limit: &Self) -> bool {
        self.first.plus(&more.first) <= limit.first
            && self.second.plus(&more.second) <= limit.second
    }

    /// What is left of this after `spent`; `None` if that is nothing.
    pub(crate) fn after(&self, spent: &Self) -> Option<Self> {
        let first = self.first.minus(&spent.first);
        (!first.is_zero()).then(|| Self {
            kind: self.kind.clone(),
            first,
            second: self.second.minus(&spent.second),
        })
    }

    /// How often `one` fits into what is left of this after `spent`.
    pub(crate) fn room_for(&self, spent: &Self, one: &Self) -> u64 {
        let first = self.first.minus(&spent.first).times(&one.first);
        first.min(self.second.minus(&spent.second).times(&one.second))
    }

    /// The budget, rounded to 30 digits.
    pub(crate) fn budget(&self, rounding: Rounding) -> Result<Budget, LedgerError> {
        let parameter = |error| LedgerError::Kind(Error::Parameter(error));
        let first = self.first.number(rounding);
        Ok(match &self.kind {
            Kind::EpsilonDelta => {
                let epsilon = Epsilon::new(first).map_err(parameter)?;
                if self.second.is_zero() {
                    return Ok(Budget::Pure { epsilon });
                }
                let delta = Delta::new(self.second.number(rounding)).map_err(parameter)?;
                Budget::Approximate { epsilon, delta }
            }
            Kind::Rho => Budget::ZeroConcentrated {
                rho: Rho::new(first).map_err(parameter)?,
            },
            Kind::Renyi { alpha } => Budget::renyi(alpha.clone(), first)?,
        })
    }
}
