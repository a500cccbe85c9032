//! The worst-case difference of the box of differences, for every type of Prio3, and the noise for
//! it.

use crate::common::{difference_of, epsilon, number, relative, upper};
use dp_calibration::Adjacency::{Deletion, Replacement};
use dp_calibration::discrete_gaussian::{calibrate, delta};
use dp_calibration::{Adjacency, Query, WorstCaseDifference, zcdp};
use dp_exact::Rational;

fn difference(query: &Query, adjacency: Adjacency) -> Option<WorstCaseDifference> {
    query.worst_case_difference(adjacency).expect("a valid query")
}

#[test]
fn every_box_has_its_corner() {
    let sum = Query::Sum { max_measurement: 7 };
    let vector = Query::SumVec { length: 5, max_measurement: 9 };
    let many = Query::MultihotCountVec { length: 10, max_weight: 3 };
    let nearly_all = Query::MultihotCountVec { length: 10, max_weight: 8 };
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
            difference(&query, Replacement),
            Some(difference_of(replaced.0, replaced.1)),
            "{query:?}"
        );
        assert_eq!(
            difference(&query, Deletion),
            Some(difference_of(deleted.0, deleted.1)),
            "{query:?}"
        );
        for adjacency in [Replacement, Deletion] {
            let sensitivity = query.sensitivity(adjacency).unwrap();
            let difference = difference(&query, adjacency).unwrap();
            assert_eq!(
                (difference.l1(), difference.l2_squared()),
                (sensitivity.l1, sensitivity.l2_squared)
            );
        }
    }
}

/// δ at ε of discrete Gaussian noise by its definition: the positive parts of P(x) − e^ε·P(x +
/// step) over all vectors x of one to three coordinates, in floating point.
fn by_enumeration(difference: &WorstCaseDifference, variance: f64, epsilon: f64) -> f64 {
    let step = i32::try_from(difference.step()).expect("small");
    let reach = 12 + 2 * step;
    let bell = |x: i32| (-f64::from(x).powi(2) / (2.0 * variance)).exp();
    let total: f64 = (-60..=60).map(bell).sum();
    let pmf = |x: i32| bell(x) / total;
    let mut vectors = vec![(1.0, epsilon.exp())];
    for _ in 0..difference.coordinates() {
        let longer = vectors.iter().flat_map(|(here, there)| {
            (-reach..=reach).map(move |x| (here * pmf(x), there * pmf(x + step)))
        });
        vectors = longer.collect();
    }
    vectors.iter().map(|(here, there)| (here - there).max(0.0)).sum()
}

#[test]
fn delta_is_what_enumeration_of_all_coordinates_gives() {
    for (difference, variance, rate) in [
        (difference_of(1, 3), "2.5", "1.25"),
        (difference_of(1, 20), "9", "3"),
        (difference_of(2, 2), "1.5", "0.5"),
        (difference_of(3, 1), "0.7", "2"),
        (difference_of(3, 2), "2", "0.1"),
        (difference_of(3, 1), "0.2", "7"),
    ] {
        let delta = delta(&number(variance), &epsilon(rate), &difference).unwrap();
        let slow = by_enumeration(&difference, number(variance).to_f64(), number(rate).to_f64());
        let error = (upper(&delta).to_f64() / slow - 1.0).abs();
        assert!(error < 1e-10, "{difference:?}: {delta} {slow}");
    }
}

#[test]
fn large_moves_approach_the_continuous_gaussian() {
    // At a step of 10^12 the integers are as good as the reals.
    let step = 1_000_000_000_000u64;
    for (coordinates, rate) in [(1, "0.906"), (7, "3")] {
        let sigma = number("4.5") * Rational::from(step);
        let difference = difference_of(coordinates, step);
        let discrete = delta(&sigma.pow(2), &epsilon(rate), &difference).unwrap();
        let norm = difference.l2_squared();
        let continuous =
            dp_calibration::analytic_gaussian::delta(&epsilon(rate), &sigma, &norm).unwrap();
        assert!(relative(&upper(&discrete), &upper(&continuous)) < 1e-20, "{discrete}");
    }
}

#[test]
fn calibration_for_a_worst_case_difference_is_safe_refuted_just_below_and_tighter_than_zcdp() {
    for (difference, rate, target) in [
        (difference_of(1, 1), "1", "1e-9"),
        (difference_of(1, 255), "0.5", "1e-6"),
        (difference_of(6, 1), "2", "1e-12"),
        (difference_of(20, 1), "8", "1e-9"),
        (difference_of(100, 15), "1", "1e-9"),
        (difference_of(1000, 1), "0.317", "1e-9"),
        (difference_of(1 << 32, 3), "0.1", "1e-40"),
    ] {
        let (rate, target) = (epsilon(rate), target.parse().unwrap());
        let noise = calibrate(&rate, &target, &difference).unwrap();
        assert!(noise.delta.upper().cmp_rational(target.value()).is_le());
        let refuted = noise.refuted.clone().expect("the target is crossed");
        assert!(relative(&refuted, &noise.variance) < 1e-8, "{difference:?}");
        let below = delta(&refuted, &rate, &difference).unwrap();
        assert!(below.lower().cmp_rational(target.value()).is_gt());
        assert!(noise.variance < *noise.concentrated_variance());
        let rho = zcdp::rho(noise.concentrated_variance(), &difference.l2_squared()).unwrap();
        assert!(zcdp::delta(&rho, &rate).unwrap().lower().cmp_rational(target.value()).is_le());
    }
}
