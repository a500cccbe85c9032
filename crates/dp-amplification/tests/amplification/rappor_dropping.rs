//! Aggregated RAPPOR with dropped reports and with several ones, against brute force.

use std::collections::BTreeMap;

use crate::common::number;
use dp_amplification::aggregated_rappor::{AggregatedRappor, MultiHot, Verdicts, WeightLimit};
use dp_calibration::Adjacency;

/// The bits of a report.
const LENGTH: usize = 3;

/// What is seen of a report, and with which probability: its bits, or that it is dropped.
type Reports = Vec<(Option<usize>, f64)>;

fn sum(epsilon0: &str, clients: u64) -> AggregatedRappor {
    let epsilon0 = epsilon0.parse().expect("positive");
    AggregatedRappor::new(epsilon0, clients).expect("accepted")
}

/// All reports of an input, given by its bits.
fn reports(epsilon0: f64, input: usize, max_weight: u32) -> Reports {
    let p = (epsilon0.exp() + 1.0).recip();
    let all = (0..1_usize << LENGTH).map(|report| {
        let flips = (report ^ input).count_ones();
        let probability = (0..LENGTH).fold(1.0, |product, bit| {
            product * if bit < flips as usize { p } else { 1.0 - p }
        });
        let kept = (report.count_ones() <= max_weight).then_some(report);
        (kept, probability)
    });
    all.collect()
}

/// The law of the sums of the bits and the number of accepted reports, as the place in an array
/// of base `base`.
fn add(law: &[f64], reports: &Reports, base: usize) -> Vec<f64> {
    let place = |report: &Option<usize>| {
        report.map_or(0, |bits| {
            (0..LENGTH).fold(1, |place, bit| place * base + (bits >> bit & 1))
        })
    };
    let steps: Vec<(usize, f64)> = reports.iter().map(|(r, p)| (place(r), *p)).collect();
    let mut sum = vec![0.0; law.len()];
    for (from, &mass) in law.iter().enumerate().filter(|&(_, &mass)| mass > 0.0) {
        for &(step, probability) in &steps {
            sum[from + step] += mass * probability;
        }
    }
    sum
}

/// The ε at δ between two laws.
fn epsilon(before: &[f64], after: &[f64], delta: f64) -> f64 {
    let at = |epsilon: f64| -> f64 {
        let cells = before.iter().zip(after);
        cells.map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
    };
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if at(middle) > delta {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The largest ε over all datasets of nine others, where the number of dropped reports is seen.
fn worst_of_ten_clients(max_weight: u32) -> f64 {
    let hot: Vec<Reports> = (0..LENGTH)
        .map(|bit| reports(0.5, 1 << bit, max_weight))
        .collect();
    let mut nothing = vec![0.0; 11 * 11 * 11 * 11];
    nothing[0] = 1.0;
    let mut worst = 0.0f64;
    let mut first = nothing;
    for removed in 0..=9 {
        let mut second = first.clone();
        for added in 0..=9 - removed {
            let mut third = second.clone();
            for _ in 0..9 - removed - added {
                third = add(&third, &hot[2], 11);
            }
            let (before, after) = (add(&third, &hot[0], 11), add(&third, &hot[1], 11));
            worst = worst.max(epsilon(&before, &after, 1e-3));
            second = add(&second, &hot[1], 11);
        }
        first = add(&first, &hot[0], 11);
    }
    worst
}

#[test]
fn dropping_costs_ten_clients_what_a_sum_over_all_their_datasets_says() {
    let delta = "1e-3".parse().unwrap();
    let sum = sum("0.5", 10);
    let limit = |max_weight| WeightLimit {
        length: 3,
        max_weight,
    };
    for (max_weight, expected) in [(3, 0.5617), (2, 0.5674)] {
        let exact = worst_of_ten_clients(u32::try_from(max_weight).unwrap());
        assert!((exact - expected).abs() < 5e-5, "{exact}");
        let bounds = |verdicts| {
            let limit = limit(max_weight);
            let upper = sum.epsilon_with_verdicts(&delta, Adjacency::Replacement, limit, verdicts);
            let lower =
                sum.attained_epsilon_with_verdicts(&delta, Adjacency::Replacement, limit, verdicts);
            (upper.unwrap().upper.to_f64(), lower.unwrap().0.to_f64())
        };
        let (upper, lower) = bounds(Verdicts::Counted);
        assert!(upper >= exact * (1.0 - 1e-9) && upper <= exact * (1.0 + 1e-8));
        assert!(lower <= exact * (1.0 + 1e-9) && lower >= exact * (1.0 - 1e-8));
        // Who sees which reports are dropped learns more.
        let (upper, _) = bounds(Verdicts::Each);
        assert!(upper >= exact * (1.0 - 1e-9));
    }
    let default = sum.epsilon_with_drops(&delta, Adjacency::Replacement, limit(2));
    let default = default.unwrap().upper.to_f64();
    assert!((default - 0.64527).abs() < 1e-5, "{default}");
}

/// The laws of everything that an aggregator sees: each verdict, and the sum.
fn every_verdict(clients: &[&Reports]) -> BTreeMap<(usize, [usize; LENGTH]), f64> {
    let mut law = BTreeMap::from([((0, [0; LENGTH]), 1.0)]);
    for (client, reports) in clients.iter().enumerate() {
        let mut next = BTreeMap::new();
        for ((verdicts, sums), mass) in law {
            for (report, probability) in *reports {
                let (mut verdicts, mut sums) = (verdicts, sums);
                if let Some(bits) = report {
                    verdicts |= 1 << client;
                    for (bit, sum) in sums.iter_mut().enumerate() {
                        *sum += bits >> bit & 1;
                    }
                }
                *next.entry((verdicts, sums)).or_insert(0.0) += mass * probability;
            }
        }
        law = next;
    }
    law
}

/// The largest δ at ε over inputs of `clients` − 1 others, for one pair of inputs of the client.
fn worst_delta(inputs: &[Reports], pair: [&Reports; 2], clients: usize, epsilon: f64) -> f64 {
    let mut worst = 0.0f64;
    let datasets = inputs.len().pow(u32::try_from(clients - 1).expect("small"));
    for dataset in 0..datasets {
        let mut left = dataset;
        let mut all: Vec<&Reports> = Vec::new();
        for _ in 1..clients {
            all.push(&inputs[left % inputs.len()]);
            left /= inputs.len();
        }
        let of = |client| {
            let mut all = all.clone();
            all.push(client);
            every_verdict(&all)
        };
        let (before, after) = (of(pair[0]), of(pair[1]));
        let delta = before.iter().map(|(seen, p)| {
            let q = after.get(seen).copied().unwrap_or(0.0);
            (p - epsilon.exp() * q).max(0.0)
        });
        worst = worst.max(delta.sum());
    }
    worst
}

#[test]
fn an_aggregator_that_sees_every_verdict_learns_what_is_promised_and_no_more() {
    for (epsilon0, max_weight, delta) in [("0.5", 2, "0.01"), ("2", 1, "0.1"), ("1", 2, "0.05")] {
        let value: f64 = epsilon0.parse().unwrap();
        let hot: Vec<Reports> = (0..LENGTH)
            .map(|bit| reports(value, 1 << bit, max_weight))
            .collect();
        let zero = reports(value, 0, max_weight);
        let sum = sum(epsilon0, 3);
        let limit = WeightLimit {
            length: 3,
            max_weight: max_weight.into(),
        };
        for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
            let pairs = match adjacency {
                Adjacency::Replacement => vec![[&hot[0], &hot[1]]],
                Adjacency::Deletion => vec![[&hot[0], &zero], [&zero, &hot[0]]],
            };
            let parsed = delta.parse().unwrap();
            let bounds = sum.epsilon_with_drops(&parsed, adjacency, limit).unwrap();
            let at = |epsilon| {
                let pairs = pairs.iter();
                let deltas = pairs.map(|pair| worst_delta(&hot, *pair, 3, epsilon));
                deltas.fold(0.0, f64::max)
            };
            let (upper, target): (f64, f64) = (bounds.upper.to_f64(), delta.parse().unwrap());
            assert!(
                at(upper) <= target * (1.0 + 1e-9),
                "{epsilon0} {adjacency:?}"
            );
            assert!(
                at(upper * (1.0 - 1e-6)) >= target,
                "{epsilon0} {adjacency:?}"
            );
        }
    }
}

#[test]
fn inputs_with_several_ones_are_covered_whatever_they_and_the_others_hold() {
    let (ones, delta) = (2, "0.05");
    for (epsilon0, max_weight) in [("0.5", 3), ("0.5", 2), ("1.5", 2)] {
        let value: f64 = epsilon0.parse().unwrap();
        let allowed = (0..1_usize << LENGTH).filter(|input| input.count_ones() <= ones);
        let inputs: Vec<Reports> = allowed
            .map(|input| reports(value, input, max_weight))
            .collect();
        let sum = sum(epsilon0, 2);
        let input = MultiHot {
            length: 3,
            ones: ones.into(),
        };
        let parsed = delta.parse().unwrap();
        let target: f64 = delta.parse().unwrap();
        let bounds = sum
            .epsilon_multi_hot_with_drops(&parsed, Adjacency::Replacement, input, max_weight.into())
            .unwrap();
        let upper = bounds.upper.to_f64();
        for before in &inputs {
            for after in &inputs {
                let delta = worst_delta(&inputs, [before, after], 2, upper);
                assert!(
                    delta <= target * (1.0 + 1e-9),
                    "{epsilon0} {max_weight} {delta}"
                );
            }
        }
        if max_weight == 3 {
            let kept = sum.epsilon_multi_hot(&parsed, Adjacency::Replacement, input);
            assert!(kept.unwrap() <= bounds.upper);
        }
    }
}

#[test]
fn one_hot_inputs_are_inputs_of_one_one() {
    let delta = "1e-6".parse().unwrap();
    let sum = sum("3", 2000);
    let input = MultiHot {
        length: 100,
        ones: 1,
    };
    for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
        let one_hot = sum.epsilon(&delta, adjacency).unwrap();
        let same = sum.epsilon_multi_hot(&delta, adjacency, input).unwrap();
        assert!(same >= one_hot.lower && same <= &one_hot.upper * &number("1.00001"));
        // Dropping costs inputs of unequal weights more: whether one is dropped tells about them.
        let limit = WeightLimit {
            length: 100,
            max_weight: 18,
        };
        let dropping = sum.epsilon_with_drops(&delta, adjacency, limit).unwrap();
        let unequal = sum.epsilon_multi_hot_with_drops(&delta, adjacency, input, 18);
        let unequal = unequal.unwrap();
        assert!(dropping.upper >= one_hot.lower && unequal.upper >= dropping.upper);
        assert!(unequal.critical >= dropping.critical);
    }
}

#[test]
fn the_guarantee_composes_over_every_coordinate_that_may_change() {
    let delta = "1e-9".parse().unwrap();
    let sum = sum("5", 100_000);
    let of = |ones, adjacency| {
        let input = MultiHot { length: 1000, ones };
        sum.epsilon_multi_hot(&delta, adjacency, input).unwrap()
    };
    let mut last = number("0");
    for ones in [1, 2, 3, 5] {
        let twice = of(ones, Adjacency::Replacement);
        assert!(twice > last);
        // Replacing w ones changes as many coordinates as deleting 2w.
        let deleted = of(2 * ones, Adjacency::Deletion);
        assert!((twice.to_f64() / deleted.to_f64() - 1.0).abs() < 1e-9);
        last = twice;
    }
    // A length of three leaves three coordinates to change.
    let short = MultiHot { length: 3, ones: 2 };
    assert_eq!(short.changed(Adjacency::Replacement), 3);
    assert!(
        sum.epsilon_multi_hot(
            &delta,
            Adjacency::Replacement,
            MultiHot { length: 3, ones: 0 }
        )
        .is_err()
    );
}

#[test]
fn a_tight_limit_costs_little_where_the_others_hide_what_is_dropped() {
    // One report in eleven hundred is dropped, and one in a hundred is next to it.
    let delta = "1e-9".parse().unwrap();
    let sum = sum("5", 100_000);
    let plain = sum.epsilon(&delta, Adjacency::Replacement).unwrap();
    let limit = WeightLimit {
        length: 1000,
        max_weight: 15,
    };
    let bounds = sum
        .epsilon_with_drops(&delta, Adjacency::Replacement, limit)
        .unwrap();
    assert!(bounds.upper >= plain.lower && bounds.upper <= &plain.upper * &number("1.02"));
    // P(Bin(998, p) = 14)
    let critical = bounds.critical.to_f64();
    assert!((critical / 4.970_726e-3 - 1.0).abs() < 1e-6, "{critical}");
    // Nothing is refuted where drops are to be expected.
    let (lower, _) = sum
        .attained_epsilon_with_verdicts(&delta, Adjacency::Replacement, limit, Verdicts::Counted)
        .unwrap();
    assert!(lower <= plain.lower);
}
