//! The second table, and which lines the first makes a draw read.

use std::collections::BTreeMap;

use dp_exact::Rational;

use super::*;
use crate::alias::tests::certificate::holds;
use crate::alias::tests::{Fractions, laws, rational};
use crate::laws::Gaussian;

fn check(engine: &TwoPass<impl Law>) {
    let Rest { table, origin } = &engine.blocks.second;
    let sizes = (64, table.undecided().ilog2());
    assert!(holds(table.law(), sizes, table.first(), &table.masses()));
    let words = [0, 1 << 63, u64::MAX / 3, u64::MAX];
    let mut positions = [0; 4];
    engine.blocks.second.positions(&words, &mut positions);
    for (word, position) in words.into_iter().zip(positions) {
        let expected = table.look_up(word).map(|outcome| outcome - origin);
        assert_eq!(expected.unwrap_or(UNDECIDED.into()), position.into());
    }
}

#[test]
fn the_second_table_is_exact_for_the_remainder() {
    let mut served = 0;
    for law in laws() {
        if let Some(engine) = TwoPass::new(law) {
            check(&engine);
            served += 1;
        }
    }
    assert!(served > 14);
    for variance in ["1e-9", "26.93942798", "547.12623649", "10000", "1048576"] {
        check(&TwoPass::symmetric(Gaussian::new(&rational(variance)).unwrap()).unwrap());
    }
}

/// The total variation between the lines that outcomes up to the median magnitude lead to, and those
/// beyond; how many lines there are.
fn variation(engine: &impl Engine) -> (f64, usize) {
    let touches = engine.touches();
    let mut of_magnitude = BTreeMap::new();
    for touch in &touches {
        *of_magnitude.entry(touch.outcome.abs()).or_insert(0) += touch.words;
    }
    let total: u64 = of_magnitude.values().sum();
    let mut sum = 0;
    let median = of_magnitude.iter().find(|(_, words)| {
        sum += 2 * **words;
        sum >= total
    });
    let median = *median.expect("half of all words").0;
    let mut lines = BTreeMap::new();
    let mut classes = [0.0; 2];
    for touch in &touches {
        let words = f64::from(u32::try_from(touch.words).unwrap());
        let class = usize::from(touch.outcome.abs() > median);
        lines.entry(touch.line).or_insert([0.0; 2])[class] += words;
        classes[class] += words;
    }
    let difference = |of: &[f64; 2]| (of[0] / classes[0] - of[1] / classes[1]).abs();
    (
        lines.values().map(difference).sum::<f64>() / 2.0,
        lines.len(),
    )
}

#[test]
fn lines_tell_little_of_whether_a_draw_is_large() {
    for (variance, count, most) in [
        ("1/4", 1, 0.0),
        ("9", 1, 0.0),
        ("26.93942798", 2, 0.07),
        ("547.12623649", 8, 0.04),
        ("10000", 32, 0.03),
        ("1e6", 256, 0.12),
    ] {
        let law = Gaussian::new(&rational(variance)).unwrap();
        let (variation, lines) = variation(&TwoPass::symmetric(law).unwrap());
        assert_eq!(lines, count);
        assert!(variation <= most, "{variance}: {variation}");
    }
}

#[test]
fn touches_are_all_words_that_are_decided() {
    let law = Gaussian::new(&rational("26.93942798")).unwrap();
    let engine = TwoPass::symmetric(law).unwrap();
    let words: u64 = engine.touches().iter().map(|touch| touch.words).sum();
    let undecided = (0..=u16::MAX).filter(|&word| engine.blocks.outcome(word).is_none());
    assert_eq!(words + undecided.count() as u64, 1 << 16);
}

#[test]
fn a_table_has_a_cell_for_each_outcome_and_one_undecided_word_a_cell() {
    for variance in ["26.93942798", "10000", "1048576"] {
        let law = Gaussian::new(&rational(variance)).unwrap();
        let engine = TwoPass::symmetric(law).unwrap();
        let second = &engine.blocks.second.table;
        // One outcome more stands for the undecided words.
        let cells = (engine.passes()[0].words.len() + 1).next_power_of_two();
        let undecided = usize::try_from(second.undecided()).unwrap();
        assert!(undecided >= second.masses().len());
        assert_eq!(engine.bytes(), 4 * cells + 16 * undecided);
        assert_eq!(Engine::undecided(&engine), Some(engine.blocks.undecided()));
    }
}

#[test]
fn outcomes_of_the_second_table_beyond_all_positions_are_refused() {
    // The first pass has one outcome; the other one is less likely than its words.
    let law = |distance: usize| {
        let rare = rational("1/1048576");
        let mut fractions = vec![Rational::zero(); distance + 1];
        fractions[0] = Rational::one() - &rare;
        fractions[distance] = rare;
        Fractions(fractions)
    };
    let engine = TwoPass::new(law(32_766)).unwrap();
    assert!(engine.blocks.second.table.holds(32_766));
    assert!(TwoPass::new(law(32_767)).is_none());
}
