//! Aggregated RAPPOR against published and independently computed figures.

use crate::common::{number, rows};
use dp_amplification::OthersHold;
use dp_amplification::aggregated_rappor::{
    AggregatedRappor, WeightLimit, largest_epsilon0, least_clients,
};
use dp_calibration::Adjacency;

fn sum(epsilon0: &str, clients: u64) -> AggregatedRappor {
    let epsilon0 = epsilon0.parse().expect("positive");
    AggregatedRappor::new(epsilon0, clients).expect("accepted")
}

#[test]
fn the_table_of_the_draft_is_tight_and_valid_for_every_dataset() {
    let delta = "1e-9".parse().unwrap();
    for (epsilon0, least, most) in [
        ("5", "0.297408", "0.2977"),
        ("6.5", "0.700164", "0.7009"),
        ("7", "0.950456", "0.9514"),
    ] {
        let bounds = sum(epsilon0, 100_000)
            .epsilon(&delta, Adjacency::Replacement)
            .unwrap();
        assert!(bounds.lower >= number(least), "{bounds:?}");
        assert!(
            bounds.upper >= bounds.lower && bounds.upper <= number(most),
            "{bounds:?}"
        );
    }
}

#[test]
fn every_row_of_the_table_of_datasets_is_below_the_upper_bound() {
    let delta = "1e-9".parse().unwrap();
    for epsilon0 in ["5", "6.5", "7"] {
        for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
            let bounds = sum(epsilon0, 100_000).epsilon(&delta, adjacency).unwrap();
            for row in rows("rappor_table1_exact.csv") {
                let same = number(&row[1]) == number(epsilon0);
                let replaces = row[3] == "replacement";
                if same && replaces == (adjacency == Adjacency::Replacement) {
                    assert!(bounds.upper >= number(&row[6]), "{row:?}");
                }
            }
        }
    }
}

#[test]
fn upper_bounds_are_within_a_thousandth_of_the_grid() {
    let thousandth = number("1.001");
    let most = if cfg!(debug_assertions) {
        100_000
    } else {
        1_000_000
    };
    for row in rows("rappor_exact_grid.csv") {
        let clients: u64 = row[0].parse().unwrap();
        if clients > most {
            continue;
        }
        let sum = sum(&row[1], clients);
        let delta = row[2].parse().unwrap();
        for (adjacency, column) in [(Adjacency::Replacement, 4), (Adjacency::Deletion, 6)] {
            if row.len() <= column {
                continue;
            }
            let exact = number(
                &row[if adjacency == Adjacency::Replacement {
                    3
                } else {
                    5
                }],
            );
            let bounds = sum.epsilon(&delta, adjacency).unwrap();
            let nearly = &exact * &number("0.9999999");
            assert!(
                bounds.upper >= nearly && bounds.upper <= &exact * &thousandth,
                "{row:?} {bounds:?}"
            );
            assert!(bounds.lower >= nearly, "{row:?} {bounds:?}");
        }
    }
}

#[test]
fn upper_bounds_are_near_what_a_dataset_attains_from_a_thousand_clients_on() {
    let thousandth = number("1.001");
    for (adjacency, odd) in [(Adjacency::Deletion, 1), (Adjacency::Replacement, 0)] {
        let cases = [
            (1000, "0.01", "1e-5"),
            (1000, "0.3", "1e-40"),
            (1000, "1", "0.01"),
            (1000, "2", "0.01"),
            (1000, "3", "1e-5"),
            (1000, "5", "0.01"),
            (1000, "9", "0.01"),
            (3000, "4", "0.01"),
            (3000, "5", "1e-9"),
            (10_000, "3", "0.01"),
            (10_000, "6", "1e-3"),
            (30_000, "7", "1e-9"),
            (100_000, "7", "0.01"),
        ];
        for (clients, epsilon0, delta) in cases.into_iter().skip(odd).step_by(2) {
            let sum = sum(epsilon0, clients);
            let bounds = sum.epsilon(&delta.parse().unwrap(), adjacency).unwrap();
            let most = &bounds.lower * &thousandth;
            let case = (clients, epsilon0, delta);
            assert!(bounds.upper <= most, "{case:?} {adjacency:?} {bounds:?}");
            let OthersHold {
                removed,
                added,
                neither,
            } = bounds.attained_by;
            assert_eq!(removed + added + neither, clients - 1);
        }
    }
}

#[test]
fn delta_at_epsilon_is_the_inverse_of_epsilon_at_delta() {
    let sum = sum("3", 10_000);
    for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
        for delta in ["1e-3", "1e-9", "1e-30", "1e-290"] {
            let epsilon = sum
                .epsilon(&delta.parse().unwrap(), adjacency)
                .unwrap()
                .upper;
            let back = sum
                .delta(&dp_exact::Epsilon::new(epsilon).unwrap(), adjacency)
                .unwrap();
            assert!(back.lower <= number(delta), "{back:?}");
            let near = &number(delta) * &number("1.05");
            assert!(
                back.upper <= near && back.upper >= back.lower,
                "{delta} {back:?}"
            );
        }
    }
}

#[test]
fn the_guarantee_degrades_as_clients_drop_out() {
    let delta = "1e-6".parse().unwrap();
    let all = sum("4", 20_000);
    let mut last = number("0");
    for missing in [0, 5_000, 15_000, 19_000, 19_990, 19_999] {
        let left = all.without(missing).unwrap();
        let epsilon = left.epsilon(&delta, Adjacency::Replacement).unwrap().upper;
        assert!(epsilon > last);
        last = epsilon;
    }
    // Alone, all that protects the client is its own randomness.
    assert!(last <= number("8") && last > number("7.9"));
    assert!(all.without(20_000).is_err());
}

#[test]
fn delta_zero_is_the_guarantee_of_the_client_alone() {
    let bounds = sum("3", 1000)
        .epsilon(&"0".parse().unwrap(), Adjacency::Replacement)
        .unwrap();
    assert_eq!((bounds.upper, bounds.lower), (number("6"), number("6")));
}

#[test]
fn inverses_meet_their_target_and_their_neighbours_miss_it() {
    let (epsilon, delta) = ("0.3".parse().unwrap(), "1e-9".parse().unwrap());
    let found = largest_epsilon0(100_000, &epsilon, &delta, Adjacency::Replacement).unwrap();
    assert!(found.epsilon <= number("0.3"));
    let value = found.meets.value().to_f64();
    assert!((value - 5.01).abs() < 0.02, "{value}");
    let found = least_clients(
        &"5".parse().unwrap(),
        &epsilon,
        &delta,
        Adjacency::Replacement,
    )
    .unwrap();
    assert!(found.epsilon <= number("0.3"));
    assert!((98_000..99_500).contains(&found.meets), "{found:?}");
    assert!(found.misses.unwrap() < found.meets);
}

#[test]
fn dropping_heavy_reports_costs_privacy_and_the_bound_includes_it() {
    // A limit that one honest report in 10^9 exceeds costs next to nothing at this size.
    let delta = "1e-9".parse().unwrap();
    let large = sum("5", 100_000);
    let plain = large.epsilon(&delta, Adjacency::Replacement).unwrap().upper;
    let limit = WeightLimit {
        length: 1000,
        max_weight: 30,
    };
    let with = large
        .epsilon_with_drops(&delta, Adjacency::Replacement, limit)
        .unwrap();
    assert!(
        with.upper >= plain && with.upper <= &plain * &number("1.001"),
        "{with:?}"
    );
    // A tight limit costs much, and says so.
    let limit = WeightLimit {
        length: 1000,
        max_weight: 15,
    };
    let tight = large
        .epsilon_with_drops(&delta, Adjacency::Replacement, limit)
        .unwrap();
    assert!(
        tight.upper > with.upper && tight.revealed > 100,
        "{tight:?}"
    );
}

#[test]
fn parameters_out_of_range_are_errors() {
    let delta = "1e-9".parse().unwrap();
    assert!(AggregatedRappor::new("101".parse().unwrap(), 10).is_err());
    assert!(AggregatedRappor::new("1e-7".parse().unwrap(), 10).is_err());
    assert!(AggregatedRappor::new("1".parse().unwrap(), 0).is_err());
    assert!(AggregatedRappor::new("1".parse().unwrap(), u64::MAX).is_err());
    let sum = sum("1", 10);
    assert!(
        sum.epsilon(&"1e-400".parse().unwrap(), Adjacency::Replacement)
            .is_err()
    );
    assert!(
        sum.epsilon(&"0.95".parse().unwrap(), Adjacency::Replacement)
            .is_err()
    );
    assert!(sum.epsilon(&delta, Adjacency::Replacement).is_ok());
}

#[test]
fn a_tiny_delta_is_resolved_however_far_its_tail_is() {
    for (clients, least) in [(60, 1e-8), (1_000, 1e-111)] {
        let sum = AggregatedRappor::new("2".parse().unwrap(), clients).unwrap();
        for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
            for part in ["0.5", "0.9", "0.99"] {
                let epsilon = &sum.local_epsilon(adjacency) * &number(part);
                let bounds = sum.delta(&epsilon.to_string().parse().unwrap(), adjacency);
                let bounds = bounds.unwrap();
                assert!(bounds.lower.is_positive() && bounds.lower <= bounds.upper);
                assert!(bounds.upper <= &bounds.lower * &number("1.0031"));
            }
        }
        let epsilon = "3.96".parse().unwrap();
        let bounds = sum.delta(&epsilon, Adjacency::Replacement).unwrap();
        assert!(bounds.upper.to_f64() < least);
    }
}
