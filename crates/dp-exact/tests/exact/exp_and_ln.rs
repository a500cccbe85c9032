//! exp and ln against an independent implementation with correct rounding, and against each other.

use dashu_float::{Context, FBig, round::mode::Zero};
use dp_exact::{Dyadic, Interval, pi};
use num_bigint::BigInt;
use proptest::prelude::*;

use crate::{agreeing_bits, rational};

/// `value` as a number of the oracle, with `precision` bits.
fn oracle_number(value: &Dyadic, precision: usize) -> FBig<Zero, 2> {
    let parts = FBig::from_parts(value.mantissa().to_string().parse().expect("an integer"), 0);
    let exponent = isize::try_from(value.exponent()).expect("a small exponent");
    (parts << exponent).with_precision(precision).value()
}

/// The oracle's result, less than one unit in its last place off.
fn dyadic(value: &FBig<Zero, 2>) -> Dyadic {
    let mantissa: BigInt = value.repr().significand().to_string().parse().expect("an integer");
    Dyadic::new(mantissa, i64::try_from(value.repr().exponent()).expect("a small exponent"))
}

/// Whether the enclosure meets the oracle's result, give or take the oracle's error.
fn encloses(interval: &Interval, oracle: &FBig<Zero, 2>, precision: u32) -> bool {
    let value = Interval::hull_of(dyadic(oracle), dyadic(oracle), precision);
    let slack = value.shifted(4 - i64::from(precision));
    let (low, high) = (&value - &slack, &value + &slack);
    let (low, high) = (low.hull(&high).lower().clone(), low.hull(&high).upper().clone());
    *interval.lower() <= high && *interval.upper() >= low
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn exp_encloses_the_true_value_tightly(mantissa in any::<i64>(), exponent in -120i64..-50, precision in 40u32..700) {
        let x = Dyadic::new(mantissa, exponent);
        let exp = Interval::point(&x, precision.max(64)).exp().expect("in range");
        let digits = usize::try_from(precision).expect("small") + 80;
        let oracle = Context::<Zero>::new(digits).exp(oracle_number(&x, digits).repr(), None).expect("finite").value();
        prop_assert!(encloses(&exp, &oracle, precision + 80), "e^{x} in {exp}");
        prop_assert!(agreeing_bits(&exp) >= i64::from(precision.max(64)) - 2, "e^{x} in {exp}");
    }

    #[test]
    fn ln_encloses_the_true_value_tightly(mantissa in 1u64.., exponent in -200i64..100, precision in 40u32..700) {
        let x = Dyadic::new(mantissa, exponent);
        let precision = precision.max(64);
        let ln = Interval::point(&x, precision).ln().expect("positive");
        let digits = usize::try_from(precision).expect("small") + 80;
        let oracle = Context::<Zero>::new(digits).ln(oracle_number(&x, digits).repr(), None).expect("finite").value();
        prop_assert!(encloses(&ln, &oracle, precision + 80), "ln {x} in {ln}");
        prop_assert!(agreeing_bits(&ln) >= i64::from(precision) - 2, "ln {x} in {ln}");
    }
}

#[test]
fn the_constants_agree_with_an_independent_computation() {
    for precision in [64, 100, 1000, 5000] {
        let digits = usize::try_from(precision).expect("small") + 40;
        let context = Context::<Zero>::new(digits);
        let two = FBig::<Zero, 2>::from(2u8).with_precision(digits).value();
        let oracle = context.ln(two.repr(), None).expect("finite").value();
        let ln_2 = Interval::integer(2, precision).ln().expect("positive");
        assert!(encloses(&ln_2, &oracle, precision + 40));
        assert!(agreeing_bits(&ln_2) >= i64::from(precision) - 1);
        assert!(agreeing_bits(&pi(precision)) >= i64::from(precision));
    }
    // π to 50 places.
    let known = rational("3.14159265358979323846264338327950288419716939937510");
    let unit = rational("1e-50");
    let enclosure = pi(256);
    assert_eq!(enclosure.compare_rational(&known), Some(std::cmp::Ordering::Greater));
    assert_eq!(enclosure.compare_rational(&(known + unit)), Some(std::cmp::Ordering::Less));
}
