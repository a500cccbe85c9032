use super::super::tests::{enumerated, holds, law, number};
use super::*;

#[test]
fn what_a_short_table_leaves_out_comes_back_in_the_upper_bound() {
    let (epsilon, none) = (number("1.5"), Rational::zero());
    let variance = number("0.6");
    let noise = law(2, variance.to_f64());
    for coordinates in [3u32, 4] {
        let truth = enumerated(&noise, (coordinates, 1), epsilon.to_f64(), 12);
        for reach in 1..=7u64 {
            let many = Many {
                honest: 2,
                coordinates,
                step: 1,
                reach,
                epsilon: &epsilon,
                target: &none,
            };
            let delta = many.delta(&variance).expect("short");
            assert!(
                holds(&delta, truth),
                "{coordinates} {reach}: {delta} {truth}"
            );
            // One coordinate beyond the table, or more.
            let inside = i32::try_from(reach).expect("small");
            let inside: f64 = (-inside..=inside).map(&noise).sum();
            let beyond = f64::from(coordinates) * (1.0 - inside);
            let upper = delta.upper().to_f64();
            assert!(
                upper <= truth * 1.001 + beyond,
                "{coordinates} {reach}: {upper} {truth} {beyond}"
            );
        }
    }
}

#[test]
fn what_holds_is_decided_by_delta() {
    let (epsilon, none) = (number("0.7"), Rational::zero());
    let corner = Corner::new(3, 1u32).expect("a corner");
    let variance = number("1.5");
    let largest = number("2");
    let asked = Many::new(&largest, &corner, 2, &epsilon, &none, -30.0).expect("short");
    let delta = asked.delta(&variance).expect("short");
    let delta = delta.upper().to_rational().expect("small");
    for (factor, holds) in [("0.9", false), ("1.1", true)] {
        let target = &delta * &number(factor);
        let many = Many::new(&largest, &corner, 2, &epsilon, &target, -30.0).expect("short");
        let place = |part: &str| many.place(&(&variance * &number(part))).expect("short");
        let here = place("1");
        assert_eq!(many.holds_at(&here), Some(holds), "{factor}");
        // From a hair above up to the variance: as at the variance itself.
        let (low, beyond) = (here, place("0.9999"));
        let between = many.holds_between(&low, &place("1.0001"), &beyond);
        assert_eq!(between, Some(holds), "{factor}");
    }
}
