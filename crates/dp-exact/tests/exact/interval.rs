//! Interval arithmetic: the exact result of every operation lies inside, whatever the precision.

use std::cmp::Ordering;

use dp_exact::{Dyadic, Interval, Rational, Rounding, refine};
use proptest::prelude::*;

fn fraction() -> impl Strategy<Value = Rational> {
    let size = prop_oneof![-20i64..20, any::<i64>()];
    (size, 1u64.., -200i64..200).prop_map(|(numerator, denominator, scale)| {
        let value = Rational::new(numerator, denominator).expect("a fraction");
        let two = Rational::integer(2);
        let power = two.pow(u32::try_from(scale.unsigned_abs()).expect("small"));
        match scale {
            0.. => value * power,
            _ => value.checked_div(&power).expect("positive"),
        }
    })
}

fn enclosure(one: &Rational, other: &Rational, precision: u32) -> Interval {
    Interval::rational(one, precision).hull(&Interval::rational(other, precision))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn operations_contain_the_exact_result(a in fraction(), b in fraction(), other in fraction(), precision in 2u32..200) {
        // x encloses a and a neighbour, so it is not a point; both members must be covered.
        let x = enclosure(&a, &other, precision);
        let y = Interval::rational(&b, precision);
        for a in [&a, &other] {
            prop_assert!((&x + &y).contains(&(a + &b)));
            prop_assert!((&x - &y).contains(&(a - &b)));
            prop_assert!((&y - &x).contains(&(&b - a)));
            prop_assert!((&x * &y).contains(&(a * &b)));
            prop_assert!((-&x).contains(&-a));
            prop_assert!(x.square().contains(&(a * a)));
            prop_assert!(x.powi(5).contains(&a.pow(5)));
            match x.checked_div(&y) {
                Some(quotient) => prop_assert!(quotient.contains(&a.checked_div(&b).expect("not 0"))),
                None => prop_assert!(y.contains_zero()),
            }
            match y.checked_div(&x) {
                Some(quotient) => prop_assert!(quotient.contains(&b.checked_div(a).expect("not 0"))),
                None => prop_assert!(x.contains_zero()),
            }
        }
        prop_assert!(x.square().lower() >= &Dyadic::new(0, 0));
    }

    #[test]
    fn square_roots_contain_the_exact_result(a in fraction(), precision in 2u32..200) {
        let square = a.pow(2);
        let root = Interval::rational(&square, precision).sqrt().expect("not negative");
        prop_assert!(root.contains(&a.abs()));
        prop_assert!(Interval::rational(&square, precision).contains(&square));
    }

    #[test]
    fn comparisons_are_those_of_the_numbers(a in fraction(), b in fraction(), precision in 2u32..200) {
        let (x, y) = (Interval::rational(&a, precision), Interval::rational(&b, precision));
        prop_assert!(x.compare(&y).is_none_or(|order| order == a.cmp(&b)));
        prop_assert!(x.compare_rational(&b).is_none_or(|order| order == a.cmp(&b)));
        prop_assert!(a != b || x.compare_rational(&b).is_none_or(Ordering::is_eq));
        prop_assert_eq!(x.lower().cmp_rational(&b), x.lower().to_rational().expect("small").cmp(&b));
        prop_assert_eq!(x.lower().cmp(y.upper()), x.lower().to_rational().cmp(&y.upper().to_rational()));
    }

    #[test]
    fn decimals_of_the_ends_are_bounds(a in fraction(), digits in 1usize..30) {
        let x = Interval::rational(&a, 100);
        let lower: Rational = x.lower().to_decimal(digits, Rounding::Down).parse().expect("a decimal");
        let upper: Rational = x.upper().to_decimal(digits, Rounding::Up).parse().expect("a decimal");
        prop_assert!(lower <= a && a <= upper);
    }
}

#[test]
fn a_summand_far_below_the_last_bit_still_moves_the_right_end() {
    let one = Interval::integer(1, 64);
    let speck = Interval::integer(1, 64).shifted(-1_000_000_000_000);
    let sum = &one + &speck;
    assert_eq!(*sum.lower(), Dyadic::new(1, 0));
    assert!(*sum.upper() > Dyadic::new(1, 0));
    let difference = &one - &speck;
    assert!(*difference.lower() < Dyadic::new(1, 0));
    assert_eq!(*difference.upper(), Dyadic::new(1, 0));
}

#[test]
fn numbers_with_enormous_exponents_compare_and_print_at_once() {
    let speck = Dyadic::new(3, -(1 << 41));
    assert!(speck > Dyadic::new(0, 0) && speck < Dyadic::new(1, -1000));
    assert_eq!(speck.to_f64().to_bits(), 0);
    assert_eq!(speck.to_decimal(5, Rounding::Down), "0");
    assert_eq!(speck.to_decimal(5, Rounding::Up), "1e-39000");
    assert!(speck.to_rational().is_none());
    assert_eq!(Dyadic::new(1, 1 << 41).to_f64(), f64::INFINITY);
}

#[test]
fn domains_are_respected() {
    let around_zero = Interval::integer(-1, 64).hull(&Interval::integer(1, 64));
    assert!(around_zero.ln().is_none());
    assert!(around_zero.sqrt().is_none());
    assert!(around_zero.checked_div(&around_zero).is_none());
    assert!(Interval::integer(0, 64).ln().is_none());
    assert!(Interval::integer(0, 64).sqrt().is_some());
    assert!(
        Interval::integer(1, 64)
            .ln()
            .expect("positive")
            .contains(&Rational::zero())
    );
}

#[test]
fn refinement_ends_even_if_no_precision_decides() {
    let half = Rational::new(1, 2).expect("a half");
    let third = Rational::new(1, 3).expect("a third");
    let undecidable = refine(|precision| {
        let sixth = Interval::rational(&half, precision) * Interval::rational(&third, precision);
        sixth
            .compare_rational(&(&half * &third))
            .filter(|order| order.is_ne())
    });
    assert!(undecidable.is_err());
}

#[test]
fn intervals_that_touch_or_overlap_are_not_ordered_and_the_same_numbers_are_equal() {
    let between =
        |low: i64, high: i64| Interval::hull_of(Dyadic::new(low, 0), Dyadic::new(high, 0), 64);
    let order = |one: &Interval, other: &Interval| (one.compare(other), other.compare(one));
    let (less, greater) = (Some(Ordering::Less), Some(Ordering::Greater));
    assert_eq!(order(&between(1, 2), &between(3, 4)), (less, greater));
    assert_eq!(order(&between(1, 2), &between(3, 3)), (less, greater));
    for (one, other) in [
        (between(1, 2), between(2, 3)),
        (between(1, 2), between(2, 2)),
        (between(1, 2), between(1, 1)),
        (between(1, 3), between(2, 4)),
        (between(1, 4), between(2, 3)),
        (between(1, 2), between(1, 2)),
    ] {
        assert_eq!(order(&one, &other), (None, None), "{one} {other}");
    }
    let equal = Some(Ordering::Equal);
    assert_eq!(order(&between(2, 2), &between(2, 2)), (equal, equal));
}

#[test]
fn precision_is_doubled_from_64_bits_until_it_is_enough() {
    let mut tried = Vec::new();
    let answer = refine(|precision| {
        tried.push(precision);
        (precision > 1000).then_some(precision)
    });
    assert_eq!(answer, Ok(1024));
    assert_eq!(tried, [64, 128, 256, 512, 1024]);
}
