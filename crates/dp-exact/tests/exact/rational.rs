//! Rationals: read exactly, printed so that they read back, rounded to the requested side.

use dp_exact::{Delta, Epsilon, Rational, Rho, Rounding};
use num_bigint::BigInt;
use proptest::prelude::*;

use crate::rational;

#[test]
fn what_a_user_types_is_read_exactly() {
    for (text, numerator, denominator) in [
        ("0.317", 317, 1000),
        ("1e-9", 1, 1_000_000_000),
        ("1/3", 1, 3),
        ("-2/4", -1, 2),
        ("+7", 7, 1),
        (".5", 1, 2),
        ("5.", 5, 1),
        ("2.50E+1", 25, 1),
        ("-1.25e-2", -1, 80),
        ("000", 0, 1),
    ] {
        let expected = Rational::new(numerator, denominator).expect("a fraction");
        assert_eq!(text.parse(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_not_a_number_is_refused_in_one_line() {
    let refused = "|-|.|nan|inf|1e|e5|1//2|1/0|1/-2|1.5/2|0x10|1_000| 1|1 |1e2.5|--1|١|1\n2|1e9999|1e-9999999999999999999";
    for text in refused.split('|') {
        let error = text.parse::<Rational>().expect_err(text);
        assert!(!error.to_string().contains('\n'), "{error}");
        assert!(error.to_string().contains("such as 0.317"), "{error}");
    }
}

#[test]
fn a_number_of_ten_thousand_digits_is_refused_without_being_read() {
    let long = "1".repeat(10_000);
    let error = long.parse::<Epsilon>().expect_err("too long");
    assert_eq!(error.name(), "epsilon");
    assert!(error.value().chars().count() == 200, "{error}");
    assert!(error.accepted().contains("4096 bits"), "{error}");
    assert!("1e1233".parse::<Rational>().is_ok());
    for beyond in ["1e1234", "1e-1234", "1e2500"] {
        let error = beyond.parse::<Rational>().expect_err(beyond);
        assert!(error.accepted().contains("4096 bits"), "{error}");
    }
}

#[test]
fn constructors_bound_the_size_and_refuse_a_zero_denominator() {
    assert_eq!(Rational::new(1, 0).expect_err("zero").name(), "denominator");
    let large: BigInt = BigInt::from(1) << 4096;
    assert_eq!(Rational::new(large.clone(), 1).expect_err("large").name(), "numerator");
    assert!(Rational::new(large - 1, 1).is_ok());
}

#[test]
fn parameters_name_themselves_in_their_errors() {
    let error = "0".parse::<Epsilon>().expect_err("zero");
    assert_eq!(error.to_string(), "epsilon is 0: expected a number greater than 0");
    let error = "1".parse::<Delta>().expect_err("one");
    assert_eq!(error.to_string(), "delta is 1: expected a number from 0 up to but not including 1");
    assert_eq!("-1".parse::<Rho>().expect_err("negative").name(), "rho");
    assert_eq!("nan".parse::<Delta>().expect_err("nan").name(), "delta");
    assert!("0".parse::<Delta>().is_ok());
}

#[test]
fn parameters_print_what_was_typed_and_compare_by_value() {
    for text in ["0.3170", "1e-9", "1/3", "2/6", "00.5"] {
        assert_eq!(text.parse::<Epsilon>().expect("positive").to_string(), text);
    }
    assert_eq!("0.50".parse::<Epsilon>(), "1/2".parse::<Epsilon>());
}

#[test]
#[cfg(feature = "serde")]
fn parameters_are_serialized_as_the_text_that_was_typed() {
    let json =
        serde_json::to_string(&"1e-9".parse::<Delta>().expect("in range")).expect("a string");
    assert_eq!(json, "\"1e-9\"");
    let back: Delta = serde_json::from_str(&json).expect("a delta");
    assert_eq!(back.to_string(), "1e-9");
    assert!(serde_json::from_str::<Delta>("\"1.5\"").is_err());
    assert!(serde_json::from_str::<Rational>("0.5").is_err(), "a float is not a string");
}

#[test]
fn decimals_are_rounded_to_the_side_that_is_asked_for() {
    for (text, digits, up, down, nearest) in [
        ("1/3", 3, "0.334", "0.333", "0.333"),
        ("-1/3", 3, "-0.333", "-0.334", "-0.333"),
        ("2/3", 2, "0.67", "0.66", "0.67"),
        ("999.5", 3, "1000", "999", "1000"),
        ("0.5", 1, "0.5", "0.5", "0.5"),
        ("1e-9", 2, "1.0e-9", "1.0e-9", "1.0e-9"),
        ("12345678901234567890123456789", 3, "1.24e28", "1.23e28", "1.23e28"),
        ("0", 5, "0", "0", "0"),
    ] {
        let value = rational(text);
        assert_eq!(value.to_decimal(digits, Rounding::Up), up, "{text} up");
        assert_eq!(value.to_decimal(digits, Rounding::Down), down, "{text} down");
        assert_eq!(value.to_decimal(digits, Rounding::Nearest), nearest, "{text}");
    }
}

#[test]
fn numbers_print_in_the_shortest_usual_notation() {
    for text in ["0", "1", "-17", "0.317", "0.0005", "1e-9", "1.25e-12", "1/3", "-22/7", "1e30"] {
        assert_eq!(rational(text).to_string(), text);
    }
    assert_eq!(rational("1000").to_string(), "1000");
    assert_eq!(format!("{:>6}", rational("0.5")), "   0.5");
}

proptest! {
    #[test]
    fn display_reads_back(numerator: i128, denominator in 1u64..) {
        let value = Rational::new(numerator, denominator).expect("a fraction");
        prop_assert_eq!(value.to_string().parse::<Rational>(), Ok(value));
    }

    #[test]
    fn floats_convert_exactly_and_back(bits: u64) {
        let float = f64::from_bits(bits);
        match Rational::from_f64(float) {
            Ok(value) if float.is_normal() || float == 0.0 => prop_assert_eq!(value.to_f64(), float),
            Ok(value) => prop_assert!((value.to_f64() - float).abs() <= f64::from_bits(1)),
            Err(_) => prop_assert!(!float.is_finite()),
        }
    }

    #[test]
    fn to_f64_is_the_nearest(numerator: i64, denominator in 1u64..) {
        let value = Rational::new(numerator, denominator).expect("a fraction");
        let float = value.to_f64();
        let error = |float: f64| (Rational::from_f64(float).expect("finite") - &value).abs();
        prop_assert!(error(float) <= error(float.next_up()));
        prop_assert!(error(float) <= error(float.next_down()));
    }

    #[test]
    fn rounded_decimals_bracket_the_number(numerator: i64, denominator in 1u64.., digits in 1usize..25) {
        let value = Rational::new(numerator, denominator).expect("a fraction");
        let up = value.round_to_digits(digits, Rounding::Up);
        let down = value.round_to_digits(digits, Rounding::Down);
        prop_assert!(down <= value && value <= up);
        prop_assert_eq!(&up, &rational(&value.to_decimal(digits, Rounding::Up)));
        let step = value.abs() * rational(&format!("1e{}", 1 - i64::try_from(digits).expect("small")));
        prop_assert!(up - down <= step);
    }
}
