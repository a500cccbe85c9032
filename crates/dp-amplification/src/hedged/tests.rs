//! The bounds against slow sums over all outcomes and all datasets, and what planted faults do.

mod drops;
mod exact;

use super::curves::Curves;
use super::hiding::Hidden;
use super::pair::Pair;
use super::window::{Window, products};
use super::*;
use crate::aggregated_rappor::count_law::CountValues;

/// A law on the integers, symmetric about the middle of the table.
fn slow_noise(noise: &NoiseLaw, summands: u32) -> Vec<f64> {
    let weight = |y: f64| match noise {
        NoiseLaw::DiscreteGaussian { variance } => (-y * y / (2.0 * variance.to_f64())).exp(),
        NoiseLaw::DiscreteLaplace { scale } => (-y.abs() / scale.to_f64()).exp(),
    };
    let one: Vec<f64> = (-60..=60).map(|y| weight(f64::from(y))).collect();
    let total: f64 = one.iter().sum();
    let one: Vec<f64> = one.iter().map(|value| value / total).collect();
    (1..summands).fold(one.clone(), |sum, _| convolved(&sum, &one))
}

fn convolved(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; one.len() + other.len() - 1];
    for (i, a) in one.iter().enumerate() {
        for (j, b) in other.iter().enumerate() {
            sums[i + j] += a * b;
        }
    }
    sums
}

/// The law of `zeros` and `ones` randomized bits and the noise.
fn slow_law(p: f64, zeros: u64, ones: u64, noise: &[f64]) -> Vec<f64> {
    let zero = (0..zeros).fold(noise.to_vec(), |law, _| convolved(&law, &[1.0 - p, p]));
    (0..ones).fold(zero, |law, _| convolved(&law, &[p, 1.0 - p]))
}

/// δ at ε by summing over all outcomes, for one dataset.
fn slow_delta(p: f64, others: u64, hold: [u64; 2], noise: &[f64], epsilon: f64, two: bool) -> f64 {
    let law = |ones: u64| slow_law(p, others + 1 - ones, ones, noise);
    let (first, first_after) = (law(hold[0] + 1), law(hold[0]));
    let (second, second_after) = if two {
        (law(hold[1]), law(hold[1] + 1))
    } else {
        (vec![1.0], vec![1.0])
    };
    let mut delta = 0.0;
    for (a, b) in first.iter().zip(&first_after) {
        for (c, d) in second.iter().zip(&second_after) {
            delta += (a * c - epsilon.exp() * b * d).max(0.0);
        }
    }
    delta
}

/// The envelopes of all datasets.
fn envelopes(joint: &Joint<'_>) -> Pair {
    let curves = Curves::new(joint, 40.0).expect("short");
    curves.pair().expect("short")
}

fn gaussian(variance: &str) -> NoiseLaw {
    let variance = variance.parse().expect("a number");
    NoiseLaw::DiscreteGaussian { variance }
}

fn laplace(scale: &str) -> NoiseLaw {
    let scale = scale.parse().expect("a number");
    NoiseLaw::DiscreteLaplace { scale }
}

fn noises() -> [(NoiseLaw, u32); 7] {
    [
        (gaussian("0.05"), 1),
        (gaussian("0.7"), 1),
        (gaussian("4"), 1),
        (gaussian("1.5"), 3),
        (gaussian("2.5"), 2),
        (laplace("1.3"), 1),
        (laplace("0.8"), 2),
    ]
}

#[test]
fn a_window_encloses_the_law_of_bits_and_noise() {
    for (noise, summands) in noises() {
        let slow = slow_noise(&noise, summands);
        for (zeros, ones) in [(0u64, 0u64), (3, 4), (30, 2)] {
            let policy = Hedged::new("1".parse().unwrap(), 1, noise.clone(), summands).unwrap();
            let joint = Joint {
                others: zeros + ones,
                ..policy.joint()
            };
            let Hidden { count, missing } = joint.hiding(40.0).unwrap().count(zeros, ones).unwrap();
            let exact = slow_law(policy.flip.p, zeros, ones, &slow);
            let law = &count.law;
            assert!(missing < 1e-16, "{missing}");
            // Where the window lies is not kept: the largest values are at the same place.
            let place = |values: &[f64]| {
                let largest = values.iter().copied().fold(0.0, f64::max);
                values
                    .iter()
                    .position(|&v| v > largest * (1.0 - 1e-9))
                    .expect("not empty")
            };
            let shift = place(&exact) - place(&law.upper);
            for (k, (lower, upper)) in law.lower.iter().zip(&law.upper).enumerate() {
                let value = exact[shift + k];
                if value > 1e-14 {
                    let (lower, upper) = (lower / law.total_upper, upper / law.total_lower);
                    // The law given that all parts are in their windows, up to what is missing.
                    let far = format!("{noise:?} {k} {lower} {value} {upper}");
                    assert!(lower <= value * (1.0 + 1e-12) + missing, "{far}");
                    assert!(upper >= value * (1.0 - 1e-12) - missing, "{far}");
                    assert!(upper / lower < 1.0 + 1e-9);
                }
            }
        }
    }
}

#[test]
fn products_of_short_and_long_sequences_are_those_of_the_definition() {
    for lengths in [
        [1usize, 1],
        [1, 5],
        [2, 3],
        [3, 3],
        [4, 4],
        [5, 4],
        [7, 9],
        [8, 21],
    ] {
        let sequence = |length: usize| -> Vec<f64> {
            let values = (0..length).map(|i| (i * i + 3 * i + 1) % 7);
            values
                .map(|value| dp_exact::directed::index(value) + 1.0)
                .collect()
        };
        let [short, long] = lengths.map(sequence);
        assert_eq!(products(&short, &long), convolved(&short, &long));
    }
}

#[test]
fn upper_bounds_hold_for_every_dataset_of_a_few_clients() {
    for epsilon0 in ["0.3", "1.5", "4"] {
        for (noise, summands) in noises() {
            let slow = slow_noise(&noise, summands);
            for clients in [1u64, 3, 6] {
                let epsilon0 = epsilon0.parse().unwrap();
                let policy = Hedged::new(epsilon0, clients, noise.clone(), summands).unwrap();
                let pair = envelopes(&policy.joint());
                let p = policy.flip.p;
                for (two, adjacency) in
                    [(true, Adjacency::Replacement), (false, Adjacency::Deletion)]
                {
                    for share in [0.1, 0.4, 0.8] {
                        let epsilon =
                            share * policy.pure(if two { 2 } else { 1 }).unwrap().1.to_f64();
                        let upper = pair.at(adjacency, epsilon.exp());
                        let mut worst = 0.0f64;
                        for removed in 0..clients {
                            for added in 0..if two { clients - removed } else { 1 } {
                                let hold = [removed, added];
                                let delta = slow_delta(p, clients - 1, hold, &slow, epsilon, two);
                                worst = worst.max(delta);
                            }
                        }
                        let near = format!("{noise:?} {clients} {share} {upper} {worst}");
                        assert!(upper >= worst * (1.0 - 1e-9), "{near}");
                        // Two counts are bounded by the worst data of each, which for a few
                        // clients is not the worst of both.
                        let loose = if two && clients > 1 { 1.6 } else { 1.01 };
                        assert!(upper <= worst * loose + 1e-9, "{near}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_named_dataset_attains_the_lower_bound() {
    for (noise, summands) in noises() {
        let slow = slow_noise(&noise, summands);
        let policy = Hedged::new("2".parse().unwrap(), 6, noise, summands).unwrap();
        for (two, adjacency) in [(true, Adjacency::Replacement), (false, Adjacency::Deletion)] {
            let bounds = policy.epsilon(&"1e-3".parse().unwrap(), adjacency).unwrap();
            let hold = [bounds.attained_by.removed, bounds.attained_by.added];
            let lower = bounds.lower.to_f64();
            let attained = slow_delta(policy.flip.p, 5, hold, &slow, lower, two);
            assert!(
                (attained / 1e-3 - 1.0).abs() < 1e-3,
                "{policy:?} {bounds:?} {attained}"
            );
            assert!(bounds.upper >= bounds.lower);
            let epsilon = Epsilon::new(bounds.lower).unwrap();
            let back = policy.delta(&epsilon, adjacency).unwrap();
            assert!(back.lower <= Rational::from_f64(attained * (1.0 + 1e-9)).unwrap());
            assert!(back.upper.to_f64() >= attained * (1.0 - 1e-9), "{back:?}");
        }
    }
}

#[test]
fn one_honest_aggregator_and_no_other_client_is_the_exact_convolution() {
    let noise = gaussian("3");
    let slow = slow_noise(&noise, 1);
    let policy = Hedged::new("1".parse().unwrap(), 1, noise, 1).unwrap();
    let bounds = policy
        .epsilon(&"1e-4".parse().unwrap(), Adjacency::Replacement)
        .unwrap();
    for (epsilon, above) in [(&bounds.lower, true), (&bounds.upper, false)] {
        let exact = slow_delta(policy.flip.p, 0, [0, 0], &slow, epsilon.to_f64(), true);
        assert_eq!(exact > 1e-4 * (1.0 - 1e-9), above, "{exact}");
        assert!((exact / 1e-4 - 1.0).abs() < 1e-3, "{exact}");
    }
}

#[test]
fn a_pair_with_unequal_sides_is_that_of_the_two_counts() {
    // Two known zeros, and two others that may hold anything: the sides differ.
    let flip = Flip::new(&"1".parse().unwrap()).unwrap();
    let joint = Joint {
        flip: &flip,
        noise: None,
        others: 4,
        ones: 0..=2,
    };
    let pair = envelopes(&joint);
    for epsilon in [0.2f64, 0.7, 1.3] {
        let mut worst = 0.0f64;
        for removed in 0..=2 {
            for added in 0..=2 - removed {
                let hold = [removed, added];
                worst = worst.max(slow_delta(flip.p, 4, hold, &[1.0], epsilon, true));
            }
        }
        let upper = pair.two(epsilon.exp());
        assert!(upper >= worst && upper <= 1.3 * worst, "{upper} {worst}");
        // One count, in which the value may disappear or, with zeros and ones exchanged, appear.
        let one = |ones| slow_delta(flip.p, 4, [ones, 0], &[1.0], epsilon, false);
        let worst = (0..=4).map(one).fold(0.0, f64::max);
        let upper = pair.one(epsilon.exp());
        assert!(upper >= worst && upper <= 1.01 * worst, "{upper} {worst}");
    }
    // With all others known nothing is given away to a supremum.
    let known = Joint {
        ones: 0..=0,
        ..joint
    };
    let pair = envelopes(&known);
    for epsilon in [0.2f64, 0.7, 1.3] {
        let exact = slow_delta(flip.p, 4, [0, 0], &[1.0], epsilon, true);
        let upper = pair.two(epsilon.exp());
        assert!(upper >= exact * (1.0 - 1e-9), "{upper} {exact}");
        assert!(upper <= exact * 1.001, "{upper} {exact}");
    }
}

#[test]
fn known_zeros_are_told_apart_too() {
    let flip = Flip::new(&"0.5".parse().unwrap()).unwrap();
    for (others, unknown) in [(4u64, 4u64), (4, 2), (6, 3)] {
        let joint = Joint {
            flip: &flip,
            noise: None,
            others,
            ones: 0..=unknown,
        };
        let mut datasets = Vec::new();
        for removed in 0..=unknown {
            datasets.extend((0..=unknown - removed).map(|added| [removed, added]));
        }
        let worst = |epsilon| {
            let deltas = datasets
                .iter()
                .map(|&hold| slow_delta(flip.p, others, hold, &[1.0], epsilon, true));
            deltas.fold(0.0, f64::max)
        };
        let first = OthersHold {
            removed: unknown,
            added: 0,
            neither: 0,
        };
        let local = Rational::one();
        let answer = joint
            .epsilon(0.05, Adjacency::Replacement, &local, &[first])
            .unwrap();
        let upper = answer.upper.unwrap().to_f64();
        assert!(worst(upper) <= 0.05 * (1.0 + 1e-9), "{upper}");
        assert!(
            worst(upper * 0.999) > 0.05,
            "{others} {unknown} {upper} {} {}",
            answer.lower,
            worst(upper)
        );
        let hold = answer.attained_by;
        assert_eq!(hold.removed + hold.added + hold.neither, unknown);
        assert!(answer.lower.to_f64() >= upper * 0.999);
    }
}

#[test]
fn planted_faults_are_caught() {
    // Noise of twice the variance that is claimed, and a forgotten part of the tails.
    let policy = |variance| Hedged::new("1".parse().unwrap(), 3, gaussian(variance), 1).unwrap();
    let slow = slow_noise(&gaussian("2"), 1);
    let alpha = 0.4f64.exp();
    let exact = slow_delta(policy("2").flip.p, 2, [2, 0], &slow, 0.4, true);
    assert!(envelopes(&policy("2").joint()).two(alpha) >= exact);
    assert!(envelopes(&policy("4").joint()).two(alpha) < exact);
    // Tails that are cut off are in `missing`; without it they would be lost.
    let flip = Flip::new(&"1".parse().unwrap()).unwrap();
    let count = CountValues::between(&flip, 30, 0, [60.0, 60.0]).unwrap();
    let window = Window::of_count(count, 4.0).unwrap();
    let largest_sum = slow_law(flip.p, 30, 0, &[1.0])
        .windows(window.values.len())
        .map(|part| part.iter().sum::<f64>())
        .fold(0.0, f64::max);
    assert!(window.missing >= (1.0 - largest_sum) * (1.0 - 1e-9) && largest_sum < 0.999);
}
