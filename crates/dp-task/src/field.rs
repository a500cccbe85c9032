//! From a value to a typed field: the one place that knows how types are written in a document. What is
//! missing, unknown or of another kind is refused with its path, its value and what is accepted.
//!
//! Types read themselves by serde, from the deserializer [`Field`]: integers may be strings of digits,
//! exact numbers strings or integers, a flag that does not occur is false, and an enum such as a budget
//! is a table with its variant as the only field.

use std::collections::BTreeMap;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, EnumAccess, Expected, IntoDeserializer, MapAccess, VariantAccess,
    Visitor,
};
use serde::{Deserializer, forward_to_deserialize_any};

use crate::refusal::Refusal;
use crate::value::Value;

/// What is accepted as an exact number.
const EXACT: &str =
    "an exact number: an integer, or a string such as \"0.317\", \"1e-9\" or \"1/3\"";

/// A field, if it occurs.
pub(crate) struct Field(pub(crate) Option<Value>);

impl Field {
    pub(crate) fn refused(&self, accepted: impl Into<String>) -> Refusal {
        match &self.0 {
            None => Refusal::new("missing", accepted),
            Some(value) => Refusal::new(value, accepted),
        }
    }

    /// An integer from 0 to `most`, as such or as a string of digits.
    fn integer<'de, V: Visitor<'de>>(self, most: u128, visitor: V) -> Result<V::Value, Refusal> {
        let value: Option<u128> = match &self.0 {
            Some(Value::Integer(value)) => (*value).try_into().ok(),
            Some(Value::Text(text)) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().ok()
            }
            _ => None,
        };
        let value = value.filter(|value| *value <= most);
        match value.map(|value| (u64::try_from(value), value)) {
            None => Err(self.refused(format!("an integer from 0 to {most}"))),
            Some((Ok(value), _)) => visitor.visit_u64(value),
            Some((Err(_), value)) => visitor.visit_u128(value),
        }
    }
}

impl<'de> Deserializer<'de> for Field {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            Some(Value::Bool(value)) => visitor.visit_bool(value),
            Some(Value::Text(text)) => visitor.visit_string(text),
            _ => Err(self.refused(expected(&visitor))),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            None => visitor.visit_none(),
            Some(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            None => visitor.visit_bool(false),
            Some(Value::Bool(value)) => visitor.visit_bool(value),
            Some(_) => Err(self.refused("true or false")),
        }
    }

    /// The text of an exact number. An integer is one; the number that a reader makes of `0.1` is
    /// another one.
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            Some(Value::Text(text)) => visitor.visit_string(text),
            Some(Value::Integer(value)) => visitor.visit_string(value.to_string()),
            _ => Err(self.refused(EXACT)),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.integer(u64::MAX.into(), visitor)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.integer(u128::MAX, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let Some(Value::Table(table)) = self.0 else {
            return Err(self.refused(format!("a table of {}", fields.join(", "))));
        };
        only(&table, fields, "here")?;
        visitor.visit_map(Fields {
            table,
            names: fields,
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let refused = self.refused(format!("a table with one of {}", variants.join(", ")));
        let Some(Value::Table(mut fields)) = self.0 else {
            return Err(refused);
        };
        let (Some((variant, value)), true) = (fields.pop_first(), fields.is_empty()) else {
            return Err(refused);
        };
        let known = variants.iter().find(|candidate| **candidate == variant);
        match known {
            Some(variant) => visitor.visit_enum(Variant { variant, value }),
            None => {
                let accepted = format!("no such field here, only one of {}", variants.join(", "));
                Err(Refusal::new(value, accepted).within(&variant))
            }
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 f32 f64 char str bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// Refuses every field of a table that is not one of these.
pub(crate) fn only(
    table: &BTreeMap<String, Value>,
    fields: &[&str],
    of: &str,
) -> Result<(), Refusal> {
    let mut given = table.iter();
    let Some((name, value)) = given.find(|(name, _)| !fields.contains(&name.as_str())) else {
        return Ok(());
    };
    let accepted = match fields {
        [] => format!("no such field {of}"),
        fields => format!("no such field {of}, only {}", fields.join(", ")),
    };
    Err(Refusal::new(value, accepted).within(name))
}

fn expected(visitor: &dyn Expected) -> String {
    visitor.to_string()
}

/// The fields of a struct in the order of its declaration, those that do not occur included: so each
/// type says itself what is missing.
struct Fields {
    table: BTreeMap<String, Value>,
    names: &'static [&'static str],
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refusal> {
        let Some(name) = self.names.first() else {
            return Ok(None);
        };
        let name: StrDeserializer<'_, Refusal> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Refusal> {
        let Some((name, rest)) = self.names.split_first() else {
            return Err(de::Error::custom("a value without a name"));
        };
        self.names = rest;
        let field = Field(self.table.remove(*name));
        seed.deserialize(field)
            .map_err(|refusal| refusal.within(name))
    }
}

/// A variant of an enum with what it holds.
struct Variant {
    variant: &'static str,
    value: Value,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Refusal;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Refusal> {
        let name: StrDeserializer<'_, Refusal> = self.variant.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant {
    type Error = Refusal;

    fn unit_variant(self) -> Result<(), Refusal> {
        Err(Refusal::new(self.value, "nothing").within(self.variant))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Refusal> {
        let value = seed.deserialize(Field(Some(self.value)));
        value.map_err(|refusal| refusal.within(self.variant))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refusal> {
        Err(Refusal::new(self.value, expected(&visitor)).within(self.variant))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let value = Field(Some(self.value)).deserialize_struct(self.variant, fields, visitor);
        value.map_err(|refusal| refusal.within(self.variant))
    }
}
