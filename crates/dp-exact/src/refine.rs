//! Precision on demand: ask again with twice the bits until the enclosures decide.

use core::error::Error;
use core::fmt::{self, Display, Formatter};

use crate::{Interval, Rational, Rounding};

/// The most bits that [`refine`] tries.
pub const MAX_PRECISION: u32 = 1 << 16;

/// A question that no precision up to [`MAX_PRECISION`] decides.
///
/// Either both sides of a comparison are equal, or a value is beyond every exponent of an
/// [`Interval`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrecisionError;

impl Display for PrecisionError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "two numbers that decide the answer are equal, or closer than {MAX_PRECISION} bits \
             tell: change a parameter slightly"
        )
    }
}

impl Error for PrecisionError {}

/// Calls `attempt` with a precision of 64, 128, 256, … bits until it returns an answer.
///
/// An attempt returns `None` if the enclosures are too wide to decide.
///
/// ```
/// use dp_exact::{Interval, Rational, refine};
///
/// // Is e^(-1) above 0.3678794411714423215955? 64 bits leave it open.
/// let threshold: Rational = "0.3678794411714423215955".parse()?;
/// let above = refine(|precision| {
///     let minus_one = Interval::integer(-1, precision);
///     minus_one.exp()?.compare_rational(&threshold)
/// })?;
/// assert!(above.is_gt());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PrecisionError`] if no precision up to [`MAX_PRECISION`] gives an answer: the numbers that
/// are compared may be equal.
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

/// A real number, known by enclosures to any precision.
///
/// Every enclosure contains the number. At `precision` bits it is about 2^−precision of the number
/// wide, up to a small factor.
pub trait Real {
    /// An interval that contains the number, computed with `precision` bits.
    fn enclose(&self, precision: u32) -> Interval;
}

impl Real for Rational {
    fn enclose(&self, precision: u32) -> Interval {
        Interval::rational(self, precision)
    }
}

impl<R: Real + ?Sized> Real for &R {
    fn enclose(&self, precision: u32) -> Interval {
        (**self).enclose(precision)
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
