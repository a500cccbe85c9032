//! Discrete Gaussian noise: the reference table, and counterexamples to continuous calibration.

use std::cmp::Ordering;

use crate::common::{self, delta_of, number, relative, rows, upper};
use dp_calibration::WorstCaseDifference;
use dp_calibration::analytic_gaussian;
use dp_calibration::discrete_gaussian::{self, GaussianCalibration, calibrate};
use dp_exact::{Interval, Rational};

fn calibrated(epsilon: &str, delta: &str) -> GaussianCalibration {
    noise_for(&WorstCaseDifference::one_hot(), epsilon, delta)
}

fn noise_for(difference: &WorstCaseDifference, epsilon: &str, delta: &str) -> GaussianCalibration {
    let (epsilon, delta) = (common::epsilon(epsilon), delta_of(delta));
    calibrate(&epsilon, &delta, difference).expect("parameters in range")
}

fn delta_for(difference: &WorstCaseDifference, variance: &Rational, epsilon: &str) -> Interval {
    let epsilon = common::epsilon(epsilon);
    discrete_gaussian::delta(variance, &epsilon, difference).expect("parameters in range")
}

fn delta_at(variance: &Rational, epsilon: &str) -> Interval {
    delta_for(&WorstCaseDifference::one_hot(), variance, epsilon)
}

/// The rows of a table, each with the worst difference that its `column` names.
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
        let noise = noise_for(&difference, &row[0], &row[1]);
        let sigma = noise.sigma();
        assert!(sigma >= number(&row[5]), "{row:?}: below the first feasible, {sigma}");
        assert!(sigma >= number(&row[4]), "{row:?}: below the safe one, {sigma}");
        assert!(relative(&sigma, &number(&row[4])) < 1e-9, "{row:?}: {sigma}");
        let target = number(&row[1]);
        assert!(noise.delta.upper().cmp_rational(&target).is_le(), "{row:?}");
        let refuted = noise.refuted.expect("these landscapes cross the target");
        let below = delta_for(&difference, &refuted, &row[0]);
        assert!(below.lower().cmp_rational(&target).is_gt(), "{row:?}");
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
        let noise = noise_for(&difference, &row[1], &row[2]);
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
    assert!(calibrated("50", "1e-6").sigma() > number("0.195"));
}

#[test]
fn noise_for_a_histogram_that_moves_by_one_is_caught() {
    // Half the variance is what a squared sensitivity of 1 in place of 2 would ask for.
    for (epsilon, target) in [("0.317", "1e-9"), ("0.906", "1e-9"), ("1.528", "1e-9")] {
        let (rate, delta) = (common::epsilon(epsilon), delta_of(target));
        let planted = analytic_gaussian::sigma(&rate, &delta, &1u32.into()).unwrap();
        let delta = delta_at(&planted.pow(2), epsilon);
        assert!(delta.lower().cmp_rational(&number(target)).is_gt());
    }
}
