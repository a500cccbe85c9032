//! `calibrate --query` takes every query, and answers with the noise that the policies deploy.

use crate::common::{document, field, number, refusal, text};
use dp_calibration::{Adjacency, Query, discrete_gaussian, discrete_laplace};
use dp_exact::Rational;

/// Each type of Prio3.
const QUERIES: [&str; 7] = [
    "count",
    "sum:80",
    "average:80",
    "sumvec:16:255",
    "histogram:40",
    "multihot:14:3",
    "l1boundsum:8:100",
];

fn fraction(value: &Rational) -> String {
    format!("{}/{}", value.numerator(), value.denominator())
}

#[test]
fn every_query_gets_the_noise_that_its_policy_deploys() {
    for text in QUERIES {
        let query: Query = text.parse().expect("a query");
        for (name, adjacency) in [
            ("replacement", Adjacency::Replacement),
            ("deletion", Adjacency::Deletion),
        ] {
            let (epsilon, delta) = (
                "1".parse().expect("positive"),
                "1e-9".parse().expect("small"),
            );
            let options = format!("--epsilon 1 --delta 1e-9 --query {text} --adjacency {name}");
            // The policies sum-gaussian, sum-laplace and so on take their noise from here.
            let noise = discrete_gaussian::calibrate_query(&query, adjacency, &epsilon, &delta);
            let typed = document(&format!("gaussian {options}"));
            let deployed = noise.expect("calibrated").variance;
            assert_eq!(
                field(&typed, "variance"),
                fraction(&deployed),
                "{text} {name}"
            );
            let noise = discrete_laplace::calibrate_query(&query, adjacency, &epsilon, &delta);
            let typed = document(&format!("laplace {options}"));
            let deployed = noise.expect("calibrated").scale;
            assert_eq!(field(&typed, "scale"), fraction(&deployed), "{text} {name}");
        }
    }
}

#[test]
fn a_sum_has_less_noise_than_its_norm() {
    let sum = document("gaussian --epsilon 1 --delta 1e-9 --query sum:80");
    let norm = document("gaussian --epsilon 1 --delta 1e-9 --query l2-squared:6400");
    let ratio = number(&norm, "sigma") / number(&sum, "sigma");
    assert!(ratio > 1.05 && ratio < 1.07, "{ratio}");
    let words = text(&["laplace", "--epsilon", "1", "--query", "sum:80"]);
    assert!(words.contains("one integer of sensitivity 80"), "{words}");
}

#[test]
fn a_norm_is_taken_by_either_law() {
    let line = |law: &str, query: &str| format!("{law} --epsilon 1 --delta 1e-6 --query {query}");
    let scale = |query: &str| document(&line("laplace", query));
    // A difference of integers has an L1 norm of at most the square of its L2 norm.
    let squared = scale("l2-squared:7");
    assert_eq!(field(&squared, "scale"), field(&scale("l1:7"), "scale"));
    let variance = |query: &str| document(&line("gaussian", query));
    let squared = variance("l2-squared:49");
    assert_eq!(
        field(&squared, "variance"),
        field(&variance("l1:7"), "variance")
    );
}

#[test]
fn utility_and_compose_take_a_query() {
    let line = "utility --mechanism laplace --bound 500 --query";
    let sum = document(&format!("{line} sum:80"));
    let norm = document(&format!("{line} l1:80"));
    assert_eq!(field(&sum, "epsilon_upper"), field(&norm, "epsilon_upper"));
    let composed = document("compose --mechanism gaussian:900:histogram:24 --delta 1e-6");
    let pair = document("compose --mechanism gaussian:900:pair --delta 1e-6");
    assert_eq!(
        field(&composed, "epsilon_upper"),
        field(&pair, "epsilon_upper")
    );
    let line = "compose --mechanism gaussian:900:histogram:24 --delta 1e-6 --adjacency deletion";
    let one = document("compose --mechanism gaussian:900:one --delta 1e-6");
    assert_eq!(
        field(&document(line), "epsilon_upper"),
        field(&one, "epsilon_upper")
    );
}

#[test]
fn what_is_no_query_is_refused_with_the_forms_that_are() {
    for (query, expected) in [
        ("two", "query is two: expected one, pair, l1:NUMBER"),
        ("sum:0", "the largest measurement of a query is 0"),
        (
            "histogram:1",
            "query is histogram:1: expected a query whose measurements differ",
        ),
    ] {
        let line = format!("gaussian --epsilon 1 --delta 1e-9 --query {query}");
        let line = refusal(&line);
        assert!(line.contains(expected), "{line}");
    }
}
