//! Sums of a aggregated's bits.

use serde_json::json;

use crate::{aggregated, block_ends, holds};

/// Whether ε is accepted for 100 000 clients with ε₀ = 5.
fn accepts(epsilon: &str, share: u64, nodes: u64) -> bool {
    let release = json!([{"mechanism": "rappor", "query": "histogram", "epsilon0": "5", "clients": 100_000}]);
    let ends = block_ends(100_000, share);
    let steering = json!({"step": format!("3/{}", nodes * 10), "nodes": nodes, "block_ends": ends});
    holds(&aggregated(epsilon, "1e-9", release, steering))
}

#[test]
fn the_published_crowd_is_accepted_and_less_than_is_attained_is_refused() {
    // Others who hold (99 899, 0) attain 0.297382, and (99 999, 0) 0.297408.
    assert!(accepts("0.29749", 10, 400));
    assert!(!accepts("0.297408", 10, 400));
}

#[test]
fn coarser_steering_is_looser_and_nothing_else() {
    assert!(!accepts("0.29749", 10, 40));
    assert!(accepts("0.31", 10, 40));
    assert!(!accepts("0.29749", 1, 400));
    assert!(accepts("0.35", 1, 400));
}

/// The law of the sum of the bits of clients who hold `ones` 1s and `zeros` 0s, in floating point.
fn sum(ones: usize, zeros: usize, flipped: f64) -> Vec<f64> {
    let bits = [1.0 - flipped].repeat(ones).into_iter().chain([flipped].repeat(zeros));
    bits.fold(vec![1.0], |law, one| {
        let shifted = [0.0].into_iter().chain(law.iter().map(|weight| weight * one));
        let stays = law.iter().map(|weight| weight * (1.0 - one)).chain([0.0]);
        stays.zip(shifted).map(|(stays, moves)| stays + moves).collect()
    })
}

#[test]
fn a_few_clients_agree_with_the_enumeration_of_all_datasets() {
    for (clients, epsilon0) in [(1, 1.0f64), (2, 0.5), (5, 1.0), (8, 2.0)] {
        let flipped = 1.0 / (epsilon0.exp() + 1.0);
        let others = clients - 1;
        for epsilon in [0.05, 0.2, 0.45] {
            let ratio = f64::exp(epsilon);
            // The largest delta under deletion, in both directions.
            let mut worst = 0.0f64;
            for ones in 0..=others {
                let (one, zero) = (sum(ones + 1, others - ones, flipped), sum(ones, others - ones + 1, flipped));
                let delta =
                    |p: &[f64], q: &[f64]| -> f64 { p.iter().zip(q).map(|(p, q)| (p - ratio * q).max(0.0)).sum() };
                worst = worst.max(delta(&one, &zero)).max(delta(&zero, &one));
            }
            // And under replacement, for others of whom `ones` hold one value and `more` the other.
            let mut replaced = 0.0f64;
            for ones in 0..=others {
                for more in 0..=others - ones {
                    let law = |own, ones| sum(ones + own, others - ones + 1 - own, flipped);
                    let (p, q) = ([law(1, ones), law(0, more)], [law(0, ones), law(1, more)]);
                    let pairs = (0..=clients).flat_map(|one| (0..=clients).map(move |other| (one, other)));
                    let delta =
                        pairs.map(|(one, other)| (p[0][one] * p[1][other] - ratio * q[0][one] * q[1][other]).max(0.0));
                    replaced = replaced.max(delta.sum());
                }
            }
            let accepts = |adjacency: &str, delta: f64| {
                let release = json!([
                    {"mechanism": "rappor", "query": "histogram", "epsilon0": epsilon0.to_string(), "clients": clients}
                ]);
                let ends: Vec<usize> = (0..clients).collect();
                let steering = json!({"step": "1/200", "nodes": 420, "block_ends": ends});
                let certificate = aggregated(&epsilon.to_string(), &format!("{delta:.9}"), release, steering);
                holds(&certificate.replace("replacement", adjacency))
            };
            assert!(accepts("deletion", worst * 1.001 + 1e-8), "{clients} {epsilon0} {epsilon} {worst}");
            assert!(!accepts("deletion", worst * 0.999 - 1e-8), "{clients} {epsilon0} {epsilon} {worst}");
            assert!(accepts("replacement", replaced * 1.3 + 1e-8), "{clients} {epsilon0} {epsilon} {replaced}");
            assert!(!accepts("replacement", replaced * 0.999 - 1e-8), "{clients} {epsilon0} {epsilon} {replaced}");
        }
    }
}
