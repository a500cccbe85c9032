//! Discrete Laplace noise: its exact δ against enumeration and closed forms, and calibration.

use std::cmp::Ordering;

use crate::common::{number, relative, upper};
use dp_calibration::Adjacency::Replacement;
use dp_calibration::discrete_laplace::{
    LaplaceCalibration, calibrate, calibrate_norm, calibrate_query, delta, scale_of_any_pure,
};
use dp_calibration::{Corner, Query, laplace};
use dp_exact::{Delta, Epsilon, Rational};
use num_bigint::BigUint;
use proptest::prelude::*;

fn moved(coordinates: u64, step: u64) -> Corner {
    Corner::new(coordinates, step).expect("in range")
}

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

/// The divergence by its definition, over all vectors of one to three coordinates.
fn by_enumeration(corner: &Corner, scale: f64, epsilon: f64) -> f64 {
    let step = i32::try_from(corner.step()).expect("small");
    let q = (-1.0 / scale).exp();
    let pmf = |x: i32| (1.0 - q) / (1.0 + q) * q.powi(x.abs());
    // Outside of −Δ … 0 the loss is constant: whole tails count as one outcome.
    let tail = |from: i32| q.powi(from) / (1.0 + q);
    let mut outcomes = vec![(tail(0), tail(step)), (tail(step), tail(0))];
    outcomes.extend((1..step).map(|x| (pmf(x), pmf(step - x))));
    let mut vectors = vec![(1.0, epsilon.exp())];
    for _ in 0..corner.coordinates() {
        let longer = vectors.iter().flat_map(|(p, r)| {
            outcomes
                .iter()
                .map(move |(here, there)| (p * here, r * there))
        });
        vectors = longer.collect();
    }
    let excess = vectors.iter().map(|(here, there)| (here - there).max(0.0));
    excess.sum()
}

#[test]
fn delta_is_what_enumeration_of_all_coordinates_gives() {
    for (corner, scale, rate) in [
        (moved(1, 1), "0.4", "1"),
        (moved(1, 7), "5", "0.3"),
        (moved(1, 20), "3.3", "2.5"),
        (moved(2, 1), "1.5", "0.7"),
        (moved(2, 5), "4", "1"),
        (moved(3, 4), "2.5", "0.9"),
        (moved(3, 11), "15", "0.5"),
        (moved(7, 1), "2", "1.1"),
    ] {
        let delta = delta(&number(scale), &epsilon(rate), &corner).unwrap();
        let slow = by_enumeration(&corner, number(scale).to_f64(), number(rate).to_f64());
        let error = (upper(&delta).to_f64() / slow - 1.0).abs();
        assert!(error < 1e-11, "{corner:?}: {delta} {slow}");
    }
}

#[test]
fn the_scale_of_pure_privacy_has_delta_zero_and_no_smaller_one_has() {
    for corner in [
        moved(1, 1),
        moved(1, 1000),
        moved(2, 1),
        moved(6, 1),
        moved(4, 9),
    ] {
        let rate = epsilon("0.7");
        let scale = laplace::scale(&rate, &corner.l1()).unwrap();
        let at = |scale: &Rational| delta(scale, &rate, &corner).unwrap();
        assert!(at(&scale).upper().cmp_rational(&Rational::zero()).is_eq());
        assert!(at(&(&scale * &number("0.999999"))).is_positive());
    }
}

#[test]
fn a_single_bit_is_randomized_response() {
    // δ = (e^(ε₀) − e^ε)/(e^(ε₀) + 1) with ε₀ = 1/t.
    let delta = delta(&number("0.5"), &epsilon("1"), &Corner::one()).unwrap();
    let expected = (2f64.exp() - 1f64.exp()) / (2f64.exp() + 1.0);
    assert!((upper(&delta).to_f64() / expected - 1.0).abs() < 1e-15);
}

fn calibrated(corner: &Corner, rate: &str, target: &str) -> LaplaceCalibration {
    let target: Delta = target.parse().expect("a delta");
    let noise = calibrate(&epsilon(rate), &target, corner).expect("in range");
    assert!(noise.delta.upper().cmp_rational(target.value()).is_le());
    noise
}

#[test]
fn calibration_is_safe_and_refuted_one_digit_below() {
    for (corner, rate, target) in [
        (moved(1, 1), "1", "1e-9"),
        (moved(2, 1), "0.317", "1e-9"),
        (moved(1, 1_000_000), "1", "0.1"),
        (moved(20, 1), "5", "1e-6"),
        (moved(4, 255), "1", "1e-3"),
        (moved(1, 1), "1e-6", "1e-300"),
        (moved(2, 1), "1000", "0.5"),
        (moved(2, 1), "1000", "1e-300"),
        (moved(2, 1), "1e-6", "0.5"),
    ] {
        let noise = calibrated(&corner, rate, target);
        let pure = laplace::scale(&epsilon(rate), &corner.l1()).unwrap();
        assert!(
            relative(&noise.scale, &pure) < 1e-11 || noise.scale < pure,
            "{corner:?}"
        );
        let Some(refuted) = noise.refuted else {
            panic!("{corner:?}: some scale is too small")
        };
        assert!(relative(&refuted, &noise.scale) < 1e-10, "{corner:?}");
        let below = delta(&refuted, &epsilon(rate), &corner).unwrap();
        assert!(below.upper().cmp_rational(&number(target)).is_gt());
    }
}

#[test]
fn several_coordinates_gain_more_from_delta_than_one() {
    let gain = |corner: &Corner| {
        let pure = laplace::scale(&epsilon("1"), &corner.l1()).unwrap();
        let noise = calibrated(corner, "1", "1e-6");
        noise.scale.checked_div(&pure).unwrap().to_f64()
    };
    let gains = [1, 10, 100, 1000].map(|coordinates| gain(&moved(coordinates, 1)));
    assert!(gains.is_sorted_by(|a, b| a > b), "{gains:?}");
    assert!(gains[3] < 0.3, "{gains:?}");
}

#[test]
fn two_coordinates_in_closed_form_are_what_the_convolution_gives() {
    for (step, scale, rate) in [(1, 1.5, 0.5), (2, 1.5, 1.0), (7, 4.0, 0.7), (30, 9.0, 2.0)] {
        let q = (-1.0_f64 / scale).exp();
        let single = |j: i32| match j {
            0 => 1.0,
            _ if j == step => 1.0,
            _ => 1.0 - q,
        };
        let mut slow = 0.0;
        for (i, j) in (0..=step).flat_map(|i| (0..=step).map(move |j| (i, j))) {
            let loss = f64::from(2 * step - 2 * (i + j)) / scale;
            let weight = single(i) * single(j) * q.powi(i + j) / (1.0 + q).powi(2);
            slow += weight * (1.0 - (rate - loss).exp()).max(0.0);
        }
        let scale = Rational::from_f64(scale).unwrap();
        let rate = Epsilon::new(Rational::from_f64(rate).unwrap()).unwrap();
        let corner = moved(2, u64::from(step.unsigned_abs()));
        let delta = upper(&delta(&scale, &rate, &corner).unwrap()).to_f64();
        assert!(
            (delta / slow - 1.0).abs() < 1e-11,
            "{corner:?} {delta} {slow}"
        );
    }
}

#[test]
fn a_query_is_calibrated_for_pure_privacy_as_well() {
    let query = Query::SumVec {
        length: 100_000,
        max_measurement: 1000,
    };
    let (rate, pure) = (epsilon("1/3"), "0".parse().unwrap());
    let noise = calibrate_query(&query, Replacement, &rate, &pure).unwrap();
    assert_eq!(noise.scale, 300_000_000);
    assert!(noise.is_exact() && noise.delta.upper().cmp_rational(&number("0")).is_eq());
}

/// The least scale and how far below it one is refuted.
fn long_vector(length: usize, max_measurement: u128, rate: &str, target: &str) -> (f64, f64) {
    let query = Query::SumVec {
        length,
        max_measurement,
    };
    let target: Delta = target.parse().expect("a delta");
    let noise = calibrate_query(&query, Replacement, &epsilon(rate), &target).expect("in range");
    assert!(noise.is_exact() && upper(&noise.delta) <= *target.value());
    let refuted = noise.refuted.expect("some scale is too small");
    (noise.scale.to_f64(), relative(&refuted, &noise.scale))
}

#[test]
fn long_vectors_of_large_numbers_take_their_law_and_not_their_norm() {
    // The scales by a convolution in floating point, of all places; the norm takes 14 999.97 and
    // 25 499.9.
    for (length, largest, slow) in [(1000, 15, 1_998.645_526), (100, 255, 10_579.308_92)] {
        let (scale, room) = long_vector(length, largest, "1", "1e-6");
        assert!((scale / slow - 1.0).abs() < 1e-8, "{length}: {scale}");
        assert!(room < 1e-9, "{length}: {room}");
    }
}

#[test]
fn a_lattice_made_coarser_costs_some_millionths() {
    let (scale, room) = long_vector(1000, 1000, "1", "1e-3");
    assert!(scale > 81_213.260 && scale < 81_213.4, "{scale}");
    assert!(room < 1e-4, "{room}");
    let (_, room) = long_vector(100_000, 1 << 32, "1", "1e-6");
    assert!(room < 2e-3, "{room}");
}

#[test]
fn the_delta_and_the_epsilon_of_a_long_vector_belong_together() {
    let corner = moved(1000, 15);
    let (scale, target): (_, Delta) = (number("1998.6455263"), "1e-6".parse().unwrap());
    let least = dp_calibration::discrete_laplace::epsilon(&scale, &target, &corner).unwrap();
    assert!(relative(&least, &number("1")) < 1e-8, "{least}");
    let delta = delta(&scale, &epsilon("1"), &corner).unwrap();
    let width = upper(&delta).to_f64() / delta.lower().to_f64() - 1.0;
    assert!(width < 1e-8 && relative(&upper(&delta), target.value()) < 1e-7);
}

#[test]
fn vectors_with_more_entries_than_are_composed_are_calibrated_by_their_norm() {
    let query = Query::SumVec {
        length: (1 << 24) + 1,
        max_measurement: 3,
    };
    let target: Delta = "0.001".parse().unwrap();
    let noise = calibrate_query(&query, Replacement, &epsilon("1"), &target).unwrap();
    assert!(!noise.is_exact() && noise.scale < number("50331651"));
    assert!(upper(&noise.delta) <= *target.value());
}

#[test]
fn one_moved_coordinate_taken_for_two_is_caught() {
    let planted = calibrated(&Corner::one(), "1", "1e-6");
    let delta = delta(&planted.scale, &epsilon("1"), &Corner::one_hot()).unwrap();
    assert!(delta.lower().cmp_rational(&number("1e-6")).is_gt());
}

#[test]
fn absurd_parameters_are_refused_at_once() {
    let message = |scale: &str, corner: &Corner| {
        let error = delta(&number(scale), &epsilon("1"), corner).expect_err("out of range");
        error.to_string()
    };
    assert!(message("0", &Corner::one()).starts_with("scale is 0"));
    assert!(message("-3", &Corner::one()).starts_with("scale is -3"));
    assert!(message("1e-7", &Corner::one()).starts_with("scale is"));
    assert!(message("1e10", &Corner::one()).starts_with("scale is"));
    let long = moved((1 << 24) + 1, 1);
    assert!(message("1e6", &long).starts_with("coordinates is 16777217"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn more_noise_never_gives_more_away(
        coordinates in 1u64..12,
        step in 1u64..12,
        percent in 5i64..95,
        tenths in 1i64..40,
    ) {
        let rate = Epsilon::new(Rational::new(tenths, 10).unwrap()).unwrap();
        let corner = moved(coordinates, step);
        let pure = laplace::scale(&rate, &corner.l1()).unwrap();
        let at = |percent: i64, corner: &Corner| {
            let scale = &pure * &Rational::new(percent, 100).unwrap();
            delta(&scale, &rate, corner).unwrap()
        };
        let here = at(percent, &corner);
        prop_assert_eq!(here.compare(&at(percent + 1, &corner)), Some(Ordering::Greater));
        // Not strictly: one more coordinate may add nothing, see the test below.
        for farther in [moved(coordinates + 1, step), moved(coordinates, step + 1)] {
            prop_assert_ne!(here.compare(&at(percent, &farther)), Some(Ordering::Greater));
        }
        // No pure mechanism is worse than randomized response.
        let scale = &pure * &Rational::new(percent, 100).unwrap();
        let pure_epsilon = corner.l1().to_string().parse::<f64>().unwrap() / scale.to_f64();
        let rate = rate.value().to_f64();
        let bound = (1.0 - (rate - pure_epsilon).exp()) / (1.0 + (-pure_epsilon).exp());
        prop_assert!(upper(&here).to_f64() <= bound * (1.0 + 1e-12));
    }
}

#[test]
fn an_even_count_may_give_away_no_more_than_the_odd_one_before() {
    // Five and six votes of probability q/(1+q) and 1/(1+q): where a loss of six is ε itself, both
    // have the same δ, as a tie among six decides nothing.
    let at = |coordinates| {
        let delta = delta(&number("20"), &epsilon("0.1"), &moved(coordinates, 1));
        delta.expect("in range")
    };
    let [five, six, seven] = [5, 6, 7].map(at);
    assert!(five.lower() <= six.upper() && six.lower() <= five.upper());
    assert_eq!(six.compare(&seven), Some(Ordering::Less));
}

#[test]
fn noise_by_the_norm_alone_is_never_more_than_pure_privacy_asks_for() {
    let norm = BigUint::from(14u32);
    for (text, target) in [
        ("1e-9", "1e-300"),
        ("1", "1e-300"),
        ("1/3", "1e-40"),
        ("5", "1e-3"),
    ] {
        let (epsilon, target): (Epsilon, Delta) = (epsilon(text), target.parse().unwrap());
        let noise = calibrate_norm(&epsilon, &target, &norm).unwrap();
        let any = scale_of_any_pure(&epsilon, &target, &norm).unwrap();
        assert!(noise.scale <= any, "{text}");
        let pure = laplace::scale(&epsilon, &norm).unwrap();
        assert!(noise.scale <= pure, "{text}");
        assert!(noise.delta.lower().cmp_rational(&Rational::zero()).is_ge());
        assert!(upper(&noise.delta) <= *target.value(), "{text}");
    }
}
