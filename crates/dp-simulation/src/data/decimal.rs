//! Decimals of a few digits on a lattice, in machine words.
//!
//! A column of measured numbers may have as many values as rows, and fractions of any size take microseconds each. What
//! fits into 128 bits at every step is placed here, exactly; all else is left to [`Rational`].

use dp_exact::Rational;
use dp_prio3::grid::{Distortion, Grid};
use num_traits::ToPrimitive as _;

/// The most digits of a decimal here.
const DIGITS: usize = 17;

/// Integers below this are exact as floats, and their quotient is rounded once.
const EXACT: i128 = 1 << 53;

/// A fraction, not in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction {
    numerator: i128,
    /// Above 0.
    denominator: i128,
}

impl Fraction {
    /// `[-] digits [. digits]` of up to [`DIGITS`] digits, and nothing else.
    fn of_decimal(text: &str) -> Option<Self> {
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (mut numerator, mut denominator, mut count) = (0_i128, 1_i128, 0);
        let mut point = None;
        for (place, byte) in digits.bytes().enumerate() {
            match byte {
                b'0'..=b'9' if count < DIGITS => {
                    count += 1;
                    numerator = 10 * numerator + i128::from(byte - b'0');
                    denominator *= if point.is_some() { 10 } else { 1 };
                }
                b'.' if point.is_none() && place > 0 => point = Some(place),
                _ => return None,
            }
        }
        let ends_in_a_digit = point.is_none_or(|point| point + 1 < digits.len());
        (count > 0 && ends_in_a_digit).then_some(Self {
            numerator: if is_negative { -numerator } else { numerator },
            denominator,
        })
    }

    fn of(number: &Rational) -> Option<Self> {
        Some(Self {
            numerator: number.numerator().to_i128()?,
            denominator: number.denominator().to_i128()?,
        })
    }
}

/// Points at `low` and every `step` from there on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    low: Fraction,
    step: Fraction,
}

/// Between which points a number lies, and where.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The point at or below it.
    whole: i128,
    /// It lies `remainder`/`divisor` of a step above that.
    remainder: i128,
    divisor: i128,
    /// The same as a distance is `remainder`/`unit`.
    unit: i128,
}

impl Lattice {
    /// `None` where that is left to [`Rational`]. The step is above 0.
    pub(super) fn new(low: &Rational, step: &Rational) -> Option<Self> {
        Some(Self {
            low: Fraction::of(low)?,
            step: Fraction::of(step)?,
        })
    }

    /// (value − low)/step
    fn place(&self, value: Fraction) -> Option<Place> {
        let Self { low, step } = self;
        let left = value.numerator.checked_mul(low.denominator)?;
        let right = low.numerator.checked_mul(value.denominator)?;
        let numerator = left.checked_sub(right)?.checked_mul(step.denominator)?;
        let both = value.denominator.checked_mul(low.denominator)?;
        let divisor = both.checked_mul(step.numerator)?;
        Some(Place {
            whole: numerator.checked_div_euclid(divisor)?,
            remainder: numerator.checked_rem_euclid(divisor)?,
            divisor,
            unit: both.checked_mul(step.denominator)?,
        })
    }

    /// Which of the first `count` intervals between points the decimal lies in; `None` where that is left to
    /// [`Rational`], in none of them too.
    pub(super) fn interval(&self, text: &str, count: usize) -> Option<usize> {
        let place = self.place(Fraction::of_decimal(text)?)?;
        usize::try_from(place.whole)
            .ok()
            .filter(|whole| *whole < count)
    }

    /// The nearest point of a grid on this lattice, half-way the even one, and what that adds to the sum; `None`
    /// where that is left to [`Rational`], beyond the grid too.
    pub(super) fn cell(&self, text: &str, grid: &Grid) -> Option<(u128, Distortion)> {
        let place = self.place(Fraction::of_decimal(text)?)?;
        let whole = u128::try_from(place.whole).ok()?;
        if whole >= grid.max_measurement() {
            return None;
        }
        let above = place.divisor - place.remainder;
        let is_up = place.remainder > above || place.remainder == above && whole % 2 == 1;
        let moved = if is_up { above } else { -place.remainder };
        let distortion = Distortion {
            values: 1,
            rounding: quotient(moved, place.unit)?,
            ..Distortion::default()
        };
        Some((whole + u128::from(is_up), distortion))
    }
}

/// Rounded once.
#[expect(clippy::cast_precision_loss, reason = "integers below 2^53")]
fn quotient(numerator: i128, denominator: i128) -> Option<f64> {
    let are_exact = numerator.abs() < EXACT && denominator < EXACT;
    are_exact.then(|| numerator as f64 / denominator as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_decimal_lies_where_fractions_say(
            text in "-?[0-9]{0,6}(\\.[0-9]{0,5})?",
            low in -200_i32..200,
            step in 1_u32..40,
            denominator in prop::sample::select(vec![1_u32, 3, 10, 100]),
        ) {
            let low = number(&format!("{low}/7"));
            let step = number(&format!("{step}/{denominator}"));
            let lattice = Lattice::new(&low, &step).expect("short");
            let Ok(value) = text.parse::<Rational>() else {
                prop_assert!(Fraction::of_decimal(&text).is_none(), "{}", text);
                return Ok(());
            };
            let steps = (&value - &low).checked_div(&step).expect("a step");
            let whole = steps.floor().to_usize().filter(|whole| *whole < 100);
            if !text.starts_with("-.") && !text.starts_with('.') && !text.ends_with('.') {
                prop_assert_eq!(lattice.interval(&text, 100), whole);
            }
            let high = &low + &(&step * &Rational::integer(100));
            let grid = Grid::new(low, high, step).expect("a grid");
            if let Some((cell, distortion)) = lattice.cell(&text, &grid) {
                prop_assert_eq!(cell, grid.cell(&value));
                prop_assert_eq!(distortion, Distortion::of(&grid, [&value]));
            } else {
                prop_assert!(whole.is_none() || !text.starts_with(|c: char| c.is_ascii_digit()) || text.ends_with('.'));
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_left_to_fractions() {
        let lattice = Lattice::new(&number("0"), &number("1/3")).expect("short");
        for text in [
            "",
            "-",
            ".",
            "1.",
            ".5",
            "1e3",
            "+1",
            "1/3",
            "123456789012345678",
            "1..2",
        ] {
            assert_eq!(lattice.interval(text, 1 << 40), None, "{text}");
        }
        let huge = number(&format!("1{}", "0".repeat(38)));
        let wide = Lattice::new(&huge, &number("1/1000000007")).expect("in 128 bits");
        assert_eq!(wide.interval("1.5", 1 << 40), None);
        assert!(Lattice::new(&(&huge * &huge), &number("1")).is_none());
    }
}
