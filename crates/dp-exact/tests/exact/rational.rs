//! Rationals: read exactly, printed so that they read back, rounded to the side that is asked for.

use dp_exact::{Delta, Dyadic, Epsilon, Rational, Rho, Rounding};
use num_bigint::BigInt;
use proptest::prelude::*;

fn rational(text: &str) -> Rational {
    text.parse().expect("a literal")
}

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
    for text in [
        "",
        "-",
        ".",
        "nan",
        "inf",
        "1e",
        "e5",
        "1//2",
        "1/0",
        "1/-2",
        "1.5/2",
        "0x10",
        "1_000",
        " 1",
        "1 ",
        "1e2.5",
        "--1",
        "١",
        "1\n2",
        "1e9999",
        "1e-9999999999999999999",
    ] {
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
    assert!(error.value().contains("10000 characters"), "{error}");
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
    assert_eq!(
        Rational::new(large.clone(), 1).expect_err("large").name(),
        "numerator"
    );
    assert!(Rational::new(large - 1, 1).is_ok());
}

#[test]
fn parameters_name_themselves_in_their_errors() {
    let error = "0".parse::<Epsilon>().expect_err("zero");
    assert_eq!(
        error.to_string(),
        "epsilon is 0: expected a number greater than 0"
    );
    let error = "1".parse::<Delta>().expect_err("one");
    assert_eq!(
        error.to_string(),
        "delta is 1: expected a number from 0 up to but not including 1"
    );
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
    assert!(
        serde_json::from_str::<Rational>("0.5").is_err(),
        "a float is not a string"
    );
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
        (
            "12345678901234567890123456789",
            3,
            "1.24e28",
            "1.23e28",
            "1.23e28",
        ),
        ("0", 5, "0", "0", "0"),
    ] {
        let value = rational(text);
        assert_eq!(value.to_decimal(digits, Rounding::Up), up, "{text} up");
        assert_eq!(
            value.to_decimal(digits, Rounding::Down),
            down,
            "{text} down"
        );
        assert_eq!(
            value.to_decimal(digits, Rounding::Nearest),
            nearest,
            "{text}"
        );
    }
}

#[test]
fn no_number_of_digits_is_too_many() {
    let third = rational("1/3");
    let most = usize::try_from(Rational::MAX_DIGITS).expect("an index");
    for digits in [most, most + 1, 1 << 30, usize::MAX] {
        for (rounding, last) in [(Rounding::Down, "33"), (Rounding::Up, "34")] {
            let text = third.to_decimal(digits, rounding);
            assert!(text.len() == most + 2 && text.ends_with(last), "{digits}");
            assert_eq!(
                third.round_to_digits(digits, rounding),
                third.round_to_digits(most, rounding)
            );
        }
        let half = Dyadic::new(-1, -1);
        assert_eq!(half.to_decimal(digits, Rounding::Nearest).len(), most + 3);
        let tiny = rational("1e-1000");
        assert!(tiny.to_decimal(digits, Rounding::Up).ends_with("0e-1000"));
    }
    assert_eq!(third.to_decimal(0, Rounding::Down), "0.3");
}

#[test]
fn numbers_print_in_the_shortest_usual_notation() {
    for text in [
        "0", "1", "-17", "0.317", "0.0005", "1e-9", "1.25e-12", "1/3", "-22/7", "1e30",
    ] {
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
    fn decimal_text_reads_back(digits in "[0-9]{1,30}", point in 0usize..30, exponent in -300i32..300) {
        let point = point.min(digits.len());
        let text = format!("{}.{}e{exponent}", &digits[..point], &digits[point..]);
        let value: Rational = text.parse().expect("a decimal");
        prop_assert_eq!(value.to_string().parse::<Rational>(), Ok(value));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+0-9./eE]{0,12}") {
        if let Ok(value) = text.parse::<Rational>() {
            prop_assert_eq!(value.to_string().parse::<Rational>(), Ok(value));
        }
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

#[test]
fn a_text_may_have_2500_characters() {
    let zeros = |length: usize| "0".repeat(length).parse::<Rational>();
    assert_eq!(zeros(2500), Ok(Rational::zero()));
    for length in [2501, 2502, 9000] {
        let error = zeros(length).expect_err("too long");
        assert!(error.accepted().contains("4096 bits"), "{error}");
    }
}

#[test]
fn a_number_has_one_sign_and_so_has_its_exponent() {
    for text in [
        "1e++5", "1e-+5", "1e+-5", "++1", "+-1", "-+1", "1e+", "1/+2", "1e0x1",
    ] {
        assert!(text.parse::<Rational>().is_err(), "{text}");
    }
    for (text, value) in [("1e+2", 100), ("+1e2", 100), ("-1e+2", -100)] {
        assert_eq!(rational(text), Rational::integer(value));
    }
}

#[test]
fn a_number_equals_an_integer_if_it_is_that_integer() {
    for (text, integer, order) in [
        ("3", 3i64, std::cmp::Ordering::Equal),
        ("-3", -3, std::cmp::Ordering::Equal),
        ("3", -3, std::cmp::Ordering::Greater),
        ("7/2", 7, std::cmp::Ordering::Less),
        ("7/2", 3, std::cmp::Ordering::Greater),
    ] {
        assert_eq!(rational(text) == integer, order.is_eq(), "{text} {integer}");
        assert_eq!(rational(text).partial_cmp(&integer), Some(order));
    }
}

#[test]
fn plain_notation_ends_at_21_digits_and_at_four_places() {
    for text in [
        "123456789012345678901",
        "1.234567890123456789012e21",
        "100000000000000000000",
        "1e21",
        "0.0001",
        "1e-5",
        "0.00012",
        "1.2e-5",
        "123456789012345678901234567890.5",
    ] {
        assert_eq!(rational(text).to_string(), text);
    }
}

#[test]
fn decimals_of_tiny_and_huge_numbers_have_as_many_digits() {
    let third = Rational::new(1, 3).expect("a third");
    // A decimal exponent that is guessed by a logarithm of five digits is wrong below 2^−100000.
    for bits in [-110_000i64, -4096, -10, -1, 1, 2, 10, 4096] {
        let size = u32::try_from(bits.unsigned_abs()).expect("small");
        let huge = Rational::integer(2).pow(size) + &third;
        let tiny = huge.reciprocal().expect("positive");
        let value = if bits < 0 { tiny } else { huge };
        let down = value.round_to_digits(12, Rounding::Down);
        let up = value.round_to_digits(12, Rounding::Up);
        assert!(down < value && value < up, "{bits}");
        let text = value.to_decimal(12, Rounding::Down);
        let (digits, _) = text.split_once('e').unwrap_or((&text, ""));
        let digits = digits.trim_start_matches(['0', '.']).replace('.', "");
        assert_eq!(digits.len(), 12, "{text}");
    }
}
