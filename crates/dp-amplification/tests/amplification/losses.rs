//! The losses that an accountant composes, against the guarantee of one release that they belong to.

use dp_amplification::DominatingPair;
use dp_exact::Rational;

use crate::common::{BOTH, delta, gaussian, hedged, laplace, number, rappor};

/// The losses of each of `parts` independent parts together, in plain floats.
fn together(losses: &[(Rational, Rational)], parts: u32) -> Vec<(f64, f64)> {
    let one: Vec<(f64, f64)> =
        losses.iter().map(|(loss, probability)| (loss.to_f64(), probability.to_f64())).collect();
    let mut sums = vec![(0.0, 1.0)];
    for _ in 0..parts {
        let pairs = sums.iter().flat_map(|&(loss, weight)| {
            one.iter().map(move |&(more, share)| (loss + more, weight * share))
        });
        sums = pairs.collect();
    }
    sums
}

/// δ at ε from losses and their probabilities.
fn sum_of(losses: &[(f64, f64)], epsilon: f64) -> f64 {
    let terms = losses.iter().filter(|(loss, _)| *loss > epsilon);
    terms.map(|(loss, probability)| probability * -(epsilon - loss).exp_m1()).sum()
}

/// Checks the δ of both pairs at an ε that is certified at `slack`: at most it from below, and near it.
fn belong(pair: &DominatingPair, certified: &Rational, slack: &str, least: f64) {
    let (above, below) = deltas(pair, certified);
    let target = number(slack).to_f64();
    let case = format!("{certified} at {slack}: {above} {below}");
    assert!(below <= target * (1.0 + 1e-9) && below >= target * least, "{case}");
    assert!(above >= below && above <= target * 1.1, "{case}");
    // What is above the largest loss is rounding.
    let known = pair.losses().expect("known");
    let largest = known.above.iter().map(|(loss, _)| loss.to_f64());
    let largest = largest.fold(0.0, f64::max);
    assert!(largest <= pair.largest().to_f64() * (1.0 + 1e-9), "{case}");
}

/// δ at ε of the dominating and of the attained pair of one release.
fn deltas(pair: &DominatingPair, epsilon: &Rational) -> (f64, f64) {
    let known = pair.losses().expect("known");
    let infinite = known.infinite.to_f64() * f64::from(pair.parts());
    let of = |losses: &[_]| sum_of(&together(losses, pair.parts()), epsilon.to_f64());
    (of(&known.above) + infinite, of(&known.below))
}

#[test]
fn losses_of_aggregated_rappor_are_those_of_one_release() {
    for (epsilon0, clients) in [("1", 2), ("0.5", 30), ("2", 100), ("4", 400)] {
        let sum = rappor(epsilon0, clients);
        for adjacency in BOTH {
            let pair = sum.dominating_pair(adjacency);
            for slack in ["0.1", "1e-2", "1e-5"] {
                let bounds = sum.epsilon(&delta(slack), adjacency).expect("in range");
                belong(&pair, &bounds.upper, slack, 0.0);
                if bounds.lower.is_positive() {
                    let (above, below) = deltas(&pair, &bounds.lower);
                    let target = number(slack).to_f64();
                    assert!(above >= target * (1.0 - 1e-9), "{above} {bounds:?}");
                    assert!(below >= target * 0.9, "{below} {bounds:?}");
                }
            }
        }
    }
}

#[test]
fn losses_of_hedged_counts_are_those_of_one_release() {
    for noise in [gaussian("9"), laplace("2")] {
        for (epsilon0, clients) in [("1", 3), ("2", 60)] {
            let policy = hedged(epsilon0, clients, noise.clone(), 1);
            for adjacency in BOTH {
                let pair = policy.dominating_pair(adjacency);
                for slack in ["1e-2", "1e-5"] {
                    let epsilon = policy.epsilon(&delta(slack), adjacency).expect("in range");
                    belong(&pair, &epsilon.expect("a bound"), slack, 0.3);
                }
            }
        }
    }
}
