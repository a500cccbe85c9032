//! `calibrate` for several honest aggregators, for inverses and for local randomizers.

use crate::common::{document, field, number, ratio, refusal};

#[test]
fn two_honest_aggregators_halve_the_variance_of_each() {
    let one = document("gaussian --epsilon 0.906 --delta 1e-9");
    let two = document("gaussian --epsilon 0.906 --delta 1e-9 --honest-aggregators 2");
    assert!((2.0 * ratio(&two, "variance") / ratio(&one, "variance") - 1.0).abs() < 1e-9);
    assert_eq!(
        field(&two, "sigma_one_honest")[..12],
        field(&one, "sigma")[..12]
    );
    assert!(number(&two, "delta_upper") <= 1e-9);
    assert!(number(&two, "epsilon_one_honest") > 1.2);

    // Where the sum is far from one discrete Gaussian, by its own law.
    let four =
        document("gaussian --epsilon 2.16 --delta 0.0117 --query one --honest-aggregators 4");
    let variance = ratio(&four, "variance");
    assert!(variance > 0.246_93 && variance < 0.246_94, "{variance}");
    // One of 64 promises less than is computed, which takes nothing from the answer.
    let many = document("gaussian --epsilon 9.8e3 --delta 3.8e-40 --honest-aggregators 64");
    assert!(number(&many, "delta_upper") <= 3.8e-40);
    assert!(many.get("epsilon_one_honest").is_none());
    assert!(field(&many, "certificate").contains("is not stated"));
    let line = "gaussian --delta-at --variance 72.85 --epsilon 0.906 --honest-aggregators 2";
    let at = document(line);
    let (lower, upper) = (number(&at, "delta_lower"), number(&at, "delta_upper"));
    assert!(lower <= upper && upper < 2e-16 && number(&at, "delta_one_honest") > 9e-10);
}

#[test]
fn two_laplace_aggregators_need_less_for_a_slack_and_none_without() {
    let one = document("laplace --epsilon 1 --delta 1e-3 --query one");
    let two = document("laplace --epsilon 1 --delta 1e-3 --query one --honest-aggregators 2");
    assert_eq!(two["scale_one_honest"], one["scale_decimal"]);
    assert!(number(&two, "scale_decimal") < number(&one, "scale_decimal"));
    assert!(number(&two, "epsilon_one_honest") > 1.0);
    let pure = document("laplace --epsilon 1/2 --honest-aggregators 2");
    assert_eq!(field(&pure, "scale"), "4/1");
    assert_eq!(field(&pure, "delta_upper"), "0");
}

#[test]
fn rappor_is_inverted_either_way() {
    let clients = document("rappor --epsilon 0.5 --epsilon0 4 --delta 1e-6");
    let least = field(&clients, "clients");
    assert!(number(&clients, "epsilon_upper") <= 0.5);
    assert!(number(&clients, "clients_refuted") < number(&clients, "clients"));
    let forth = document(&format!(
        "rappor --epsilon0 4 --clients {least} --delta 1e-6"
    ));
    assert_eq!(forth["epsilon_upper"], clients["epsilon_upper"]);

    let line = format!("rappor --epsilon 0.5 --clients {least} --delta 1e-6");
    let epsilon0 = document(&line);
    assert!((number(&epsilon0, "epsilon0") - 4.0).abs() < 0.01);
    assert!(number(&epsilon0, "epsilon_upper") <= 0.5);
}

#[test]
fn local_randomizers_have_exact_ratios() {
    for (line, ratio) in [
        ("symmetric-rappor:100 --epsilon0 5", "e^10"),
        (
            "symmetric-rappor:100 --epsilon0 5 --adjacency deletion",
            "e^5",
        ),
        ("symmetric-rappor:100:3 --epsilon0 1/2", "e^3"),
        ("symmetric-rappor:1 --epsilon0 5", "e^0"),
        ("basic-rappor --epsilon 5", "e^5"),
        ("k-ary:7 --epsilon 2", "e^2"),
        ("coin-flip", "3"),
    ] {
        let document = document(&format!("local --mechanism {line}"));
        assert_eq!(field(&document, "ratio"), ratio, "{line}");
        assert!(number(&document, "epsilon_lower") <= number(&document, "epsilon_upper"));
    }
    let coin = document("local --mechanism coin-flip");
    assert!(field(&coin, "epsilon_upper").starts_with("1.098612288668109"));
}

#[test]
fn what_does_not_fit_together_is_refused_by_name() {
    for (line, expected) in [
        (
            "gaussian --epsilon 1 --delta 1e-9 --honest-aggregators 0",
            "honest-aggregators is 0: expected an integer from 1 to 64",
        ),
        (
            "gaussian --epsilon 1 --delta 1e-9 --query l2-squared:5 --honest-aggregators 2",
            "honest-aggregators 2 has no meaning where only a norm is known: take 1, or",
        ),
        (
            "laplace --epsilon 1 --honest-aggregators 3",
            "honest-aggregators is 3: expected an integer from 1 to 2",
        ),
        (
            "rappor --epsilon 1 --epsilon0 5 --clients 10 --delta 1e-9",
            "epsilon 1 has no meaning with both --epsilon0 and --clients: leave out",
        ),
        (
            "rappor --epsilon 1 --delta 1e-9",
            "epsilon0 or clients is missing: expected the one that is known",
        ),
        (
            "rappor --epsilon 0 --epsilon0 5 --delta 1e-9",
            "epsilon is 0: expected",
        ),
        (
            "local",
            "mechanism is missing: expected symmetric-rappor:LENGTH",
        ),
        (
            "local --mechanism k-ary:1 --epsilon 1",
            "answers is 1: expected",
        ),
        (
            "local --mechanism coin-flip --epsilon 1",
            "epsilon 1 has no meaning with coin flips",
        ),
        (
            "local --mechanism symmetric-rappor:3:4 --epsilon0 1",
            "weight is 4: expected",
        ),
        (
            "ledger",
            "nothing to do with a ledger: expected create, record, show or left",
        ),
        (
            "ledger show /nowhere/at/all",
            "/nowhere/at/all: No such file or directory",
        ),
        (
            "ledger record /nowhere --epsilon 1",
            "name is missing: expected",
        ),
    ] {
        let refused = refusal(line);
        assert!(
            refused.starts_with(&format!("error: {expected}")),
            "{line}: {refused}"
        );
    }
}
