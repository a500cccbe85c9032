//! Figures and sentences as they are printed. Figures are certified, or stand beside certified
//! ones: four significant digits, rounded up.

use dp_exact::{Rational, Rounding};

/// Digits of a figure.
const DIGITS: usize = 4;

/// An error or another estimate: four significant digits, rounded up.
pub(crate) fn figure(value: f64) -> String {
    match Rational::from_f64(value) {
        Ok(exact) => dp_exact::figure(&exact, DIGITS, Rounding::Up),
        Err(_) => value.to_string(),
    }
}

/// An ε: four significant digits, rounded up.
pub(crate) fn epsilon(value: &Rational) -> String {
    dp_exact::figure(value, DIGITS, Rounding::Up)
}

/// A parameter of noise: six significant digits, rounded up.
pub(crate) fn parameter(value: &Rational) -> String {
    dp_exact::figure(value, 6, Rounding::Up)
}

/// A probability in percent: four significant digits, rounded up, at most 100 %.
pub(crate) fn percent_up(share: &Rational) -> String {
    percent(share, Rounding::Up)
}

/// A probability in percent: four significant digits, rounded down.
pub(crate) fn percent_down(share: &Rational) -> String {
    percent(share, Rounding::Down)
}

fn percent(share: &Rational, rounding: Rounding) -> String {
    let percent = share * &Rational::from(100u64);
    format!("{} %", dp_exact::figure(&percent, DIGITS, rounding))
}

/// A δ, as short as it is exact, else two digits rounded up.
pub(crate) fn delta(value: &Rational) -> String {
    let text = value.to_string();
    match text.len() <= 12 {
        true => text,
        false => crate::risk::small(value),
    }
}

/// Words as a sentence: with a capital letter and a full stop.
pub(crate) fn sentence(words: &str) -> String {
    format!("{}.", capital(words))
}

/// Words with a small letter and without a question mark, to stand behind a colon.
pub(crate) fn small_letter(words: &str) -> String {
    let mut characters = words.trim_end_matches('?').chars();
    let first = characters.next().map(char::to_lowercase);
    first.into_iter().flatten().chain(characters).collect()
}

/// Words with a capital letter.
pub(crate) fn capital(words: &str) -> String {
    let mut characters = words.chars();
    let first = characters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded_up_to_four_digits_and_integers_have_no_decimals() {
        for (value, text) in [
            (3.9585, "3.959"),
            (8.0, "8"),
            (1939.2, "1 940"),
            (250_000.0, "250 000"),
        ] {
            assert_eq!(figure(value), text);
        }
        let nearly_one: Rational = "0.99999".parse().expect("a number");
        assert_eq!(epsilon(&nearly_one), "1");
        assert_eq!(percent_up(&nearly_one), "100 %");
        assert_eq!(percent_down(&nearly_one), "99.99 %");
        assert_eq!(figure(f64::NAN), "NaN");
    }
}
