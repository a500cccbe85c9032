//! Figures with as many digits as mean something. The document for programs has all of them.

use dp_exact::{Rational, Rounding, grouped};

/// Digits of a predicted figure.
const DIGITS: usize = 4;

/// Digits of an uncertainty beside what it is about.
const OF_ERROR: usize = 2;

/// Digits of the margin of an estimate.
const OF_MARGIN: usize = 3;

/// A figure, with four digits, or all that stand before the point.
pub(crate) fn figure(value: f64) -> String {
    significant(value, DIGITS, Rounding::Nearest)
}

/// A margin of an estimate: an integer as such, else three digits, rounded up, so that the interval is not too short.
pub(super) fn margin(value: f64) -> String {
    significant(value, OF_MARGIN, Rounding::Up)
}

fn significant(value: f64, digits: usize, rounding: Rounding) -> String {
    Rational::from_f64(value).map_or_else(
        |_| value.to_string(),
        |exact| dp_exact::figure(&exact, digits, rounding),
    )
}

/// A figure and its standard error: two digits of the error, and no digit that it makes uncertain.
pub(crate) fn with_error(value: f64, error: Option<f64>) -> String {
    match error.filter(|error| *error > 0.0) {
        Some(error) => {
            let places = places(error, OF_ERROR);
            format!("{} ± {}", fixed(value, places), fixed(error, places))
        }
        None => figure(value),
    }
}

/// How estimates with these margins are written: integers as such if all of them are, others with the
/// digits of the smallest margin.
#[derive(Clone, Copy)]
pub(super) struct Style {
    places: usize,
}

impl Style {
    pub(super) fn of(
        values: impl Iterator<Item = f64>,
        margins: impl Iterator<Item = f64>,
    ) -> Self {
        let mut values = values;
        if values.all(|value| value.fract() == 0.0) {
            return Self { places: 0 };
        }
        let least = margins.filter(|margin| *margin > 0.0).reduce(f64::min);
        let places = least.map_or(DIGITS, |margin| places(margin, OF_MARGIN));
        Self {
            places: places.max(1),
        }
    }

    pub(super) fn write(self, value: f64) -> String {
        fixed(value, self.places)
    }
}

/// How many places after the point show so many digits of a value.
fn places(value: f64, digits: usize) -> usize {
    // The exponent after rounding to that many digits: 9.996 has one digit before the point, 10.00 two.
    let rounded = format!("{value:.*e}", digits.saturating_sub(1));
    let exponent = rounded
        .rsplit_once('e')
        .map(|(_, exponent)| exponent.parse());
    let Some(Ok(exponent)) = exponent else {
        return 0;
    };
    let exponent: i32 = exponent;
    let digits = i32::try_from(digits).unwrap_or(i32::MAX);
    usize::try_from(digits.saturating_sub(1).saturating_sub(exponent)).unwrap_or(0)
}

/// The value with so many places, or with a power of ten where there would be long runs of zeros.
fn fixed(value: f64, places: usize) -> String {
    let magnitude = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if magnitude >= 1e15 || magnitude < 1e-4 && places > 6 {
        format!("{value:.3e}")
    } else {
        let text = format!("{value:.places$}");
        let digits = text.trim_start_matches('-');
        // What is rounded to 0 has no sign.
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
    fn a_figure_has_the_digits_that_mean_something() {
        for (value, text) in [
            (0.0, "0"),
            (12.0709, "12.07"),
            (9.99961, "10"),
            (0.246_04, "0.246"),
            (123_456.7, "123 457"),
            (-0.5, "-0.5"),
            (1.5e-7, "1.5e-7"),
            (2.5e17, "250 000 000 000 000 000"),
        ] {
            assert_eq!(figure(value), text);
        }
        for (value, text) in [
            (23.66, "23.7"),
            (23.61, "23.7"),
            (3.995, "4"),
            (0.50749, "0.508"),
            (1234.2, "1 235"),
            (62.0, "62"),
            (2.5e-7, "2.5e-7"),
        ] {
            assert_eq!(margin(value), text);
        }
    }

    #[test]
    fn an_error_says_how_many_digits_its_figure_has() {
        for (value, error, text) in [
            (12.345, Some(0.266), "12.35 ± 0.27"),
            (12.345, Some(26.6), "12 ± 27"),
            (-0.0301, Some(0.5), "-0.03 ± 0.50"),
            (-0.001, Some(0.5), "0.00 ± 0.50"),
            (12.345, Some(0.0), "12.35"),
            (12.345, None, "12.35"),
            (0.0, Some(0.0), "0"),
        ] {
            assert_eq!(with_error(value, error), text);
        }
    }

    #[test]
    fn integers_are_written_as_such_only_where_all_are() {
        let written = |values: &[f64], margins: &[f64]| {
            let style = Style::of(values.iter().copied(), margins.iter().copied());
            let texts: Vec<String> = values.iter().map(|value| style.write(*value)).collect();
            texts.join(" ")
        };
        assert_eq!(written(&[33.0, -4.0, 0.0], &[23.7]), "33 -4 0");
        assert_eq!(written(&[33.0, 4.25], &[23.7, 0.507]), "33.000 4.250");
        assert_eq!(written(&[1e6, 0.5], &[12_345.0]), "1 000 000.0 0.5");
        assert_eq!(written(&[1.5], &[0.0]), "1.5000");
    }
}
