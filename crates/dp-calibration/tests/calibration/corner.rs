//! The corner of the box of differences, for every type of Prio3, and the noise for it.

use std::cmp::Ordering;

use crate::common::{number, relative, upper};
use dp_calibration::Adjacency::{Deletion, Replacement};
use dp_calibration::discrete_gaussian::{calibrate, calibrate_query, delta};
use dp_calibration::{Adjacency, Corner, Query, zcdp};
use dp_exact::{Epsilon, Interval, Rational};
use proptest::prelude::*;

fn corner(query: &Query, adjacency: Adjacency) -> Option<Corner> {
    query.corner(adjacency).expect("a valid query")
}

fn moved(coordinates: u64, step: u64) -> Corner {
    Corner::new(coordinates, step).expect("in range")
}

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

#[test]
fn every_box_has_its_corner() {
    let sum = Query::Sum { max_measurement: 7 };
    let vector = Query::SumVec {
        length: 5,
        max_measurement: 9,
    };
    let many = Query::MultihotCountVec {
        length: 10,
        max_weight: 3,
    };
    let nearly_all = Query::MultihotCountVec {
        length: 10,
        max_weight: 8,
    };
    let histogram = Query::Histogram { length: 4 };
    for (query, replaced, deleted) in [
        (Query::Count, (1, 1), (1, 1)),
        (sum, (1, 7), (1, 7)),
        (vector, (5, 9), (5, 9)),
        (many, (6, 1), (3, 1)),
        (nearly_all, (10, 1), (8, 1)),
        (histogram, (2, 1), (1, 1)),
    ] {
        assert_eq!(
            corner(&query, Replacement),
            Some(moved(replaced.0, replaced.1)),
            "{query:?}"
        );
        assert_eq!(
            corner(&query, Deletion),
            Some(moved(deleted.0, deleted.1)),
            "{query:?}"
        );
        for adjacency in [Replacement, Deletion] {
            let moves = query.sensitivity(adjacency).unwrap();
            let corner = corner(&query, adjacency).unwrap();
            assert_eq!(
                (corner.l1(), corner.l2_squared()),
                (moves.l1, moves.l2_squared)
            );
        }
    }
}

#[test]
fn an_l1_bounded_sum_moves_its_whole_total_and_a_single_bucket_nothing() {
    let bounded = Query::L1BoundSum {
        length: 3,
        max_measurement: 9,
    };
    assert_eq!(corner(&bounded, Replacement), Some(moved(2, 9)));
    assert_eq!(corner(&bounded, Deletion), Some(moved(1, 9)));
    let single = Query::L1BoundSum {
        length: 1,
        max_measurement: 9,
    };
    assert_eq!(corner(&single, Replacement), Some(moved(1, 9)));
    let fixed = Query::Histogram { length: 1 };
    assert_eq!(corner(&fixed, Replacement), None);
}

#[test]
fn an_impossible_corner_names_its_parameter() {
    let refused = |coordinates: u64, step: u64| {
        let error = Corner::new(coordinates, step).expect_err("out of range");
        error.to_string()
    };
    assert!(refused(0, 1).starts_with("coordinates is 0"));
    assert!(refused(1, 0).starts_with("step is 0"));
    assert!(refused(1 << 40, 1).starts_with("coordinates is 1099511627776"));
}

/// The hockey-stick divergence by its definition: the positive parts of P(x) − e^ε·P(x + step) over
/// all vectors x of one to three coordinates, in floating point.
fn by_enumeration(corner: &Corner, variance: f64, epsilon: f64) -> f64 {
    let step = i32::try_from(corner.step()).expect("small");
    let reach = 12 + 2 * step;
    let bell = |x: i32| (-f64::from(x).powi(2) / (2.0 * variance)).exp();
    let total: f64 = (-60..=60).map(bell).sum();
    let pmf = |x: i32| bell(x) / total;
    let mut vectors = vec![(1.0, epsilon.exp())];
    for _ in 0..corner.coordinates() {
        let longer = vectors.iter().flat_map(|(here, there)| {
            (-reach..=reach).map(move |x| (here * pmf(x), there * pmf(x + step)))
        });
        vectors = longer.collect();
    }
    vectors
        .iter()
        .map(|(here, there)| (here - there).max(0.0))
        .sum()
}

#[test]
fn delta_is_what_enumeration_of_all_coordinates_gives() {
    for (corner, variance, rate) in [
        (moved(1, 3), "2.5", "1.25"),
        (moved(1, 20), "9", "3"),
        (moved(2, 2), "1.5", "0.5"),
        (moved(3, 1), "0.7", "2"),
        (moved(3, 2), "2", "0.1"),
        (moved(3, 1), "0.2", "7"),
    ] {
        let delta = delta(&number(variance), &epsilon(rate), &corner).unwrap();
        let slow = by_enumeration(&corner, number(variance).to_f64(), number(rate).to_f64());
        let error = (upper(&delta).to_f64() / slow - 1.0).abs();
        assert!(error < 1e-10, "{corner:?}: {delta} {slow}");
    }
}

#[test]
fn large_moves_approach_the_continuous_gaussian() {
    // At a step of 10^12 the integers are as good as the reals.
    let step = 1_000_000_000_000u64;
    for (coordinates, rate) in [(1, "0.906"), (7, "3")] {
        let sigma = number("4.5") * Rational::from(step);
        let corner = moved(coordinates, step);
        let discrete = delta(&sigma.pow(2), &epsilon(rate), &corner).unwrap();
        let norm = corner.l2_squared();
        let continuous =
            dp_calibration::analytic_gaussian::delta(&epsilon(rate), &sigma, &norm).unwrap();
        assert!(
            relative(&upper(&discrete), &upper(&continuous)) < 1e-20,
            "{discrete}"
        );
    }
}

#[test]
fn calibration_for_a_corner_is_safe_refuted_just_below_and_tighter_than_zcdp() {
    for (corner, rate, target) in [
        (moved(1, 1), "1", "1e-9"),
        (moved(1, 255), "0.5", "1e-6"),
        (moved(6, 1), "2", "1e-12"),
        (moved(20, 1), "8", "1e-9"),
        (moved(100, 15), "1", "1e-9"),
        (moved(1000, 1), "0.317", "1e-9"),
        (moved(1 << 32, 3), "0.1", "1e-300"),
    ] {
        let (rate, target) = (epsilon(rate), target.parse().unwrap());
        let noise = calibrate(&rate, &target, &corner).unwrap();
        assert!(noise.delta.upper().cmp_rational(target.value()).is_le());
        let refuted = noise.refuted.clone().expect("the target is crossed");
        assert!(relative(&refuted, &noise.variance) < 1e-8, "{corner:?}");
        let below = delta(&refuted, &rate, &corner).unwrap();
        assert!(below.lower().cmp_rational(target.value()).is_gt());
        assert!(noise.variance < *noise.concentrated_variance());
        let rho = zcdp::rho(noise.concentrated_variance(), &corner.l2_squared()).unwrap();
        assert!(
            zcdp::delta(&rho, &rate)
                .unwrap()
                .lower()
                .cmp_rational(target.value())
                .is_le()
        );
    }
}

#[test]
fn more_entries_than_a_corner_has_are_calibrated_by_zcdp_which_says_so() {
    let query = Query::SumVec {
        length: 1 << 33,
        max_measurement: 1,
    };
    let (rate, target) = (epsilon("1"), "1e-9".parse().unwrap());
    let noise = calibrate_query(&query, Replacement, &rate, &target).unwrap();
    assert!(!noise.is_exact());
    assert!(noise.delta.upper().cmp_rational(target.value()).is_le());
}

#[test]
fn a_corner_of_fewer_coordinates_taken_for_a_vector_is_caught() {
    // One moved coordinate in place of the six that replacement moves.
    let (rate, target) = (epsilon("1"), "1e-9".parse().unwrap());
    let planted = calibrate(&rate, &target, &moved(1, 1)).unwrap();
    let delta = delta(&planted.variance, &rate, &moved(6, 1)).unwrap();
    assert!(delta.lower().cmp_rational(target.value()).is_gt());
}

fn any_corner() -> impl Strategy<Value = (u64, u64)> {
    (1u64..40, 1u64..300)
}

/// σ²/Δ₂² from 0.1 to 1000.
fn any_variance() -> impl Strategy<Value = Rational> {
    (1i64..10_000).prop_map(|tenths| Rational::new(tenths, 10).expect("not zero"))
}

fn delta_of(corner: &Corner, relative: &Rational, epsilon: &Epsilon) -> Interval {
    let norm = Rational::integer(num_bigint::BigInt::from(corner.l2_squared()));
    delta(&(norm * relative), epsilon, corner).expect("in range")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn moving_farther_or_more_coordinates_gives_more_away(
        (coordinates, step) in any_corner(),
        variance in any_variance(),
        tenths in 1i64..40,
    ) {
        let rate = Epsilon::new(Rational::new(tenths, 10).unwrap()).unwrap();
        let corner = moved(coordinates, step);
        let norm = Rational::integer(num_bigint::BigInt::from(corner.l2_squared()));
        let variance = variance * norm;
        let here = delta(&variance, &rate, &corner).unwrap();
        for farther in [moved(coordinates + 1, step), moved(coordinates, step + 1)] {
            let there = delta(&variance, &rate, &farther).unwrap();
            prop_assert_eq!(here.compare(&there), Some(Ordering::Less));
        }
    }

    #[test]
    fn delta_of_a_corner_is_below_its_zcdp_bound_and_falls_with_epsilon(
        (coordinates, step) in any_corner(),
        variance in any_variance(),
        tenths in 1i64..40,
    ) {
        let rate = |tenths: i64| Epsilon::new(Rational::new(tenths, 10).unwrap()).unwrap();
        let corner = moved(coordinates, step);
        let here = delta_of(&corner, &variance, &rate(tenths));
        let more = delta_of(&corner, &variance, &rate(tenths + 1));
        prop_assert_eq!(here.compare(&more), Some(Ordering::Greater));
        let rho = zcdp::rho(&variance, &1u32.into()).unwrap();
        let bound = zcdp::delta(&rho, &rate(tenths)).unwrap();
        prop_assert!(here.lower() <= bound.upper());
    }
}
