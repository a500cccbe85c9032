//! Claims about draws: bounds on noise and weights, samplers' tables; and claims by Rényi
//! divergences.

use num_traits::ToPrimitive as _;
use serde_json::{Value, json};

use crate::{Refusal, certificate, check, holds};

/// The certificate of a claim that has no steering.
fn claimed(claim: &Value) -> String {
    json!({"format": "dp-check certificate", "version": 1, "claim": claim}).to_string()
}

/// Probabilities of 0, ±1, ±2, … of discrete noise with this weight function, in floating point.
fn noise(weight: impl Fn(f64) -> f64) -> Vec<f64> {
    let weights: Vec<f64> = (0..400).map(|x| weight(f64::from(x))).collect();
    let total = 2.0 * weights.iter().sum::<f64>() - weights[0];
    weights.into_iter().map(|weight| weight / total).collect()
}

#[test]
fn the_probability_that_noise_exceeds_a_bound_agrees_with_its_sum() {
    let gaussian = noise(|x| (-x * x / 18.0).exp());
    let laplace = noise(|x| (-x / 2.0).exp());
    for (release, law) in [
        (json!({"mechanism": "gaussian", "variance": "9"}), &gaussian),
        (json!({"mechanism": "laplace", "scale": "2"}), &laplace),
    ] {
        for (aggregators, numbers, bound) in
            [(1, 1, 3), (1, 1000, 12), (2, 1, 5), (2, 10_000_000, 30)]
        {
            let at =
                |x: i64| law.get(usize::try_from(x.abs()).expect("small")).copied().unwrap_or(0.0);
            // The sum of two is within the bound: each value of one, and the probability of the
            // other's.
            let outside: f64 = match aggregators {
                1 => (bound + 1..400).map(|x| 2.0 * at(x)).sum(),
                _ => (bound + 1..400)
                    .map(|sum| 2.0 * (-400..800).map(|x| at(x) * at(sum - x)).sum::<f64>())
                    .sum(),
            };
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
        let flipped = 1.0 / (epsilon0.exp() + 1.0);
        let mut law = vec![1.0];
        for place in 0..length {
            let one = if place < weight { 1.0 - flipped } else { flipped };
            let moved = [&[0.0][..], &law].concat();
            law.push(0.0);
            law = law
                .iter()
                .zip(moved)
                .map(|(stays, shifted)| stays * (1.0 - one) + shifted * one)
                .collect();
        }
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

/// The integer part of a small number, at least 0.
fn floor(number: f64) -> u64 {
    number.to_u64().expect("small")
}

/// Outcomes and their words of `bits` bits in a first pass for the magnitudes of noise with these
/// probabilities, and what each magnitude lacks, in words.
fn words(law: &[f64], bits: u32) -> (Vec<(i64, u64)>, Vec<f64>) {
    let magnitudes = law.iter().enumerate().map(|(x, p)| if x == 0 { *p } else { 2.0 * p });
    let scaled: Vec<f64> =
        magnitudes.map(|p| p * 2f64.powi(i32::try_from(bits).expect("few"))).collect();
    let whole: Vec<(i64, u64)> = (0..).zip(scaled.iter().map(|words| floor(*words))).collect();
    let left = scaled.iter().map(|words| words - words.floor()).collect();
    (whole.into_iter().filter(|cell| cell.1 > 0).collect(), left)
}

#[test]
fn passes_with_a_word_too_many_anywhere_are_refused() {
    for (release, law) in [
        (json!({"mechanism": "gaussian", "variance": "9"}), noise(|x| (-x * x / 18.0).exp())),
        (json!({"mechanism": "laplace", "scale": "2"}), noise(|x| (-x / 2.0).exp())),
    ] {
        let (first, left) = words(&law, 15);
        let total: f64 = left.iter().sum();
        let undecided = floor(total.round());
        assert_eq!(first.iter().map(|cell| cell.1).sum::<u64>() + undecided, 1 << 15);
        let rest: Vec<f64> = left.iter().map(|words| words / total).collect();
        let second = rest.iter().map(|p| floor(p * 2f64.powi(20)));
        let second: Vec<(i64, u64)> =
            (0..).zip(second).filter(|cell: &(i64, u64)| cell.1 > 0).collect();
        let passes = |first: &[(i64, u64)], second: &[(i64, u64)], undecided: &str| {
            let mut claim = release.clone();
            claim["signed"] = json!(true);
            claim["undecided"] = json!(undecided);
            claim["passes"] = json!([{"bits": 15, "cells": first}, {"bits": 20, "cells": second}]);
            claimed(&claim)
        };
        let words = check(&passes(&first, &second, "1e-4")).expect("it holds").to_string();
        assert!(words.starts_with("these passes and a fair sign draw discrete"), "{words}");
        // A bound on the undecided words that is too small; and any word moved to any outcome.
        assert!(!holds(&passes(&first, &second, "1e-9")));
        for to in 0..first.len() {
            for from in (0..first.len()).filter(|&from| from != to) {
                let mut moved = first.clone();
                moved[from].1 -= 1;
                moved[to].1 += 1;
                assert!(!holds(&passes(&moved, &second, "1e-4")), "{from} {to}");
            }
        }
        for to in 0..second.len() {
            let mut moved = second.clone();
            moved[(to + 1) % second.len()].1 -= 1;
            moved[to].1 += 1;
            assert!(!holds(&passes(&first, &moved, "1e-4")), "{to}");
        }
        // Outcomes beyond, or negative ones beside a sign; the distribution of something else; no
        // sign.
        assert!(!holds(&passes(&[&first[..], &[(-1, 1)]].concat(), &second, "1e-4")));
        assert!(!holds(&passes(&[&first[..], &[(10_000, 1)]].concat(), &second, "1e-4")));
        assert!(!holds(
            &passes(&first, &second, "1e-4").replace("\"9\"", "\"10\"").replace("\"2\"", "\"3\"")
        ));
        assert!(!holds(&passes(&first, &second, "1e-4").replace("true", "false")));
        // More words than there are do not make up for each other in two passes.
        let many = [(0, 1 << 21)];
        assert!(!holds(&passes(&many, &many, "1")));
    }
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
