//! What counts, curves and products come to, on record.

use super::*;
use crate::aggregated_rappor::attained::Attained;
use crate::aggregated_rappor::composed::Composed;
use crate::aggregated_rappor::cover::{Resolution, cover, cover_known};
use crate::aggregated_rappor::dropping::Revealed;
use crate::aggregated_rappor::smooth::Side;
use dp_exact::directed::{count, floor_to_count};
use dp_record::Record;

const FLIPS: [&str; 5] = ["0.01", "0.5", "2", "5", "14"];

/// Zeros and ones among the others.
const OTHERS: [(u64, u64); 11] = [
    (0, 0),
    (1, 0),
    (0, 1),
    (3, 4),
    (0, 30),
    (30, 0),
    (70, 60),
    (1000, 0),
    (0, 1000),
    (12_000, 9000),
    (0, 300_000),
];

const ALPHAS: [f64; 16] = [
    1.0, 1.0000001, 1.0003, 1.002, 1.01, 1.04, 1.1, 1.25, 1.5, 2.0, 3.0, 7.0, 20.0, 100.0, 1000.0,
    1e6,
];

fn flip(epsilon0: &str) -> Flip {
    Flip::new(&epsilon0.parse().expect("a number")).expect("in range")
}

#[test]
fn counts_are_those_on_record() {
    let mut record = Record::default();
    for epsilon0 in FLIPS {
        let flip = flip(epsilon0);
        for (zeros, ones) in OTHERS {
            for depth in [40.0, 300.0] {
                let name = |of: &str| format!("{of} of {zeros} and {ones} at {epsilon0}, {depth}");
                let Some(law) = CountLaw::new(&flip, zeros, ones, depth) else {
                    record.add_answer(&name("law"), &"none");
                    continue;
                };
                record.add(&name("lower"), law.lower.iter().copied());
                record.add(&name("upper"), law.upper.iter().copied());
                let tails = law.tail_lower.iter().chain(&law.tail_upper);
                record.add(&name("tails"), tails.copied());
                let counts = [0, 1, 2, 5, 17, 40, 131, 999, 9000, 30_000, 300_001];
                let counts = counts.into_iter();
                let of = counts.flat_map(|k| [law.at_least(k), law.below(k), law.exactly(k)]);
                record.add(&name("of counts"), of);
            }
        }
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/aggregated_rappor/tests/counts.txt",
    );
}

#[test]
fn curves_are_those_on_record() {
    let mut record = Record::default();
    for epsilon0 in FLIPS {
        let flip = flip(epsilon0);
        for (zeros, ones) in OTHERS {
            for own in [Own::Randomized, Own::Known] {
                let name = |of: &str| format!("{of} of {zeros} and {ones} at {epsilon0}, {own:?}");
                if let Some(count) = HockeyStick::with_own(&flip, zeros, ones, 60.0, own) {
                    record.add(&name("curve"), count.upper_at(&ALPHAS));
                    let lines = [
                        0,
                        1,
                        count.lines() / 3,
                        count.lines() / 2,
                        count.lines() - 1,
                    ];
                    let lines = lines.map(|line| count.line_lower(1.125, line));
                    record.add(&name("lines"), lines);
                    let outcomes = (0..count.outcomes()).map(|place| count.outcome(place));
                    record.add(&name("outcomes"), outcomes.flat_map(|(a, b)| [a, b]));
                    record.add(&name("loss"), [count.largest_loss()]);
                }
                if let Some(smooth) = SmoothStick::new(&flip, zeros, ones, 60.0, own) {
                    record.add(&name("smooth"), smooth.upper_at(&ALPHAS));
                    record.add(&name("smooth loss"), [smooth.largest_loss()]);
                }
            }
        }
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/aggregated_rappor/tests/curves.txt",
    );
}

#[test]
fn steps_through_counts_are_those_on_record() {
    let mut record = Record::default();
    for epsilon0 in FLIPS {
        let flip = flip(epsilon0);
        for (zeros, ones) in [(900, 0), (0, 20_000), (100_000, 250_000), (70, 3_000_000)] {
            let Some(side) = Side::new(&flip, zeros, ones) else {
                continue;
            };
            let mean = flip.p * count(zeros) + (1.0 - flip.p) * count(ones);
            for first in [
                1,
                floor_to_count(mean * 0.9, zeros + ones),
                floor_to_count(mean, zeros + ones),
            ] {
                for number in [1, 2, 90] {
                    let steps = side.steps(first, number);
                    let name =
                        format!("{number} steps from {first}, {zeros} and {ones} at {epsilon0}");
                    record.add_answer(&name, &steps);
                }
            }
        }
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/aggregated_rappor/tests/steps.txt",
    );
}

#[test]
fn bounds_on_datasets_are_those_on_record() {
    let mut record = Record::default();
    for epsilon0 in FLIPS {
        let flip = flip(epsilon0);
        for (removed, added, neither) in [(0, 0, 0), (5, 1, 0), (40, 0, 3), (900, 90, 9)] {
            let others = OthersHold {
                removed,
                added,
                neither,
            };
            for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
                let name = format!(
                    "attained by {removed}, {added}, {neither} at {epsilon0}, {adjacency:?}"
                );
                let attained = Attained::new(&flip, others, adjacency, 60.0).expect("a pair");
                record.add(&name, ALPHAS.map(|alpha| attained.delta(alpha)));
            }
        }
        for clients in [1, 2, 9, 150, 4000, 70_000] {
            let resolution = Resolution {
                depth: 60.0,
                slack: 2e-4,
            };
            let name = |of: &str| format!("{of} of {clients} at {epsilon0}");
            if let Some(curve) = cover(&flip, clients, resolution) {
                record.add(&name("one"), ALPHAS.map(|alpha| curve.one(alpha)));
                record.add(&name("two"), ALPHAS.map(|alpha| curve.two(alpha)));
                let outcomes = curve.outcomes();
                record.add(
                    &name("outcomes"),
                    outcomes.flat_map(|(node, a, b)| [node, a, b]),
                );
                for times in [1, 2, 3, 7] {
                    if let Some(composed) = Composed::new(curve.clone(), times, 1e-15) {
                        let values = ALPHAS.map(|alpha| composed.delta(alpha));
                        record.add(&name(&format!("{times} counts")), values);
                    }
                }
            }
            if let Some((curve, told)) = cover_known(&flip, clients, resolution) {
                let values = ALPHAS.map(|alpha| curve.two_or_told(told, alpha));
                record.add(&name("known"), values);
            }
        }
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/aggregated_rappor/tests/datasets.txt",
    );
}

#[test]
fn answers_about_drops_are_those_on_record() {
    let mut record = Record::default();
    for (epsilon0, clients, length, max_weight, delta) in [
        ("1", 3, 4, 2, "1e-9"),
        ("1", 3, 4, 2, "0.003"),
        ("2", 2, 5, 3, "1e-6"),
        ("0.5", 4, 3, 1, "0.01"),
        ("4", 3, 6, 6, "1e-4"),
        ("3", 40, 12, 2, "1e-9"),
        ("3", 40, 12, 2, "0.003"),
        ("2", 150, 20, 6, "1e-5"),
        ("3", 40, 12, 11, "1e-3"),
        ("2", 150, 20, 17, "1e-5"),
        ("1", 70, 5, 4, "0.2"),
        ("5", 200_000, 1000, 12, "1e-9"),
    ] {
        let sum =
            AggregatedRappor::new(epsilon0.parse().expect("a number"), clients).expect("a sum");
        let limit = WeightLimit { length, max_weight };
        for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
            let asked: Delta = delta.parse().expect("a number");
            let name = |of: &str| {
                format!(
                    "{of} of {epsilon0}, {clients}, {max_weight} of {length}, {adjacency:?}, {delta}"
                )
            };
            for verdicts in [Verdicts::Each, Verdicts::Counted] {
                let found = sum.epsilon_with_verdicts(&asked, adjacency, limit, verdicts);
                record.add_answer(&name(&format!("{verdicts:?}")), &found);
            }
            let found = sum.hiding_despite_drops(&asked, adjacency, limit);
            record.add_answer(&name("hiding"), &found);
            let ones = 2.min(max_weight);
            let input = MultiHot { length, ones };
            let found = sum.epsilon_multi_hot(&asked, adjacency, input);
            record.add_answer(&name("two ones"), &found);
            let found = sum.epsilon_multi_hot_with_drops(&asked, adjacency, input, max_weight);
            record.add_answer(&name("two ones, dropped,"), &found);
        }
    }
    for (others, each, target, most) in [
        (10, 0.3, 1e-9, 12),
        (100_000, 1e-4, 1e-9, 12),
        (5000, 0.02, 1e-30, 3),
        (7, 1.0, 0.1, 2),
    ] {
        let revealed = Revealed::new(others, each, target, most).expect("a tail");
        let deltas =
            (0..most).map(|number| 1e-7 * 1.5_f64.powi(i32::try_from(number).expect("small")));
        record.add(
            &format!("revealed of {others}, {each}"),
            [revealed.mean(deltas)],
        );
        record.add_answer("at most", &revealed.most());
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/aggregated_rappor/tests/drops.txt",
    );
}

#[test]
fn sums_of_bits_are_those_on_record() {
    let mut record = Record::default();
    let accuracy = "0.25".parse().expect("a number");
    for (epsilon0, clients) in [
        ("0.2", 1),
        ("1", 2),
        ("2", 17),
        ("5", 130),
        ("1", 1200),
        ("6", 3000),
        ("3", 60_000),
    ] {
        let value: Epsilon = epsilon0.parse().expect("a number");
        let sum = AggregatedRappor::new(value, clients).expect("a sum");
        let name = |of: &str| format!("{of} of {clients} at {epsilon0}");
        for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
            for delta in ["0", "1e-12", "0.001"] {
                let delta = delta.parse().expect("a number");
                record.add_answer(&name("epsilon"), &sum.epsilon(&delta, adjacency));
                let attained = sum.attained_epsilon(&delta, adjacency);
                record.add_answer(&name("attained"), &attained);
            }
            record.add_answer(&name("delta"), &sum.delta(&accuracy, adjacency));
            let pair = sum.dominating_pair(adjacency);
            record.add_answer(&name("pair"), &pair.known());
        }
        for counts in [1, 2, 30] {
            let found = sum.epsilon_of_counts(&"1e-6".parse().expect("a number"), counts);
            record.add_answer(&name("several counts"), &found);
        }
    }
    for (epsilon, delta) in [("0.5", "1e-6"), ("2", "0.001")] {
        let (epsilon, delta) = (
            epsilon.parse().expect("a number"),
            delta.parse().expect("a number"),
        );
        let adjacency = Adjacency::Replacement;
        let found = largest_epsilon0(500, &epsilon, &delta, adjacency);
        record.add_answer("largest epsilon0", &found);
        let epsilon0 = "3".parse().expect("a number");
        let found = least_clients(&epsilon0, &epsilon, &delta, adjacency);
        record.add_answer("least clients", &found);
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/aggregated_rappor/tests/sums.txt",
    );
}
