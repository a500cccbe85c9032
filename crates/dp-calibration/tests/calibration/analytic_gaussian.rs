//! The continuous Gaussian: the reference table to the last digit, never below it.

use crate::common::{delta_of, epsilon, number, relative, rows};
use dp_calibration::analytic_gaussian;
use dp_exact::Rational;
use num_bigint::BigUint;

#[test]
fn sigma_is_the_reference_to_twenty_digits_and_never_below_it() {
    for row in rows("analytic_gaussian_sigma.csv") {
        let (epsilon, delta) = (epsilon(&row[0]), delta_of(&row[1]));
        let l2_squared = match &*row[2] {
            "sqrt2" => 2u32.into(),
            other => other.parse::<BigUint>().expect("an integer").pow(2),
        };
        let sigma = analytic_gaussian::sigma(&epsilon, &delta, &l2_squared).expect("a sigma");
        let reference = number(&row[3]);
        assert!(sigma >= reference, "{row:?}: {sigma}");
        assert!(relative(&sigma, &reference) < 1e-23, "{row:?}: {sigma}");
    }
}

#[test]
fn an_exponent_of_the_wrong_sign_is_caught() {
    // With e^(−ε) in place of e^ε the formula is larger, by more than the enclosure is wide.
    let epsilon = epsilon("0.906");
    let exact = analytic_gaussian::delta(&epsilon, &number("8.5402"), &2u32.into()).unwrap();
    let precision = exact.precision();
    let variance = number("8.5402").pow(2).checked_div(&number("2")).unwrap();
    let half_square = (&variance + &variance).reciprocal().unwrap();
    let argument = |value: Rational| {
        let sigma = dp_exact::Interval::rational(&variance, precision).sqrt().unwrap();
        (dp_exact::Interval::rational(&value, precision) * sigma).normal_tail().unwrap()
    };
    let formula = |sign: i64| {
        let exponent = epsilon.value() * &Rational::from(sign);
        let growth = dp_exact::Interval::rational(&exponent, precision).exp().unwrap();
        argument(epsilon.value() - &half_square) - growth * argument(epsilon.value() + &half_square)
    };
    assert_eq!(formula(1).compare(&exact), None);
    assert!(formula(-1).compare(&exact).is_some_and(|order| order.is_gt()));
}
