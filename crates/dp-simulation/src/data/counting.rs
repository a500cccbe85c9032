//! How many people a row of a table stands for.

use dp_exact::{ParameterError, integer};

use crate::MAX_COUNT;

/// What becomes of rows of the same measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    /// Each of them is kept.
    Kept,
    /// They are counted.
    Counted,
    /// They are counted, each as often as the value in this column says.
    By(usize),
}

/// The number that a value of the column of counts says.
///
/// # Errors
/// Unless it is an integer from 0 to [`MAX_COUNT`].
pub(super) fn times(text: &str) -> Result<u64, ParameterError> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = text.parse().ok().filter(|_| is_plain);
    match plain.filter(|count| *count <= MAX_COUNT) {
        Some(count) => Ok(count),
        None => integer("count", text, 0..=MAX_COUNT),
    }
}
