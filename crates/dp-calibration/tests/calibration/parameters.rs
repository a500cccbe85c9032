//! Parameters out of range: a typed error names them, before anything is computed.

use crate::common::{delta_of, epsilon, number};
use dp_calibration::discrete_gaussian::{calibrate, delta};
use dp_calibration::discrete_laplace::pure_scale;
use dp_calibration::{Error, WorstCaseDifference, analytic_gaussian, zcdp};

const EPSILON: &str = "expected a number from 1e-9 to 100, of at most 2048 bits";
const DELTA: &str = "expected a number from 1e-40 to 0.9, of at most 2048 bits";

/// Fails unless the result is the error of parameter `name` that ends with `accepted`, on one line.
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, name: &str, accepted: &str) {
    let error = result.expect_err("the parameter is out of range");
    let Error::Parameter(parameter) = &error else { panic!("{error}: not a parameter") };
    assert_eq!(parameter.name(), name);
    assert!(error.to_string().ends_with(accepted), "{error}");
    assert!(error.to_string().lines().count() == 1);
}

#[test]
fn absurd_parameters_are_refused_by_name() {
    let one_hot = WorstCaseDifference::one_hot();
    let long = format!("0.317{}", "7".repeat(1200));
    for absurd in ["1e-1000", "1e1000", "1e-10", "101", &long] {
        let (absurd, usual) = (epsilon(absurd), delta_of("1e-9"));
        refused(calibrate(&absurd, &usual, &one_hot), "epsilon", EPSILON);
        refused(analytic_gaussian::sigma(&absurd, &usual, &2u32.into()), "epsilon", EPSILON);
        refused(zcdp::largest_rho(&absurd, &usual), "epsilon", EPSILON);
    }
    for absurd in ["0", "1e-41", "0.95", "0.99999999"] {
        let (usual, absurd) = (epsilon("1"), delta_of(absurd));
        refused(calibrate(&usual, &absurd, &one_hot), "delta", DELTA);
        refused(analytic_gaussian::sigma(&usual, &absurd, &2u32.into()), "delta", DELTA);
        refused(zcdp::epsilon(&"1".parse().unwrap(), &absurd), "delta", DELTA);
    }
    for absurd in ["0", "-1", "1e-10", "1e32", "1e1000"] {
        let result = delta(&number(absurd), &epsilon("1e-3"), &one_hot);
        refused(result, "variance", "2^36/epsilon^2 times it");
    }
    let none = 0u32.into();
    let accepted = "expected an integer of at least 1";
    refused(pure_scale(&epsilon("1"), &none), "l1", accepted);
    refused(zcdp::variance(&"1".parse().unwrap(), &none), "l2_squared", accepted);
    refused(zcdp::rho(&number("1"), &none), "l2_squared", accepted);
    let sigma = analytic_gaussian::sigma(&epsilon("1"), &delta_of("1e-9"), &none);
    refused(sigma, "l2_squared", "expected an integer of at least 1 and at most 512 bits");
    refused(zcdp::rho(&number("0"), &2u32.into()), "variance", "expected a number greater than 0");
}

#[test]
fn the_corners_of_the_accepted_ranges_are_answered() {
    let one_hot = WorstCaseDifference::one_hot();
    for rate in ["1e-9", "100"] {
        let rate = epsilon(rate);
        for target in ["1e-40", "0.9"] {
            let target = delta_of(target);
            let noise = calibrate(&rate, &target, &one_hot).unwrap();
            assert!(noise.delta.upper().cmp_rational(target.value()).is_le());
            analytic_gaussian::sigma(&rate, &target, &2u32.into()).unwrap();
            zcdp::largest_rho(&rate, &target).unwrap();
        }
        for variance in ["1e-9", "1", "600"] {
            delta(&number(variance), &rate, &one_hot).unwrap();
        }
    }
    delta(&number("1e28"), &epsilon("1e-9"), &one_hot).unwrap();
}
