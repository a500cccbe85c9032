//! The thresholds as they are in memory yield the right distribution, by the arithmetic of
//! `dp-check`.

use dp_check::check;
use dp_samplers::{DiscreteGaussian, DiscreteLaplace, Pass};
use serde_json::{Value, json};

/// The certificate that `passes` draw the distribution of `claim`, with a bound of 1e-15 on the
/// probability that neither pass decides.
fn certificate(mut claim: Value, passes: &[Pass]) -> String {
    let written = |pass: &Pass| json!({"bits": pass.word_bits, "cells": pass.words});
    claim["signed"] = json!(true);
    claim["undecided"] = json!("1e-15");
    claim["passes"] = passes.iter().map(written).collect();
    json!({"format": "dp-check certificate", "version": 1, "claim": claim}).to_string()
}

/// The claim and the passes of the discrete Gaussian of this variance.
fn gaussian(variance: &str) -> (Value, Vec<Pass>) {
    let distribution = DiscreteGaussian::new(&variance.parse().expect("a number"));
    let claim = json!({"mechanism": "gaussian", "variance": variance});
    (claim, distribution.expect("it is served").passes())
}

/// The claim and the passes of the discrete Laplace distribution of this scale.
fn laplace(scale: &str) -> (Value, Vec<Pass>) {
    let distribution = DiscreteLaplace::new(&scale.parse().expect("a number"));
    let claim = json!({"mechanism": "laplace", "scale": scale});
    (claim, distribution.expect("it is served").passes())
}

#[test]
fn every_scan_draws_its_distribution_exactly() {
    for (claim, passes) in [
        gaussian("1/4"),
        gaussian("27"),
        gaussian("269.5"),
        gaussian("547.16598"),
        gaussian("1100"),
        laplace("2/5"),
        laplace("4"),
    ] {
        let verified = check(&certificate(claim.clone(), &passes));
        verified.unwrap_or_else(|refused| panic!("{claim}: {refused}"));
    }
    assert!(laplace("20").1.is_empty());
    let wide = DiscreteGaussian::new(&"1e12".parse().expect("a number")).expect("it is served");
    assert!(wide.passes().is_empty());
}
