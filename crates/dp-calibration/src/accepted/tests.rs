//! Both ends of every range are accepted, and nothing beyond them, however near.

use num_bigint::BigUint;

use super::*;

fn number(text: &str) -> Rational {
    text.parse().expect("a literal")
}

/// Slightly more and slightly less than a number, by a share of 1e-30.
fn beside(value: &Rational) -> [Rational; 2] {
    let share = number("1e-30");
    [value - &(value * &share), value + &(value * &share)]
}

/// Whether exactly what lies between the ends is accepted, and a fraction of no more than 2048 bits.
fn is_range(low: &str, high: &str, accepts: impl Fn(&Rational) -> bool) {
    let (low, high) = (number(low), number(high));
    let ([below, least], [most, above]) = (beside(&low), beside(&high));
    for inside in [&low, &least, &most, &high] {
        assert!(accepts(inside), "{inside}");
    }
    for outside in [&below, &above] {
        assert!(!accepts(outside), "{outside}");
    }
    // (2^k − 1)/2^k of a number inside, a fraction of about as many bits as it has and 2k.
    let inside = power_inside(&low, &high);
    let long = |k: u32| {
        let power = Rational::integer(2).pow(k);
        let share = (&power - &Rational::one()).checked_div(&power);
        &inside * &share.expect("not 0")
    };
    let mut most = 1000;
    while long(most + 1).bits() <= 2048 {
        most += 1;
    }
    assert!(accepts(&long(most)) && !accepts(&long(most + 1)), "{most}");
}

/// A power of two inside, at least twice the lower end.
fn power_inside(low: &Rational, high: &Rational) -> Rational {
    let low = low + low;
    let mut power = Rational::one();
    while power > *high {
        power = &power * &number("1/2");
    }
    while power < low {
        power = &power + &power;
    }
    power
}

fn of_epsilon(value: &Rational) -> bool {
    Epsilon::new(value.clone()).is_ok_and(|value| epsilon(&value).is_ok())
}

fn of_delta(value: &Rational) -> bool {
    Delta::new(value.clone()).is_ok_and(|value| delta(&value).is_ok())
}

fn of_rho(value: &Rational) -> bool {
    Rho::new(value.clone()).is_ok_and(|value| rho(&value).is_ok())
}

#[test]
fn parameters_of_privacy_are_accepted_in_their_ranges() {
    is_range("1e-9", "100", of_epsilon);
    is_range("1e-40", "0.9", of_delta);
    is_range("1e-30", "1e6", of_rho);
}

#[test]
fn orders_are_above_one() {
    let accepts = |value: &Rational| alpha(value).is_ok();
    assert!(!accepts(&Rational::one()) && !accepts(&number("1/2")) && !accepts(&number("-2")));
    is_range("1.0000000001", "1e9", |value| accepts(value) && *value >= number("1.0000000001"));
    assert!(accepts(&number("1.00000000000000001")));
}

#[test]
fn divergences_are_not_negative() {
    let accepts = |value: &Rational| tau(value).is_ok();
    assert!(accepts(&Rational::zero()) && accepts(&number("1e-400")));
    assert!(!accepts(&number("-1e-400")));
    is_range("1e-400", "1e6", |value| accepts(value) && *value >= number("1e-400"));
}

/// In multiples of the squared sensitivity, 2 for a worst-case difference of two coordinates.
#[test]
fn variances_are_accepted_by_their_share_of_the_sensitivity() {
    let difference = WorstCaseDifference::one_hot();
    let small = number("1e-9");
    let accepts = |value: &Rational| difference_variance(value, &small, &difference).is_ok();
    // ε²σ² ≤ 2^36·Δ₂² is met by far at the upper end of ε = 1e-9: 1e-18·1e30 is not, 1e-18·6.8e28 is.
    is_range("2e-10", "137438953472e18", accepts);
    let tiny = number("1e-12");
    is_range("2e-10", "2e30", |value| difference_variance(value, &tiny, &difference).is_ok());
    let one = Rational::one();
    is_range("2e-10", "137438953472", |value| {
        difference_variance(value, &one, &difference).is_ok()
    });
    is_range("5e-10", "343597383680", |value| variance(value, &one, &number("5")).is_ok());
}

/// 1e-6 to 1e9 times the L1 norm, 2.
#[test]
fn scales_are_accepted_by_their_share_of_the_sensitivity() {
    let difference = WorstCaseDifference::one_hot();
    is_range("2e-6", "2e9", |value| scale(value, &difference).is_ok());
    assert!(scale(&Rational::zero(), &difference).is_err());
    assert!(scale(&number("-1"), &difference).is_err());
}

#[test]
fn squared_sensitivities_have_1_to_512_bits() {
    let power = |bits: u32| BigUint::from(1u32) << bits;
    assert!(l2_squared(&BigUint::ZERO).is_err());
    assert_eq!(l2_squared(&power(0)).ok(), Some(Rational::one()));
    assert!(l2_squared(&(power(512) - 1u32)).is_ok());
    assert!(l2_squared(&power(512)).is_err());
}
