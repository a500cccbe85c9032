//! Exact sums of ε, δ and ρ.
//!
//! Basic composition adds up (ε₁, δ₁), (ε₂, δ₂), … to (Σε, Σδ) (Dwork, Rothblum, Vadhan 2010,
//! Theorem III.1), and ρ₁, ρ₂, … to Σρ (Bun, Steinke 2016, Lemma 1.7). Approximate
//! zero-concentrated privacy takes a release as long as Σδ and **either Σρ or Σε** stay within
//! their limits (`docs/filters.md`, Theorem 2).
//!
//! Sums are fractions, and exact: eleven times 1/11 is 1. As the denominator of a sum of arbitrary
//! fractions grows without bound, a cost that would take it beyond 8192 bits is first rounded up to
//! 30 significant digits, which are a multiple of 10^−380: a weaker guarantee, and so a true one.
//! No denominator has more than 8192 + 1263 bits then.

use std::array::from_fn;
use std::str::FromStr as _;

use dp_calibration::{Budget, Error, zcdp};
use dp_exact::{Delta, ParameterError, Rational, Rho, Rounding};
use num_integer::Integer as _;

use crate::LedgerError;

/// Significant decimal digits of an amount that is rounded.
pub(crate) const DIGITS: usize = 30;

/// The most bits of the denominator of a sum to which a cost is added as it is.
const MAX_DENOMINATOR_BITS: u64 = 8192;

/// The cost of a release, the cost of all of them, or a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Amounts {
    pub(crate) delta: Rational,
    /// ρ, ε and, in a schedule, the number of releases. One of them has to stay within its limit.
    /// An absent one of a cost is infinite; an absent one of a limit admits no cost.
    pub(crate) either: [Option<Rational>; 3],
}

/// The names of the amounts in [`Amounts::either`].
const NAMES: [&str; 3] = ["rho", "epsilon", "releases"];

impl Amounts {
    /// The amounts of a budget under basic composition; `None` for Rényi privacy.
    pub(crate) fn of(budget: &Budget) -> Option<Self> {
        let zero = Rational::zero();
        let (delta, rho, epsilon) = match budget {
            Budget::Pure { epsilon } => (&zero, None, Some(epsilon.value())),
            Budget::Approximate { epsilon, delta } => (delta.value(), None, Some(epsilon.value())),
            Budget::ZeroConcentrated { rho } => (&zero, Some(rho.value()), None),
            Budget::Renyi { .. } => return None,
        };
        Some(Self { delta: delta.clone(), either: [rho.cloned(), epsilon.cloned(), None] })
    }

    /// `count` releases of a schedule.
    pub(crate) fn releases(count: u64) -> Self {
        Self { delta: Rational::zero(), either: [None, None, Some(Rational::from(count))] }
    }

    /// These amounts. `Err` unless each is 0 or a number from 1e-350 to 1e9 of bounded length, and
    /// δ, rounded up to 30 digits, is below 1.
    pub(crate) fn checked(self) -> Result<Self, LedgerError> {
        let either = NAMES.into_iter().zip(self.either.iter().map(Option::as_ref));
        for (name, part) in either.chain([("delta", Some(&self.delta))]) {
            if let Some(value) = part
                && !value.is_zero()
                && !is_in_range(value)
            {
                let accepted = "0, or a number from 1e-350 to 1e9";
                return Err(ParameterError::new(name, value, accepted).into());
            }
        }
        // What is shown of forty digits of 9 would be 1, which is no δ.
        Delta::new(self.delta.round_to_digits(DIGITS, Rounding::Up))?;
        Ok(self)
    }

    /// 0 in place of every amount that is present in these; an absent part stays absent.
    pub(crate) fn nothing(&self) -> Self {
        let either = self.either.each_ref().map(|part| part.as_ref().map(|_| Rational::zero()));
        Self { delta: Rational::zero(), either }
    }

    /// The sum of these amounts and `cost`, whose parts are rounded up where the exact sum would
    /// have a long denominator. A part that is absent in one of the two is absent in the sum.
    pub(crate) fn plus(&self, cost: &Self) -> Self {
        let either =
            from_fn(|part| Some(sum(self.either[part].as_ref()?, cost.either[part].as_ref()?)));
        Self { delta: sum(&self.delta, &cost.delta), either }
    }

    /// Whether δ is at most the δ of `limit`, and so is at least one of ρ, ε and the number of
    /// releases, of those that are present in both.
    pub(crate) fn is_within(&self, limit: &Self) -> bool {
        let mut either = self.either.iter().zip(&limit.either);
        self.delta <= limit.delta
            && either.any(|(part, most)| part.is_some() && most.is_some() && part <= most)
    }

    /// A lower bound on how many releases that cost `one` each fit into this limit beside `spent`:
    /// by δ and by the part that admits most. 0 if none do; [`u64::MAX`] stands for more.
    pub(crate) fn room_for(&self, spent: &Self, one: &Self) -> u64 {
        let times_of = |part: usize| {
            let (limit, spent) = (self.either[part].as_ref()?, spent.either[part].as_ref()?);
            times(limit, spent, one.either[part].as_ref()?)
        };
        let either = [0, 1, 2].map(times_of).into_iter().max().flatten();
        times(&self.delta, &spent.delta, &one.delta).min(either).unwrap_or(0)
    }

    /// This limit minus `spent`. A part other than δ with nothing left is absent, and `None` stands
    /// for a rest in which all of them are absent, whatever is left of δ.
    pub(crate) fn after(&self, spent: &Self) -> Option<Self> {
        let left = |limit: &Rational, spent: &Rational| (limit - spent).max(Rational::zero());
        let either = from_fn(|part| {
            let rest = left(self.either[part].as_ref()?, spent.either[part].as_ref()?);
            rest.is_positive().then_some(rest)
        });
        let is_left = either.iter().any(Option::is_some);
        is_left.then(|| Self { delta: left(&self.delta, &spent.delta), either })
    }

    /// The smaller one of the bounds on ε at `delta`: by ρ, rounded up, and ε itself. `None` if
    /// these amounts have neither, or their δ is above `delta`. `Err` for a ρ or a δ out of the
    /// range of [`zcdp::epsilon`].
    pub(crate) fn epsilon(&self, delta: &Delta) -> Result<Option<Rational>, Error> {
        // The δ that is left to convert ρ.
        let Ok(kept) = Delta::new(delta.value() - &self.delta) else { return Ok(None) };
        let [rho, epsilon, _] = &self.either;
        let converted = rho.as_ref().map(|rho| epsilon_of(rho, &kept)).transpose()?;
        Ok(converted.flatten().into_iter().chain(epsilon.clone()).min())
    }

    /// These amounts, each rounded to 30 digits in the direction of `rounding`.
    pub(crate) fn rounded(&self, rounding: Rounding) -> Self {
        let number = |part: &Rational| part.round_to_digits(DIGITS, rounding);
        let either = self.either.each_ref().map(|part| part.as_ref().map(number));
        Self { delta: number(&self.delta), either }
    }
}

/// Whether a number is from 1e-350 to 1e9, with at most [`Rational::MAX_BITS`] bits.
fn is_in_range(value: &Rational) -> bool {
    let inverse_least = Rational::integer(10).pow(350);
    value.bits() <= Rational::MAX_BITS
        && *value <= Rational::from(1_000_000_000_u64)
        && value * &inverse_least >= 1
}

/// What a cost adds to `sum`: the cost, or the cost rounded up if the denominator of the sum might
/// outgrow its bound.
fn added(sum: &Rational, cost: &Rational) -> Rational {
    // Every sum of these two, also after cancelling, has a divisor of this as its denominator.
    let denominator = sum.denominator().lcm(cost.denominator());
    if denominator.bits() <= MAX_DENOMINATOR_BITS {
        return cost.clone();
    }
    cost.round_to_digits(DIGITS, Rounding::Up)
}

/// `sum` plus `cost`, which is rounded up where [`added`] rounds it.
fn sum(sum: &Rational, cost: &Rational) -> Rational {
    sum + added(sum, cost)
}

/// How often `one` fits into `limit` beside `spent`, at least; `None` if `spent` is above `limit`.
/// `u64::MAX` stands for more.
fn times(limit: &Rational, spent: &Rational, one: &Rational) -> Option<u64> {
    let left = limit - spent;
    if left.is_negative() {
        return None;
    }
    let Some(quotient) = left.checked_div(&added(spent, one)) else {
        return Some(u64::MAX);
    };
    Some(u64::try_from(quotient.floor()).unwrap_or(u64::MAX))
}

/// The ε of ρ at δ, rounded up; `None` at a δ of 0. A ρ below 1e-30 counts as 1e-30, where the
/// conversion begins: a larger ρ guarantees less.
fn epsilon_of(rho: &Rational, delta: &Delta) -> Result<Option<Rational>, Error> {
    if delta.value().is_zero() {
        return Ok(None);
    }
    let least: Rational = Rho::from_str("1e-30")?.value().clone();
    zcdp::epsilon(&Rho::new(rho.clone().max(least))?, delta).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    /// The sum of 1/d^20 over all d up to n has a denominator of some 29·n bits.
    #[test]
    fn a_sum_is_exact_until_its_denominator_is_long_and_never_too_small() {
        let (mut found, mut exact) = (Rational::zero(), Rational::zero());
        for number in 1..350_u64 {
            let part = Rational::new(1, number).unwrap().pow(20);
            (found, exact) = (sum(&found, &part), exact + part);
            assert!(found >= exact && (found == exact || number > 250));
            assert!(found.denominator().bits() <= MAX_DENOMINATOR_BITS + 1263);
        }
        assert!(found > exact && found < exact + rational("1e-29"));
        // How many fit is said on the safe side: a part with a new denominator is rounded up.
        let limit = &found + Rational::one();
        assert_eq!(times(&limit, &found, &rational("1/4007")), Some(4006));
        assert_eq!(times(&limit, &found, &rational("1/4")), Some(4));
    }
}
