//! Hedged policies against sums over all outcomes, for every dataset of the other clients and in
//! both directions.

use crate::common::number;
use dp_amplification::aggregated_rappor::MultiHot;
use dp_amplification::hedged::{Hedged, Route};
use dp_calibration::Adjacency;
use dp_calibration::NoiseLaw;

/// The law of one count under both values of the client's bit, with `ones` ones among the others.
type Count = Vec<(f64, f64)>;

fn convolved(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; one.len() + other.len() - 1];
    for (i, a) in one.iter().enumerate() {
        for (j, b) in other.iter().enumerate() {
            sums[i + j] += a * b;
        }
    }
    sums
}

/// Probabilities from −`reach` to `reach`.
fn noise_law(noise: &NoiseLaw, reach: i32) -> Vec<f64> {
    let weight = |y: i32| match noise {
        NoiseLaw::DiscreteGaussian { variance } => {
            (-f64::from(y * y) / (2.0 * variance.to_f64())).exp()
        }
        NoiseLaw::DiscreteLaplace { scale } => (-f64::from(y.abs()) / scale.to_f64()).exp(),
    };
    let weights: Vec<f64> = (-reach..=reach).map(weight).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// For each number of ones among the others, the client's bit being 1 against 0.
fn counts(epsilon0: f64, clients: usize, noise: &[f64]) -> Vec<Count> {
    let p = (epsilon0.exp() + 1.0).recip();
    let bits = |zeros: usize, ones: usize| {
        let law = (0..zeros).fold(noise.to_vec(), |law, _| convolved(&law, &[1.0 - p, p]));
        (0..ones).fold(law, |law, _| convolved(&law, &[p, 1.0 - p]))
    };
    let count = |ones: usize| {
        let others = clients - 1 - ones;
        let pairs = bits(others, ones + 1)
            .into_iter()
            .zip(bits(others + 1, ones));
        pairs.collect()
    };
    (0..clients).map(count).collect()
}

/// The outcomes of two independent counts.
fn product(one: &[(f64, f64)], other: &[(f64, f64)]) -> Count {
    let pairs = one
        .iter()
        .flat_map(|a| other.iter().map(move |b| (a.0 * b.0, a.1 * b.1)));
    pairs.collect()
}

fn exchanged(count: &Count) -> Count {
    count.iter().map(|&(p, q)| (q, p)).collect()
}

fn delta(laws: &[(f64, f64)], epsilon: f64) -> f64 {
    let alpha = epsilon.exp();
    laws.iter().map(|&(p, q)| (p - alpha * q).max(0.0)).sum()
}

/// The least ε at which no dataset exceeds `delta_at_most`.
fn exact_epsilon(datasets: &[Count], delta_at_most: f64, most: f64) -> f64 {
    let worst = |epsilon: f64| {
        let deltas = datasets.iter().map(|laws| delta(laws, epsilon));
        deltas.fold(0.0, f64::max)
    };
    let (mut low, mut high) = (0.0, most);
    for _ in 0..32 {
        let middle = f64::midpoint(low, high);
        if worst(middle) > delta_at_most {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

fn gaussian(variance: &str) -> NoiseLaw {
    let variance = number(variance);
    NoiseLaw::DiscreteGaussian { variance }
}

fn laplace(scale: &str) -> NoiseLaw {
    let scale = number(scale);
    NoiseLaw::DiscreteLaplace { scale }
}

#[test]
fn few_clients_get_the_epsilon_of_the_worst_of_all_datasets() {
    for (epsilon0, clients, noise, reach, share) in [
        ("0.5", 5, gaussian("0.5"), 6, "0.05"),
        ("0.3", 5, gaussian("0.5"), 6, "0.05"),
        ("0.5", 5, gaussian("4"), 15, "0.05"),
        ("0.5", 4, laplace("0.5"), 14, "0.05"),
        ("2", 6, gaussian("1"), 8, "1e-2"),
    ] {
        let policy = Hedged::new(epsilon0.parse().unwrap(), clients, noise.clone(), 1).unwrap();
        let clients = usize::try_from(clients).unwrap();
        let counts = counts(
            epsilon0.parse().unwrap(),
            clients,
            &noise_law(&noise, reach),
        );
        let mut datasets = Vec::new();
        for removed in 0..clients {
            for added in 0..clients - removed {
                // A client leaves one count and joins the other.
                let both = product(&counts[removed], &exchanged(&counts[added]));
                datasets.extend([exchanged(&both), both]);
            }
        }
        let slack = share.parse().unwrap();
        let exact = exact_epsilon(&datasets, number(share).to_f64(), 4.0);
        let bounds = policy.epsilon(&slack, Adjacency::Replacement).unwrap();
        let (lower, upper) = (bounds.lower.to_f64(), bounds.upper.to_f64());
        let far = format!("{epsilon0} {clients} {noise:?}: {lower} {exact} {upper}");
        assert!(
            upper >= exact * (1.0 - 1e-6) && upper <= exact * 1.001,
            "{far}"
        );
        assert!(
            lower <= exact * (1.0 + 1e-6) && lower >= exact * 0.999,
            "{far}"
        );
        // δ at that ε.
        let epsilon = dp_exact::Epsilon::new(bounds.upper).unwrap();
        let back = policy
            .delta(&epsilon, Adjacency::Replacement)
            .unwrap()
            .upper;
        assert!(
            back.to_f64() <= number(share).to_f64() * 1.005,
            "{far} {back}"
        );

        // One direction is that of a value that disappears, the other that of one that appears.
        let one: Vec<Count> = counts
            .iter()
            .flat_map(|c| [c.clone(), exchanged(c)])
            .collect();
        let exact = exact_epsilon(&one, number(share).to_f64(), 4.0);
        let bounds = policy.epsilon(&slack, Adjacency::Deletion).unwrap();
        let upper = bounds.upper.to_f64();
        let far = format!("{epsilon0} {clients} {noise:?}: {exact} {upper}");
        assert!(
            upper >= exact * (1.0 - 1e-6) - 1e-8 && upper <= exact * 1.001,
            "{far}"
        );
    }
}

#[test]
fn inputs_of_several_ones_are_hidden_by_bits_and_noise_together() {
    // Four coordinates change; the two others hold at most two ones each, anywhere.
    let (clients, noise) = (3, gaussian("0.3"));
    let input = MultiHot { length: 4, ones: 2 };
    let policy = Hedged::new("1".parse().unwrap(), 3, noise.clone(), 1).unwrap();
    let counts = counts(1.0, clients, &noise_law(&noise, 5));
    let mut datasets = Vec::new();
    let inputs: Vec<usize> = (0..16usize)
        .filter(|input| input.count_ones() <= 2)
        .collect();
    let mut hold: Vec<[usize; 4]> = Vec::new();
    for one in &inputs {
        for other in &inputs {
            let mut ones = [0, 1, 2, 3].map(|bit| (one >> bit & 1) + (other >> bit & 1));
            // Coordinates that are left, or joined, may change places.
            ones[..2].sort_unstable();
            ones[2..].sort_unstable();
            hold.push(ones);
        }
    }
    hold.sort_unstable();
    hold.dedup();
    for ones in hold {
        let left = product(&counts[ones[0]], &counts[ones[1]]);
        let joined = product(&counts[ones[2]], &counts[ones[3]]);
        datasets.push(product(&left, &exchanged(&joined)));
    }
    let share = 0.05;
    let exact = exact_epsilon(&datasets, share, 4.0);
    let bounds = policy.epsilon_multi_hot(&"0.05".parse().unwrap(), Adjacency::Replacement, input);
    let bounds = bounds.unwrap();
    let upper = bounds.upper.to_f64();
    assert_eq!(bounds.route, Route::Joint);
    // The worst data of each count and for both signs of the loss at once, for four counts.
    assert!(
        upper >= exact * (1.0 - 1e-6) && upper <= exact * 1.06,
        "{exact} {bounds:?}"
    );
}

#[test]
fn the_least_of_all_parts_answers_for_several_ones() {
    let input = MultiHot {
        length: 20,
        ones: 2,
    };
    let delta = "1e-3".parse().unwrap();
    let policy = |epsilon0: &str, clients, noise| {
        Hedged::new(epsilon0.parse().unwrap(), clients, noise, 1).unwrap()
    };
    for (policy, route) in [
        (policy("1", 20, gaussian("4")), Route::Joint),
        (policy("40", 1, gaussian("1e12")), Route::Aggregator),
    ] {
        for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
            let bounds = policy.epsilon_multi_hot(&delta, adjacency, input).unwrap();
            assert_eq!(bounds.route, route, "{policy:?} {bounds:?}");
            let parts = bounds.parts;
            let coordinates = dp_exact::Rational::from(input.changed(adjacency));
            assert_eq!(
                parts.client,
                policy.rappor().epsilon0().value() * &coordinates
            );
            assert!(bounds.upper <= parts.client && bounds.upper <= parts.clients);
            assert!(parts.aggregator.is_none_or(|alone| bounds.upper <= alone));
            // A bound on the weight that no report exceeds changes nothing.
            let dropping = policy.epsilon_multi_hot_with_drops(&delta, adjacency, input, 20);
            let dropping = dropping.unwrap();
            assert!(dropping.dropped.is_zero());
            assert!(dropping.upper <= &bounds.upper * &number("1.0002"));
        }
    }
}

#[test]
fn rare_drops_cost_little_and_common_ones_more() {
    let policy = Hedged::new("1".parse().unwrap(), 20, gaussian("4"), 1).unwrap();
    let (delta, replacement) = ("1e-3".parse().unwrap(), Adjacency::Replacement);
    let at = |ones, max_weight| {
        let input = MultiHot { length: 20, ones };
        let bounds = policy.epsilon_multi_hot_with_drops(&delta, replacement, input, max_weight);
        bounds.unwrap()
    };
    let [none, rare, common] = [20, 17, 14].map(|max_weight| at(2, max_weight));
    assert!(none.upper <= rare.upper && rare.upper <= common.upper);
    // The flips of all clients alone promise 1.4434 and 1.6015.
    assert!(rare.upper < number("0.848") && common.upper < number("0.862"));
    // More ones are harder to hide, and what is dropped counts.
    assert!(at(3, 17).upper > rare.upper);
    assert!(at(1, 14).upper < common.upper);
    assert!(common.dropped > rare.dropped);
    // Two coordinates: datasets are told apart.
    let one_hot = policy.epsilon(&delta, replacement).unwrap();
    assert!(at(1, 20).upper <= one_hot.upper);
}

#[test]
fn several_ones_out_of_range_are_errors() {
    let policy = Hedged::new("1".parse().unwrap(), 20, gaussian("4"), 1).unwrap();
    let (delta, zero) = ("1e-3".parse().unwrap(), "0".parse().unwrap());
    let replacement = Adjacency::Replacement;
    let input = |length, ones| MultiHot { length, ones };
    for wrong in [
        input(0, 1),
        input(10, 0),
        input(1 << 41, 1),
        input(1 << 30, 1 << 21),
    ] {
        assert!(
            policy
                .epsilon_multi_hot(&delta, replacement, wrong)
                .is_err()
        );
        let dropping = policy.epsilon_multi_hot_with_drops(&delta, replacement, wrong, 5);
        assert!(dropping.is_err());
    }
    let pure = policy
        .epsilon_multi_hot(&zero, replacement, input(10, 3))
        .unwrap();
    assert_eq!((pure.upper, pure.route), (number("6"), Route::Client));
    let dropping = policy.epsilon_multi_hot_with_drops(&zero, replacement, input(10, 3), 9);
    assert!(dropping.is_err());
    let most = policy.epsilon_multi_hot(&zero, replacement, input(1 << 40, 1 << 19));
    assert_eq!(most.unwrap().upper, number("1048576"));
    let largest = policy
        .epsilon(&"0.9".parse().unwrap(), replacement)
        .unwrap();
    assert!(largest.upper < number("1"));
    let laplace = Hedged::new("1".parse().unwrap(), 20, laplace("2"), 1).unwrap();
    let pure = laplace
        .epsilon_multi_hot(&zero, replacement, input(10, 3))
        .unwrap();
    let expected = 12.0 * (0.5f64.tanh() * 0.25f64.tanh()).atanh();
    assert!((pure.upper.to_f64() - expected).abs() < 1e-9 && pure.route == Route::Joint);
}
