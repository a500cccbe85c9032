//! The losses that an accountant composes, against the guarantee of one release that they belong to.

use dp_amplification::DominatingPair;
use dp_exact::{Epsilon, Rational};

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

/// The δ of both pairs belong to one release, above the attained and below the guaranteed one, and
/// close to each other.
fn belong(pair: &DominatingPair, epsilon: &Epsilon, lower: &Rational, upper: &Rational) {
    let known = pair.losses().expect("known");
    let infinite = known.infinite.to_f64() * f64::from(pair.parts());
    let of = |losses: &[_]| sum_of(&together(losses, pair.parts()), epsilon.value().to_f64());
    let (above, below) = (of(&known.above) + infinite, of(&known.below));
    let (lower, upper) = (lower.to_f64(), upper.to_f64());
    let case = format!("{epsilon}: above {above}, below {below}, bounds {lower} and {upper}");
    assert!(above >= lower * (1.0 - 1e-9), "{case}");
    assert!(below <= upper * (1.0 + 1e-9), "{case}");
    assert!(above <= upper * 1.1, "{case}");
    assert!(below >= lower * 0.9, "{case}");
    // What is above the largest loss is rounding.
    let largest = known.above.iter().map(|(loss, _)| loss.to_f64());
    let largest = largest.fold(0.0, f64::max);
    assert!(largest <= pair.largest().to_f64() * (1.0 + 1e-9), "{case}");
}

#[test]
fn losses_of_aggregated_rappor_are_those_of_one_release() {
    for (epsilon0, clients) in [("1", 2), ("0.5", 30), ("2", 100), ("4", 400)] {
        let sum = rappor(epsilon0, clients);
        for adjacency in BOTH {
            let pair = sum.dominating_pair(adjacency);
            for epsilon in ["0.01", "0.1", "0.3", "0.9"] {
                let epsilon = epsilon.parse().expect("positive");
                let bounds = sum.delta(&epsilon, adjacency).expect("a δ");
                belong(&pair, &epsilon, &bounds.lower, &bounds.upper);
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
                let known = pair.losses().expect("known");
                for slack in ["1e-2", "1e-5"] {
                    let epsilon = policy.epsilon(&delta(slack), adjacency).expect("in range");
                    let epsilon = epsilon.expect("a bound");
                    let of =
                        |losses: &[_]| sum_of(&together(losses, pair.parts()), epsilon.to_f64());
                    let (above, below) = (of(&known.above), of(&known.below));
                    let slack = number(slack).to_f64();
                    assert!(below <= slack && below >= slack * 0.3, "{slack} {below} {above}");
                    assert!(above >= below && above <= slack * 1.1, "{slack} {below} {above}");
                }
            }
        }
    }
}
