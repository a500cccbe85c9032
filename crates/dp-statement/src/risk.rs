//! A promise as a limit on what somebody comes to believe of one person.
//!
//! Let P be the law of all that the adversary sees if the person's measurement is x, and Q the mixture of
//! the laws for all other measurements, weighted by what the adversary believes of them beforehand: the
//! prior probability of x is p. After seeing o the odds of x are (p/(1 − p))·P(o)/Q(o).
//!
//! **δ = 0.** P(S) ≤ e^ε·Q(S) for every set S of outcomes, as it holds for each of the laws that are mixed.
//! So the odds are multiplied by e^ε at most, and the belief is at most p·e^ε/(p·e^ε + 1 − p).
//!
//! **δ > 0.** Let S be the outcomes whose odds are multiplied by more than e^(ε + t), t > 0. Then
//! Q(S) ≤ e^(−ε−t)·P(S), and P(S) ≤ e^ε·Q(S) + δ ≤ e^(−t)·P(S) + δ, so that P(S) ≤ δ/(1 − e^(−t)). Here
//! t = 1/100, for which 1/(1 − e^(−t)) < 101: the belief is at most p·e^(ε+t)/(p·e^(ε+t) + 1 − p), but for a
//! chance of at most 101·δ.
//!
//! What other people hold may be known to the adversary. It is no protection against what the results
//! say about people in general.

use std::fmt::{self, Display, Formatter};

use dp_exact::{Interval, Rational, Rounding};
use num_bigint::BigInt;

use crate::total::Total;

/// t = 1/100, and a bound on 1/(1 − e^(−t)).
const EXCESS: (i64, u64) = (1, 100);
const FACTOR: u64 = 101;

/// The ε from which on nothing is left to compute: e^50 is beyond every prior that is printed.
const MOST: u64 = 50;

/// Bits of e^ε.
const PRECISION: u32 = 128;

/// A belief in percent, rounded up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(Rational);

impl Percent {
    /// The value, from 0 to 100.
    #[must_use]
    pub const fn value(&self) -> &Rational {
        &self.0
    }

    /// Whether this is as good as certain: above 99 %.
    pub(crate) fn is_nearly_certain(&self) -> bool {
        self.0 > Rational::from(99u64)
    }

    /// Rounded up: to whole percents up to 99, to hundredths of a percent above.
    fn rounded_up(value: &Rational) -> Self {
        let whole = Rational::integer(value.ceil());
        if whole <= Rational::from(99u64) {
            return Self(whole);
        }
        let hundred = Rational::from(100u64);
        let hundredths = Rational::integer((value * &hundred).ceil());
        Self(hundredths.checked_div(&hundred).unwrap_or(whole))
    }
}

impl Display for Percent {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

/// The most that is believed after `total` of what was believed with a probability of `prior` percent
/// before.
///
/// ```
/// use dp_statement::{Total, belief};
///
/// let total = Total::Kept { epsilon: "1".parse()?, delta: "0".parse()?, rho: None };
/// assert_eq!(belief(&total, 50).to_string(), "74"); // e/(1 + e) = 73.1 %
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[must_use]
pub fn belief(total: &Total, prior: u32) -> Percent {
    let certain = || Percent(Rational::from(100u64));
    let Total::Kept { epsilon, delta, .. } = total else {
        return certain();
    };
    let excess = match delta.is_zero() {
        true => Rational::zero(),
        false => Rational::new(EXCESS.0, EXCESS.1).unwrap_or_else(|_| Rational::one()),
    };
    let exponent = epsilon + &excess;
    if exponent > Rational::from(MOST) {
        return certain();
    }
    let growth = Interval::rational(&exponent, PRECISION).exp();
    let growth = growth.and_then(|growth| growth.upper().to_rational());
    let believed = growth.and_then(|growth| {
        let grown = growth * Rational::from(u64::from(prior));
        let others = Rational::from(u64::from(100u32.saturating_sub(prior)));
        let hundred = Rational::from(100u64);
        (&grown * &hundred).checked_div(&(&grown + &others))
    });
    believed.map_or_else(certain, |believed| Percent::rounded_up(&believed))
}

/// How often the limit of [`belief`] may fail: at most once in so many cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneIn(BigInt);

impl OneIn {
    /// So many cases, at least 1.
    #[must_use]
    pub const fn cases(&self) -> &BigInt {
        &self.0
    }
}

/// How often the limit of [`belief`] may fail; `None` if never, or if nothing is limited.
#[must_use]
pub fn exception(total: &Total) -> Option<OneIn> {
    let Total::Kept { delta, .. } = total else {
        return None;
    };
    let chance = delta * &Rational::from(FACTOR);
    let cases = chance.reciprocal()?.floor();
    Some(OneIn(cases.max(BigInt::from(1))))
}

/// Names of powers of a thousand, largest first.
const NAMES: [(u64, &str); 4] = [
    (1_000_000_000_000, " trillion"),
    (1_000_000_000, " billion"),
    (1_000_000, " million"),
    (1_000, " thousand"),
];

impl Display for OneIn {
    /// Rounded down to two digits, in words: "9 million".
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let value = Rational::integer(self.0.clone()).round_to_digits(2, Rounding::Down);
        for (unit, name) in NAMES {
            let unit = Rational::from(unit);
            if value >= unit {
                let most = Rational::from(1_000u64);
                let counted = value.checked_div(&unit).unwrap_or_else(Rational::one);
                // Beyond a thousand trillion words end.
                return write!(formatter, "{}{name}", counted.min(most));
            }
        }
        write!(formatter, "{value}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(epsilon: &str, delta: &str) -> Total {
        Total::Kept {
            epsilon: epsilon.parse().expect("a rational"),
            delta: delta.parse().expect("a rational"),
            rho: None,
        }
    }

    /// Values of e^ε/(1 + e^ε) and so on from another arithmetic (mpmath, 50 digits).
    #[test]
    fn beliefs_are_rounded_up_from_the_exact_values() {
        for (epsilon, delta, prior, percent) in [
            ("1", "0", 50, "74"),         // 73.105…
            ("1", "1e-9", 50, "74"),      // 73.302…
            ("0.906", "1e-9", 50, "72"),  // 71.424…
            ("0.906", "1e-9", 10, "22"),  // 21.733…
            ("0.906", "1e-9", 1, "3"),    // 2.461…
            ("6", "0", 50, "99.76"),      // 99.7527…
            ("20", "0", 50, "100"),       // all but 2e-9
            ("1e-12", "0", 50, "51"),     // a little above 50
            ("0", "0", 50, "50"),         // nothing is learned
            ("100000", "1e-9", 1, "100"), // nothing is left
        ] {
            let found = belief(&kept(epsilon, delta), prior).to_string();
            assert_eq!(found, percent, "{epsilon} {delta} {prior}");
        }
        let absent = Total::Absent {
            reason: String::new(),
        };
        assert_eq!(belief(&absent, 50).to_string(), "100");
    }

    #[test]
    fn the_chance_of_an_exception_is_rounded_up() {
        for (delta, cases) in [
            ("1e-9", "9.9 million"), // 9 900 990
            ("1e-6", "9.9 thousand"),
            ("1e-3", "9"),
            ("0.9", "1"),
            ("1e-13", "99 billion"),
            ("1e-15", "9.9 trillion"),
            ("1e-100", "1000 trillion"),
        ] {
            let found = exception(&kept("1", delta)).expect("a chance");
            assert_eq!(found.to_string(), cases, "{delta}");
        }
        assert_eq!(exception(&kept("1", "0")), None);
    }

    /// The factor is above 1/(1 − e^(−1/100)).
    #[test]
    fn the_factor_covers_the_excess() {
        let excess = Rational::new(-EXCESS.0, EXCESS.1).expect("a fraction");
        let kept = Interval::rational(&excess, PRECISION)
            .exp()
            .expect("in range");
        let left = Interval::integer(1, PRECISION) - kept;
        let bound = Interval::integer(1, PRECISION)
            .checked_div(&left)
            .expect("not 0");
        assert!(bound.upper().cmp_rational(&Rational::from(FACTOR)).is_lt());
    }
}
