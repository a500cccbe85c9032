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
/// An absent ρ or ε of a cost is infinite; an absent one of a limit admits no cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChargedAmounts {
    kind: AmountKind,
    delta: Amount,
    /// ρ and ε; one of the two has to stay within its limit.
    either: [Option<Amount>; 2],
}

impl ChargedAmounts {
    /// The amounts of a budget under basic composition, each rounded to the given side. Refuses
    /// Rényi privacy.
    pub(crate) fn of(budget: &Budget, rounding: Rounding) -> Result<Self, LedgerError> {
        let amount = |what, value: &Rational| Amount::rounded(what, value, rounding);
        let sums = |epsilon: &Epsilon, delta: Amount| -> Result<Self, LedgerError> {
            let epsilon = Some(amount("epsilon", epsilon.value())?);
            Ok(Self { kind: AmountKind::Epsilon, delta, either: [None, epsilon] })
        };
        match budget {
            Budget::Pure { epsilon } => sums(epsilon, Amount::default()),
            Budget::Approximate { epsilon, delta } => {
                let delta = amount("delta", delta.value())?;
                // Forty digits of 9 are rounded up to 1, which is no δ.
                Delta::new(delta.number(rounding))?;
                sums(epsilon, delta)
            }
            Budget::ZeroConcentrated { rho } => {
                let rho = Some(amount("rho", rho.value())?);
                let delta = Amount::default();
                Ok(Self { kind: AmountKind::Rho, delta, either: [rho, None] })
            }
            Budget::Renyi { .. } => Err(unfit(budget, AmountKind::Concentrated)),
        }
    }

    /// The amounts of a cost, each rounded to the given side.
    pub(crate) fn of_cost(cost: &Cost, rounding: Rounding) -> Result<Self, LedgerError> {
        let (rho, delta, epsilon) = match cost {
            Cost::Sum(budget) => return Self::of(budget, rounding),
            Cost::Concentrated { rho, delta, epsilon } => (rho, delta, epsilon),
        };
        let amount = |what, value: &Rational| Amount::rounded(what, value, rounding);
        let (rho, delta) = (amount("rho", rho)?, amount("delta", delta)?);
        let epsilon = epsilon.as_ref().map(|epsilon| amount("epsilon", epsilon)).transpose()?;
        Ok(Self { kind: AmountKind::Concentrated, delta, either: [Some(rho), epsilon] })
    }

    /// Amounts of this kind that are all 0.
    pub(crate) fn nothing(&self) -> Self {
        let counted = [AmountKind::Epsilon, AmountKind::Rho].map(|other| self.kind != other);
        let either = counted.map(|is_counted| is_counted.then(Amount::default));
        Self { kind: self.kind, delta: Amount::default(), either }
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
        self.delta = self.delta.plus(&other.delta);
        for (sum, more) in self.either.iter_mut().zip(&other.either) {
            *sum = sum.as_ref().zip(more.as_ref()).map(|(sum, more)| sum.plus(more));
        }
    }

    /// Whether this plus `more` is within `limit`, exactly: δ, and ρ or ε.
    pub(crate) fn leaves_room_for(&self, more: &Self, limit: &Self) -> bool {
        let mut sum = self.clone();
        sum.add(more);
        let mut parts = sum.either.iter().zip(&limit.either);
        sum.delta <= limit.delta
            && parts.any(|(sum, limit)| sum.is_some() && limit.is_some() && sum <= limit)
    }

    /// How many releases that cost `one` each fit into this limit beside `spent`; rounded down.
    pub(crate) fn room_for(&self, spent: &Self, one: &Self) -> u64 {
        let times = |part: usize| match (&self.either[part], &spent.either[part], &one.either[part])
        {
            (Some(limit), Some(spent), Some(one)) if spent <= limit => {
                limit.minus(spent).times(one)
            }
            _ => 0,
        };
        // δ has to fit, and ρ or ε.
        let delta = self.delta.minus(&spent.delta).times(&one.delta);
        delta.min(times(0).max(times(1)))
    }

    /// This limit minus `spent`, exactly; `None` if nothing is left.
    pub(crate) fn after(&self, spent: &Self) -> Option<Self> {
        let left =
            |place: usize| Some(self.either[place].as_ref()?.minus(spent.either[place].as_ref()?));
        let (rho, epsilon) = (left(0), left(1).filter(|epsilon| !epsilon.is_zero()));
        let is_left = epsilon.is_some() || rho.as_ref().is_some_and(|rho| !rho.is_zero());
        let (delta, either) = (self.delta.minus(&spent.delta), [rho, epsilon]);
        is_left.then_some(Self { kind: self.kind, delta, either })
    }

    /// Whether a budget has these amounts, rounded up: one of ε and δ has a δ below 1.
    pub(crate) fn is_budget(&self) -> bool {
        self.kind != AmountKind::Epsilon || Delta::new(self.delta.number(Rounding::Up)).is_ok()
    }

    /// The amounts as a cost, rounded to 30 digits in the direction of `rounding`. They are those
    /// of a release, a limit, the recorded releases, or what is left of a limit. So ε and ρ that
    /// are counted are above 0: each release and limit has one, and [`Self::after`] leaves none of
    /// 0. δ is below 1 as it is of a limit and its 30 digits, so that a sum within the limit is not
    /// rounded up beyond it; a file's entries beyond their limit were checked by
    /// [`Self::is_budget`].
    pub(crate) fn cost(&self, rounding: Rounding) -> Cost {
        let number = |part: &Amount| part.number(rounding);
        let [rho, epsilon] = self.either.each_ref().map(|part| part.as_ref().map(number));
        let delta = number(&self.delta);
        let counted = "this kind counts it";
        match self.kind {
            AmountKind::Epsilon => {
                let epsilon = Epsilon::new(epsilon.expect(counted)).expect("ε is above 0");
                Cost::Sum(match delta.is_zero() {
                    true => Budget::Pure { epsilon },
                    false => Budget::approximate(epsilon, Delta::new(delta).expect("δ is below 1")),
                })
            }
            AmountKind::Rho => {
                let rho = Rho::new(rho.expect(counted)).expect("ρ is above 0");
                Cost::Sum(Budget::ZeroConcentrated { rho })
            }
            // What is left of ε alone has no ρ: then no more of ρ may be spent.
            AmountKind::Concentrated => {
                Cost::Concentrated { rho: rho.unwrap_or_else(Rational::zero), delta, epsilon }
            }
        }
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
