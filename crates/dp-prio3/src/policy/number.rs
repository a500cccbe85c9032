//! Numbers of a document, exactly: as a number or as text. These functions are for serde's
//! attribute `serialize_with`.

use std::fmt::Display;

use serde::Serializer;

/// The largest integer that is written as a number, since every JSON reader keeps it exactly.
const MAX_EXACT: u64 = 1 << 53;

/// Writes an integer: as a number, or as text if a reader of JSON might round it.
///
/// # Errors
/// Those of the serializer.
pub fn digits<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Display + TryInto<u64>,
    S: Serializer,
{
    match (*value).try_into().ok().filter(|value| *value <= MAX_EXACT) {
        Some(value) => serializer.serialize_u64(value),
        None => serializer.collect_str(value),
    }
}

/// Writes [`digits`], or that there is no number.
///
/// # Errors
/// Those of the serializer.
pub fn digits_or_none<T, S>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Display + TryInto<u64>,
    S: Serializer,
{
    match value {
        Some(value) => digits(value, serializer),
        None => serializer.serialize_none(),
    }
}
