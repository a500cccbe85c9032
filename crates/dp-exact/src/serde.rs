//! Numbers and parameters as strings, which keep the number as it was typed; with the feature
//! `serde`.

use alloc::string::String;

use core::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Delta, Epsilon, ParameterError, Rational, Rho};

/// Serializes a type by `Display`, deserializes it by `FromStr`.
macro_rules! as_text {
    ($($type:ty),+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Exact)?.parse().map_err(|error: ParameterError| {
                    D::Error::invalid_value(Unexpected::Str(error.value()), &error.accepted())
                })
            }
        }
    )+};
}

as_text!(Rational, Epsilon, Delta, Rho);

/// Serializes and deserializes structs with `#[serde(remote = "Self")]` as maps alone. Derived code
/// by itself also takes a list of the fields in their order, whose meaning nobody sees.
#[macro_export]
macro_rules! as_map {
    ($($type:ty),+ $(,)?) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$type>::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Fields;

                impl<'de> serde::de::Visitor<'de> for Fields {
                    type Value = $type;

                    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                        f.write_str("a map of fields")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        map: A,
                    ) -> Result<$type, A::Error> {
                        <$type>::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    }
                }

                deserializer.deserialize_map(Fields)
            }
        }
    )+};
}

/// The text of an exact number: a string, or the digits of an integer. What a parser makes of the
/// float `0.1` is not 1/10.
struct Exact;

impl Visitor<'_> for Exact {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "an exact number: an integer, or a string such as \"0.317\", \"1e-9\" or \"1/3\"",
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(String::from(text.trim()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<String, E> {
        Ok(alloc::format!("{value}"))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<String, E> {
        Ok(alloc::format!("{value}"))
    }
}
