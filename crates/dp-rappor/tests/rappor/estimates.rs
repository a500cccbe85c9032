//! What is said of the noise in an estimate, against independent forms of the same figures.

use dp_rappor::Estimate;

fn estimate(value: f64, standard_error: f64, excess_kurtosis: f64) -> Estimate {
    Estimate {
        value,
        standard_error,
        excess_kurtosis,
    }
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-14 * other.abs()
}

/// Variances add, and so do fourth cumulants: excess · variance².
#[test]
fn further_noise_adds_its_variance_and_its_fourth_cumulant() {
    let both = estimate(12.0, 3.0, 0.5).with_noise(16.0, -1.25);
    assert_eq!(both.value, 12.0);
    assert_eq!(both.standard_error, 5.0);
    let fourth_cumulant = 0.5 * 81.0 - 1.25 * 256.0;
    assert!(close(both.excess_kurtosis, fourth_cumulant / 625.0));
}

#[test]
fn no_noise_adds_nothing_whatever_its_kurtosis() {
    let own = estimate(-2.0, 3.0, 0.5);
    assert_eq!(own.with_noise(0.0, f64::INFINITY), own);
    let exact = estimate(7.0, 0.0, f64::NAN);
    assert_eq!(exact.with_noise(4.0, 0.75), estimate(7.0, 2.0, 0.75));
    assert_eq!(exact.with_noise(0.0, 3.0), estimate(7.0, 0.0, 0.0));
}

#[test]
fn a_quotient_has_the_quotient_of_the_error_and_the_same_shape() {
    let mean = estimate(-30.0, 6.0, 0.25).divided(4);
    assert_eq!(mean, estimate(-7.5, 1.5, 0.25));
}

/// The quantile 1.959963984540054 of the normal law, of 97.5 % (a table to fifteen digits).
#[test]
fn the_margin_is_the_normal_quantile_with_the_correction_of_cornish_and_fisher() {
    let z: f64 = 1.959_963_984_540_054;
    let standard_errors = |excess: f64| estimate(0.0, 2.0, excess).margin_95() / 2.0;
    assert!(close(standard_errors(0.0), z));
    // z³ − 3z = z·(z² − 3) = 1.6493...
    let correction = |excess: f64| (standard_errors(excess) - z) * 24.0 / excess;
    for excess in [-1.2, 0.5, 3.0, 30.0] {
        assert!(
            (correction(excess) - z * (z * z - 3.0)).abs() < 1e-12,
            "{excess}"
        );
        assert!((correction(excess) - 1.6493).abs() < 1e-4, "{excess}");
    }
    // Chebyshev: 1/20 of all noise lies beyond √20 standard errors, at most.
    assert_eq!(standard_errors(1e6), 20f64.sqrt());
}

#[test]
fn an_interval_reaches_as_far_below_the_value_as_above() {
    let interval = estimate(10.0, 2.0, 0.0).interval(3.0);
    assert_eq!((*interval.start(), *interval.end()), (4.0, 16.0));
}
