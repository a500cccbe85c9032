//! Square roots that are certainly not below the true ones.

use crate::{Interval, PrecisionError, Rational, Rounding, refine};

/// √`square`, rounded up to so many digits.
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
