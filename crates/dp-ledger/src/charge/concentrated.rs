//! Amounts of approximate zero-concentrated privacy, with the sum of pure losses beside it.
//!
//! `docs/filters.md`, Theorem 2: a ledger that takes a release as long as Σδ stays within its limit and
//! **either Σρ or Σε** does, is a filter.

use dp_exact::{ParameterError, Rational, Rounding};

use crate::Cost;
use crate::amount::Amount;

/// (ρ, δ), and ε where every release has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Concentrated {
    rho: Amount,
    delta: Amount,
    /// `None`: no bound. As a limit: no such way.
    epsilon: Option<Amount>,
}

impl Concentrated {
    pub(crate) fn rounded(
        rho: &Rational,
        delta: &Rational,
        epsilon: Option<&Rational>,
        rounding: Rounding,
    ) -> Result<Self, ParameterError> {
        let epsilon = epsilon.map(|epsilon| Amount::rounded("epsilon", epsilon, rounding));
        Ok(Self {
            rho: Amount::rounded("rho", rho, rounding)?,
            delta: Amount::rounded("delta", delta, rounding)?,
            epsilon: epsilon.transpose()?,
        })
    }

    /// ρ alone.
    pub(crate) fn of_rho(rho: Amount) -> Self {
        Self {
            rho,
            delta: Amount::default(),
            epsilon: None,
        }
    }

    pub(crate) const fn rho(&self) -> &Amount {
        &self.rho
    }

    pub(crate) fn nothing() -> Self {
        Self {
            rho: Amount::default(),
            delta: Amount::default(),
            epsilon: Some(Amount::default()),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.rho.add(&other.rho);
        self.delta.add(&other.delta);
        let both = self.epsilon.take().zip(other.epsilon.as_ref());
        self.epsilon = both.map(|(one, other)| one.plus(other));
    }

    pub(crate) fn leaves_room_for(&self, more: &Self, limit: &Self) -> bool {
        let mut sum = self.clone();
        sum.add(more);
        let is_pure_within = sum.epsilon.zip(limit.epsilon.as_ref());
        sum.delta <= limit.delta
            && (sum.rho <= limit.rho || is_pure_within.is_some_and(|(sum, limit)| sum <= *limit))
    }

    pub(crate) fn room_for(&self, spent: &Self, one: &Self) -> u64 {
        if spent.delta > self.delta {
            return 0;
        }
        let by_rho = if spent.rho > self.rho {
            0
        } else {
            self.rho.minus(&spent.rho).times(&one.rho)
        };
        let by_epsilon = match (&self.epsilon, &spent.epsilon, &one.epsilon) {
            (Some(limit), Some(spent), Some(one)) if spent <= limit => {
                limit.minus(spent).times(one)
            }
            _ => 0,
        };
        let by_delta = self.delta.minus(&spent.delta).times(&one.delta);
        by_delta.min(by_rho.max(by_epsilon))
    }

    /// What is left of this after `spent`; `None` if no ρ and no ε is.
    pub(crate) fn after(&self, spent: &Self) -> Option<Self> {
        let both = self.epsilon.as_ref().zip(spent.epsilon.as_ref());
        let epsilon = both.map(|(limit, spent)| limit.minus(spent));
        let left = Self {
            rho: self.rho.minus(&spent.rho),
            delta: self.delta.minus(&spent.delta),
            epsilon: epsilon.filter(|epsilon| !epsilon.is_zero()),
        };
        (!left.rho.is_zero() || left.epsilon.is_some()).then_some(left)
    }

    pub(crate) fn cost(&self, rounding: Rounding) -> Cost {
        let number = |amount: &Amount| amount.number(rounding);
        Cost::Concentrated {
            rho: number(&self.rho),
            delta: number(&self.delta),
            epsilon: self.epsilon.as_ref().map(number),
        }
    }
}
