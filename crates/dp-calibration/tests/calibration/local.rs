//! Local randomizers: the ratios against all outcomes of small instances.

use crate::common::number;
use dp_calibration::Adjacency::{Deletion, Replacement};
use dp_calibration::local::{
    Ratio, basic_rappor, coin_flip, k_ary, mixture, multihot_rappor, one_hot_rappor,
    symmetric_rappor,
};
use dp_exact::{Epsilon, Rational, Rounding};

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

fn power(text: &str) -> Ratio {
    Ratio::Exponential(number(text))
}

/// The largest exponent of P(y|x)/P(y|x′), in units of ε₀, over all outcomes and allowed inputs.
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
fn basic_rappor_names_its_epsilon_for_replacement() {
    assert_eq!(basic_rappor(&epsilon("10"), Replacement).unwrap(), power("10"));
    let deletion = basic_rappor(&epsilon("10"), Deletion).unwrap();
    assert_eq!(deletion, symmetric_rappor(&epsilon("5"), 1));
}

#[test]
fn the_coin_flip_survey_is_exactly_ln_3() {
    assert_eq!(coin_flip(), mixture(&number("1/2"), &2u32.into()).unwrap());
    let epsilon = coin_flip().epsilon(128).unwrap();
    assert_eq!(epsilon.lower().to_decimal(20, Rounding::Nearest), "1.0986122886681096914");
    let guarantee = coin_flip().guarantee().unwrap();
    assert_eq!(guarantee.to_string(), "1.098612288668109691395246");
    assert!(epsilon.upper().cmp_rational(guarantee.value()).is_le());
}

#[test]
fn k_ary_response_and_its_mixture_are_one_mechanism() {
    assert_eq!(k_ary(&epsilon("2"), 7).unwrap(), power("2"));
    // λ = k/(e^ε + k − 1) makes the ratio e^ε: 1 + k(1−λ)/λ with e^ε = 5 and k = 4.
    assert_eq!(mixture(&number("1/2"), &4u32.into()).unwrap(), Ratio::Rational(number("5")));
    assert_eq!(mixture(&number("1"), &4u32.into()).unwrap(), Ratio::Rational(number("1")));
    assert!(mixture(&number("1"), &4u32.into()).unwrap().guarantee().is_err());
}

#[test]
fn what_guarantees_nothing_is_refused() {
    assert!(mixture(&number("0"), &2u32.into()).is_err());
    assert!(mixture(&number("3/2"), &2u32.into()).is_err());
    assert!(mixture(&number("1/2"), &1u32.into()).is_err());
    assert!(k_ary(&epsilon("1"), 1).is_err());
    assert_eq!(k_ary(&epsilon("1"), 2).unwrap(), power("1"));
    assert!(multihot_rappor(&epsilon("1"), 3, 4, Deletion).is_err());
    assert!(multihot_rappor(&epsilon("1"), 0, 0, Deletion).is_err());
}
