//! Precision on demand: ask again with twice the bits until the enclosures decide.

use core::error::Error;
use core::fmt::{self, Display, Formatter};

use crate::precision::MAX_PRECISION;
use crate::work;

/// No precision up to [`MAX_PRECISION`] answered the question.
///
/// Either the two sides of a comparison are equal, or a value lies beyond every exponent that
/// an [`Interval`](crate::Interval) can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrecisionError;

impl Display for PrecisionError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "no precision up to {MAX_PRECISION} bits decides this"
        )
    }
}

impl Error for PrecisionError {}

/// Calls `attempt` with a precision of 64, 128, 256, … bits until it returns an answer.
///
/// An attempt returns `None` where the enclosures are too wide to decide.
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
/// are compared may be equal; or if the budget of the scope is used up ([`crate::work`]), which then
/// refuses the question as too costly.
pub fn refine<T>(mut attempt: impl FnMut(u32) -> Option<T>) -> Result<T, PrecisionError> {
    let mut precision = 64;
    while precision <= MAX_PRECISION && !work::is_used_up() {
        if let Some(answer) = attempt(precision) {
            return Ok(answer);
        }
        precision *= 2;
    }
    Err(PrecisionError)
}
