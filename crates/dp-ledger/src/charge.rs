//! What adds up in a ledger, by its rule, in amounts of bounded size.

mod concentrated;
mod sum;

use dp_calibration::Budget;
use dp_exact::{ParameterError, Rounding};

pub(crate) use self::concentrated::Concentrated;
pub(crate) use self::sum::Sum;
use crate::{Cost, LedgerError};

/// An amount of privacy: what a release costs, what all of them cost, or a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Charge {
    Sum(Sum),
    Concentrated(Concentrated),
    /// How many of each declared kind of release.
    Declared(Vec<u64>),
}

impl Charge {
    /// The amounts of a budget under basic composition, each rounded to the given side.
    pub(crate) fn of(budget: &Budget, rounding: Rounding) -> Result<Self, LedgerError> {
        Sum::of(budget, rounding).map(Self::Sum)
    }

    /// The amounts of a cost, each rounded up.
    pub(crate) fn of_cost(cost: &Cost) -> Result<Self, ParameterError> {
        match cost {
            Cost::Sum(budget) => Sum::of(budget, Rounding::Up)
                .map(Self::Sum)
                .map_err(|error| ParameterError::new("charge", budget, error.to_string())),
            Cost::Concentrated {
                rho,
                delta,
                epsilon,
            } => Concentrated::rounded(rho, delta, epsilon.as_ref(), Rounding::Up)
                .map(Self::Concentrated),
            Cost::Declared(counts) => Ok(Self::Declared(counts.clone())),
        }
    }

    /// Nothing, of the same kind.
    pub(crate) fn nothing(&self) -> Self {
        match self {
            Self::Sum(sum) => Self::Sum(sum.nothing()),
            Self::Concentrated(_) => Self::Concentrated(Concentrated::nothing()),
            Self::Declared(counts) => Self::Declared(vec![0; counts.len()]),
        }
    }

    pub(crate) fn is_of_the_kind_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Sum(one), Self::Sum(other)) => one.is_of_the_kind_of(other),
            (Self::Concentrated(_), Self::Concentrated(_)) => true,
            (Self::Declared(one), Self::Declared(other)) => one.len() == other.len(),
            _ => false,
        }
    }

    /// What costs of this kind are called.
    pub(crate) fn accepted(&self) -> String {
        match self {
            Self::Sum(sum) => sum.accepted(),
            Self::Concentrated(_) => "a pure, approximate or zero-concentrated budget".to_owned(),
            Self::Declared(_) => "one of the declared releases".to_owned(),
        }
    }

    /// Adds another of the same kind.
    pub(crate) fn add(&mut self, other: &Self) {
        match (self, other) {
            (Self::Sum(sum), Self::Sum(other)) => sum.add(other),
            (Self::Concentrated(sum), Self::Concentrated(other)) => sum.add(other),
            (Self::Declared(counts), Self::Declared(others)) => {
                for (count, other) in counts.iter_mut().zip(others) {
                    *count = count.saturating_add(*other);
                }
            }
            _ => debug_assert!(false, "charges of one ledger are of one kind"),
        }
    }

    /// Whether `more` fits within `limit` beside this.
    pub(crate) fn leaves_room_for(&self, more: &Self, limit: &Self) -> bool {
        match (self, more, limit) {
            (Self::Sum(sum), Self::Sum(more), Self::Sum(limit)) => sum.leaves_room_for(more, limit),
            (Self::Concentrated(sum), Self::Concentrated(more), Self::Concentrated(limit)) => {
                sum.leaves_room_for(more, limit)
            }
            (Self::Declared(spent), Self::Declared(more), Self::Declared(limit)) => spent
                .iter()
                .zip(more)
                .zip(limit)
                .all(|((spent, more), limit)| spent.saturating_add(*more) <= *limit),
            _ => false,
        }
    }

    /// How often `one` fits into what is left of this after `spent`.
    pub(crate) fn room_for(&self, spent: &Self, one: &Self) -> u64 {
        match (self, spent, one) {
            (Self::Sum(limit), Self::Sum(spent), Self::Sum(one)) => limit.room_for(spent, one),
            (Self::Concentrated(limit), Self::Concentrated(spent), Self::Concentrated(one)) => {
                limit.room_for(spent, one)
            }
            (Self::Declared(limit), Self::Declared(spent), Self::Declared(one)) => {
                let kinds = limit.iter().zip(spent).zip(one);
                let used = kinds.filter(|(_, one)| **one > 0);
                used.map(|((limit, spent), one)| limit.saturating_sub(*spent) / one)
                    .min()
                    .unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// What is left of this after `spent`; `None` if that is nothing.
    pub(crate) fn after(&self, spent: &Self) -> Option<Self> {
        match (self, spent) {
            (Self::Sum(limit), Self::Sum(spent)) => limit.after(spent).map(Self::Sum),
            (Self::Concentrated(limit), Self::Concentrated(spent)) => {
                limit.after(spent).map(Self::Concentrated)
            }
            (Self::Declared(limit), Self::Declared(spent)) => {
                let kinds = limit.iter().zip(spent);
                let left: Vec<u64> = kinds
                    .map(|(limit, spent)| limit.saturating_sub(*spent))
                    .collect();
                left.iter()
                    .any(|count| *count > 0)
                    .then_some(Self::Declared(left))
            }
            _ => None,
        }
    }

    /// The amounts, rounded to 30 digits.
    pub(crate) fn cost(&self, rounding: Rounding) -> Result<Cost, LedgerError> {
        Ok(match self {
            Self::Sum(sum) => Cost::Sum(sum.budget(rounding)?),
            Self::Concentrated(sum) => sum.cost(rounding),
            Self::Declared(counts) => Cost::Declared(counts.clone()),
        })
    }
}
