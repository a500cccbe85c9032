//! Many unlike releases: how close their bounds are, and where they are far apart.

use dp_calibration::accounting::{AccountedMechanism, ComposedEpsilon};
use dp_exact::Rational;

use super::{accountant, gaussian, laplace, odd, response};
use crate::common::{delta_of, number, relative};

fn bounds(releases: impl IntoIterator<Item = AccountedMechanism>, delta: &str) -> ComposedEpsilon {
    let releases = releases.into_iter().map(|release| (release, 1));
    let bounds = accountant(releases).epsilon(&delta_of(delta)).expect("bounds");
    assert!(bounds.lower <= bounds.upper, "{bounds:?}");
    bounds
}

#[test]
fn a_thousand_different_releases_are_enclosed_to_one_in_ten_thousand() {
    let mixed = |kind: u64| match kind % 4 {
        0 => gaussian(odd(900 + kind), 2, 1),
        1 => laplace(odd(50 + kind), 1, 1),
        2 => laplace(odd(3000 + 10 * kind), 1, 80),
        _ => gaussian(odd(500_000 + 100 * kind), 1, 30),
    };
    for delta in ["1e-3", "1e-9", "1e-40"] {
        let found = bounds((0..1000).map(mixed), delta);
        assert!(relative(&found.upper, &found.lower) < 1e-4, "{delta} {found:?}");
    }
}

#[test]
fn noise_too_wide_for_its_lattice_is_that_of_any_other_scale() {
    // μ = d/σ is all that matters: one step at σ = 50, and a million at 5e7, are 1e-4 apart.
    let wide = bounds([gaussian(number("2.5e15"), 1, 1_000_000)], "1e-6");
    assert!(relative(&wide.upper, &wide.lower) < 1e-5, "{wide:?}");
    let narrow = bounds([gaussian(number("2500"), 1, 1)], "1e-6");
    assert!(relative(&wide.upper, &narrow.upper) < 1e-2);
    let one = bounds([gaussian(number("1e18"), 1, 1)], "1e-12");
    assert!(one.upper < number("1e-8"), "{one:?}");
}

#[test]
fn one_way_to_add_up_losses_answers_where_the_other_does_not() {
    // Losses that lie a hundred apart: too far for a common grid.
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

/// Characteristic functions gave no lower bound here, and an upper one that is 0.4 % larger.
#[test]
fn fifteen_unlike_responses_are_enclosed_on_a_grid() {
    let response = |kind: u64| response(&format!("0.{}", 100_000 + kind * 7919), "0");
    let found = bounds((1..=15).map(response), "1e-6");
    assert!(relative(&found.upper, &found.lower) < 1e-4, "{found:?}");
    assert!(relative(&found.upper, &number("2.4400493")) < 2e-5, "{found:?}");
}
