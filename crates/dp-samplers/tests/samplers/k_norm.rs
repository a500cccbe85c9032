//! Vectors of the discrete K-norm distribution against exact probabilities.

use dp_samplers::DiscreteKNorm;

use crate::chi_square::{DRAWS, FALSE_ALARM, p_value_of_counts, rng};
use crate::distributions::rational;

/// The p-value of vectors of `length` entries against `law`: a cell for each vector of entries from
/// −3 to 3, and one for all others.
fn p_value(law: &DiscreteKNorm, length: u32, mut draw: impl FnMut() -> Vec<i64>) -> f64 {
    let cells = 7_i64.pow(length);
    let probability = |cell: i64| {
        let outcome: Vec<i64> = (0..length).map(|place| cell / 7_i64.pow(place) % 7 - 3).collect();
        law.probability(&outcome, 64).expect("as many entries").midpoint()
    };
    let mut probabilities: Vec<f64> = (0..cells).map(probability).collect();
    probabilities.push(1.0 - probabilities.iter().sum::<f64>());
    let mut observed = vec![0_u32; probabilities.len()];
    for _ in 0..DRAWS {
        let vector = draw();
        let is_inside = vector.iter().all(|entry| entry.abs() <= 3);
        let cell = vector.iter().rev().fold(0, |cell, entry| 7 * cell + entry + 3);
        observed[usize::try_from(if is_inside { cell } else { cells }).expect("a cell")] += 1;
    }
    p_value_of_counts(&observed, &probabilities)
}

#[test]
fn vectors_follow_the_distribution_and_entries_of_two_cubes_do_not() {
    for (seed, (length, scale)) in (980..).zip([(2, "2/3"), (2, "2"), (3, "1")]) {
        let law = DiscreteKNorm::new(&rational(scale), length).expect("served");
        let mut rng = rng(seed);
        let mut draw = || {
            let mut vector = vec![0_i64; length];
            law.fill(&mut rng, &mut vector).expect("64 bits");
            vector
        };
        let entries = u32::try_from(length).expect("few");
        let found = p_value(&law, entries, &mut draw);
        assert!(found > FALSE_ALARM, "{length} {scale} {found}");
        let fault = || [&draw()[..1], &draw()[1..]].concat();
        assert!(p_value(&law, entries, fault) < FALSE_ALARM, "{length} {scale}");
    }
}
