//! The flips of eight coordinates at once, from one random word.
//!
//! A pattern of eight flips, f of which are true, has probability p^f·(1 − p)^(8−f). An exact
//! alias table over the 256 patterns draws one with one word, one table access and one
//! comparison, whatever the pattern.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use dp_exact::Interval;
use dp_samplers::alias::Law;

use super::FlipProbability;

/// Coordinates in a pattern: bit i of the pattern, from the least significant, flips the i-th.
pub(crate) const COORDINATES: usize = 8;

/// The law of a pattern of flips.
#[derive(Clone, Debug)]
pub(crate) struct FlipPatterns(pub(crate) FlipProbability);

impl FlipPatterns {
    /// The probability p^f·(1 − p)^(length − f) of one pattern over `length` coordinates with
    /// f = `flipped` flips; 0 if there are more flips than coordinates.
    pub(crate) fn probability(&self, flipped: u32, length: u32, precision: u32) -> Interval {
        let Some(kept) = length.checked_sub(flipped) else {
            return Interval::integer(0, precision);
        };
        // p^f·(1 − p)^k = x^f·(1 − p)^(f + k)
        let odds = self.0.odds(precision).powi(flipped);
        odds * self.0.complement(precision).powi(kept + flipped)
    }
}

impl Law for FlipPatterns {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> Interval + '_> {
        let by_flips: Vec<Interval> = (0..=8)
            .map(|flipped| self.probability(flipped, 8, precision))
            .collect();
        let outside = Interval::integer(0, precision);
        Box::new(move |pattern| {
            let inside = self.support().contains(&pattern);
            let flips = usize::try_from(pattern.count_ones()).ok();
            let probability = flips
                .filter(|_| inside)
                .and_then(|flips| by_flips.get(flips));
            probability.unwrap_or(&outside).clone()
        })
    }

    fn support(&self) -> RangeInclusive<i64> {
        0..=255
    }
}

#[cfg(test)]
mod tests {
    use dp_exact::Rational;
    use dp_samplers::alias::Alias;
    use num_bigint::BigInt;

    use super::*;

    fn table(epsilon0: &str) -> Alias<FlipPatterns> {
        let epsilon0 = epsilon0.parse().unwrap();
        Alias::new(FlipPatterns(FlipProbability::new(&epsilon0))).unwrap()
    }

    /// Whether no pattern has more words than 2^64 times its probability. With the words that are
    /// left undecided this is all that exactness rests on.
    fn is_certified(table: &Alias<FlipPatterns>, law: &FlipPatterns) -> bool {
        let probability = law.at(256);
        (table.first()..)
            .zip(table.masses())
            .all(|(pattern, words)| {
                let share = Rational::integer(BigInt::from(words));
                let exact = probability(pattern).shifted(64);
                exact
                    .compare_rational(&share)
                    .is_some_and(|order| order.is_ge())
            })
    }

    #[test]
    fn no_pattern_has_more_words_than_its_probability_allows() {
        for epsilon0 in ["1e-30", "1/100", "1", "5/2", "5", "8", "40", "1e30"] {
            let table = table(epsilon0);
            assert!(is_certified(&table, table.law()), "{epsilon0}");
            let decided: u128 = table.masses().into_iter().map(u128::from).sum();
            assert_eq!(
                decided + u128::from(table.undecided()),
                1 << 64,
                "{epsilon0}"
            );
            assert!(
                table.undecided() <= 256 && table.bytes() <= 4096,
                "{epsilon0}"
            );
        }
    }

    #[test]
    fn the_table_of_another_parameter_is_caught() {
        let (table, other) = (table("5"), table("5.000000000000001"));
        assert!(!is_certified(&table, other.law()));
    }

    #[test]
    fn the_probabilities_of_all_patterns_sum_to_one() {
        let table = table("5/2");
        let probability = table.law().at(128);
        let sum = (0..256).fold(Interval::integer(0, 128), |sum, p| sum + probability(p));
        assert!(sum.contains(&Rational::one()));
        assert_eq!(
            *probability(256).upper(),
            *Interval::integer(0, 128).lower()
        );
    }
}
