//! The bounds against slow sums over all datasets, and what a planted fault does to them.

mod attained;
mod composed;
mod exact;
mod rounding;
mod smooth;

use super::count_law::{CountLaw, CountValues};
use super::hockey_stick::{HockeyStick, Own};
use super::pairs::{Pairs, Verdict};
use super::smooth::SmoothStick;
use super::*;

/// The number that a float is.
pub(super) fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("finite")
}

/// The probabilities of a sum of randomized bits, one client after the other, in plain floats.
pub(super) fn slow_law(p: f64, zeros: u64, ones: u64) -> Vec<f64> {
    let mut law = vec![1.0];
    for client in 0..zeros + ones {
        let (zero, one) = if client < zeros {
            (1.0 - p, p)
        } else {
            (p, 1.0 - p)
        };
        let mut next = vec![0.0; law.len() + 1];
        for (count, weight) in law.iter().enumerate() {
            next[count] += weight * zero;
            next[count + 1] += weight * one;
        }
        law = next;
    }
    law
}

/// δ at ε by summing over all outcomes, for one dataset.
fn slow_delta(p: f64, clients: u64, removed: u64, added: u64, epsilon: f64, two: bool) -> f64 {
    let others = clients - 1;
    let law = |ones: u64| slow_law(p, clients - ones, ones);
    let (first, first_after) = (law(removed + 1), law(removed));
    let (second, second_after) = if two {
        (law(added), law(added + 1))
    } else {
        (vec![1.0], vec![1.0])
    };
    assert!(removed + added <= others);
    let mut delta = 0.0;
    for (a, b) in first.iter().zip(&first_after) {
        for (c, d) in second.iter().zip(&second_after) {
            delta += (a * c - epsilon.exp() * b * d).max(0.0);
        }
    }
    delta
}

fn flip_probability(epsilon0: f64) -> f64 {
    (epsilon0.exp() + 1.0).recip()
}

/// That two bounds hold for probabilities that are off by a relative `error`, and allow for hardly more. `worst` is the
/// largest Σ (a·P − b·Q)₊ of a dataset; that of a lower bound has a name.
pub(crate) fn assert_bounds_allow_for(
    error: f64,
    alpha: f64,
    upper: f64,
    lower: (f64, Option<OthersHold>),
    worst: impl Fn(bool, f64, f64) -> f64,
) {
    let (more, less) = (1.0 + error, 1.0 - error);
    let (most, least) = (1.0 + 3.1 * error, 1.0 - 3.1 * error);
    assert!(upper >= worst(false, more, alpha * less));
    let loose = worst(false, most * most, alpha * least);
    assert!(upper <= loose + 1e-14, "{error} {alpha}: {upper} {loose}");

    let (lower, named) = lower;
    assert!(lower <= worst(true, less, alpha * more));
    let loose = worst(true, least * least, alpha * most);
    assert!(lower >= loose - 1e-14, "{error} {alpha}: {lower} {loose}");
    assert_eq!(named.is_some(), lower > 0.0);
}

#[test]
fn the_recurrence_gives_the_law_of_a_sum_of_bits() {
    for epsilon0 in ["0.01", "0.5", "2", "7", "20"] {
        let flip = Flip::new(&epsilon0.parse().unwrap()).unwrap();
        for (zeros, ones) in [
            (0, 0),
            (1, 0),
            (0, 1),
            (3, 4),
            (40, 0),
            (0, 40),
            (17, 23),
            (60, 2),
        ] {
            let slow = slow_law(flip_probability(flip.epsilon0), zeros, ones);
            let law = CountLaw::new(&flip, zeros, ones, 60.0).unwrap();
            for (place, (lower, upper)) in law.lower.iter().zip(&law.upper).enumerate() {
                let exact = slow[to_place(law.first) + place];
                assert!(
                    lower / law.total_upper <= exact * (1.0 + 1e-12),
                    "{epsilon0} {zeros} {ones} {place}: {lower} {upper} {} {} {exact}",
                    law.total_lower,
                    law.total_upper
                );
                assert!(upper / law.total_lower >= exact * (1.0 - 1e-12));
                assert!(
                    upper / lower < 1.0 + 1e-9,
                    "{epsilon0} {zeros} {ones} {place}"
                );
            }
            let tail: f64 = slow.iter().skip(to_place(law.first) + 1).sum();
            assert!(law.at_least(law.first + 1) >= tail * (1.0 - 1e-12));
        }
    }
}

#[test]
fn the_law_keeps_its_precision_where_a_large_odds_ratio_meets_few_ones() {
    // A_k is of the size of E except next to k = b, where it is of the size of 1/E.
    let flip = Flip::new(&"14".parse().unwrap()).unwrap();
    let law = CountLaw::new(&flip, 994, 5, 60.0).unwrap();
    let slow = slow_law(flip_probability(14.0), 994, 5);
    for (place, (lower, upper)) in law.lower.iter().zip(&law.upper).enumerate() {
        assert!(upper / lower < 1.0 + 1e-11, "{place}: {lower} {upper}");
        let exact = slow[to_place(law.first) + place];
        assert!(lower / law.total_upper <= exact * (1.0 + 1e-12));
        assert!(upper / law.total_lower >= exact * (1.0 - 1e-12));
        // What is read off the law: the mass below, at and from a place on.
        let k = law.first + place as u64;
        let below: f64 = slow[..to_place(k)].iter().sum();
        assert!(law.exactly(k) >= exact * (1.0 - 1e-12));
        assert!(law.below(k) >= below - 1e-12);
        assert!(law.below(k) <= below + 1e-9);
        let three: f64 = slow[to_place(k)..].iter().take(3).sum();
        assert!(law.within(k, k + 3) >= three - 1e-12);
    }
}

fn to_place(first: u64) -> usize {
    usize::try_from(first).expect("small")
}

#[test]
fn upper_bounds_hold_for_every_dataset_of_a_few_clients() {
    for epsilon0 in ["0.1", "0.5", "2", "5"] {
        for clients in [1u64, 2, 5, 9] {
            let sum = AggregatedRappor::new(epsilon0.parse().unwrap(), clients).unwrap();
            let p = flip_probability(sum.flip.epsilon0);
            let curve = sum.curve(60.0).unwrap();
            for share in [0.05, 0.3, 0.6, 0.9, 0.99] {
                for (two, adjacency) in
                    [(true, Adjacency::Replacement), (false, Adjacency::Deletion)]
                {
                    let epsilon = share * sum.local_epsilon(adjacency).to_f64();
                    let upper = curve.at(adjacency, epsilon.exp());
                    let mut worst = 0.0f64;
                    for removed in 0..clients {
                        for added in 0..clients - removed {
                            let delta = slow_delta(p, clients, removed, added, epsilon, two);
                            worst = worst.max(delta);
                        }
                    }
                    assert!(
                        upper >= worst * (1.0 - 1e-12),
                        "{epsilon0} {clients} {share}"
                    );
                    // Tight for one count. Two are bounded by the worst data of each, which for
                    // a few clients is not the worst of both.
                    let loose = if two { 2.0 } else { 1.001 };
                    assert!(upper <= worst * loose + 1e-9, "{clients}: {upper} {worst}");
                }
            }
        }
    }
}

#[test]
fn a_named_dataset_attains_the_lower_bound() {
    for (epsilon0, clients, delta) in [("0.5", 8, "1e-2"), ("2", 30, "1e-4"), ("4", 60, "1e-6")] {
        let sum = AggregatedRappor::new(epsilon0.parse().unwrap(), clients).unwrap();
        let p = flip_probability(sum.flip.epsilon0);
        for (two, adjacency) in [(true, Adjacency::Replacement), (false, Adjacency::Deletion)] {
            let bounds = sum.epsilon(&delta.parse().unwrap(), adjacency).unwrap();
            let hold = bounds.attained_by;
            let lower = bounds.lower.to_f64();
            let attained = slow_delta(p, clients, hold.removed, hold.added, lower, two);
            let target: f64 = delta.parse().unwrap();
            assert!((attained / target - 1.0).abs() < 1e-4, "{attained}");
            assert!(bounds.upper >= bounds.lower);
        }
    }
}

#[test]
fn the_curve_with_one_half_line_left_out_is_caught() {
    // A planted fault: the best half-line is off by one. It is below the true curve somewhere.
    let flip = Flip::new(&"2".parse().unwrap()).unwrap();
    let count = HockeyStick::new(&flip, 3, 5, 60.0).unwrap();
    let slow = (slow_law(flip.p, 3, 6), slow_law(flip.p, 4, 5));
    let mut caught = false;
    for step in 1..40 {
        let alpha = (f64::from(step) * 0.05).exp();
        let exact: f64 = slow
            .0
            .iter()
            .zip(&slow.1)
            .map(|(a, b)| (a - alpha * b).max(0.0))
            .sum();
        let best = count.best(alpha, 1);
        assert!(count.upper_at(&[alpha])[0] >= exact);
        assert!(count.line_lower(alpha, best) <= exact);
        assert!(count.line_lower(alpha, best) >= exact * (1.0 - 1e-9));
        caught |= count.line_lower(alpha, best - 1) < exact * (1.0 - 1e-9);
    }
    assert!(caught);
}

#[test]
fn a_cover_that_forgets_the_extreme_dataset_is_caught() {
    // A planted fault: the sweep stops short of b = n − 1, where the worst datasets are.
    let sum = AggregatedRappor::new("2".parse().unwrap(), 40).unwrap();
    let alpha = 1.2f64.exp();
    let extreme = HockeyStick::new(&sum.flip, 0, 39, 60.0)
        .unwrap()
        .upper_at(&[alpha])[0];
    let rest = (0..30).map(|ones| {
        let count = HockeyStick::new(&sum.flip, 39 - ones, ones, 60.0).unwrap();
        count.upper_at(&[alpha])[0]
    });
    assert!(rest.fold(0.0f64, f64::max) < extreme * 0.99);
    assert!(sum.curve(60.0).unwrap().one(alpha) >= extreme);
}

#[test]
fn few_probabilities_of_a_wide_count_bound_it_from_above_and_closely() {
    // The curve from all probabilities is certified by itself, and within rounding of the truth.
    let clients = 4_400_000u64;
    for (epsilon0, ones) in [("0.5", 0), ("1", clients / 3), ("1", clients)] {
        let flip = Flip::new(&epsilon0.parse().unwrap()).unwrap();
        for own in [Own::Randomized, Own::Known] {
            let each = HockeyStick::with_own(&flip, clients - ones, ones, 30.0, own).unwrap();
            if flip.epsilon0 < 1.0 {
                let few = SmoothStick::new(&flip, clients - ones, ones, 30.0, own).unwrap();
                let nodes: Vec<f64> = (0..200)
                    .map(|i| (f64::from(i) / 199.0 * few.largest_loss()).exp())
                    .collect();
                let tightest = each.upper_at(&nodes);
                let values = few.upper_at(&nodes).into_iter().zip(tightest);
                // Below, the window that it is compared with ends.
                for (above, exact) in values.filter(|(_, exact)| *exact > 1e-12) {
                    assert!(above >= exact * (1.0 - 1e-9), "{own:?}: {above} {exact}");
                    assert!(above <= exact * 1.03, "{own:?}: {above} {exact}");
                }
            } else {
                // Not wide enough.
                assert!(SmoothStick::new(&flip, 10_000, 10_000, 30.0, own).is_none());
            }
        }
    }
}

#[test]
fn a_wide_count_that_is_a_tenth_too_small_is_caught() {
    // A planted fault in the scale of the curve: the bound from all probabilities is above it.
    let flip = Flip::new(&"0.5".parse().unwrap()).unwrap();
    let few = SmoothStick::new(&flip, 0, 5_000_000, 30.0, Own::Randomized).unwrap();
    let each = HockeyStick::new(&flip, 0, 5_000_000, 30.0).unwrap();
    let node = (few.largest_loss() / 3.0).exp();
    assert!(few.upper_at(&[node])[0] * 0.9 < each.upper_at(&[node])[0]);
}

#[test]
fn pairs_of_groups_bound_every_dataset_of_a_few_clients_tightly() {
    for (epsilon0, clients) in [("0.5", 9u64), ("2", 7), ("3", 12)] {
        let sum = AggregatedRappor::new(epsilon0.parse().unwrap(), clients).unwrap();
        let p = flip_probability(sum.flip.epsilon0);
        let cover = sum.fine_cover(60.0).unwrap();
        for share in [0.05, 0.3, 0.6, 0.9] {
            let epsilon = share * 2.0 * sum.flip.epsilon0;
            let mut worst = 0.0f64;
            for removed in 0..clients {
                for added in 0..clients - removed {
                    let delta = slow_delta(p, clients, removed, added, epsilon, true);
                    worst = worst.max(delta);
                }
            }
            let search = |target| Pairs::new(&cover).search(epsilon.exp(), target);
            // Never below the worst dataset, and hardly above it.
            assert!(!matches!(search(worst * (1.0 - 1e-9)), Verdict::Meets));
            assert!(matches!(search(worst * 1.002 + 1e-9), Verdict::Meets));
            // A planted fault: without the largest b the search misses the worst dataset.
            let mut cut = cover.clone();
            cut.blocks[0].values.fill(0.0);
            let missed = Pairs::new(&cut).search(epsilon.exp(), worst * (1.0 - 1e-9));
            assert!(
                share < 0.2 || matches!(missed, Verdict::Meets),
                "{epsilon0} {share}"
            );
        }
    }
}
