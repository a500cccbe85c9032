//! Splitting a law into whole short words and what they leave.
//!
//! With words of w bits let c(x) = ⌊2^w·p(x)⌋, taken from a lower bound of p(x), and
//! U = 2^w − Σ c(x). Of the 2^w words, c(x) yield x and U yield nothing. A draw that got nothing
//! is made from the remainder r(x) = (2^w·p(x) − c(x))/U, which is not negative and sums to 1.
//! The law of both together is c(x)/2^w + (U/2^w)·r(x) = p(x).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::{self, Debug, Formatter};
use core::ops::RangeInclusive;

use dp_exact::Interval;

use super::build::exceed_one;
use super::{Law, LowerBounds};
use crate::enclosure::unit;
use crate::fixed::{ALMOST_ONE, FRACTION_BITS};

/// Whole words of w bits for successive outcomes, and how many are left.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    pub(crate) word_bits: u32,
    /// The first of the outcomes.
    pub(crate) first: i64,
    /// c(first), c(first + 1), …
    pub(crate) masses: Vec<u64>,
    /// U, at least 1.
    pub(crate) undecided: u64,
}

impl Whole {
    /// The whole words of `word_bits` bits, at most 32. `None` if the bounds add up to more than 1.
    pub(crate) fn new(law: &LowerBounds, word_bits: u32) -> Option<Self> {
        if exceed_one(&law.bounds) {
            return None;
        }
        let words = |bound: &u128| u64::try_from(bound >> (FRACTION_BITS - word_bits)).ok();
        let mut masses = law.bounds.iter().map(words).collect::<Option<Vec<_>>>()?;
        let leading = masses.iter().take_while(|&&mass| mass == 0).count();
        masses.drain(..leading);
        while masses.last() == Some(&0) {
            masses.pop();
        }
        let first = law.first.checked_add(i64::try_from(leading).ok()?)?;
        let mut undecided = (1 << word_bits) - masses.iter().sum::<u64>();
        if undecided == 0 {
            // All probabilities are whole words. The remainder has to be a law all the same.
            *masses.iter_mut().max()? -= 1;
            undecided = 1;
        }
        Some(Self {
            word_bits,
            first,
            masses,
            undecided,
        })
    }
}

/// The law r(x) = (2^w·p(x) − c(x))/U of what whole words leave.
#[derive(Clone)]
pub(crate) struct Remainder<L> {
    pub(crate) law: L,
    pub(crate) whole: Whole,
}

impl<L> Remainder<L> {
    fn mass(&self, outcome: i64) -> u64 {
        let position = usize::try_from(outcome.wrapping_sub(self.whole.first)).ok();
        position
            .and_then(|position| self.whole.masses.get(position))
            .copied()
            .unwrap_or(0)
    }

    /// (2^w·bound − c)/U, rounded down, for a lower bound of p(x).
    fn bound(&self, outcome: i64, bound: u128) -> u128 {
        let Whole {
            word_bits,
            undecided,
            ..
        } = self.whole;
        let undecided = u128::from(undecided);
        // Whole words, of which 2^w·bound has at least c, and the part of a word in two limbs.
        let words = bound >> (FRACTION_BITS - word_bits);
        let Some(whole) = words.checked_sub(u128::from(self.mass(outcome))) else {
            // Looser than the bound that the whole words come from: nothing is known to be left.
            return 0;
        };
        if whole >= undecided {
            return ALMOST_ONE;
        }
        let part = bound << word_bits;
        let high = (whole << 64) | (part >> 64);
        let low = ((high % undecided) << 64) | (part & u128::from(u64::MAX));
        ((high / undecided) << 64) | (low / undecided)
    }
}

impl<L: Debug> Debug for Remainder<L> {
    /// The law that it is of, not the masses.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Remainder").field(&self.law).finish()
    }
}

impl<L: Law> Law for Remainder<L> {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let word_bits = self.whole.word_bits;
        let precision = precision.saturating_add(word_bits + 8);
        let probability = self.law.at(precision);
        let undecided = Interval::integer(self.whole.undecided, precision);
        Box::new(move |outcome| {
            let words = probability(outcome).shifted(i64::from(word_bits));
            let rest = words - Interval::integer(self.mass(outcome), precision + 64);
            rest.checked_div(&undecided)
                .unwrap_or_else(|| unit(precision))
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        self.law.support()
    }

    fn lower_bounds(&self, depth: u32) -> Option<LowerBounds> {
        // What is likelier than 2^−depth here is likelier than 2^−depth·U/2^w in the law.
        let mut law = self.law.lower_bounds(depth + self.whole.word_bits)?;
        for (outcome, bound) in (law.first..).zip(&mut law.bounds) {
            *bound = self.bound(outcome, *bound);
        }
        Some(law)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Fractions;
    use super::*;

    #[test]
    fn a_bound_below_the_whole_words_leaves_nothing() {
        let rest = Remainder {
            law: Fractions::new(&["5/65536", "65531/65536"]),
            whole: Whole {
                word_bits: 16,
                first: 0,
                masses: vec![5, 65528],
                undecided: 3,
            },
        };
        let five = 5 << (FRACTION_BITS - 16);
        assert_eq!(rest.bound(0, five), 0);
        assert_eq!(rest.bound(0, five - 1), 0);
        assert_eq!(rest.bound(0, five + 6), (6 << 16) / 3);
    }
}
