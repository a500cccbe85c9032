//! Local randomizers: the ratios against all outcomes of small instances.

use crate::common::{epsilon, number};
use dp_calibration::Adjacency::{Deletion, Replacement};
use dp_calibration::local::{
    Ratio, basic_rappor, coin_flip, k_ary, multihot_rappor, one_hot_rappor,
};
use dp_exact::Rational;

fn power(text: &str) -> Ratio {
    Ratio::Exponential(number(text))
}

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
                let ratio =
                    multihot_rappor(&epsilon("0.7"), length.into(), weight.into(), adjacency);
                let expected =
                    Ratio::Exponential(number("0.7") * Rational::from(u64::from(factor)));
                assert_eq!(ratio.unwrap(), expected, "{length} {weight} {adjacency}");
            }
        }
        let one_hot = |x: u32| x.count_ones() == 1;
        assert_eq!(enumerated(length, one_hot, one_hot), 2);
        assert_eq!(one_hot_rappor(&epsilon("3"), length.into(), Replacement).unwrap(), power("6"));
    }
}

#[test]
fn ratios_are_kept_exactly() {
    assert_eq!(basic_rappor(&epsilon("10"), Replacement).unwrap(), power("10"));
    assert_eq!(basic_rappor(&epsilon("10"), Deletion).unwrap(), power("5"));
    assert_eq!(k_ary(&epsilon("2"), 7).unwrap(), power("2"));
    let guarantee = coin_flip().guarantee().unwrap();
    assert_eq!(guarantee.to_string(), "1.098612288668109691395246");
    let enclosed = coin_flip().epsilon(128).unwrap();
    assert!(enclosed.upper().cmp_rational(guarantee.value()).is_le());
}

#[test]
fn impossible_randomizers_are_refused() {
    assert!(k_ary(&epsilon("1"), 1).is_err());
    assert!(multihot_rappor(&epsilon("1"), 3, 4, Deletion).is_err());
    assert!(multihot_rappor(&epsilon("1"), 0, 0, Deletion).is_err());
}
