//! Rows of thresholds of 64 bits, and single draws.

use super::*;
use crate::alias::remainder;
use crate::alias::tests::certificate::holds;
use crate::alias::tests::{laws, rational};
use crate::blocks::{Second, UNDECIDED};
use crate::laws::Gaussian;
use crate::script::Script;

/// Every row is exact for its law, and yields at each threshold what it should.
fn check(row: &Row<impl Law>) {
    let masses = row.masses();
    let (first, sizes) = (row.first(), row.sizes());
    assert!(holds(row.law(), sizes, first, &masses), "{:?}", row.law());
    let ends = masses.iter().scan(0_u64, |sum, mass| {
        *sum += mass;
        Some(*sum)
    });
    for (end, outcome) in ends.zip(first..) {
        let next = (outcome - first + 1..)
            .zip(&masses[usize::try_from(outcome - first).unwrap() + 1..])
            .find(|(_, mass)| **mass > 0)
            .map(|(place, _)| first + place);
        assert_eq!(row.look_up(end), next);
        if masses[usize::try_from(outcome - first).unwrap()] > 0 {
            assert_eq!(row.look_up(end - 1), Some(outcome));
        }
    }
    let last = u64::MAX >> (64 - sizes.0);
    let undecided = last - masses.iter().sum::<u64>() + 1;
    assert_eq!(Second::undecided(row), undecided);
    let words = [0, last, last / 2, last - (1 << sizes.1)];
    let mut positions = [0; 4];
    row.positions(&words, &mut positions);
    for (word, position) in zip(words, positions) {
        let outcome = row.look_up(word);
        assert_eq!(outcome.is_none(), position == UNDECIDED);
        if let Some(outcome) = outcome {
            let expected = i16::try_from(outcome - first).unwrap() + row.position();
            assert_eq!(position, expected);
        }
    }
}

/// What a row does not decide comes from the law less the words of the row, counted in its thresholds.
fn check_undecided(row: &Row<impl Law>) {
    let (law, sizes, masses) = (row.law(), row.sizes(), row.masses());
    let mut seen = alloc::collections::BTreeSet::new();
    for word in [0, 1 << 61, 1 << 62, 1 << 63, 3 << 62, u64::MAX - 5] {
        let words = [word, 1 << 62, 1 << 61];
        let [mut one, mut other] = [(); 2].map(|()| Script::new(words));
        let drawn = Second::draw_undecided(row, &mut Direct(&mut one));
        let parts = (row.first(), masses.as_slice());
        let expected = remainder::draw(law, sizes, parts, &mut Direct(&mut other));
        assert_eq!((drawn, one.left()), (expected, other.left()));
        seen.insert(drawn);
    }
    assert!(seen.len() > 1, "{seen:?}");
}

#[test]
fn what_a_row_does_not_decide_is_drawn_from_its_remainder() {
    for variance in ["1/4", "26.93942798", "270"] {
        let engine = Scan::symmetric(Gaussian::new(&rational(variance)).unwrap()).unwrap();
        check_undecided(&engine.one);
        check_undecided(&engine.blocks.second);
    }
}

#[test]
fn rows_are_exact_for_the_law_and_for_the_remainder() {
    let mut served = 0;
    for law in laws() {
        if let Some(engine) = Scan::new(law) {
            check(&engine.one);
            check(&engine.blocks.second);
            served += 1;
        }
    }
    assert!(served > 10);
    for variance in ["1e-9", "1/4", "26.93942798", "270"] {
        let engine = Scan::symmetric(Gaussian::new(&rational(variance)).unwrap()).unwrap();
        check(&engine.one);
        check(&engine.blocks.second);
    }
}

#[test]
fn a_threshold_off_by_one_is_caught() {
    let engine = Scan::symmetric(Gaussian::new(&rational("26.93942798")).unwrap()).unwrap();
    for row_masses in [engine.one.masses(), engine.blocks.second.masses()] {
        let exact = |masses: &[u64]| {
            let one = (engine.one.law(), engine.one.sizes(), engine.one.first());
            let second = &engine.blocks.second;
            holds(one.0, one.1, one.2, masses)
                || holds(second.law(), second.sizes(), second.first(), masses)
        };
        assert!(exact(&row_masses));
        for place in 1..row_masses.len() {
            let mut masses = row_masses.clone();
            masses[place] += 1;
            masses[place - 1] -= 1;
            assert!(!exact(&masses), "{place}");
        }
    }
}

#[test]
fn a_single_draw_takes_a_word_whose_last_bit_is_its_sign() {
    let engine = Scan::symmetric(Gaussian::new(&rational("26.93942798")).unwrap()).unwrap();
    for word in (0..1000_u64).map(|place| place.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
        let [positive, negative] = [word & !1, word | 1].map(|word| {
            let mut script = Script::new([word]);
            let draw = engine.single::<i64, _>(&mut script).unwrap();
            assert_eq!(script.left(), 0);
            draw
        });
        assert_eq!(Some(positive), engine.one.look_up(word >> 1));
        assert_eq!(negative, -positive);
    }
    // The last words are undecided: the outcome after them lies in the tail, with the sign too.
    let mut script = Script::new([u64::MAX, u64::MAX, u64::MAX / 2]);
    assert!(engine.single::<i64, _>(&mut script).unwrap() < -50);
}

/// Words of single draws, and of slices, that take longer; and a threshold for each outcome.
#[test]
fn undecided_words_and_bytes_are_as_many_as_are_counted() {
    for variance in ["1/4", "1", "26.93942798", "270"] {
        let engine = Scan::symmetric(Gaussian::new(&rational(variance)).unwrap()).unwrap();
        let [one, second] = [engine.one.masses(), engine.blocks.second.masses()];
        let undecided = (1 << 63) - one.iter().sum::<u64>();
        let stated = engine.undecided().unwrap();
        assert_eq!(stated, engine.blocks.undecided().max(2 * undecided));
        assert!(stated <= 1 << 9);
        let first = engine.passes()[0].words.len().next_multiple_of(8);
        assert_eq!(engine.bytes(), 2 * first + 8 * (one.len() + second.len()));
    }
}
