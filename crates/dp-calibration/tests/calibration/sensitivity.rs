//! The sensitivity table against its definition: all pairs of measurements of small instances.

use dp_calibration::Adjacency::{Deletion, Replacement};
use dp_calibration::{Adjacency, Query, Sensitivity};
use num_bigint::BigUint;

type Encoded = Vec<u64>;

/// All vectors of `length` integers from 0 to `max`.
fn vectors(length: usize, max: u64) -> Vec<Encoded> {
    let mut all = vec![vec![]];
    for _ in 0..length {
        all = all
            .into_iter()
            .flat_map(|vector: Encoded| {
                (0..=max).map(move |entry| [vector.clone(), vec![entry]].concat())
            })
            .collect();
    }
    all
}

fn small(value: u128) -> u64 {
    u64::try_from(value).expect("a toy size")
}

/// Every valid measurement, encoded as what it adds to the aggregate.
fn measurements(query: &Query) -> Vec<Encoded> {
    match *query {
        Query::Count => vectors(1, 1),
        Query::Sum { max_measurement } | Query::Average { max_measurement } => {
            vectors(1, small(max_measurement))
        }
        Query::SumVec {
            length,
            max_measurement,
        } => vectors(length, small(max_measurement)),
        Query::Histogram { length } => {
            let one_hot = |vector: &Encoded| vector.iter().sum::<u64>() == 1;
            vectors(length, 1).into_iter().filter(one_hot).collect()
        }
        Query::MultihotCountVec { length, max_weight } => {
            let max_weight = u64::try_from(max_weight).expect("a toy size");
            let light = |vector: &Encoded| vector.iter().sum::<u64>() <= max_weight;
            vectors(length, 1).into_iter().filter(light).collect()
        }
        Query::L1BoundSum {
            length,
            max_measurement,
        } => {
            let max = small(max_measurement);
            let bounded = |vector: &Encoded| vector.iter().sum::<u64>() <= max;
            vectors(length, max).into_iter().filter(bounded).collect()
        }
    }
}

/// The definition of the three norms, by enumeration.
fn enumerated(query: &Query, adjacency: Adjacency) -> Sensitivity {
    let all = measurements(query);
    let others = match adjacency {
        Replacement => all.clone(),
        Deletion => vec![vec![0; all[0].len()]],
    };
    let mut norms = [0u64; 3];
    for x in &all {
        for y in &others {
            let moved: Vec<u64> = x.iter().zip(y).map(|(a, b)| a.abs_diff(*b)).collect();
            let l1 = moved.iter().sum();
            let l2_squared = moved.iter().map(|step| step * step).sum();
            let linf = moved.iter().copied().max().expect("not empty");
            for (largest, norm) in norms.iter_mut().zip([l1, l2_squared, linf]) {
                *largest = norm.max(*largest);
            }
        }
    }
    stated(norms[0], norms[1], norms[2])
}

fn stated(l1: u64, l2_squared: u64, linf: u64) -> Sensitivity {
    Sensitivity {
        l1: l1.into(),
        l2_squared: l2_squared.into(),
        linf: linf.into(),
    }
}

fn table(query: &Query, adjacency: Adjacency) -> Sensitivity {
    query.sensitivity(adjacency).expect("a valid query")
}

/// The table's entry, which has to be what enumeration finds.
fn proved(query: Query, adjacency: Adjacency) -> Sensitivity {
    let claimed = table(&query, adjacency);
    assert_eq!(
        claimed,
        enumerated(&query, adjacency),
        "{query:?} under {adjacency}"
    );
    claimed
}

fn max_measurements() -> impl Iterator<Item = u128> {
    [1, 2, 3, 7].into_iter()
}

#[test]
fn replacing_or_deleting_one_measurement_moves_a_count_by_one() {
    for adjacency in [Replacement, Deletion] {
        assert_eq!(proved(Query::Count, adjacency), stated(1, 1, 1));
    }
}

#[test]
fn replacing_or_deleting_one_measurement_moves_a_sum_by_its_maximum() {
    for max_measurement in max_measurements() {
        for adjacency in [Replacement, Deletion] {
            let moved = proved(Query::Sum { max_measurement }, adjacency);
            assert_eq!(moved.l1, max_measurement.into());
            assert_eq!(moved.l2_squared, (max_measurement * max_measurement).into());
        }
    }
}

#[test]
fn replacing_or_deleting_one_measurement_moves_an_average_as_it_moves_the_sum() {
    for max_measurement in max_measurements() {
        for adjacency in [Replacement, Deletion] {
            let moved = proved(Query::Average { max_measurement }, adjacency);
            assert_eq!(moved, table(&Query::Sum { max_measurement }, adjacency));
        }
    }
}

#[test]
fn replacing_or_deleting_one_measurement_moves_every_entry_of_a_sum_vector_by_its_maximum() {
    for (length, max_measurement) in [(1, 1), (1, 5), (2, 3), (3, 2), (4, 1), (4, 2)] {
        for adjacency in [Replacement, Deletion] {
            let query = Query::SumVec {
                length,
                max_measurement,
            };
            let moved = proved(query, adjacency);
            assert_eq!(moved.l1, BigUint::from(length) * max_measurement);
            assert_eq!(moved.linf, max_measurement.into());
        }
    }
}

#[test]
fn replacing_one_measurement_moves_a_histogram_by_two_in_l1() {
    for length in 2..7 {
        assert_eq!(
            proved(Query::Histogram { length }, Replacement),
            stated(2, 2, 1)
        );
    }
}

#[test]
fn replacing_one_measurement_does_not_move_a_histogram_of_one_bucket() {
    assert_eq!(
        proved(Query::Histogram { length: 1 }, Replacement),
        stated(0, 0, 0)
    );
}

#[test]
fn deleting_one_measurement_moves_a_histogram_by_one() {
    for length in 1..7 {
        assert_eq!(
            proved(Query::Histogram { length }, Deletion),
            stated(1, 1, 1)
        );
    }
}

#[test]
fn replacing_one_measurement_moves_a_multihot_vector_by_twice_its_weight_or_its_length() {
    for length in 1..8 {
        for max_weight in 1..=length {
            let moved = proved(Query::MultihotCountVec { length, max_weight }, Replacement);
            assert_eq!(moved.l1, length.min(2 * max_weight).into());
            assert_eq!(moved.l2_squared, moved.l1);
        }
    }
}

#[test]
fn deleting_one_measurement_moves_a_multihot_vector_by_its_weight() {
    for length in 1..8 {
        for max_weight in 1..=length {
            let moved = proved(Query::MultihotCountVec { length, max_weight }, Deletion);
            assert_eq!(moved.l1, max_weight.into());
        }
    }
}

#[test]
fn replacing_one_measurement_moves_an_l1_bounded_sum_by_twice_its_bound() {
    for (length, max_measurement) in [(2, 1), (2, 6), (3, 3), (4, 2)] {
        let query = Query::L1BoundSum {
            length,
            max_measurement,
        };
        let moved = proved(query, Replacement);
        assert_eq!(moved.l1, (2 * max_measurement).into());
        assert_eq!(
            moved.l2_squared,
            (2 * max_measurement * max_measurement).into()
        );
    }
}

#[test]
fn an_l1_bounded_sum_of_one_entry_moves_as_a_sum() {
    for max_measurement in max_measurements() {
        let query = Query::L1BoundSum {
            length: 1,
            max_measurement,
        };
        let moved = proved(query, Replacement);
        assert_eq!(moved, table(&Query::Sum { max_measurement }, Replacement));
    }
}

#[test]
fn deleting_one_measurement_moves_an_l1_bounded_sum_by_its_bound() {
    for (length, max_measurement) in [(1, 1), (2, 6), (3, 3), (4, 2)] {
        let query = Query::L1BoundSum {
            length,
            max_measurement,
        };
        assert_eq!(proved(query, Deletion).l1, max_measurement.into());
    }
}

#[test]
fn a_histogram_taken_to_move_by_one_is_caught() {
    let planted = stated(1, 1, 1);
    assert_ne!(
        planted,
        enumerated(&Query::Histogram { length: 3 }, Replacement)
    );
}

#[test]
fn deletion_used_for_replacement_is_caught() {
    let queries = [
        Query::Histogram { length: 3 },
        Query::MultihotCountVec {
            length: 3,
            max_weight: 1,
        },
        Query::L1BoundSum {
            length: 2,
            max_measurement: 3,
        },
    ];
    for query in queries {
        assert_ne!(
            table(&query, Deletion),
            enumerated(&query, Replacement),
            "{query:?}"
        );
    }
}

#[test]
fn the_largest_queries_do_not_overflow() {
    let query = Query::SumVec {
        length: usize::MAX,
        max_measurement: u128::MAX,
    };
    let moved = table(&query, Replacement);
    let max = BigUint::from(u128::MAX);
    assert_eq!(moved.l2_squared, BigUint::from(usize::MAX) * &max * &max);
    let query = Query::MultihotCountVec {
        length: usize::MAX,
        max_weight: usize::MAX,
    };
    assert_eq!(table(&query, Replacement).l1, usize::MAX.into());
}

#[test]
fn an_impossible_query_names_its_parameter() {
    let cases = [
        (
            Query::Histogram { length: 0 },
            "length is 0: expected an integer of at least 1",
        ),
        (
            Query::Sum { max_measurement: 0 },
            "max_measurement is 0: expected an integer of at least 1",
        ),
        (
            Query::SumVec {
                length: 3,
                max_measurement: 0,
            },
            "max_measurement is 0: expected an integer of at least 1",
        ),
        (
            Query::L1BoundSum {
                length: 0,
                max_measurement: 1,
            },
            "length is 0: expected an integer of at least 1",
        ),
        (
            Query::MultihotCountVec {
                length: 3,
                max_weight: 4,
            },
            "max_weight is 4: expected an integer from 1 to the length",
        ),
        (
            Query::MultihotCountVec {
                length: 3,
                max_weight: 0,
            },
            "max_weight is 0: expected an integer from 1 to the length",
        ),
    ];
    for (query, message) in cases {
        for adjacency in [Replacement, Deletion] {
            assert_eq!(
                query.sensitivity(adjacency).unwrap_err().to_string(),
                message
            );
        }
    }
}

#[test]
fn a_sensitivity_serializes_as_decimal_strings() {
    let moved = table(&Query::Histogram { length: 3 }, Replacement);
    let text = serde_json::to_string(&moved).unwrap();
    assert_eq!(text, r#"{"l1":"2","l2_squared":"2","linf":"1"}"#);
    assert_eq!(serde_json::from_str::<Sensitivity>(&text).unwrap(), moved);
    assert!(serde_json::from_str::<Sensitivity>(&text.replace("\"2\"", "\"-2\"")).is_err());
    let long = |digits| format!("\"{}\"", "1".repeat(digits));
    let read = |digits| serde_json::from_str::<Sensitivity>(&text.replace("\"2\"", &long(digits)));
    assert!(read(120).is_ok() && read(121).is_err());
    let query = Query::SumVec {
        length: 2,
        max_measurement: u128::MAX,
    };
    let text = serde_json::to_string(&query).unwrap();
    assert_eq!(serde_json::from_str::<Query>(&text).unwrap(), query);
}
