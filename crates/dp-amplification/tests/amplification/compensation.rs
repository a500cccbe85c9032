//! Compensation: what is added, what it promises, and what a mistake in it does to the result.

use crate::common::number;
use dp_amplification::aggregated_rappor::{AggregatedRappor, WeightLimit};
use dp_amplification::compensation::{Batch, Compensation};
use dp_calibration::Adjacency;
use dp_exact::Epsilon;

fn plan(epsilon0: &str, reports: u64, malicious: u64, wanted: u64, adders: u32) -> Compensation {
    let batch = Batch { reports, malicious };
    let epsilon0 = epsilon0.parse().expect("positive");
    Compensation::new(epsilon0, batch, wanted, adders).expect("accepted")
}

#[test]
fn what_is_added_follows_from_public_counts() {
    for (reports, malicious, wanted, zeros) in [
        (100, 0, 100, 0),
        (100, 10, 100, 10),
        (100, 99, 100, 99),
        (100, 10, 50, 0),
        (1, 0, 10_000_000_000, 9_999_999_999),
    ] {
        let plan = plan("2", reports, malicious, wanted, 3);
        assert_eq!(plan.added_zeros(), zeros);
        assert_eq!(plan.debias_count(), reports + 3 * zeros);
        assert_eq!(plan.one_client().unwrap().added_zeros(), zeros);
    }
}

#[test]
fn one_client_among_added_zeros_has_the_published_guarantee() {
    // One honest client, all others known, one honest aggregator.
    let delta = "1e-9".parse().unwrap();
    for (zeros, published) in [(1_000, 6.119), (10_000, 1.0343), (100_000, 0.28474)] {
        let plan = plan("5", 1, 0, zeros + 1, 2);
        assert_eq!(plan.added_zeros(), zeros);
        let bounds = plan.epsilon(&delta, Adjacency::Replacement).unwrap();
        let (lower, upper) = (bounds.lower.to_f64(), bounds.upper.to_f64());
        assert!((upper / published - 1.0).abs() < 1e-3, "{bounds:?}");
        assert!((lower / published - 1.0).abs() < 1e-3, "{bounds:?}");
        assert!(lower <= upper);
    }
}

/// Few clients whose data are not known, among many zeros: the worst number of ones is one of few.
#[test]
fn under_deletion_the_worst_data_of_a_few_clients_are_named() {
    for (epsilon0, honest, zeros, slack) in [("1", 4, 30, "0.01"), ("0.3", 5, 30, "1e-5")] {
        let plan = plan(epsilon0, honest, 0, honest + zeros, 2);
        let delta = slack.parse().unwrap();
        let bounds = plan.epsilon(&delta, Adjacency::Deletion).unwrap();
        assert!(bounds.lower <= bounds.upper);
        let ratio = bounds.upper.to_f64() / bounds.lower.to_f64();
        assert!(ratio < 1.0001, "{bounds:?}");
    }
}

#[test]
fn compensation_restores_the_guarantee_of_the_missing_clients() {
    let delta = "1e-9".parse().unwrap();
    let full = AggregatedRappor::new("5".parse().unwrap(), 20_000).unwrap();
    for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
        let wanted = full.epsilon(&delta, adjacency).unwrap().upper;
        let mut last = wanted.clone();
        for (reports, malicious) in [(20_000, 2_000), (15_000, 5_000), (4_000, 3_000)] {
            let plan = plan("5", reports, malicious, 20_000, 2);
            let before = plan.before().unwrap().epsilon(&delta, adjacency).unwrap();
            let after = plan.epsilon(&delta, adjacency).unwrap();
            assert!(after.upper < before.lower, "{after:?} {before:?}");
            assert!(
                after.upper <= &last * &number("1.001"),
                "{after:?} {last:?}"
            );
            assert!(after.lower <= after.upper);
            assert!(after.upper <= &after.lower * &number("1.001"), "{after:?}");
            last = after.upper;
        }
        // Known zeros are not the worst data for the count that a client leaves, so replacement
        // is hidden better still; a value that appears among zeros only is not.
        match adjacency {
            Adjacency::Replacement => assert!(last <= &wanted * &number("0.93")),
            Adjacency::Deletion => assert!(last >= &wanted * &number("0.999")),
        }
    }
}

#[test]
fn nothing_missing_is_the_plain_sum() {
    let delta = "1e-6".parse().unwrap();
    let plan = plan("3", 2_000, 0, 1_000, 2);
    assert_eq!(plan.added_zeros(), 0);
    for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
        let with = plan.epsilon(&delta, adjacency).unwrap();
        let plain = plan.before().unwrap().epsilon(&delta, adjacency).unwrap();
        assert!((with.upper.to_f64() / plain.upper.to_f64() - 1.0).abs() < 1e-3);
        assert!((with.lower.to_f64() / plain.lower.to_f64() - 1.0).abs() < 1e-3);
    }
}

#[test]
fn delta_at_epsilon_is_the_inverse_of_epsilon_at_delta() {
    let plan = plan("4", 500, 100, 3_000, 2);
    for (adjacency, delta) in [
        (Adjacency::Replacement, "1e-12"),
        (Adjacency::Deletion, "1e-3"),
    ] {
        let bounds = plan.epsilon(&delta.parse().unwrap(), adjacency).unwrap();
        let epsilon = Epsilon::new(bounds.upper).unwrap();
        let back = plan.delta(&epsilon, adjacency).unwrap();
        assert!(back.lower <= number(delta), "{back:?}");
        assert!(back.upper <= &number(delta) * &number("1.05"), "{back:?}");
    }
    let zero = "0".parse().unwrap();
    let pure = plan.epsilon(&zero, Adjacency::Replacement).unwrap();
    assert_eq!((pure.upper, pure.lower), (number("8"), number("8")));
}

/// The exact mean of an estimate, by summing over the means of all bits.
fn mean_estimate(truth: f64, reports: f64, bits_added: f64, used: f64, epsilon0: f64) -> f64 {
    let (p, odds) = ((epsilon0.exp() + 1.0).recip(), epsilon0.exp());
    let count = truth * (1.0 - p) + (reports - truth) * p + bits_added * p;
    (count * (odds + 1.0) - used) / (odds - 1.0)
}

#[test]
fn a_wrong_debias_count_shows_as_the_predicted_bias() {
    let plan = plan("2", 800, 100, 1_000, 3);
    let zeros = 300.0;
    let each = zeros / 2f64.exp_m1();
    assert_eq!(plan.debias_count(), 1_700);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    close(plan.bias(3, plan.debias_count()), 0.0);
    // n + M in place of n + A·M.
    close(plan.bias(3, 1_100), 2.0 * each);
    // One aggregator, then two, leave their noise out.
    close(plan.bias(2, plan.debias_count()), -each);
    close(plan.bias(1, plan.debias_count()), -2.0 * each);
    for (added_by, used) in [(3u32, 1_700u32), (3, 1_100), (2, 1_700), (0, 800)] {
        let added = f64::from(added_by) * zeros;
        let mean = mean_estimate(42.0, 800.0, added, f64::from(used), 2.0);
        close(plan.bias(added_by, used.into()), mean - 42.0);
    }
}

#[test]
fn the_error_counts_all_bits_that_are_added() {
    let plan = plan("5", 60_000, 10_000, 100_000, 2);
    let expected = (160_000f64 * 5f64.exp()).sqrt() / 5f64.exp_m1();
    assert!((plan.standard_error() - expected).abs() < 1e-9);
}

#[test]
fn parameters_out_of_range_are_errors() {
    let new = |epsilon0: &str, reports, malicious, wanted, adders| {
        let batch = Batch { reports, malicious };
        Compensation::new(epsilon0.parse().expect("positive"), batch, wanted, adders)
    };
    assert!(new("1", 10, 0, 10, 2).is_ok());
    assert!(new("101", 10, 0, 10, 2).is_err());
    assert!(new("1", 0, 0, 10, 2).is_err());
    assert!(new("1", 10, 10, 10, 2).is_err());
    assert!(new("1", u64::MAX, 0, 10, 2).is_err());
    assert!(new("1", 10, 0, u64::MAX, 2).is_err());
    assert!(new("1", 10, 0, 0, 2).is_err());
    assert!(new("1", 10, 0, 10, 0).is_err());
    assert!(new("1", 10, 0, 10, 255).is_err());
    let plan = new("1", 10, 0, 10, 2).unwrap();
    let epsilon = |delta: &str| plan.epsilon(&delta.parse().unwrap(), Adjacency::Deletion);
    assert!(epsilon("1e-300").is_err() && epsilon("0.95").is_err());
}

/// The law of a sum of randomized bits, in plain floats.
fn law(p: f64, zeros: u64, ones: u64) -> Vec<f64> {
    let flips = (0..zeros).map(|_| p).chain((0..ones).map(|_| 1.0 - p));
    flips.fold(vec![1.0], |law, one| {
        let mut next = vec![0.0; law.len() + 1];
        for (count, mass) in law.iter().enumerate() {
            next[count] += mass * (1.0 - one);
            next[count + 1] += mass * one;
        }
        next
    })
}

/// δ at ε in the worse direction, for one dataset of the others among `known` zeros.
fn slow_delta(p: f64, known: u64, data: [u64; 3], epsilon: f64, adjacency: Adjacency) -> f64 {
    let bits = data.iter().sum::<u64>() + known + 1;
    let count = |ones: u64| law(p, bits - ones, ones);
    let (first, first_after) = (count(data[0] + 1), count(data[0]));
    let (second, second_after) = match adjacency {
        Adjacency::Replacement => (count(data[1]), count(data[1] + 1)),
        Adjacency::Deletion => (vec![1.0], vec![1.0]),
    };
    let (mut there, mut back) = (0.0, 0.0);
    for (a, b) in first.iter().zip(&first_after) {
        for (c, d) in second.iter().zip(&second_after) {
            there += (a * c - epsilon.exp() * b * d).max(0.0);
            back += (b * d - epsilon.exp() * a * c).max(0.0);
        }
    }
    f64::max(there, back)
}

#[test]
fn no_dataset_of_a_few_clients_exceeds_the_bounds_in_either_direction() {
    for (epsilon0, reports, zeros) in [
        ("0.5", 5, 0),
        ("0.5", 1, 4),
        ("1", 4, 3),
        ("2", 3, 9),
        ("6", 4, 6),
    ] {
        let plan = plan(epsilon0, reports, 0, reports + zeros, 2);
        assert_eq!(plan.added_zeros(), zeros);
        let p = (epsilon0.parse::<f64>().unwrap().exp() + 1.0).recip();
        for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
            for delta in ["0.1", "0.01", "1e-5"] {
                let worst = |epsilon: f64| {
                    let mut worst = 0.0f64;
                    for removed in 0..reports {
                        for added in 0..reports - removed {
                            let data = [removed, added, reports - 1 - removed - added];
                            worst = worst.max(slow_delta(p, zeros, data, epsilon, adjacency));
                        }
                    }
                    worst
                };
                let bounds = plan.epsilon(&delta.parse().unwrap(), adjacency).unwrap();
                let case = (epsilon0, reports, zeros, adjacency, delta);
                assert!(bounds.lower <= bounds.upper, "{case:?} {bounds:?}");
                let most = delta.parse::<f64>().unwrap() * (1.0 + 1e-9);
                assert!(worst(bounds.upper.to_f64()) <= most, "{case:?} {bounds:?}");
                // δ at an ε on the way.
                let half = &bounds.upper * &number("0.5");
                let Ok(half) = Epsilon::new(half) else {
                    continue;
                };
                let deltas = plan.delta(&half, adjacency).unwrap();
                let exact = worst(half.value().to_f64());
                assert!(deltas.upper.to_f64() >= exact * (1.0 - 1e-9), "{case:?}");
                assert!(deltas.lower.to_f64() <= exact * (1.0 + 1e-9), "{case:?}");
            }
        }
    }
}

#[test]
fn a_large_epsilon_of_the_bits_keeps_its_precision_among_added_zeros() {
    let delta = "1e-9".parse().unwrap();
    let plan = plan("14", 8, 2, 1000, 2);
    let bounds = plan.epsilon(&delta, Adjacency::Replacement).unwrap();
    assert!(bounds.upper <= number("22.193"), "{bounds:?}");
    assert!(bounds.upper >= bounds.lower && bounds.lower >= number("22.188"));
}

#[test]
fn where_nothing_is_missing_the_bound_is_no_worse_than_that_of_the_sum() {
    let plan = plan("0.5", 5, 0, 5, 2);
    for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
        let delta = "0.05".parse().unwrap();
        let plain = plan.before().unwrap();
        let bounds = plan.epsilon(&delta, adjacency).unwrap();
        assert!(bounds.upper <= plain.epsilon(&delta, adjacency).unwrap().upper);
        let epsilon = "0.2521151200817".parse().unwrap();
        let deltas = plan.delta(&epsilon, adjacency).unwrap();
        assert!(deltas.upper <= plain.delta(&epsilon, adjacency).unwrap().upper);
        if adjacency == Adjacency::Replacement {
            assert!(bounds.upper <= number("0.25212"), "{bounds:?}");
            assert!(deltas.upper <= number("0.0502"), "{deltas:?}");
        }
    }
}

#[test]
fn one_client_fewer_is_made_up_for_also_where_few_reports_may_be_dropped() {
    // Reports of length 100 with ε₀ = 1 are dropped from 60 ones on.
    let delta: dp_exact::Delta = "1e-6".parse().unwrap();
    let limit = WeightLimit {
        length: 100,
        max_weight: 60,
    };
    let adjacency = Adjacency::Replacement;
    let epsilon = |honest| {
        let sum = AggregatedRappor::new("1".parse().unwrap(), honest).unwrap();
        let hiding = sum.hiding_despite_drops(&delta, adjacency, limit).unwrap();
        let left = delta.value() - &(&hiding.delta_of_others + &hiding.critical);
        let plan = plan("1", honest, 0, 40, 2)
            .with_honest(hiding.clients)
            .unwrap();
        let left = dp_exact::Delta::new(left).unwrap();
        plan.epsilon(&left, adjacency).unwrap().upper
    };
    for honest in [5, 24, 25, 26] {
        assert!(epsilon(honest) < number("1.111"), "{honest}");
    }
}
