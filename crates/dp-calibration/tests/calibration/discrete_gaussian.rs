//! Discrete Gaussian noise on a histogram: the reference table, the counterexamples to continuous
//! calibration, and an independent evaluation.

use std::cmp::Ordering;

use crate::common::{number, relative, rows, upper};
use dp_calibration::analytic_gaussian;
use dp_calibration::discrete_gaussian::{self, GaussianCalibration, calibrate};
use dp_calibration::{SensitivityBound, WorstCaseDifference};
use dp_exact::{Delta, Dyadic, Epsilon, Interval, Rational};

fn calibrated(epsilon: &str, delta: &str) -> GaussianCalibration {
    calibrated_for(&WorstCaseDifference::one_hot(), epsilon, delta)
}

fn calibrated_for(
    difference: &WorstCaseDifference,
    epsilon: &str,
    delta: &str,
) -> GaussianCalibration {
    let (epsilon, delta): (Epsilon, Delta) =
        (epsilon.parse().expect("an epsilon"), delta.parse().expect("a delta"));
    calibrate(&epsilon, &delta, difference).expect("parameters in range")
}

fn delta_for(difference: &WorstCaseDifference, variance: &Rational, epsilon: &str) -> Interval {
    let epsilon = epsilon.parse().expect("an epsilon");
    discrete_gaussian::delta(variance, &epsilon, difference).expect("parameters in range")
}

fn delta_at(variance: &Rational, epsilon: &str) -> Interval {
    delta_for(&WorstCaseDifference::one_hot(), variance, epsilon)
}

/// The rows of a table, each with the worst difference that its `column` names: one integer or
/// one-hot.
fn differences(file: &str, column: usize) -> Vec<(WorstCaseDifference, Vec<String>)> {
    let difference = |name: &str| match name {
        "one" => WorstCaseDifference::one(),
        "pair" => WorstCaseDifference::one_hot(),
        other => panic!("{other} is not a query"),
    };
    rows(file).into_iter().map(|row| (difference(&row[column]), row)).collect()
}

#[test]
fn calibration_is_the_reference_and_never_below_it() {
    for (difference, row) in differences("discrete_gaussian_sigma.csv", 2) {
        let noise = calibrated_for(&difference, &row[0], &row[1]);
        let sigma = noise.sigma().unwrap();
        assert!(sigma >= number(&row[5]), "{row:?}: below the first feasible, {sigma}");
        assert!(sigma >= number(&row[4]), "{row:?}: below the safe one, {sigma}");
        assert!(relative(&sigma, &number(&row[4])) < 1e-9, "{row:?}: {sigma}");
        let target = number(&row[1]);
        assert!(noise.delta.upper().cmp_rational(&target).is_le(), "{row:?}");
        let refuted = noise.refuted.expect("these landscapes cross the target");
        assert!(
            delta_for(&difference, &refuted, &row[0]).lower().cmp_rational(&target).is_gt(),
            "{row:?}"
        );
        assert!(relative(&refuted, &noise.variance) < 1.1e-8, "{row:?}: {refuted}");
    }
}

#[test]
fn the_counterexamples_refute_the_continuous_sigma_and_not_ours() {
    for (difference, row) in differences("dg_counterexamples_verified.csv", 0) {
        let (guaranteed, found) = (number(&row[2]), number(&row[5]));
        let delta = delta_for(&difference, &number(&row[3]).pow(2), &row[1]);
        assert!(relative(&upper(&delta), &found) < 1e-11, "{row:?}: {delta}");
        let order = delta.compare_rational(&guaranteed);
        assert_eq!(order, Some(found.cmp(&guaranteed)), "{row:?}: {delta}");
        let noise = calibrated_for(&difference, &row[1], &row[2]);
        assert!(noise.delta.upper().cmp_rational(&guaranteed).is_le(), "{row:?}");
    }
}

#[test]
fn every_larger_variance_is_safe_where_probed() {
    for (epsilon, target) in [("50", "1e-6"), ("20", "1e-15"), ("5", "1e-6"), ("0.906", "1e-9")] {
        let noise = calibrated(epsilon, target);
        let target = number(target);
        assert_eq!(noise.cover.first(), Some(&noise.variance));
        assert!(noise.cover.is_sorted());
        for ends in noise.cover.windows(2) {
            let middle = (&ends[0] + &ends[1]) * number("1/2");
            for probe in [&ends[0], &middle] {
                let delta = delta_at(probe, epsilon);
                assert!(delta.upper().cmp_rational(&target).is_le(), "{epsilon} at {probe}");
            }
        }
        let largest = noise.cover.last().unwrap();
        for factor in ["1", "1.5", "4"] {
            let delta = delta_at(&(largest * &number(factor)), epsilon);
            assert!(delta.upper().cmp_rational(&target).is_le(), "{epsilon} times {factor}");
        }
    }
}

#[test]
fn delta_rises_with_the_variance_at_large_epsilon_and_calibration_is_not_misled() {
    // σ = 0.1415 meets (50, 1e-6), σ = 0.195 does not, σ = 0.1998 does again.
    let target = number("1e-6");
    let meets = |sigma: &str| {
        let delta = delta_at(&number(sigma).pow(2), "50");
        delta.compare_rational(&target) == Some(Ordering::Less)
    };
    assert!(meets("0.1415") && !meets("0.195") && meets("0.1998"));
    assert!(calibrated("50", "1e-6").sigma().unwrap() > number("0.195"));
}

/// The hockey-stick divergence of a one-hot vector by its definition: Σ over all pairs of outcomes
/// of the positive part of p(x₁)·p(x₂) − e^ε·p(x₁−1)·p(x₂+1), cut off where the rest is below
/// 2^−200.
fn by_enumeration(variance: &Rational, exponent: &Rational) -> Interval {
    let precision = 320;
    let rate = (variance + variance).reciprocal().expect("not zero");
    let bell = |x: i64| {
        let exponent = -(Rational::from(x * x) * &rate);
        Interval::rational(&exponent, precision).exp().expect("a small exponent")
    };
    // e^(−reach²/(2σ²)) < e^(−150), below 2^−216; the sum of all that is farther out, for either
    // coordinate, is below a thousand times that.
    let reach = (1i64..).find(|x| Rational::from(x * x) * &rate > 150).expect("it grows");
    let bells: Vec<Interval> = (-reach - 1..=reach + 1).map(bell).collect();
    let zero = Interval::integer(0, precision);
    let total = bells.iter().fold(zero.clone(), |sum, bell| sum + bell);
    let growth = Interval::rational(exponent, precision).exp().expect("a small exponent");
    let inside = 1..bells.len() - 1;
    let mut sum = zero.clone();
    for first in inside.clone() {
        for second in inside.clone() {
            let here = &bells[first] * &bells[second];
            let moved = &growth * &(&bells[first - 1] * &bells[second + 1]);
            let excess = here - moved;
            if excess.is_positive() {
                sum = sum + excess;
            } else if !(-&excess).is_positive() {
                sum = sum + excess.hull(&zero);
            }
        }
    }
    let rest = Interval::integer(1, precision).shifted(-200);
    let sum = sum.checked_div(&total.square()).expect("not zero");
    &sum + &rest.hull(&-&rest)
}

/// Pairs of σ² and ε for which enumeration is short.
const SMALL: [(&str, &str); 6] =
    [("0.05", "20"), ("1/4", "3"), ("0.7", "1.3"), ("1", "0.001"), ("2.96", "5"), ("4", "1/3")];

#[test]
fn delta_is_what_enumeration_of_both_coordinates_gives() {
    for (variance, epsilon) in SMALL {
        let delta = delta_at(&number(variance), epsilon);
        let slow = by_enumeration(&number(variance), &number(epsilon));
        assert_eq!(delta.compare(&slow), None, "{variance} {epsilon}: {delta} {slow}");
        assert!(relative(&upper(&delta), &upper(&slow)) < 1e-18);
    }
}

#[test]
fn an_exponent_of_the_wrong_sign_is_caught() {
    for (variance, epsilon) in SMALL {
        let delta = delta_at(&number(variance), epsilon);
        let planted = by_enumeration(&number(variance), &-number(epsilon));
        assert_eq!(delta.compare(&planted), Some(Ordering::Less), "{variance} {epsilon}");
    }
}

#[test]
fn noise_for_a_histogram_that_moves_by_one_is_caught() {
    // Half the variance is what a squared sensitivity of 1 in place of 2 would ask for.
    for (epsilon, target) in [("0.317", "1e-9"), ("0.906", "1e-9"), ("1.528", "1e-9")] {
        let (parsed, delta) = (epsilon.parse().unwrap(), target.parse().unwrap());
        let planted = analytic_gaussian::sigma(&parsed, &delta, &1u32.into()).unwrap();
        let delta = delta_at(&planted.pow(2), epsilon);
        assert!(delta.lower().cmp_rational(&number(target)).is_gt());
    }
}

#[test]
fn of_a_norm_few_coordinates_are_tried() {
    let (variance, epsilon) = (number("40"), "1".parse().unwrap());
    let guaranteed = |norm: u32| {
        let sensitivity = SensitivityBound::L2Squared(norm.into());
        discrete_gaussian::certified_delta(&variance, &epsilon, &sensitivity).unwrap()
    };
    for norm in [1u32, 7, 64, 65, 1000] {
        let found = guaranteed(norm);
        assert!(!found.is_exact && found.lower <= found.upper, "{norm}");
        if norm <= 64 {
            let difference = WorstCaseDifference::new(norm.into(), 1u32).unwrap();
            let of_difference = discrete_gaussian::delta(&variance, &epsilon, &difference).unwrap();
            assert_eq!(found.lower, *of_difference.lower(), "{norm}");
        } else {
            assert_eq!(found.lower, Dyadic::new(0, 0), "{norm}");
        }
    }
}
