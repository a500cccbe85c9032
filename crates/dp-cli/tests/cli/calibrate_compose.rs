//! `calibrate compose` and `calibrate convert` at the ends of their ranges, as a user types them.

use crate::common::{document, field, number, refusal};

#[test]
fn a_composition_is_the_least_of_all_bounds_and_says_which() {
    let sum = "compose --mechanism laplace:0.5:pair --times 3 --mechanism laplace:5:one --times 10 \
               --delta 1.77e-28";
    let document = document(sum);
    assert_eq!(field(&document, "epsilon_upper"), "14");
    assert_eq!(field(&document, "epsilon_basic"), "14");
    assert!(field(&document, "certificate").starts_with("The sum of the largest privacy losses"));
    assert!(number(&document, "epsilon_lower") >= 13.999_999);
}

#[test]
fn one_client_of_a_rappor_is_not_worse_than_its_bits() {
    let document = document("compose --mechanism rappor:2.5:1 --times 2 --delta 1e-9");
    assert!(number(&document, "epsilon_upper") <= 10.0);
    assert!(number(&document, "epsilon_lower") > 9.99);
}

#[test]
fn what_has_an_answer_is_not_refused() {
    for (line, upper) in [
        (
            "compose --mechanism response:3.6e-9 --delta 3.6e-74",
            "3.6e-9",
        ),
        (
            "compose --mechanism response:0.5:1e-40 --mechanism laplace:2:one --delta 1e-39",
            "1",
        ),
        ("compose --mechanism response:0.1:1e-9 --delta 1e-9", "0.1"),
        (
            "compose --mechanism response:0.1 --times 3 --delta 0",
            "0.3",
        ),
        (
            "compose --mechanism rappor:0.1:10000000000 --delta 0",
            "0.2",
        ),
        (
            "compose --mechanism response:9.99e-7 --times 1048576 --delta 0.5",
            "0",
        ),
    ] {
        let document = document(line);
        assert_eq!(field(&document, "epsilon_upper"), upper, "{line}");
        let lower = number(&document, "epsilon_lower");
        let exact: f64 = upper.parse().expect("a decimal");
        assert!(
            lower <= exact && lower >= exact * (1.0 - 1e-12),
            "{line}: {lower}"
        );
    }
}

#[test]
fn what_has_none_is_refused_by_name() {
    let noise = refusal("compose --mechanism gaussian:100:one --delta 0");
    assert!(noise.starts_with("error: delta is 0: expected"), "{noise}");
    let told = refusal("compose --mechanism response:0.1:1e-9 --delta 1e-10");
    assert!(
        told.starts_with("error: delta is 1e-10: expected a number above"),
        "{told}"
    );
    let many = refusal(
        "compose --mechanism rappor:1:10000000000 --times 1048576 --mechanism laplace:2:one \
         --times 1 --delta 1e-9",
    );
    assert!(many.contains("at most 2^20 releases together"), "{many}");
}

#[test]
fn a_renyi_divergence_converts_to_what_the_best_coins_attain() {
    let delta = document("convert --alpha 13.1 --tau 0.23 --epsilon 0.000206");
    assert_eq!(field(&delta, "delta_tightest"), "0.205302706715");
    assert!(number(&delta, "delta_upper") > 0.47);
    let epsilon = document("convert --alpha 280 --tau 0.0316 --delta 0.0157");
    assert_eq!(field(&epsilon, "epsilon_tightest"), "0.0157754496531");
}
