//! Precision on demand: ask again with twice the bits until the enclosures decide.

use thiserror::Error;

use crate::{Interval, Rational, Rounding};

/// The most bits that [`refine`] tries.
pub const MAX_PRECISION: u32 = 1 << 16;

/// A question that no precision up to [`MAX_PRECISION`] decides: both sides of a comparison are
/// equal, or a value is beyond every exponent of an [`Interval`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Error)]
#[error(
    "two numbers that decide the answer are equal, or closer than {MAX_PRECISION} bits tell: change \
     a parameter slightly"
)]
pub struct PrecisionError;

/// Calls `attempt` with a precision of 64, 128, 256, … bits until it returns an answer. It returns
/// `None` if the enclosures are too wide to decide. The README has an example.
///
/// # Errors
/// [`PrecisionError`] if no precision up to [`MAX_PRECISION`] gives an answer.
pub fn refine<T>(mut attempt: impl FnMut(u32) -> Option<T>) -> Result<T, PrecisionError> {
    let mut precision = 64;
    while precision <= MAX_PRECISION {
        if let Some(answer) = attempt(precision) {
            return Ok(answer);
        }
        precision *= 2;
    }
    Err(PrecisionError)
}

/// A real number, known by enclosures to any precision. At `precision` bits an enclosure is about
/// 2^−precision of the number wide, up to a small factor.
pub trait Real {
    /// An interval that contains the number, computed with `precision` bits.
    fn enclose(&self, precision: u32) -> Interval;
}

impl Real for Rational {
    fn enclose(&self, precision: u32) -> Interval {
        Interval::rational(self, precision)
    }
}

/// √`square`, rounded up to `digits` significant digits.
///
/// ```
/// use dp_exact::square_root_up;
///
/// assert_eq!(square_root_up(&"2".parse()?, 6)?.to_string(), "1.41422");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the number is negative.
pub fn square_root_up(square: &Rational, digits: usize) -> Result<Rational, PrecisionError> {
    refine(|precision| {
        let root = Interval::rational(square, precision.max(128)).sqrt()?;
        let upper = root.upper().to_rational()?;
        Some(upper.round_to_digits(digits, Rounding::Up))
    })
}
