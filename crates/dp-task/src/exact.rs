//! Exact numbers in a document: strings, or integers where they are exact.
//!
//! `"0.317"`, `"1e-9"`, `"1/3"` and `2` are read; `0.317` without quotes is not, because the number
//! that a reader makes of it is another one.

use std::fmt::{self, Display, Formatter};
use std::marker::PhantomData;

use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use dp_prio3::TrustModel;
use serde::de::{self, Visitor};
use serde::{Deserializer, Serializer};

/// The largest integer that every reader of JSON keeps exactly.
const MAX_JSON_INTEGER: u64 = 1 << 53;

/// A value with an exact text.
pub(crate) trait Exact: Display {
    /// What is accepted, for people.
    const ACCEPTED: &str;

    fn parse(text: &str) -> Option<Self>
    where
        Self: Sized;

    /// The text that is written.
    fn text(&self) -> String {
        self.to_string()
    }

    /// The value, where it is an integer and is better written as one.
    fn integer(&self) -> Option<u64> {
        None
    }
}

macro_rules! unsigned {
    ($($type:ty)*) => {$(
        impl Exact for $type {
            const ACCEPTED: &str = concat!(
                "an integer that fits ", stringify!($type), ", as such or as a string"
            );

            fn parse(text: &str) -> Option<Self> {
                let digits = text.bytes().all(|byte| byte.is_ascii_digit());
                digits.then(|| text.parse().ok())?
            }

            fn integer(&self) -> Option<u64> {
                u64::try_from(*self).ok().filter(|value| *value <= MAX_JSON_INTEGER)
            }
        }
    )*};
}

unsigned!(u64 usize u128);

macro_rules! rational {
    ($($type:ty, $accepted:literal;)*) => {$(
        impl Exact for $type {
            const ACCEPTED: &str = $accepted;

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

rational! {
    Epsilon, "a number greater than 0: a string such as \"0.317\" or \"1/3\", or an integer";
    Rho, "a number greater than 0: a string such as \"0.317\" or \"1/3\", or an integer";
    Delta, "a number from 0 up to but not including 1: a string such as \"1e-9\"";
    Rational, "a number: a string such as \"1e-9\" or \"1/3\", or an integer";
}

impl Exact for TrustModel {
    const ACCEPTED: &str = "OC, OAOC, OAMC, or for N honest aggregators NAOC or NAMC, such as 2AOC";

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn text(&self) -> String {
        self.abbreviation()
    }
}

#[expect(clippy::ref_option, reason = "serde's interface")]
pub(crate) fn serialize<T, S>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Exact,
    S: Serializer,
{
    match value.as_ref().map(|value| (value.integer(), value)) {
        None => serializer.serialize_none(),
        Some((Some(integer), _)) => serializer.serialize_u64(integer),
        Some((None, value)) => serializer.serialize_str(&value.text()),
    }
}

pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Exact,
    D: Deserializer<'de>,
{
    let visitor = ExactVisitor(PhantomData);
    deserializer.deserialize_any(visitor).map(Some)
}

struct ExactVisitor<T>(PhantomData<T>);

impl<T: Exact> Visitor<'_> for ExactVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(T::ACCEPTED)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        T::parse(text).ok_or_else(|| {
            // Shortens the value.
            let refused = ParameterError::new("value", text, T::ACCEPTED);
            let (value, accepted) = (refused.value(), refused.accepted());
            E::custom(format_args!("{value} is not accepted, expected {accepted}"))
        })
    }

    fn visit_u64<E: de::Error>(self, integer: u64) -> Result<T, E> {
        self.visit_str(&integer.to_string())
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<T, E> {
        self.visit_str(&integer.to_string())
    }
}
