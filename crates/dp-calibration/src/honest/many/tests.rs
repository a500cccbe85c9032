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
