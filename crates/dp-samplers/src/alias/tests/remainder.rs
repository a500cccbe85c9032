//! Generators scripted to meet undecided words, ties as deep as wanted at every cumulative
//! threshold of the remainder, and the tail.

use num_bigint::BigInt;
use num_traits::One;

use super::super::remainder::outward;
use super::super::{Alias, Law};
use super::{Fractions, laws, rational};
use crate::laws::{Gaussian, TwoSided};
use crate::script::Script;
use crate::words::{Direct, Source, Words};

/// An enclosure of Σ (2^64·p − m)/C over the outcomes up to each position, in units of
/// 2^−`bits`, rounded down on both sides.
fn cumulative(table: &Alias<impl Law>, bits: u32, positions: usize) -> Vec<(i64, BigInt, BigInt)> {
    let masses = table.masses();
    let cell_bits = table.undecided().ilog2();
    let probability = table.law().at(bits + 128);
    let (mut low, mut high) = (BigInt::ZERO, BigInt::ZERO);
    let guard = 40;
    outward(table.first(), masses.len(), table.law().support())
        .take(positions)
        .enumerate()
        .map(|(position, outcome)| {
            let fraction = u64::from(bits + 64 - cell_bits + guard);
            let mass = BigInt::from(masses.get(position).copied().unwrap_or(0));
            let mass = mass << (bits - cell_bits + guard);
            let enclosure = probability(outcome);
            low += enclosure.lower().floor_shifted(fraction) - &mass;
            high += enclosure.upper().floor_shifted(fraction) + BigInt::one() - &mass;
            (outcome, &low >> guard, &high >> guard)
        })
        .collect()
}

/// The words of a fraction of `count` words.
fn words(fraction: &BigInt, count: u32) -> Vec<u64> {
    (0..count)
        .rev()
        .map(|word| {
            let digit: BigInt = (fraction >> (64 * word)) & BigInt::from(u64::MAX);
            u64::try_from(digit).expect("64 bits")
        })
        .collect()
}

/// Ties with every cumulative threshold among the first `positions`, `depth` words deep: the word
/// after the tie decides between the outcome and the next.
fn ties_are_resolved(table: &Alias<impl Law>, depth: u32, positions: usize) {
    let all = cumulative(table, 64 * depth, positions);
    for pair in all.windows(2) {
        let ((outcome, low, high), (next, next_low, _)) = (&pair[0], &pair[1]);
        if low != high || next_low <= &(high + 2) || low.bits() > u64::from(64 * depth) {
            // The threshold is a multiple of a word, or there is nothing between two of them.
            continue;
        }
        // Just below and just above the threshold, by one unit of the last of `depth` words.
        for (place, expected) in [(low - 1, outcome), (low + 1, next)] {
            let place: BigInt = place;
            if place.sign() == num_bigint::Sign::Minus {
                continue;
            }
            let previous_high = all
                .iter()
                .take_while(|entry| entry.0 != *outcome)
                .last()
                .map_or(BigInt::from(-1), |entry| entry.2.clone());
            if place <= previous_high {
                continue;
            }
            let script = [vec![u64::MAX], words(&place, depth)].concat();
            // It may take one word more where the enclosure at this depth is too wide.
            let mut generator = Script::new([script, vec![1 << 63; 3]].concat());
            assert_eq!(table.draw(&mut Direct(&mut generator)), *expected);
            assert!(generator.left() >= 2, "decided by the word after the tie");
        }
    }
}

#[test]
fn ties_one_two_and_many_words_deep_are_resolved_at_every_threshold() {
    for law in laws() {
        let table = Alias::new(law).unwrap();
        let positions = table.masses().len() + 4;
        for depth in [1, 2, 3] {
            ties_are_resolved(&table, depth, positions.min(24));
        }
    }
    let table = Alias::new(Gaussian::new(&rational("26.93942798")).unwrap()).unwrap();
    ties_are_resolved(&table, 20, 12);
    ties_are_resolved(&table, 2, table.masses().len() + 6);
}

#[test]
fn the_first_half_of_the_remainder_comes_before_the_second() {
    // Remainders of 1/3, 0, 2/3 are 1/3 and 2/3 of a word short, and what was given back.
    let table = Alias::new(Fractions::new(&["1/3", "0", "2/3"])).unwrap();
    let mut zero = Script::new([u64::MAX, 0]);
    assert_eq!(table.draw(&mut Direct(&mut zero)), 0);
    let mut end = Script::new([u64::MAX, u64::MAX, 0]);
    assert_eq!(table.draw(&mut Direct(&mut end)), 2);
}

#[test]
fn ones_lead_into_the_tail_on_both_sides() {
    let law = TwoSided {
        rate: rational("1/2"),
        sign_rate: rational("1/2"),
    };
    let table = Alias::new(law).unwrap();
    let (first, count) = (table.first(), table.masses().len());
    let mut seen = [false; 2];
    for last in [0, 1 << 60, 1 << 61, 1 << 62, 3 << 61, 1 << 63, 3 << 62] {
        for ones in 1..4 {
            let script = [vec![u64::MAX; 1 + ones], vec![last, 1 << 63, 1 << 63]].concat();
            let outcome = table.draw(&mut Direct(&mut Script::new(script)));
            assert!(outcome < first || outcome >= first + i64::try_from(count).unwrap());
            seen[usize::from(outcome < 0)] = true;
            // The distance grows with the number of ones: e^(−x/2) is about 2^(−64·(ones + 1)).
            let ones = i64::try_from(ones).unwrap();
            assert!(
                (80 * ones..100 * ones + 130).contains(&outcome.abs()),
                "{ones} {outcome}"
            );
        }
    }
    assert_eq!(seen, [true, true]);
}

#[test]
fn a_decided_draw_takes_one_word_whatever_the_outcome() {
    for law in laws() {
        let table = Alias::new(law).unwrap();
        let stride = (u64::MAX / 4096) | 1;
        for step in 0..4096_u64 {
            let word = step.wrapping_mul(stride);
            if let Some(outcome) = table.look_up(word) {
                let mut script = Script::new([word]);
                assert_eq!(table.draw(&mut Direct(&mut script)), outcome);
                assert_eq!(script.left(), 0);
            }
        }
    }
}

#[test]
fn filling_meets_undecided_words_in_stride() {
    let table = Alias::new(Gaussian::new(&rational("27")).unwrap()).unwrap();
    let script = [
        1,
        2,
        u64::MAX,
        7 << 60,
        3,
        u64::MAX,
        1 << 60,
        4,
        u64::MAX,
        0,
    ];
    let mut one_by_one = Script::new(script);
    let expected: Vec<i64> = (0..7)
        .map(|_| table.draw(&mut Direct(&mut one_by_one)))
        .collect();
    let mut generator = Script::new(script);
    let mut filled = [0_i64; 7];
    let mut source = Words::new(&mut generator, filled.len());
    assert_eq!(table.fill_from(&mut source, &mut filled), None);
    drop(source);
    assert_eq!(filled.as_slice(), expected);
    assert_eq!((generator.left(), one_by_one.left()), (0, 0));
    let mut generator = Script::new([9]);
    assert_eq!(Direct(&mut generator).word(), 9);
}
