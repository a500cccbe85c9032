//! What makes a table exact, checked against enclosures of 256 bits.

use core::cmp::Ordering;

use dp_exact::{Interval, Rational};
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;

use super::super::remainder::outward;
use super::super::{Alias, Law};
use super::laws;

pub(crate) const PRECISION: u32 = 256;

/// Whether the masses, out of 2^`word_bits` words, are those of an exact table for the law:
/// certainly none exceeds its probability, none but the one that gave words back falls short of
/// it by more than a word, and 2^`cell_bits` words are left for the remainder.
pub(crate) fn holds(
    law: &dyn Law,
    (word_bits, cell_bits): (u32, u32),
    first: i64,
    masses: &[u64],
) -> bool {
    let total: u128 = masses.iter().copied().map(u128::from).sum();
    if total != (1 << word_bits) - (1 << cell_bits) {
        return false;
    }
    // Room for enclosures around whole words, and for bounds that were cut to 128 bits.
    let nothing = Rational::new(-1, BigInt::from(1) << 150).expect("not zero");
    let one = Rational::one() + Rational::new(1, 1 << 30).expect("not zero");
    let probability = law.at(PRECISION);
    let mut short = 0;
    for (outcome, mass) in (first..).zip(masses) {
        let words = probability(outcome).shifted(word_bits.into());
        let rest = words - Interval::integer(*mass, PRECISION);
        if rest.compare_rational(&nothing) != Some(Ordering::Greater) {
            return false;
        }
        short += u32::from(rest.compare_rational(&one) != Some(Ordering::Less));
    }
    short <= 1
}

/// The sum of all probabilities, to 2^−200.
fn total(law: &dyn Law, first: i64, count: usize) -> Interval {
    let probability = law.at(PRECISION);
    let negligible = Rational::new(1, BigInt::from(1) << 220).expect("not zero");
    let mut sum = Interval::integer(0, PRECISION);
    let mut last_two = [false; 2];
    for (position, outcome) in outward(first, count, law.support()).enumerate() {
        let next = probability(outcome);
        let small = next.upper().cmp_rational(&negligible).is_lt();
        last_two = [last_two[1], small];
        sum = sum + next;
        if position >= count && last_two == [true; 2] {
            break;
        }
    }
    sum
}

#[test]
fn every_outcome_collects_its_probability_over_all_cells() {
    for law in laws() {
        let table = Alias::new(law).unwrap();
        let cell_bits = table.undecided().ilog2();
        let masses = table.masses();
        assert!(
            holds(table.law(), (64, cell_bits), table.first(), &masses),
            "{:?}",
            table.law()
        );
        // With Σ p = 1 and Σ m = 2^64 − C the remainder sums to C as well.
        let sum = total(table.law(), table.first(), masses.len());
        let error = Rational::new(1, 1_u128 << 127).unwrap();
        let ends = [Rational::one() - &error, Rational::one() + &error];
        assert_eq!(sum.compare_rational(&ends[0]), Some(Ordering::Greater));
        assert_eq!(sum.compare_rational(&ends[1]), Some(Ordering::Less));
    }
}

#[test]
fn every_threshold_separates_its_two_outcomes_and_one_word_a_cell_is_undecided() {
    for law in laws() {
        let table = Alias::new(law).unwrap();
        let cells = table.undecided();
        let mut counted = vec![0_u64; table.masses().len()];
        for cell in 0..cells {
            // Words of the cell in order: cell, cell + C, cell + 2C, …. At most one change.
            let word = |u: u64| u * cells + cell;
            let capacity = u64::MAX >> cells.ilog2();
            let position = |u| {
                let outcome = table.look_up(word(u)).unwrap();
                usize::try_from(outcome - table.first()).unwrap()
            };
            let (mut low, mut high) = (0, capacity - 1);
            let (start, end) = (position(low), position(high));
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if position(middle) == start {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            if start == end {
                counted[start] += capacity;
            } else {
                counted[start] += high;
                counted[end] += capacity - high;
            }
            assert_eq!(table.look_up(word(capacity)), None);
        }
        assert_eq!(counted, table.masses());
    }
}

#[test]
fn tables_of_two_to_the_16_outcomes_are_the_largest() {
    let uniform = |bits: u32| crate::laws::Digit {
        rate: super::rational("1e-12"),
        bits,
    };
    assert_eq!(Alias::new(uniform(16)).unwrap().bytes(), 1 << 20);
    assert!(Alias::new(uniform(17)).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn tables_are_exact_for_parameters_of_a_thousand_bits(
        digits in prop::collection::vec(any::<u32>(), 31..33),
        denominator in prop::collection::vec(any::<u32>(), 31..33),
        exponent in -40_i32..8,
    ) {
        let of = |digits| BigInt::from(BigUint::new(digits)) + 1;
        let ratio = Rational::new(of(digits), of(denominator)).unwrap();
        let power = Rational::new(1, BigInt::from(1) << exponent.unsigned_abs()).unwrap();
        let power = if exponent < 0 { power } else { power.reciprocal().unwrap() };
        let parameter = ratio * power;
        let Some(rate) = parameter.reciprocal().filter(|_| parameter.to_f64() < 1e4) else {
            return Ok(());
        };
        let laws: [Box<dyn Law>; 3] = [
            Box::new(crate::laws::Gaussian::new(&parameter).unwrap()),
            Box::new(crate::laws::TwoSided { rate: rate.clone(), sign_rate: rate.clone() }),
            Box::new(crate::laws::Digit { rate: rate.clone(), bits: 5 }),
        ];
        for law in laws {
            // Tables serve up to a scale of 24; the rest is for digits and buckets.
            if parameter.to_f64() > 24.0 && law.support().start() < &0 {
                continue;
            }
            let table = Alias::new(law).unwrap();
            let sizes = (64, table.undecided().ilog2());
            prop_assert!(holds(table.law(), sizes, table.first(), &table.masses()));
        }
    }
}
