//! Discrete Laplace noise: its exact δ against enumeration and closed forms, and calibration.

use crate::common::{
    difference_of, distribution, enumerated_delta, epsilon, number, relative, upper,
};
use dp_calibration::Adjacency::Replacement;
use dp_calibration::discrete_laplace::{
    LaplaceCalibration, LaplaceProof, calibrate, delta, pure_scale,
};
use dp_calibration::strategy_matrix::StrategyFamily;
use dp_calibration::{Query, SensitivityBound, WorstCaseDifference};
use dp_exact::{Delta, Rational};

#[test]
fn delta_is_what_enumeration_of_all_coordinates_gives() {
    for (difference, scale, rate) in [
        (difference_of(1, 1), "0.4", "1"),
        (difference_of(1, 7), "5", "0.3"),
        (difference_of(1, 20), "3.3", "2.5"),
        (difference_of(2, 1), "1.5", "0.7"),
        (difference_of(2, 5), "4", "1"),
        (difference_of(3, 4), "2.5", "0.9"),
        (difference_of(3, 11), "15", "0.5"),
        (difference_of(7, 1), "2", "1.1"),
    ] {
        let delta = delta(&number(scale), &epsilon(rate), &difference).unwrap();
        let scale = number(scale).to_f64();
        let law = distribution(600, |x| (-x.abs() / scale).exp());
        let slow = enumerated_delta(&law, &difference, number(rate).to_f64());
        let error = (upper(&delta).to_f64() / slow - 1.0).abs();
        assert!(error < 1e-11, "{difference:?}: {delta} {slow}");
    }
}

#[test]
fn the_scale_of_pure_privacy_has_delta_zero_and_no_smaller_one_has() {
    for difference in [
        difference_of(1, 1),
        difference_of(1, 1000),
        difference_of(2, 1),
        difference_of(6, 1),
        difference_of(4, 9),
    ] {
        let rate = epsilon("0.7");
        let scale = pure_scale(&rate, &difference.l1()).unwrap();
        let at = |scale: &Rational| delta(scale, &rate, &difference).unwrap();
        assert!(at(&scale).upper().cmp_rational(&Rational::zero()).is_eq());
        assert!(at(&(&scale * &number("0.999999"))).is_positive());
    }
}

fn calibrated(difference: &WorstCaseDifference, rate: &str, target: &str) -> LaplaceCalibration {
    let target: Delta = target.parse().expect("a delta");
    let noise = calibrate(&epsilon(rate), &target, difference).expect("in range");
    assert!(noise.delta.upper().cmp_rational(target.value()).is_le());
    noise
}

#[test]
fn calibration_is_safe_and_refuted_one_digit_below() {
    for (difference, rate, target) in [
        (difference_of(1, 1), "1", "1e-9"),
        (difference_of(2, 1), "0.317", "1e-9"),
        (difference_of(1, 1_000_000), "1", "0.1"),
        (difference_of(20, 1), "5", "1e-6"),
        (difference_of(4, 255), "1", "1e-3"),
        (difference_of(1, 1), "1e-6", "1e-40"),
        (difference_of(2, 1), "100", "0.5"),
        (difference_of(2, 1), "100", "1e-40"),
        (difference_of(2, 1), "1e-6", "0.5"),
    ] {
        let noise = calibrated(&difference, rate, target);
        let pure = pure_scale(&epsilon(rate), &difference.l1()).unwrap();
        assert!(relative(&noise.scale, &pure) < 1e-11 || noise.scale < pure, "{difference:?}");
        let Some(refuted) = noise.refuted else {
            panic!("{difference:?}: some scale is too small")
        };
        assert!(relative(&refuted, &noise.scale) < 1e-10, "{difference:?}");
        let below = delta(&refuted, &epsilon(rate), &difference).unwrap();
        assert!(below.upper().cmp_rational(&number(target)).is_gt());
    }
}

#[test]
fn nothing_is_refuted_where_no_number_can_take_the_change() {
    let query = Query::HistogramRanges { length: 64, family: StrategyFamily::FoldedTree };
    let behind_matrix = query.sensitivity_bound(Replacement).expect("known");
    let target = "1e-3".parse().expect("a delta");
    for (bound, proof) in [
        (SensitivityBound::of_l1(50u32.into()), LaplaceProof::L1Norm),
        (SensitivityBound::of_l2_squared(50u32.into()), LaplaceProof::L1Bound),
        (behind_matrix, LaplaceProof::L1Bound),
    ] {
        let noise = calibrate(&epsilon("1"), &target, bound).expect("in range");
        assert_eq!(noise.proof, proof);
        assert_eq!(noise.refuted.is_some(), proof == LaplaceProof::L1Norm);
    }
}

/// The least scale for a vector, and the relative distance of a refuted scale.
fn long_vector(length: usize, max_measurement: u128, rate: &str, target: &str) -> (f64, f64) {
    let query = Query::SumVec { length, max_measurement };
    let target: Delta = target.parse().expect("a delta");
    let noise =
        calibrate(&epsilon(rate), &target, query.sensitivity_bound(Replacement).expect("known"))
            .expect("in range");
    assert!(noise.proof == LaplaceProof::WorstCase && upper(&noise.delta) <= *target.value());
    let refuted = noise.refuted.expect("some scale is too small");
    (noise.scale.to_f64(), relative(&refuted, &noise.scale))
}

#[test]
fn a_long_vector_of_large_numbers_takes_its_law_and_not_its_norm() {
    // By a full convolution in floats; the norm takes 14 999.97.
    let (scale, room) = long_vector(1000, 15, "1", "1e-6");
    assert!((scale / 1_998.645_526 - 1.0).abs() < 1e-8 && room < 1e-9, "{scale} {room}");
}

#[test]
fn a_lattice_made_coarser_costs_some_millionths() {
    // Half the numbers with half the noise, on their own lattice.
    let (coarse, room) = long_vector(3, 22_000, "1", "1e-3");
    let (exact, _) = long_vector(3, 11_000, "1", "1e-3");
    let cost = coarse / (2.0 * exact) - 1.0;
    assert!((-1e-8..1e-5).contains(&cost), "{cost}");
    assert!(room < 2e-4, "{room}");
}

#[test]
fn one_moved_coordinate_taken_for_two_is_caught() {
    let planted = calibrated(&WorstCaseDifference::one(), "1", "1e-6");
    let delta = delta(&planted.scale, &epsilon("1"), &WorstCaseDifference::one_hot()).unwrap();
    assert!(delta.lower().cmp_rational(&number("1e-6")).is_gt());
}

#[test]
fn a_delta_too_small_for_a_grid_has_the_bound_of_its_rho() {
    let difference = difference_of(1 << 24, 3);
    let found = delta(&number("25000000"), &epsilon("1"), &difference).unwrap();
    assert!(found.upper().cmp_rational(&number("1e-40")).is_lt(), "{found}");
}
