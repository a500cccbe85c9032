//! Integers as they are written: as such up to 2^53, which every reader of JSON keeps exactly, and as
//! strings beyond.

use serde::Serializer;

/// The largest integer that is not a string.
const MAX: u64 = 1 << 53;

pub(crate) fn serialize<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<u128>,
    S: Serializer,
{
    let value: u128 = (*value).into();
    match u64::try_from(value).ok().filter(|value| *value <= MAX) {
        Some(value) => serializer.serialize_u64(value),
        None => serializer.collect_str(&value),
    }
}

#[expect(clippy::ref_option, reason = "serde's interface")]
pub(crate) fn serialize_option<S>(value: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error>
where
    S: Serializer,
{
    match value {
        Some(value) => serialize(value, serializer),
        None => serializer.serialize_none(),
    }
}
