//! The amounts that a ledger adds up by its rule, each of bounded size.
//!
//! Basic composition adds up (ε₁, δ₁), (ε₂, δ₂), … to (Σε, Σδ) (Dwork, Rothblum, Vadhan 2010,
//! Theorem III.1), and ρ₁, ρ₂, … to Σρ (Bun, Steinke 2016, Lemma 1.7). Approximate
//! zero-concentrated privacy takes a release as long as Σδ and **either Σρ or Σε** stay within
//! their limits (`docs/filters.md`, Theorem 2). A guarantee with larger parameters is weaker, so
//! that rounding them up keeps it true.

use dp_calibration::{Budget, Error};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho, Rounding};

use crate::amount::Amount;
use crate::{Cost, LedgerError};

/// The kind of privacy that amounts measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AmountKind {
    /// Sums of ε and of δ.
    Epsilon,
    /// Sums of ρ.
    Rho,
    /// Sums of δ, of ρ, and of ε where every release has one.
    Concentrated,
}

/// The cost of a release, the cost of all of them, or a limit, as amounts of one kind.
///
/// An absent ρ or ε of a cost is unbounded; of a limit it takes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChargedAmounts {
    kind: AmountKind,
    delta: Amount,
    rho: Option<Amount>,
    epsilon: Option<Amount>,
}

impl ChargedAmounts {
    /// The amounts of a budget under basic composition, each rounded to the given side. Refuses Rényi privacy.
    pub(crate) fn of(budget: &Budget, rounding: Rounding) -> Result<Self, LedgerError> {
        let amount = |what, value: &Rational| Amount::rounded(what, value, rounding);
        let sums = |epsilon: &Epsilon, delta: Amount| -> Result<Self, LedgerError> {
            let epsilon = Some(amount("epsilon", epsilon.value())?);
            Ok(Self { kind: AmountKind::Epsilon, delta, rho: None, epsilon })
        };
        match budget {
            Budget::Pure { epsilon } => sums(epsilon, Amount::default()),
            Budget::Approximate { epsilon, delta } => {
                sums(epsilon, amount("delta", delta.value())?)
            }
            Budget::ZeroConcentrated { rho } => {
                let rho = Some(amount("rho", rho.value())?);
                let delta = Amount::default();
                Ok(Self { kind: AmountKind::Rho, delta, rho, epsilon: None })
            }
            Budget::Renyi { .. } => Err(unfit(budget, AmountKind::Concentrated)),
        }
    }

    /// Amounts of approximate zero-concentrated privacy, each rounded to the given side.
    pub(crate) fn concentrated(
        rho: &Rational,
        delta: &Rational,
        epsilon: Option<&Rational>,
        rounding: Rounding,
    ) -> Result<Self, ParameterError> {
        let epsilon = epsilon.map(|epsilon| Amount::rounded("epsilon", epsilon, rounding));
        Ok(Self {
            kind: AmountKind::Concentrated,
            delta: Amount::rounded("delta", delta, rounding)?,
            rho: Some(Amount::rounded("rho", rho, rounding)?),
            epsilon: epsilon.transpose()?,
        })
    }

    /// The amounts of a cost, each rounded up.
    pub(crate) fn of_cost(cost: &Cost) -> Result<Self, LedgerError> {
        match cost {
            Cost::Sum(budget) => Self::of(budget, Rounding::Up),
            Cost::Concentrated { rho, delta, epsilon } => {
                Ok(Self::concentrated(rho, delta, epsilon.as_ref(), Rounding::Up)?)
            }
        }
    }

    /// Amounts of this kind that are all 0.
    pub(crate) fn nothing(&self) -> Self {
        let zero = |is_counted: bool| is_counted.then(Amount::default);
        Self {
            kind: self.kind,
            delta: Amount::default(),
            rho: zero(self.kind != AmountKind::Epsilon),
            epsilon: zero(self.kind != AmountKind::Rho),
        }
    }

    /// These amounts, if they are of the kind of `limit`; `budget` is for the refusal.
    pub(crate) fn counted_by(self, limit: &Self, budget: &Budget) -> Result<Self, LedgerError> {
        if self.kind == limit.kind { Ok(self) } else { Err(limit.refuses(budget)) }
    }

    /// The refusal of a budget that this limit does not count.
    pub(crate) fn refuses(&self, budget: &Budget) -> LedgerError {
        unfit(budget, self.kind)
    }

    /// Adds `other`, which is of this kind, exactly. A part that is absent in one of them becomes
    /// absent.
    pub(crate) fn add(&mut self, other: &Self) {
        let sum = |one: &Option<Amount>, other: &Option<Amount>| {
            Some(one.as_ref()?.plus(other.as_ref()?))
        };
        self.delta = self.delta.plus(&other.delta);
        self.rho = sum(&self.rho, &other.rho);
        self.epsilon = sum(&self.epsilon, &other.epsilon);
    }

    /// Whether this plus `more` is within `limit`, exactly: δ, and ρ or ε.
    pub(crate) fn leaves_room_for(&self, more: &Self, limit: &Self) -> bool {
        let mut sum = self.clone();
        sum.add(more);
        let fits = |sum: &Option<Amount>, limit: &Option<Amount>| {
            sum.as_ref().zip(limit.as_ref()).is_some_and(|(sum, limit)| sum <= limit)
        };
        sum.delta <= limit.delta
            && (fits(&sum.rho, &limit.rho) || fits(&sum.epsilon, &limit.epsilon))
    }

    /// How many releases that cost `one` each fit into this limit beside `spent`; rounded down.
    pub(crate) fn room_for(&self, spent: &Self, one: &Self) -> u64 {
        let times = |limit: &Option<Amount>, spent: &Option<Amount>, one: &Option<Amount>| match (
            limit, spent, one,
        ) {
            (Some(limit), Some(spent), Some(one)) if spent <= limit => {
                limit.minus(spent).times(one)
            }
            _ => 0,
        };
        let rho = times(&self.rho, &spent.rho, &one.rho);
        let epsilon = times(&self.epsilon, &spent.epsilon, &one.epsilon);
        self.delta.minus(&spent.delta).times(&one.delta).min(rho.max(epsilon))
    }

    /// This limit minus `spent`, exactly; `None` if nothing is left.
    pub(crate) fn after(&self, spent: &Self) -> Option<Self> {
        let left = |limit: &Option<Amount>, spent: &Option<Amount>| {
            Some(limit.as_ref()?.minus(spent.as_ref()?))
        };
        let is_some = |part: &Amount| !part.is_zero();
        let rho = left(&self.rho, &spent.rho);
        let epsilon = left(&self.epsilon, &spent.epsilon).filter(is_some);
        let delta = self.delta.minus(&spent.delta);
        let is_left = rho.as_ref().is_some_and(is_some) || epsilon.is_some();
        is_left.then_some(Self { kind: self.kind, delta, rho, epsilon })
    }

    /// The amounts as a cost, rounded to 30 digits in the direction of `rounding`.
    pub(crate) fn cost(&self, rounding: Rounding) -> Result<Cost, LedgerError> {
        let number = |part: &Option<Amount>| part.as_ref().map(|part| part.number(rounding));
        let (rho, delta) =
            (number(&self.rho).unwrap_or_else(Rational::zero), self.delta.number(rounding));
        let epsilon = number(&self.epsilon);
        let sum = || Epsilon::new(epsilon.clone().unwrap_or_else(Rational::zero));
        Ok(match self.kind {
            AmountKind::Epsilon if delta.is_zero() => Cost::Sum(Budget::Pure { epsilon: sum()? }),
            AmountKind::Epsilon => Cost::Sum(Budget::approximate(sum()?, Delta::new(delta)?)),
            AmountKind::Rho => Cost::Sum(Budget::ZeroConcentrated { rho: Rho::new(rho)? }),
            AmountKind::Concentrated => Cost::Concentrated { rho, delta, epsilon },
        })
    }
}

/// The refusal of a budget that amounts of this kind do not count.
fn unfit(budget: &Budget, kind: AmountKind) -> LedgerError {
    let accepted = match kind {
        AmountKind::Epsilon => "a pure or approximate budget",
        AmountKind::Rho => "a zero-concentrated budget",
        AmountKind::Concentrated => "a pure, approximate or zero-concentrated budget",
    };
    LedgerError::Kind(Error::Parameter(ParameterError::new("budget", budget, accepted)))
}
