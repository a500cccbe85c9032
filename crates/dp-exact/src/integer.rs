//! Integers as people type them.

use alloc::format;
use core::fmt::Display;
use core::ops::RangeInclusive;

use num_bigint::BigInt;

use crate::{ParameterError, Rational};

/// An integer in a range, however it is written: `100000`, `1e5` and `0.1e6` are the same number.
///
/// ```
/// let clients: u64 = dp_exact::integer("clients", "2.5e5", 1..=10_000_000_000)?;
/// assert_eq!(clients, 250_000);
/// let refused = dp_exact::integer::<u64>("clients", "1.5", 1..=10).unwrap_err();
/// assert_eq!(refused.to_string(), "clients is 1.5: expected an integer from 1 to 10");
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
///
/// # Errors
/// If the text is no integer, or one beyond the range.
pub fn integer<T>(
    name: &'static str,
    text: &str,
    accepted: RangeInclusive<T>,
) -> Result<T, ParameterError>
where
    T: TryFrom<BigInt> + PartialOrd + Display,
{
    let value = text.trim().parse::<Rational>().ok();
    let value = value.filter(Rational::is_integer);
    let value = value.and_then(|value| T::try_from(value.numerator().clone()).ok());
    value
        .filter(|value| accepted.contains(value))
        .ok_or_else(|| {
            let range = format!("an integer from {} to {}", accepted.start(), accepted.end());
            ParameterError::new(name, text, range)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_however_they_are_written() {
        let read = |text: &str| integer::<u32>("number", text, 2..=1_000_000).ok();
        for (text, value) in [("2", 2), (" 1e6 ", 1_000_000), ("0.5e1", 5), ("12/4", 3)] {
            assert_eq!(read(text), Some(value), "{text}");
        }
        for text in [
            "", "1", "1000001", "-3", "2.5", "1e2500", "1e99999", "two", "0x10", "3,0",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
