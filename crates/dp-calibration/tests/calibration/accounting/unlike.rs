//! Many unlike releases: how close their bounds are, and where they are far apart.

use dp_calibration::accounting::{AccountedMechanism, ComposedEpsilon};
use dp_exact::Rational;

use super::{accountant, gaussian, laplace, response};
use crate::common::{delta_of, number, relative};

fn bounds(releases: impl IntoIterator<Item = AccountedMechanism>, delta: &str) -> ComposedEpsilon {
    let releases = releases.into_iter().map(|release| (release, 1));
    let bounds = accountant(releases).epsilon(&delta_of(delta)).expect("bounds");
    assert!(bounds.lower <= bounds.upper, "{bounds:?}");
    bounds
}

#[test]
fn noise_too_wide_for_its_lattice_is_that_of_any_other_scale() {
    // μ = d/σ is all that matters: 99 991 steps at σ = 1e7 are as many at 99 991.
    let wide = bounds([gaussian(number("1e14"), 1, 99_991)], "1e-6");
    assert!(relative(&wide.upper, &wide.lower) < 1e-6, "{wide:?}");
    let narrow = bounds([gaussian(number("1e10"), 1, 1000)], "1e-6");
    let part = number("0.99991") * &narrow.upper;
    assert!(relative(&wide.upper, &part) < 1e-4, "{wide:?} {narrow:?}");
}

#[test]
fn losses_that_lie_a_hundred_apart_have_a_grid() {
    let releases = [
        gaussian(number("0.0101"), 1, 1),
        gaussian(number("0.5"), 1, 1),
        laplace(number("3.7"), 1, 2),
        laplace(number("1.41"), 1, 1),
        gaussian(number("1.33"), 1, 3),
    ];
    let found = bounds(releases, "1e-6");
    assert!(found.lower > number("60") && found.upper < number("80"));
    assert!(relative(&found.upper, &found.lower) < 1e-3, "{found:?}");
}

#[test]
fn a_delta_is_at_most_1() {
    let scales = ["0.31", "0.72", "0.43", "0.64", "1.25", "0.11"];
    let releases = scales.map(|scale| (laplace(number(scale), 3, 2), 1));
    let delta = accountant(releases).delta(&"0.01".parse().expect("positive"));
    let delta = delta.expect("an enclosure");
    assert!(delta.upper().cmp_rational(&Rational::one()).is_le(), "{delta}");
}

#[test]
fn fifteen_unlike_responses_are_enclosed_on_a_grid() {
    let response = |kind: u64| response(&format!("0.{}", 100_000 + kind * 7919), "0");
    let found = bounds((1..=15).map(response), "1e-6");
    assert!(relative(&found.upper, &found.lower) < 3e-4, "{found:?}");
    assert!(relative(&found.upper, &number("2.4400493")) < 1e-4, "{found:?}");
}
