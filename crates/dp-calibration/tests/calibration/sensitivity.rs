//! The sensitivity table against its definition: all pairs of measurements of small instances.

use dp_calibration::Adjacency::{Deletion, OneCoordinate, Replacement};
use dp_calibration::{Adjacency, Query, Sensitivity};
use num_bigint::BigUint;

/// A measurement as the vector that it adds to the aggregate.
type Encoded = Vec<u64>;

/// Every valid measurement of the query.
fn measurements(query: &Query) -> Vec<Encoded> {
    let small = |value: u128| u64::try_from(value).expect("a toy size");
    // Number of entries, the largest entry, and the sums that are valid.
    let (length, max, sums) = match *query {
        Query::Count => (1, 1, 0..=1),
        Query::Sum { max_measurement: max } | Query::Average { max_measurement: max } => {
            (1, small(max), 0..=small(max))
        }
        Query::SumVec { length, max_measurement } => (length, small(max_measurement), 0..=u64::MAX),
        Query::Histogram { length } => (length, 1, 1..=1),
        Query::HistogramRanges { .. } => {
            panic!("its columns have negative entries, and tests of their own")
        }
        Query::MultihotCountVec { length, max_weight } => (length, 1, 0..=max_weight as u64),
        Query::L1BoundSum { length, max_measurement: max } => (length, small(max), 0..=small(max)),
    };
    let mut all: Vec<Encoded> = vec![vec![]];
    for _ in 0..length {
        let longer =
            |vector: Encoded| (0..=max).map(move |entry| [vector.clone(), vec![entry]].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    all.retain(|vector| sums.contains(&vector.iter().sum()));
    all
}

/// The sensitivity by its definition, over all pairs of measurements.
fn enumerated(query: &Query, adjacency: Adjacency) -> Sensitivity {
    let all = measurements(query);
    let others = match adjacency {
        Replacement | OneCoordinate => all.clone(),
        Deletion => vec![vec![0; all[0].len()]],
    };
    let mut norms = [0u64; 3];
    for x in &all {
        for y in &others {
            let moved: Vec<u64> = x.iter().zip(y).map(|(a, b)| a.abs_diff(*b)).collect();
            if adjacency == OneCoordinate && moved.iter().filter(|step| **step > 0).count() > 1 {
                continue;
            }
            let l1 = moved.iter().sum();
            let l2_squared = moved.iter().map(|step| step * step).sum();
            let linf = moved.iter().copied().max().expect("not empty");
            for (largest, norm) in norms.iter_mut().zip([l1, l2_squared, linf]) {
                *largest = norm.max(*largest);
            }
        }
    }
    norms_of(norms[0], norms[1], norms[2])
}

fn norms_of(l1: u64, l2_squared: u64, linf: u64) -> Sensitivity {
    Sensitivity { l1: l1.into(), l2_squared: l2_squared.into(), linf: linf.into() }
}

/// Fails unless the table's sensitivity and the worst difference's norms are the enumerated ones.
fn assert_proved(query: &Query, adjacency: Adjacency) {
    let claimed = query.sensitivity(adjacency).expect("a valid query");
    assert_eq!(claimed, enumerated(query, adjacency), "{query:?} under {adjacency}");
    let difference = query.worst_case_difference(adjacency).expect("a valid query");
    assert_eq!(difference.is_none(), claimed.l1 == BigUint::ZERO, "{query:?}");
    if let Some(found) = difference {
        let (l1, l2_squared, linf) = (found.l1(), found.l2_squared(), found.step().clone());
        assert_eq!(Sensitivity { l1, l2_squared, linf }, claimed, "{query:?} under {adjacency}");
    }
}

#[test]
fn the_table_is_what_enumeration_of_all_pairs_finds() {
    let mut queries = vec![Query::Count];
    for max_measurement in [1, 2, 7] {
        queries.push(Query::Sum { max_measurement });
        queries.push(Query::Average { max_measurement });
    }
    for (length, max_measurement) in [(1, 1), (1, 5), (2, 3), (3, 3), (4, 2)] {
        queries.push(Query::SumVec { length, max_measurement });
        queries.push(Query::L1BoundSum { length, max_measurement });
    }
    for length in 1..7 {
        queries.push(Query::Histogram { length });
        let weights = 1..=length;
        queries.extend(weights.map(|max_weight| Query::MultihotCountVec { length, max_weight }));
    }
    for query in queries {
        assert_proved(&query, Replacement);
        assert_proved(&query, Deletion);
        match query {
            // No coordinate changes alone.
            Query::Histogram { .. } => {
                assert_eq!(enumerated(&query, OneCoordinate), norms_of(0, 0, 0));
                let refused = query.sensitivity(OneCoordinate).expect_err("no neighbours");
                assert!(refused.to_string().starts_with("adjacency one-coordinate"), "{refused}");
            }
            _ => assert_proved(&query, OneCoordinate),
        }
    }
}

#[test]
fn a_sensitivity_of_the_wrong_adjacency_is_caught() {
    let histogram = Query::Histogram { length: 3 };
    assert_ne!(norms_of(1, 1, 1), enumerated(&histogram, Replacement));
    let multihot = Query::MultihotCountVec { length: 3, max_weight: 1 };
    for query in [histogram, multihot] {
        assert_ne!(query.sensitivity(Deletion).unwrap(), enumerated(&query, Replacement));
    }
}

#[test]
fn an_impossible_query_names_its_parameter() {
    let length = "length is 0: expected an integer from 1 to 1000000";
    let largest = "max_measurement is 0: expected an integer of at least 1";
    let weight = |weight| {
        let query = Query::MultihotCountVec { length: 3, max_weight: weight };
        let message = format!("max_weight is {weight}: expected an integer from 1 to the length");
        (query, message)
    };
    for (query, message) in [
        (Query::Histogram { length: 0 }, length.to_owned()),
        (Query::Sum { max_measurement: 0 }, largest.to_owned()),
        weight(4),
        weight(0),
    ] {
        let refused = query.sensitivity(Replacement).unwrap_err();
        assert_eq!(refused.to_string(), message);
    }
    let long = Query::Histogram { length: 1_000_001 };
    assert!(long.sensitivity(Deletion).is_err());
}
