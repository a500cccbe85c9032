//! Tables with words of 16 bits: every word, and the table of the remainder.

use alloc::collections::BTreeMap;
use core::cmp::Ordering;

use dp_exact::{Interval, Rational};

use super::super::{Law, Short};
use super::certificate::{PRECISION, holds};
use super::laws;
use crate::script::Script;
use crate::words::Direct;

#[test]
fn every_word_of_16_bits_yields_its_outcome_and_cells_have_8_bytes() {
    for law in laws() {
        let name = format!("{law:?}");
        let Some(table) = Short::new(law, 16) else {
            panic!("{name} fits");
        };
        let mut counts = BTreeMap::new();
        let mut undecided = 0;
        for word in 0..=u32::from(u16::MAX) {
            match table.look_up(word) {
                Some(outcome) => *counts.entry(outcome).or_insert(0_u64) += 1,
                None => undecided += 1_u32,
            }
        }
        let rest = table.rest();
        assert!(undecided.is_power_of_two());
        let cell_bits = undecided.ilog2();
        // One undecided word for each cell, of 8 bytes here and of 16 in the second table.
        let bytes = 8 * u64::from(undecided) + 16 * rest.undecided();
        assert_eq!(u64::try_from(table.bytes()), Ok(bytes), "{name}");
        let first = *counts.keys().next().unwrap();
        let last = *counts.keys().last().unwrap();
        let masses: Vec<u64> = (first..=last)
            .map(|outcome| counts.get(&outcome).copied().unwrap_or(0))
            .collect();
        let law = &rest.law().law;
        // Words are few, so several of the likeliest may have given some back.
        let exact = law.at(PRECISION);
        let remainder = rest.law().at(PRECISION);
        for (outcome, mass) in (first..).zip(&masses) {
            let words = exact(outcome).shifted(16);
            let left = words - Interval::integer(*mass, PRECISION);
            let expected = left.shifted(-i64::from(cell_bits));
            assert!(
                expected
                    .compare(&remainder(outcome))
                    .is_none_or(Ordering::is_eq)
            );
            let slightly_negative = Rational::new(-1, 1_u64 << 60).unwrap();
            assert_eq!(
                left.compare_rational(&slightly_negative),
                Some(Ordering::Greater),
                "{name}"
            );
        }
        let total: u64 = masses.iter().sum();
        assert_eq!(total + u64::from(undecided), 1 << 16);
        // And the second table is exact for the remainder.
        let cell_bits = rest.undecided().ilog2();
        assert!(holds(
            rest.law(),
            (64, cell_bits),
            rest.first(),
            &rest.masses()
        ));
    }
}

#[test]
fn what_a_short_word_leaves_is_drawn_from_the_law_of_the_remainder() {
    for bits in [16, 32] {
        let law = crate::laws::Gaussian::new(&super::rational("26.93942798")).unwrap();
        let table = Short::new(law, bits).unwrap();
        let rest = table.rest();
        // Words all over the second table.
        for step in 0..1_u64 << 12 {
            let word = step << 52;
            let mut script = Script::new([word]);
            let outcome = table.draw_remainder(&mut Direct(&mut script));
            assert_eq!((Some(outcome), script.left()), (rest.look_up(word), 0));
        }
        // After a word that neither table decides, the end of the row.
        let mut script = Script::new([u64::MAX, u64::MAX, 1 << 63]);
        assert!(table.draw_remainder(&mut Direct(&mut script)).abs() > 40);
    }
}

#[test]
fn in_simulation_mode_time_tells_the_outcome() {
    let law = crate::laws::Gaussian::new(&super::rational("26.93942798")).unwrap();
    let table = Short::new(law, 16).unwrap();
    let outcomes: Vec<i64> = (0..1 << 16)
        .filter_map(|word| table.look_up(word))
        .collect();
    assert!(outcomes.iter().all(|outcome| outcome.abs() <= 21));
    let zeros = outcomes.iter().filter(|outcome| **outcome == 0).count();
    // 2^16·p(0) is 5037.3.
    assert!((4980..5020).contains(&zeros), "{zeros}");
}
