//! What messages show of values, and how numbers are shown.

use dp_exact::{
    Dyadic, Interval, ParameterError, PrecisionError, Rounding, escaped, hexadecimal, shown,
};

#[test]
fn a_value_is_quoted_where_it_is_unclear_and_cut_where_it_is_long() {
    let value = |text: &str| ParameterError::new("x", text, "").value().to_owned();
    assert_eq!(value("7"), "7");
    assert_eq!(value(""), "\"\"");
    assert_eq!(value("1 2"), "\"1 2\"");
    let forty = "0123456789".repeat(4);
    assert_eq!(value(&forty), forty);
    let spaced = "01234 6789".repeat(4);
    assert_eq!(value(&spaced), format!("\"{spaced}\""));
    for more in ["x", " ", " and more of it"] {
        let long = format!("{forty}{more}");
        let length = long.chars().count();
        assert_eq!(
            value(&long),
            format!("01234567890123456789… ({length} characters)")
        );
    }
    // The length is that of what was typed, not of how it is shown.
    assert_eq!(
        value(&"\n".repeat(21)),
        format!("{}… (21 characters)", "\\n".repeat(10))
    );
}

#[test]
fn of_a_long_text_the_beginning_and_the_end_are_shown() {
    for length in [201, 202, 300, 5000] {
        let text: String = (0..length)
            .map(|place| char::from(b'a' + u8::try_from(place % 23).unwrap()))
            .collect();
        let expected = format!("{}…{}", &text[..120], &text[length - 79..]);
        assert_eq!(shown(&text), expected);
        assert_eq!(escaped(&text), text);
    }
}

#[test]
fn bytes_are_two_digits_each() {
    assert_eq!(hexadecimal(&[]), "");
    assert_eq!(hexadecimal(&[0, 10, 171, 255]), "000aabff");
}

#[test]
fn numbers_show_twenty_digits_and_intervals_both_ends_outward() {
    assert_eq!(Dyadic::new(5, -1).to_string(), "2.5000000000000000000");
    assert_eq!(format!("{:>6}", Dyadic::new(0, 0)), "     0");
    let third = Interval::integer(1, 64)
        .checked_div(&Interval::integer(3, 64))
        .unwrap();
    assert_eq!(
        third.to_string(),
        "[0.33333333333333333331, 0.33333333333333333335]"
    );
    assert_eq!(
        Interval::integer(-7, 64).to_string(),
        "[-7.0000000000000000000, -7.0000000000000000000]"
    );
    let message = PrecisionError.to_string();
    let most = dp_exact::MAX_PRECISION;
    assert_eq!(
        message,
        format!("no precision up to {most} bits decides this")
    );
}

#[test]
fn a_number_beyond_all_fractions_is_shown_as_a_bound() {
    let most = 1 << 17;
    for (exponent, fits) in [
        (most, true),
        (most + 1, false),
        (-most, true),
        (-most - 1, false),
    ] {
        let number = Dyadic::new(3, exponent);
        assert_eq!(number.to_rational().is_some(), fits, "{exponent}");
    }
    let shown =
        |mantissa: i64, exponent, rounding| Dyadic::new(mantissa, exponent).to_decimal(5, rounding);
    use Rounding::{Down, Nearest, Up};
    let tiny = -(1 << 20);
    for (mantissa, up, down, nearest) in [(3, "1e-39000", "0", "0"), (-3, "0", "-1e-39000", "0")] {
        assert_eq!(shown(mantissa, tiny, Up), up);
        assert_eq!(shown(mantissa, tiny, Down), down);
        assert_eq!(shown(mantissa, tiny, Nearest), nearest);
        let huge = format!("{mantissa}·2^1048576");
        for rounding in [Up, Down, Nearest] {
            assert_eq!(shown(mantissa, 1 << 20, rounding), huge);
        }
    }
    assert_eq!(Dyadic::new(-3, 1 << 20).to_f64(), f64::NEG_INFINITY);
}
