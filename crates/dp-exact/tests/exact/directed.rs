//! Every directed operation is on its side of the exact result, and next to it.

use dp_exact::directed::{
    Bounds, above, add_down, add_up, below, div_down, div_up, mul_down, mul_up, sqrt_down, sqrt_up,
    sub_down, sub_up,
};
use dp_exact::{Dyadic, Interval, Rational};
use proptest::prelude::*;

/// Floats of any sign with full mantissas and modest exponents, and round floats.
fn number() -> impl Strategy<Value = f64> {
    let mantissa = prop_oneof![-4i32..=4, any::<i32>()];
    (mantissa, any::<u32>(), -60i32..60).prop_map(|(high, low, exponent)| {
        let low = if high % 4 == 0 { 0.0 } else { f64::from(low) / 2f64.powi(32) };
        (f64::from(high) + low) * 2f64.powi(exponent)
    })
}

fn exact(number: f64) -> Rational {
    Rational::from_f64(number).expect("finite")
}

/// Whether `down` ≤ `value` ≤ `up`, and each is next to the float nearest to `value`.
fn holds(down: f64, up: f64, value: &Rational) -> bool {
    let nearest = value.to_f64();
    exact(down) <= *value
        && *value <= exact(up)
        && down == nearest.next_down()
        && up == nearest.next_up()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn sums_differences_products_and_quotients_lie_between_their_bounds(a in number(), b in number()) {
        let (x, y) = (exact(a), exact(b));
        prop_assert!(holds(add_down(a, b), add_up(a, b), &(&x + &y)));
        prop_assert!(holds(sub_down(a, b), sub_up(a, b), &(&x - &y)));
        prop_assert!(holds(mul_down(a, b), mul_up(a, b), &(&x * &y)));
        if let Some(quotient) = x.checked_div(&y) {
            prop_assert!(holds(div_down(a, b), div_up(a, b), &quotient));
        }
    }

    #[test]
    fn roots_lie_between_their_bounds(a in number()) {
        let a = a.abs();
        let (down, up) = (sqrt_down(a), sqrt_up(a));
        prop_assert!(down < 0.0 || exact(down).pow(2) <= exact(a));
        prop_assert!(exact(a) <= exact(up).pow(2));
        prop_assert_eq!(down.next_up().next_up(), up);
    }

    #[test]
    fn the_floats_beside_a_number_are_the_nearest_on_their_sides(mantissa in any::<i128>(), exponent in -1300i64..890) {
        let value = Dyadic::new(mantissa, exponent);
        let (low, high) = (below(&value), above(&value));
        prop_assert!(value.cmp_rational(&exact(low)).is_ge() && value.cmp_rational(&exact(high)).is_le());
        // Equal if the value is a float, else neighbours.
        prop_assert!(low == high || low.next_up() == high, "{} {}", low, high);
    }
}

#[test]
fn numbers_beyond_all_floats_have_bounds_all_the_same() {
    let huge = Dyadic::new(1, 5000);
    assert_eq!((below(&huge), above(&huge)), (f64::MAX, f64::INFINITY));
    // A unit beyond the largest floats of either sign, to which it rounds.
    let beyond = |sign: i64| Dyadic::new(sign * ((1 << 60) - (1 << 7) + 1), 1024 - 60);
    assert_eq!((below(&beyond(1)), above(&beyond(1))), (f64::MAX, f64::INFINITY));
    assert_eq!((below(&beyond(-1)), above(&beyond(-1))), (f64::NEG_INFINITY, f64::MIN));
    let speck = Dyadic::new(1, -5000);
    assert_eq!((below(&speck), above(&speck)), (0.0, 0f64.next_up()));
    let speck = Dyadic::new(-1, -5000);
    assert_eq!((below(&speck), above(&speck)), (0f64.next_down(), 0.0));
    assert!(Bounds::of(&Interval::point(&huge, 64)).is_none());
}
