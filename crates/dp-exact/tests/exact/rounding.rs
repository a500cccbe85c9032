//! Each end of a result is the number of the working precision next to the exact result: no wider,
//! no tighter.

use dp_exact::{Dyadic, Interval, Rational};
use num_bigint::BigInt;
use proptest::prelude::*;

/// 2^`exponent`.
fn power(exponent: i64) -> Rational {
    let size = u32::try_from(exponent.unsigned_abs()).expect("small");
    let power = Rational::integer(BigInt::from(1) << size);
    match exponent {
        0.. => power,
        _ => power.reciprocal().expect("positive"),
    }
}

/// The numbers of `precision` bits next to `value` on both sides; `value` twice if it is one of
/// them.
fn neighbours(value: &Rational, precision: u32) -> (Rational, Rational) {
    let bits = |integer: &BigInt| i64::try_from(integer.bits()).expect("small");
    let mut exponent = bits(value.numerator()) - bits(value.denominator()) - i64::from(precision);
    if value.abs() * power(-exponent) >= power(precision.into()) {
        exponent += 1;
    }
    let (scaled, unit) = (value * &power(-exponent), power(exponent));
    let times = |integer| Rational::integer(integer) * &unit;
    (times(scaled.floor()), times(scaled.ceil()))
}

fn exact(number: &Dyadic) -> Rational {
    number.to_rational().expect("a modest exponent")
}

fn ends(interval: &Interval) -> (Rational, Rational) {
    (exact(interval.lower()), exact(interval.upper()))
}

/// The ends of the smallest interval of numbers of `precision` bits that holds all `values`.
fn smallest(values: &[Rational], precision: u32) -> (Rational, Rational) {
    let least = values.iter().min().expect("a value");
    let greatest = values.iter().max().expect("a value");
    let (lower, upper) = (neighbours(least, precision).0, neighbours(greatest, precision).1);
    (lower, upper)
}

/// Mantissa and exponent: short, long and round mantissas; exponents beside each other and far
/// apart.
fn number() -> impl Strategy<Value = (i64, i64)> {
    let round = (0..62u32, -1i64..=1, any::<bool>()).prop_map(|(bits, beside, minus)| {
        let value = (1i64 << bits) + beside;
        if minus { -value } else { value }
    });
    let mantissa = prop_oneof![-4i64..=4, any::<i64>(), round];
    let exponent = prop_oneof![-3i64..3, -90i64..90, -400i64..400];
    (mantissa, exponent)
}

/// The number of this mantissa and exponent, the mantissa cut to at most `precision` bits.
fn dyadic((mantissa, exponent): (i64, i64), precision: u32) -> Dyadic {
    Dyadic::new(mantissa >> 64u32.saturating_sub(precision), exponent)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_operation_on_points_ends_in_the_neighbours_of_the_exact_result(
        a in number(), b in number(), precision in 2u32..140,
    ) {
        let (x, y) = (dyadic(a, precision), dyadic(b, precision));
        let (p, q) = (exact(&x), exact(&y));
        let point = |end: &Dyadic| Interval::point(end, precision);
        let (x, y) = (point(&x), point(&y));
        prop_assert_eq!(ends(&(&x + &y)), neighbours(&(&p + &q), precision));
        prop_assert_eq!(ends(&(&x * &y)), neighbours(&(&p * &q), precision));
        prop_assert_eq!(ends(&x.square()), neighbours(&p.pow(2), precision));
        let quotient = p.checked_div(&q);
        prop_assert_eq!(x.checked_div(&y).as_ref().map(ends), quotient.as_ref().map(|exact| neighbours(exact, precision)));
        if let Some(quotient) = quotient {
            prop_assert_eq!(ends(&Interval::rational(&quotient, precision)), neighbours(&quotient, precision));
        }
        let narrow = precision / 2 + 1;
        prop_assert_eq!(ends(&Interval::rational(&p, narrow)), neighbours(&p, narrow));
    }

    #[test]
    fn every_operation_on_intervals_ends_in_the_neighbours_of_its_extremes(
        a in number(), b in number(), c in number(), d in number(), precision in 2u32..80,
    ) {
        let [a, b, c, d] = [a, b, c, d].map(|number| dyadic(number, precision));
        let x = Interval::hull_of(a.clone(), b.clone(), precision);
        let y = Interval::hull_of(c.clone(), d.clone(), precision);
        let [a, b, c, d] = [a, b, c, d].map(|number| exact(&number));
        prop_assert_eq!(ends(&x), (a.clone().min(b.clone()), a.clone().max(b.clone())));
        let differences = [(&a, &c), (&a, &d), (&b, &c), (&b, &d)];
        let of = |operation: fn(&Rational, &Rational) -> Rational| {
            smallest(&differences.map(|(p, q)| operation(p, q)), precision)
        };
        prop_assert_eq!(ends(&(&x + &y)), of(|p, q| p + q));
        prop_assert_eq!(ends(&(&x - &y)), of(|p, q| p - q));
        prop_assert_eq!(ends(&(&x * &y)), of(|p, q| p * q));
        let holds_zero = !c.is_zero() && !d.is_zero() && c.is_positive() == d.is_positive();
        let quotient = holds_zero.then(|| of(|p, q| p.checked_div(q).expect("not 0")));
        prop_assert_eq!(x.checked_div(&y).as_ref().map(ends), quotient);
        let middle = (&a + &b) * power(-1);
        let unit = a.abs().max(b.abs()) * power(1 - i64::from(precision.min(53)));
        let found = Rational::from_f64(x.midpoint()).expect("finite");
        prop_assert!((found - &middle).abs() <= unit, "{}", x);
        // What it holds is between its ends, and nothing else.
        for value in [&a, &b, &c, &d, &middle] {
            let inside = a.clone().min(b.clone()) <= *value && *value <= a.clone().max(b.clone());
            prop_assert_eq!(x.contains(value), inside);
        }
    }

    #[test]
    fn a_root_ends_in_the_neighbours_of_the_exact_one(root in 1u64.., beside in -1i64..=1, exponent in -90i64..90, precision in 2u32..140) {
        // Squares of half the bits have roots that are exact.
        let root = BigInt::from(root >> 64u32.saturating_sub(precision / 2)).max(1.into());
        let square: BigInt = &root * &root + BigInt::from(beside);
        let number = Dyadic::new(square, exponent);
        let value = exact(&number);
        let (lower, upper) = ends(&Interval::point(&number, precision).sqrt().expect("not negative"));
        prop_assert!(lower.pow(2) <= value && value <= upper.pow(2));
        // The next number of this precision is on the other side.
        let speck = power(-i64::from(precision) - 3);
        let above = neighbours(&(&lower + &lower * &speck), precision).1;
        let below = neighbours(&(&upper - &upper * &speck), precision).0;
        prop_assert!(value.is_zero() || above.pow(2) > value, "{} {}", lower, value);
        prop_assert!(value.is_zero() || below.pow(2) < value, "{} {}", upper, value);
    }
}
