//! Figures as text: of plans four significant digits, rounded up; observed ones to the nearest.

use dp_exact::{Rational, Rounding};

/// Significant digits of a figure.
const DIGITS: usize = 4;

/// A predicted error or another figure of a plan, with four significant digits, rounded up. `NaN`
/// or `inf` for a value that is not finite.
#[must_use]
pub fn up(value: f64) -> String {
    significant(value, DIGITS, Rounding::Up)
}

/// `value` with `digits` significant digits, fewer if it is exact with fewer; thousands grouped,
/// and all digits before the point. `NaN` or `inf` for a value that is not finite.
pub(crate) fn significant(value: f64, digits: usize, rounding: Rounding) -> String {
    // The shortest decimal of the float, as in JSON: 8.025 is not rounded up to 8.026.
    match format!("{value:e}").parse::<Rational>() {
        Ok(exact) => dp_exact::figure(&exact, digits, rounding),
        Err(_) => value.to_string(),
    }
}

/// An ε with four significant digits, rounded up.
pub(crate) fn epsilon(value: &Rational) -> String {
    dp_exact::figure(value, DIGITS, Rounding::Up)
}

/// A scale or variance of noise: six significant digits, rounded up.
pub(crate) fn parameter(value: &Rational) -> String {
    dp_exact::figure(value, 6, Rounding::Up)
}

/// A δ: exact if that takes at most 12 characters, else two significant digits, rounded up.
pub(crate) fn delta(value: &Rational) -> String {
    let text = value.to_string();
    if text.len() <= 12 { text } else { small(value) }
}

/// A small number: two significant digits, rounded up.
pub(crate) fn small(value: &Rational) -> String {
    value.round_to_digits(2, Rounding::Up).to_string()
}

/// The probability `share`, from 0 to 1, in percent with four significant digits and a percent
/// sign.
pub(crate) fn percent(share: &Rational, rounding: Rounding) -> String {
    let percent = share * &Rational::from(100u64);
    format!("{} %", dp_exact::figure(&percent, DIGITS, rounding))
}

/// Words as a sentence: with a capital letter and a full stop.
pub(crate) fn sentence(words: &str) -> String {
    format!("{}.", capital(words))
}

/// Words with a capital first letter.
pub(crate) fn capital(words: &str) -> String {
    let mut characters = words.chars();
    let first = characters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(characters).collect()
}

/// Words with a small first letter and without question marks at the end, to stand behind a colon.
pub(crate) fn small_letter(words: &str) -> String {
    let mut characters = words.trim_end_matches('?').chars();
    let first = characters.next().map(char::to_lowercase);
    first.into_iter().flatten().chain(characters).collect()
}

#[cfg(feature = "simulation")]
pub(crate) use observed::*;

#[cfg(feature = "simulation")]
mod observed {
    use dp_exact::{Rounding, grouped};

    use super::{DIGITS, significant};

    /// Significant digits of a standard error.
    const OF_ERROR: usize = 2;

    /// Significant digits of a margin.
    const OF_MARGIN: usize = 3;

    /// An observed figure with four significant digits, rounded to the nearest.
    pub(crate) fn figure(value: f64) -> String {
        significant(value, DIGITS, Rounding::Nearest)
    }

    /// Half the width of an interval with three significant digits, rounded up so that the interval
    /// is not too short. All digits before the point are kept.
    pub(crate) fn margin(value: f64) -> String {
        significant(value, OF_MARGIN, Rounding::Up)
    }

    /// `value ± error`: the standard error with two significant digits, the value to as many
    /// decimal places. The value alone, with four significant digits, if the error is 0 or `None`.
    pub(crate) fn with_error(value: f64, error: Option<f64>) -> String {
        match error.filter(|error| *error > 0.0) {
            Some(error) => {
                let places = places(error, OF_ERROR);
                format!("{} ± {}", fixed(value, places), fixed(error, places))
            }
            None => figure(value),
        }
    }

    /// Number of decimal places for a column of estimates: 0 if all `values` are integers; else as
    /// many as show three digits of the smallest positive margin, at least 1; 4 if no margin is
    /// positive.
    pub(crate) fn places_of(
        mut values: impl Iterator<Item = f64>,
        margins: impl Iterator<Item = f64>,
    ) -> usize {
        if values.all(|value| value.fract() == 0.0) {
            return 0;
        }
        let least = margins.filter(|margin| *margin > 0.0).reduce(f64::min);
        least.map_or(DIGITS, |margin| places(margin, OF_MARGIN)).max(1)
    }

    /// Number of decimal places that show `digits` significant digits of `value`; 0 if the last of
    /// them stands before the point.
    fn places(value: f64, digits: usize) -> usize {
        // The exponent after rounding: 9.996 is 10.0, with two digits before the point.
        let less = digits.saturating_sub(1);
        let rounded = format!("{value:.less$e}");
        let exponent = rounded.rsplit_once('e').map(|(_, exponent)| exponent.parse());
        match (exponent, i32::try_from(less)) {
            (Some(Ok::<i32, _>(exponent)), Ok(less)) => {
                // Below 0 the last of the digits stands before the point.
                usize::try_from(less.saturating_sub(exponent)).unwrap_or(0)
            }
            // An infinite value has no digits.
            _ => 0,
        }
    }

    /// The value with `places` decimal places, rounded to the nearest; `0` for 0. Four digits and a
    /// power of ten if |value| ≥ 10^15, or if |value| < 10^−4 and `places` is above 6.
    pub(crate) fn fixed(value: f64, places: usize) -> String {
        let magnitude = value.abs();
        if value == 0.0 {
            return "0".to_owned();
        }
        if magnitude >= 1e15 || magnitude < 1e-4 && places > 6 {
            return format!("{value:.3e}");
        }
        let text = format!("{value:.places$}");
        let digits = text.trim_start_matches('-');
        // No negative zero.
        match digits.bytes().all(|byte| b"0.".contains(&byte)) {
            true => digits.to_owned(),
            false => grouped(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_plans_are_rounded_up_and_integers_have_no_decimals() {
        for (value, text) in
            [(3.9585, "3.959"), (8.0, "8"), (1939.2, "1 940"), (250_000.0, "250 000")]
        {
            assert_eq!(up(value), text);
        }
        let nearly_one: Rational = "0.99999".parse().expect("a number");
        assert_eq!(epsilon(&nearly_one), "1");
        assert_eq!(percent(&nearly_one, Rounding::Up), "100 %");
        assert_eq!(percent(&nearly_one, Rounding::Down), "99.99 %");
        assert_eq!(up(f64::NAN), "NaN");
    }

    #[cfg(feature = "simulation")]
    #[test]
    fn observed_figures_have_the_digits_that_mean_something() {
        for (value, text) in
            [(9.99961, "10"), (0.246_04, "0.246"), (1.5e-7, "1.5e-7"), (123_456.7, "123 457")]
        {
            assert_eq!(figure(value), text);
        }
        for (value, text) in [(23.61, "23.7"), (3.995, "4"), (1234.2, "1 235"), (62.0, "62")] {
            assert_eq!(margin(value), text);
        }
        for (value, error, text) in [
            (12.345, Some(0.266), "12.35 ± 0.27"),
            (12.345, Some(26.6), "12 ± 27"),
            (-0.001, Some(0.5), "0.00 ± 0.50"),
            (12.345, Some(0.0), "12.35"),
            (12.345, None, "12.35"),
        ] {
            assert_eq!(with_error(value, error), text);
        }
        for (values, margins, places) in [
            (&[33.0, -4.0, 0.0][..], &[23.7][..], 0),
            (&[33.0, 4.25], &[23.7, 0.507], 3),
            (&[1e6, 0.5], &[12_345.0], 1),
            (&[1.5], &[0.0], 4),
        ] {
            let found = places_of(values.iter().copied(), margins.iter().copied());
            assert_eq!(found, places);
        }
    }
}
