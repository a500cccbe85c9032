//! Numbers of a document, exactly: as a number or as text. The accepted range stands at the field.
//! These functions are for serde's attributes `deserialize_with` and `serialize_with`.

use std::fmt::{self, Display};
use std::marker::PhantomData;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

struct Integer<T, const MIN: u128, const MAX: u128>(PhantomData<T>);

impl<'de, T: TryFrom<u128>, const MIN: u128, const MAX: u128> Visitor<'de>
    for Integer<T, MIN, MAX>
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an integer from {MIN} to {MAX}")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
        let inside = Some(u128::from(value)).filter(|value| (MIN..=MAX).contains(value));
        let converted = inside.and_then(|value| T::try_from(value).ok());
        converted.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(value), &self)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        let parsed = dp_exact::parse_integer("integer", text, MIN..=MAX);
        let converted = parsed.ok().and_then(|value| T::try_from(value).ok());
        converted.ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// Reads an integer from MIN to MAX, written as a number or as text.
///
/// # Errors
/// For anything else, with the accepted range.
pub fn integer<'de, D, T, const MIN: u128, const MAX: u128>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u128>,
{
    deserializer.deserialize_any(Integer::<T, MIN, MAX>(PhantomData))
}

/// Reads an [`integer`], if the field is there.
///
/// # Errors
/// As [`integer`].
pub fn optional_integer<'de, D, T, const MIN: u128, const MAX: u128>(
    deserializer: D,
) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u128>,
{
    struct Wrapper<T, const MIN: u128, const MAX: u128>(T);
    impl<'de, T: TryFrom<u128>, const MIN: u128, const MAX: u128> Deserialize<'de>
        for Wrapper<T, MIN, MAX>
    {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            integer::<D, T, MIN, MAX>(deserializer).map(Self)
        }
    }
    Ok(Option::<Wrapper<T, MIN, MAX>>::deserialize(deserializer)?.map(|Wrapper(value)| value))
}

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
