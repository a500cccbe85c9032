//! Claims about draws: bounds on noise and weights, samplers' tables; and claims by Rényi
//! divergences.

use serde_json::{Value, json};

use crate::sums::{bits, normalized, plus};
use crate::{Refusal, certificate, check, holds};

/// The certificate of a claim that has no steering.
fn claimed(claim: &Value) -> String {
    json!({"format": "dp-check certificate", "version": 1, "claim": claim}).to_string()
}

#[test]
fn the_probability_that_noise_exceeds_a_bound_agrees_with_its_sum() {
    let gaussian = normalized(200, |x| (-x * x / 18.0).exp());
    let laplace = normalized(200, |x| (-x.abs() / 2.0).exp());
    for (release, law) in [
        (json!({"mechanism": "gaussian", "variance": "9"}), &gaussian),
        (json!({"mechanism": "laplace", "scale": "2"}), &laplace),
    ] {
        for (aggregators, numbers, bound) in
            [(1, 1, 3), (1, 1000, 12), (2, 1, 5), (2, 10_000_000, 30)]
        {
            let sum = (1..aggregators).fold(law.clone(), |sum, _| plus(&sum, law));
            let is_outside = |place: usize| place.abs_diff(sum.len() / 2) > bound;
            let outside = (0..sum.len()).filter(|place| is_outside(*place));
            let outside: f64 = outside.map(|place| sum[place]).sum();
            let probability = -f64::exp_m1(f64::from(numbers) * f64::ln_1p(-outside));
            for (factor, is_true) in [(1.0 + 1e-8, true), (1.0 - 1e-8, false)] {
                let mut claim = release.clone();
                claim["aggregators"] = json!(aggregators);
                claim["numbers"] = json!(numbers);
                claim["bound"] = json!(bound);
                claim["probability"] = json!(format!("{:.25}", probability * factor));
                assert_eq!(holds(&claimed(&claim)), is_true, "{claim}");
            }
        }
    }
}

#[test]
fn the_probability_of_a_large_weight_agrees_with_its_sum() {
    for (epsilon0, length, weight) in
        [(2.0f64, 12usize, 3usize), (5.0, 60, 1), (1.0, 7, 0), (1.0, 5, 5)]
    {
        let law = bits(weight, length - weight, epsilon0, &[1.0]);
        for bound in [1, 2, 4] {
            let probability: f64 = law[bound + 1..].iter().sum();
            for (factor, is_true) in [(1.0 + 1e-8, true), (1.0 - 1e-8, false)] {
                let mut claim = json!({
                    "mechanism": "rappor", "epsilon0": epsilon0.to_string(), "length": length, "bound": bound,
                    "probability": format!("{:.25}", probability * factor),
                });
                if weight > 0 {
                    claim["weight"] = json!(weight);
                }
                assert_eq!(holds(&claimed(&claim)), is_true, "{claim}");
            }
        }
    }
    // More than all bits cannot be set, and no bit more than there are.
    let claim = json!({"mechanism": "rappor", "epsilon0": "1", "length": 4, "weight": 5, "bound": 2, "probability": "0.9"});
    assert!(matches!(check(&claimed(&claim)), Err(Refusal::Unreadable(_))));
}

/// Two passes of words of 4 bits for |x|, x from discrete Laplace noise of scale 2: each magnitude
/// with its number of words, the whole part of 16 times its probability. In the second pass that is
/// the probability under the distribution which the first pass leaves.
const PASSES: [&[(i64, u64)]; 2] =
    [&[(0, 3), (1, 4), (2, 2), (3, 1), (4, 1)], &[(0, 2), (1, 2), (2, 2), (3, 2), (5, 2), (6, 1)]];

#[test]
fn passes_with_a_word_too_many_anywhere_are_refused() {
    let passes = |passes: [&[(i64, u64)]; 2], undecided: &str| {
        let passes = passes.map(|cells| json!({"bits": 4, "cells": cells}));
        claimed(&json!({
            "mechanism": "laplace", "scale": "2", "signed": true, "undecided": undecided, "passes": passes,
        }))
    };
    // Of 16·16 words 5·5 are undecided.
    let good = passes(PASSES, "25/256");
    let words = check(&good).expect("it holds").to_string();
    assert!(words.starts_with("these passes and a fair sign draw discrete"), "{words}");
    assert!(!holds(&passes(PASSES, "0.097")));
    // Any word moved to any outcome.
    for (pass, cells) in PASSES.iter().enumerate() {
        for to in 0..cells.len() {
            for from in (0..cells.len()).filter(|&from| from != to) {
                let mut moved = cells.to_vec();
                moved[from].1 -= 1;
                moved[to].1 += 1;
                let mut all = PASSES;
                all[pass] = &moved;
                assert!(!holds(&passes(all, "25/256")), "{pass} {from} {to}");
            }
        }
    }
    // Outcomes beyond, or negative ones beside a sign; another distribution; no sign.
    for beyond in [-1, 10_000] {
        let more = [PASSES[0], &[(beyond, 1)]].concat();
        assert!(!holds(&passes([&more, PASSES[1]], "25/256")));
    }
    for (from, to) in [("\"2\"", "\"3\""), ("true", "false")] {
        assert!(!holds(&good.replace(from, to)), "{to}");
    }
    // More words than there are do not make up for each other in two passes.
    assert!(!holds(&passes([&[(0, 17)]; 2], "1")));
}

#[test]
fn divergences_agree_with_the_conversion_in_floating_point() {
    let text = |epsilon: &str, delta: f64, release: &Value, order: &str| {
        certificate(epsilon, &format!("{delta:.20}"), json!([release]), json!({"order": order}))
            .replace("OAOC", "OC")
    };
    let delta = |divergence: f64, order: f64, epsilon: f64| {
        ((order - 1.0) * (divergence - epsilon) + order * (-1.0 / order).ln_1p()).exp()
            / (order - 1.0)
    };
    let zero = json!({"mechanism": "concentrated", "rho": "0.05", "times": 2});
    let renyi = json!({"mechanism": "renyi", "alpha": "9", "tau": "0.4"});
    let (ten, nine) = (delta(10.0 * 0.1, 10.0, 3.0), delta(0.4, 9.0, 2.0));
    for (factor, is_true) in [(1.001, true), (0.999, false)] {
        assert_eq!(holds(&text("3", ten * factor, &zero, "10")), is_true);
        assert_eq!(holds(&text("2", nine * factor, &renyi, "9")), is_true);
    }
    // At another order nothing is known; an order of at most 1, or none, proves nothing.
    assert!(!holds(&text("2", nine * 1.1, &renyi, "8")));
    for order in ["1", "0.5", "1e1000", "1e900"] {
        assert!(!holds(&text("0.001", ten, &zero, order)), "{order}");
    }
    assert!(!holds(&certificate("3", "0.5", json!([zero]), json!({}))));
    // Gaussian noise by its divergence alone, too wide for its distribution to be computed.
    let wide = json!({"mechanism": "gaussian", "query": "count", "variance": "1e12"});
    let wide = certificate("1e-5", "1e-12", json!([wide]), json!({"order": "5000000"}));
    assert!(check(&wide).is_ok());
    assert!(check(&wide.replace("1e-5", "1e-6")).is_err());
}
