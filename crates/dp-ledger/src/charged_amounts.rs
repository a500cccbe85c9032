//! The amounts that a ledger adds up by its rule, each of bounded size.
//!
//! Basic composition adds up
//!
//! - (ε₁, δ₁), (ε₂, δ₂), … to (Σε, Σδ) (Dwork, Rothblum, Vadhan 2010, Theorem III.1); a pure ε is (ε, 0);
//! - ρ₁, ρ₂, … to Σρ (Bun, Steinke 2016, Lemma 1.7);
//! - (α, τ₁), (α, τ₂), … to (α, Στ) (Mironov 2017, Proposition 1).
//!
//! A guarantee with larger parameters is weaker, so that rounding them up keeps it true. `docs/filters.md`, Theorem 2: a
//! ledger of approximate zero-concentrated privacy that takes a release as long as Σδ stays within its limit and
//! **either Σρ or Σε** does, is a filter.

use dp_calibration::{Budget, Error};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho, Rounding};

use crate::amount::Amount;
use crate::{Cost, LedgerError};

/// The kind of privacy that amounts measure, with the order of their parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AmountKind {
    /// ε, δ
    EpsilonDelta,
    /// ρ
    Rho,
    /// τ
    Renyi { alpha: Rational },
    /// δ, ρ, and ε where every release has one.
    Concentrated,
}

/// The cost of a release, the cost of all of them, or a limit, as amounts of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChargedAmounts {
    kind: AmountKind,
    /// An absent part of a cost is unbounded; an absent part of a limit takes nothing.
    parts: Vec<Option<Amount>>,
}

impl ChargedAmounts {
    /// The amounts of a budget under basic composition, each rounded to the given side.
    pub(crate) fn of(budget: &Budget, rounding: Rounding) -> Result<Self, LedgerError> {
        let amount = |what, value: &Rational| Amount::rounded(what, value, rounding);
        let (kind, parts) = match budget {
            Budget::Pure { epsilon } => (
                AmountKind::EpsilonDelta,
                vec![amount("epsilon", epsilon.value())?, Amount::default()],
            ),
            Budget::Approximate { epsilon, delta } => {
                let delta = amount("delta", delta.value())?;
                let epsilon = amount("epsilon", epsilon.value())?;
                (AmountKind::EpsilonDelta, vec![epsilon, delta])
            }
            Budget::ZeroConcentrated { rho } => {
                (AmountKind::Rho, vec![amount("rho", rho.value())?])
            }
            Budget::Renyi { alpha, tau } => {
                // The fields are public, and may be unchecked.
                Budget::renyi(alpha.clone(), tau.clone())?;
                if alpha.bits() > Rational::MAX_BITS {
                    let accepted = "a number of at most 4096 bits";
                    return Err(ParameterError::new("alpha", alpha, accepted).into());
                }
                let alpha = alpha.clone();
                (AmountKind::Renyi { alpha }, vec![amount("tau", tau)?])
            }
        };
        let parts = parts.into_iter().map(Some).collect();
        Ok(Self { kind, parts })
    }

    /// Amounts of approximate zero-concentrated privacy, each rounded to the given side.
    pub(crate) fn concentrated(
        rho: &Rational,
        delta: &Rational,
        epsilon: Option<&Rational>,
        rounding: Rounding,
    ) -> Result<Self, ParameterError> {
        let epsilon = epsilon.map(|epsilon| Amount::rounded("epsilon", epsilon, rounding));
        let rho = Amount::rounded("rho", rho, rounding)?;
        let delta = Amount::rounded("delta", delta, rounding)?;
        Ok(Self {
            kind: AmountKind::Concentrated,
            parts: vec![Some(delta), Some(rho), epsilon.transpose()?],
        })
    }

    /// The amounts of a cost, each rounded up.
    pub(crate) fn of_cost(cost: &Cost) -> Result<Self, ParameterError> {
        match cost {
            Cost::Sum(budget) => Self::of(budget, Rounding::Up)
                .map_err(|error| ParameterError::new("charge", budget, error.to_string())),
            Cost::Concentrated { rho, delta, epsilon } => {
                Self::concentrated(rho, delta, epsilon.as_ref(), Rounding::Up)
            }
        }
    }

    /// Amounts of this kind that are all 0.
    pub(crate) fn nothing(&self) -> Self {
        Self { kind: self.kind.clone(), parts: vec![Some(Amount::default()); self.parts.len()] }
    }

    /// Whether both are amounts of one kind, so that they can be added.
    pub(crate) fn has_kind_of(&self, other: &Self) -> bool {
        self.kind == other.kind && self.parts.len() == other.parts.len()
    }

    /// The budgets that amounts of this kind can count, in words for an error message.
    pub(crate) fn accepted(&self) -> String {
        match &self.kind {
            AmountKind::EpsilonDelta => "a pure or approximate budget".to_owned(),
            AmountKind::Rho => "a zero-concentrated budget".to_owned(),
            AmountKind::Renyi { alpha } => format!("a Rényi budget of order {alpha}"),
            AmountKind::Concentrated => {
                "a pure, approximate or zero-concentrated budget".to_owned()
            }
        }
    }

    /// Adds `other`, which is of this kind, exactly. A part that is absent in one of them becomes
    /// absent.
    pub(crate) fn add(&mut self, other: &Self) {
        debug_assert!(self.has_kind_of(other));
        for (part, other) in self.parts.iter_mut().zip(&other.parts) {
            let both = part.take().zip(other.as_ref());
            *part = both.map(|(part, other)| part.plus(other));
        }
    }

    /// Whether this plus `more` is within `limit`, exactly.
    pub(crate) fn leaves_room_for(&self, more: &Self, limit: &Self) -> bool {
        let mut sum = self.clone();
        sum.add(more);
        let parts = sum.parts.iter().zip(&limit.parts);
        let fits = |(sum, limit): (&Option<Amount>, &Option<Amount>)| {
            sum.as_ref().zip(limit.as_ref()).is_some_and(|(sum, limit)| sum <= limit)
        };
        self.joined(parts.map(fits).collect(), |one, other| one & other, |one, other| one | other)
    }

    /// How many releases that cost `one` each fit into this limit beside `spent`; rounded down.
    pub(crate) fn room_for(&self, spent: &Self, one: &Self) -> u64 {
        let parts = self.parts.iter().zip(&spent.parts).zip(&one.parts);
        let times = parts.map(|((limit, spent), one)| match (limit, spent, one) {
            (Some(limit), Some(spent), Some(one)) if spent <= limit => {
                limit.minus(spent).times(one)
            }
            _ => 0,
        });
        self.joined(times.collect(), Ord::min, Ord::max)
    }

    /// Combines `parts`, one value for each amount. For approximate zero-concentrated privacy it is
    /// δ `and` (ρ `or` ε); for other kinds `and` joins all values.
    fn joined<T: Copy + Default>(
        &self,
        parts: Vec<T>,
        and: impl Fn(T, T) -> T,
        or: impl Fn(T, T) -> T,
    ) -> T {
        match (&self.kind, parts.as_slice()) {
            (AmountKind::Concentrated, [delta, rho, epsilon]) => and(*delta, or(*rho, *epsilon)),
            _ => parts.into_iter().reduce(and).unwrap_or_default(),
        }
    }

    /// This limit minus `spent`, exactly; `None` if nothing is left.
    pub(crate) fn after(&self, spent: &Self) -> Option<Self> {
        let parts = self.parts.iter().zip(&spent.parts);
        let left = |(limit, spent): (&Option<Amount>, &Option<Amount>)| {
            Some(limit.as_ref()?.minus(spent.as_ref()?))
        };
        let mut parts: Vec<Option<Amount>> = parts.map(left).collect();
        let is_some = |part: &Option<Amount>| part.as_ref().is_some_and(|part| !part.is_zero());
        let is_left = match (&self.kind, parts.as_mut_slice()) {
            (AmountKind::Concentrated, [_, rho, epsilon]) => {
                *epsilon = epsilon.take().filter(|epsilon| !epsilon.is_zero());
                is_some(rho) || epsilon.is_some()
            }
            (_, parts) => parts.first().is_some_and(is_some),
        };
        let kind = self.kind.clone();
        is_left.then_some(Self { kind, parts })
    }

    /// The amounts as a cost, rounded to 30 digits in the direction of `rounding`.
    pub(crate) fn cost(&self, rounding: Rounding) -> Result<Cost, LedgerError> {
        let parameter = |error| LedgerError::Kind(Error::Parameter(error));
        let number = |index: usize| {
            let part = self.parts.get(index)?.as_ref();
            part.map(|part| part.number(rounding))
        };
        let amount = |index| number(index).unwrap_or_else(Rational::zero);
        Ok(Cost::Sum(match &self.kind {
            AmountKind::EpsilonDelta => {
                let epsilon = Epsilon::new(amount(0)).map_err(parameter)?;
                if amount(1).is_zero() {
                    Budget::Pure { epsilon }
                } else {
                    let delta = Delta::new(amount(1)).map_err(parameter)?;
                    Budget::Approximate { epsilon, delta }
                }
            }
            AmountKind::Rho => {
                Budget::ZeroConcentrated { rho: Rho::new(amount(0)).map_err(parameter)? }
            }
            AmountKind::Renyi { alpha } => Budget::renyi(alpha.clone(), amount(0))?,
            AmountKind::Concentrated => {
                return Ok(Cost::Concentrated {
                    rho: amount(1),
                    delta: amount(0),
                    epsilon: number(2),
                });
            }
        }))
    }
}
