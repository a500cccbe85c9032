//! Local randomizers: the ratios against all outcomes of small instances.

use crate::common::{epsilon, number};
use dp_calibration::Adjacency::{Deletion, Replacement};
use dp_calibration::local::{coin_flip, multihot_rappor};
use dp_exact::Rational;

/// The largest exponent of P(y|x)/P(y|x′), in units of ε₀, over all outcomes y of `length` bits,
/// inputs x that are `allowed` and x′ that `other` accepts.
fn enumerated(length: u32, allowed: impl Fn(u32) -> bool, other: impl Fn(u32) -> bool) -> u32 {
    let all = 0..1u32 << length;
    let inputs = all.clone().filter(|x| allowed(*x));
    let pairs = inputs.flat_map(|x| all.clone().filter(|y| other(*y)).map(move |y| (x, y)));
    pairs
        .map(|(x, y)| {
            // An outcome z has weight e^(ε₀·(bits where it agrees)).
            let exponent = |z: u32| (z ^ y).count_ones().abs_diff((z ^ x).count_ones());
            all.clone().map(exponent).max().expect("not empty")
        })
        .max()
        .expect("not empty")
}

#[test]
fn symmetric_rappor_is_what_all_outcomes_of_small_vectors_give() {
    for length in 2..=5u32 {
        for weight in 1..=length {
            let light = |x: u32| x.count_ones() <= weight;
            let replaced = enumerated(length, light, light);
            let deleted = enumerated(length, light, |y| y == 0);
            for (adjacency, factor) in [(Replacement, replaced), (Deletion, deleted)] {
                let found =
                    multihot_rappor(&epsilon("0.7"), length.into(), weight.into(), adjacency);
                let expected = number("0.7") * Rational::from(u64::from(factor));
                assert_eq!(found.unwrap(), expected, "{length} {weight} {adjacency}");
            }
        }
        let one_hot = |x: u32| x.count_ones() == 1;
        assert_eq!(enumerated(length, one_hot, one_hot), 2);
    }
}

#[test]
fn coin_flips_have_the_logarithm_of_three_and_impossible_vectors_are_refused() {
    let guarantee = coin_flip();
    assert_eq!(guarantee.to_string(), "1.098612288668109691395246");
    assert!(multihot_rappor(&epsilon("1"), 3, 4, Deletion).is_err());
    assert!(multihot_rappor(&epsilon("1"), 0, 0, Deletion).is_err());
}
