//! `calibrate schedule`, as a user types it.

use crate::common::{document, field, number, ratio, refusal};

#[test]
fn equal_releases_have_the_noise_of_one_release_that_moves_more() {
    let month = document("schedule --release 30xhistogram:40 --epsilon 1 --delta 1e-8");
    assert!((number(&month, "std_of_one_1") / 39.51 - 1.0).abs() < 1e-3);
    let line = "schedule --mechanism laplace --release 4xhistogram:40 --epsilon 1 --delta 1e-8";
    assert!((number(&document(line), "std_of_one_1") / 11.31 - 1.0).abs() < 1e-3);
    let once = document("schedule --release 1xsum:80 --epsilon 1 --delta 1e-9");
    let single = document("gaussian --query sum:80 --epsilon 1 --delta 1e-9");
    assert_eq!(field(&once, "parameter_1"), field(&single, "variance"));
}

#[test]
fn a_schedule_keeps_its_budget_when_it_is_composed() {
    let line = "schedule --release 365xhistogram:24 --release 12xsum:80 --epsilon 2 --delta 1e-8";
    let year = document(line);
    let composed = document(&format!(
        "compose --mechanism gaussian:{}:pair --times 365 --mechanism gaussian:{}:sum:80 --times 12 \
         --delta 1e-8",
        field(&year, "parameter_1"),
        field(&year, "parameter_2"),
    ));
    assert!(number(&composed, "epsilon_lower") <= 2.0);
    assert!((number(&composed, "epsilon_upper") - 2.0).abs() < 1e-3);
    assert!(number(&year, "gap") < 1e-3);
    // The optimum is where the parameters are in proportion to the root of n·Δ₂².
    let proportion = ratio(&year, "parameter_2") / ratio(&year, "parameter_1");
    assert!((proportion / (12.0f64 * 6400.0 / 730.0).sqrt() - 1.0).abs() < 1e-6);
}

#[test]
fn shares_and_a_rho_are_exact() {
    let line = "schedule --release 365xhistogram:24 --release 12xsum:80 --shares 1,1 --rho 1/2";
    let year = document(line);
    assert_eq!(field(&year, "parameter_1"), "1460/1");
    assert_eq!(field(&year, "parameter_2"), "153600/1");
    let pure = document("schedule --mechanism laplace --release 3xpair --epsilon 2");
    assert_eq!(field(&pure, "parameter_1"), "3/1");
    assert_eq!(field(&pure, "delta_upper"), "0");
}

#[test]
fn what_is_no_schedule_is_refused_by_name() {
    for (line, expected) in [
        ("schedule --epsilon 1", "release is missing"),
        (
            "schedule --release histogram:4 --epsilon 1",
            "release is histogram:4",
        ),
        (
            "schedule --release 0xpair --epsilon 1 --delta 1e-6",
            "times is 0",
        ),
        ("schedule --release 2xpair --epsilon 1", "delta is missing"),
        (
            "schedule --release 2xpair --rho 1 --epsilon 1",
            "epsilon 1 has no meaning with --rho",
        ),
        (
            "schedule --release 2xpair --rho 1 --shares 1,2",
            "shares is \"2 of them\"",
        ),
        (
            "schedule --release 2xpair --rho 1 --shares 1 --weights 1",
            "weights 1 has no meaning",
        ),
        (
            "schedule --mechanism cauchy --release 2xpair --rho 1",
            "mechanism is cauchy",
        ),
    ] {
        let found = refusal(line);
        assert!(found.contains(expected), "{line}: {found}");
    }
}
