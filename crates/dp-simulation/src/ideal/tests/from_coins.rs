//! Binomial numbers and subsets from fair coins, coin by coin.

use std::collections::BTreeMap;

use dp_exact::Interval;

use super::enumerated::{Numbers, Throws, assert_close, law, value};
use crate::ideal::draws::Draws;
use crate::ideal::probability::Probability;

/// Paths of so many throws are cut off: their mass is missing on one side.
const THROWS: usize = 9;

#[test]
fn a_number_of_successes_is_binomial() {
    let root =
        Probability::real(|precision| Interval::integer(2, precision).sqrt()?.shifted(-1).into())
            .expect("a number below 1");
    assert!((value(&root) - 0.5_f64.sqrt()).abs() < 1e-15);
    for probability in [
        Probability::ratio(0, 1),
        Probability::ratio(1, 1),
        Probability::ratio(1, 4),
        Probability::ratio(5, 8),
        Probability::ratio(2, 3),
        root,
    ] {
        for count in 0..=3 {
            let from_coins = law(0.0, |path| {
                Throws::new(path, THROWS).successes(count, &probability)
            });
            let binomial = law(0.0, |path| Numbers(path).successes(count, &probability));
            let cut = 3.0 * 0.5_f64.powi(9);
            assert_close(&from_coins, &binomial, cut);
        }
    }
}

#[test]
fn every_subset_is_as_likely_as_every_other() {
    for (counts, wanted) in [
        ([2, 1, 0], 1),
        ([2, 1, 1], 2),
        ([1, 1, 1], 3),
        ([3, 0, 1], 0),
    ] {
        let from_coins = law(0.0, |path| Throws::new(path, 15).subset(&counts, wanted));
        let exact: BTreeMap<_, _> = law(0.0, |path| Numbers(path).subset(&counts, wanted))
            .into_iter()
            .filter(|(_, mass)| *mass > 0.0)
            .collect();
        // What is cut off is missing somewhere, and no outcome has too much.
        let cut = 1.0 - from_coins.values().sum::<f64>();
        assert!(cut < 0.03, "{cut}");
        for drawn in exact.keys().chain(from_coins.keys()) {
            let of = |law: &BTreeMap<_, _>| law.get(drawn).copied().unwrap_or(0.0);
            let (found, expected): (f64, f64) = (of(&from_coins), of(&exact));
            assert!(
                found <= expected + 1e-12 && found + cut + 1e-12 >= expected,
                "{drawn:?}"
            );
        }
    }
}
