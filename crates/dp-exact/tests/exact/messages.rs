//! How messages show values and numbers.

use dp_exact::{Dyadic, ParameterError, Rounding};

#[test]
fn a_value_is_quoted_where_it_is_unclear() {
    let value = |text: &str| ParameterError::new("x", text, "").value().to_owned();
    assert_eq!(value("7"), "7");
    assert_eq!(value(""), "\"\"");
    assert_eq!(value("1 2"), "\"1 2\"");
}

#[test]
fn a_number_beyond_all_fractions_is_shown_as_a_bound() {
    let most = 1 << 17;
    for (exponent, fits) in [(most, true), (most + 1, false), (-most, true), (-most - 1, false)] {
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
