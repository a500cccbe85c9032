//! What is said of the noise in an estimate, against independent forms of the same figures.

use dp_rappor::Estimate;

fn estimate(value: f64, standard_error: f64) -> Estimate {
    Estimate {
        value,
        standard_error,
    }
}

#[test]
fn further_noise_adds_its_variance() {
    assert_eq!(estimate(12.0, 3.0).with_noise(16.0), estimate(12.0, 5.0));
    let own = estimate(-2.0, 3.0);
    assert_eq!(own.with_noise(0.0), own);
    assert_eq!(estimate(7.0, 0.0).with_noise(4.0), estimate(7.0, 2.0));
}

#[test]
fn a_quotient_has_the_quotient_of_the_error() {
    assert_eq!(estimate(-30.0, 6.0).divided(4), estimate(-7.5, 1.5));
}

#[test]
fn an_interval_reaches_as_far_below_the_value_as_above() {
    let interval = estimate(10.0, 2.0).interval(3.0);
    assert_eq!((*interval.start(), *interval.end()), (4.0, 16.0));
}
