//! On which side roundings are, against exact rationals.

use super::super::smooth::{group, power};
use super::exact;
use dp_exact::Rational;
use dp_exact::directed::UNIT;

#[test]
fn powers_are_rounded_to_the_side_that_is_asked_for() {
    for base in [0.3, 0.999_9, 1.000_1, 1.7, 1.0 / 3.0] {
        for exponent in [0u32, 1, 2, 3, 7, 64, 100, 255] {
            let power = |rounding| exact(power(base, u64::from(exponent), rounding));
            let (below, above) = (power(1.0 - 4.0 * UNIT), power(1.0 + 4.0 * UNIT));
            let value = exact(base).pow(exponent);
            assert!(below <= value && value <= above, "{base} {exponent}");
            // No product is rounded more than 2·exponent times.
            let slack = exact(1.0 + 16.0 * UNIT * f64::from(exponent));
            assert!(above <= &below * &slack, "{base} {exponent}");
        }
    }
}

#[test]
fn what_a_group_is_better_by_is_rounded_down() {
    let whole = |value: i64| Rational::from(value);
    let half = exact(0.5);
    for ratio in [0.2, 0.7, 0.93, 0.999, 1.0] {
        for g in [0.4, 0.75, 1.0] {
            let rho = exact(ratio);
            let inverse = rho.reciprocal().expect("positive");
            let l = &(&inverse - &rho) * &half;
            let bent = &whole(1) - &(&(&l * &l) * &Rational::new(1, 12).expect("a number"));
            let gained = &(&(&(&whole(1) + &rho) * &half) * &exact(g)) * &bent;
            let lost = &(&whole(1) - &rho) * &half;
            let value = &gained - &lost;
            let bound = exact(group(ratio, g));
            if value.is_positive() {
                assert!(
                    bound <= value && value <= &bound + &exact(1e-14),
                    "{ratio} {g}"
                );
            } else {
                assert!(bound.is_zero(), "{ratio} {g}");
            }
        }
    }
}
