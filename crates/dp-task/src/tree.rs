//! A document as a tree of values, through which serde reads it.
//!
//! TOML and JSON become one tree. Every field of a struct is visited, also an absent one: the
//! visitor of an absent field says what is accepted there. A [section](SECTIONS) is a table with a
//! field `type`; every other choice is a table with one field, whose name is the choice.

use std::fmt::Display;
use std::slice::Iter;

use dp_exact::parse_integer;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Expected, IgnoredAny, MapAccess, VariantAccess,
    Visitor,
};
use toml::{Table, Value};

use crate::field_error::FieldError;
use crate::{Error, MAX_BYTES};

/// The tree of a document in TOML. `Err` if it is too long or not in UTF-8 or TOML, with the line;
/// the parser refuses nesting deeper than 80.
pub(crate) fn toml(bytes: &[u8]) -> Result<Value, Error> {
    let text = text("TOML", bytes)?;
    let table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map(|before| before.matches('\n').count() + 1);
        let line = line.map_or(String::new(), |line| format!("line {line}: "));
        Error::syntax("TOML", line + error.message())
    })?;
    Ok(Value::Table(table))
}

/// The tree of a document in JSON. `Err` if it is too long or not in UTF-8 or JSON; the parser
/// refuses nesting deeper than 128.
pub(crate) fn json(bytes: &[u8]) -> Result<Value, Error> {
    serde_json::from_str(text("JSON", bytes)?).map_err(|error| Error::syntax("JSON", error))
}

/// The document as text; `Err` if it is longer than [`MAX_BYTES`] or not UTF-8.
fn text<'a>(format: &'static str, bytes: &'a [u8]) -> Result<&'a str, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLong { max: MAX_BYTES });
    }
    str::from_utf8(bytes).map_err(|error| Error::syntax(format, error))
}

/// The fields of a document that are written as a table with a field `type`.
pub(crate) const SECTIONS: [&str; 3] = ["vdaf", "client_noise", "aggregator_noise"];

/// A value of the tree; `None` if it is absent.
pub(crate) struct Node {
    pub(crate) value: Option<Value>,
    /// Whether a choice is the field `type` of the table, beside the fields of the choice.
    pub(crate) is_section: bool,
}

impl Node {
    /// The field `name` of the document, or of a table in it.
    pub(crate) fn field(name: &str, value: Option<Value>) -> Self {
        Self { value, is_section: SECTIONS.contains(&name) }
    }

    /// The table that the value is; else the error that says what is `accepted`.
    fn table(self, accepted: impl Display) -> Result<Table, FieldError> {
        match self.value {
            Some(Value::Table(table)) => Ok(table),
            other => Err(FieldError::refused(other.as_ref(), accepted)),
        }
    }

    /// Visits an integer from 0, below 2^`bits`, which is written as a number or as text.
    fn integer<'de, V: Visitor<'de>>(self, bits: u32, visitor: V) -> Result<V::Value, FieldError> {
        let digits = match &self.value {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Integer(integer)) => integer.to_string(),
            _ => String::new(),
        };
        let Ok(number) = parse_integer("integer", &digits, 0..=u128::MAX >> (128 - bits)) else {
            let accepted = format_args!("a whole number below 2^{bits}");
            return Err(FieldError::refused(self.value.as_ref(), accepted));
        };
        match u64::try_from(number) {
            Ok(number) => visitor.visit_u64(number),
            Err(_) => visitor.visit_u128(number),
        }
    }
}

impl<'de> Deserializer<'de> for Node {
    type Error = FieldError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match &self.value {
            None => visitor.visit_none(),
            Some(Value::String(text)) => visitor.visit_str(text),
            Some(Value::Integer(integer)) => visitor.visit_i64(*integer),
            Some(Value::Boolean(value)) => visitor.visit_bool(*value),
            Some(Value::Float(float)) => visitor.visit_f64(*float),
            Some(other) => Err(FieldError::refused(Some(other), &visitor as &dyn Expected)),
        }
        .map_err(|error: FieldError| error.of(self.value.as_ref()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        if self.value.is_some() { visitor.visit_some(self) } else { visitor.visit_none() }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        self.integer(u32::BITS, visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        self.integer(u64::BITS, visitor)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        self.integer(u128::BITS, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let table = self.table(format_args!("a table of {}", names.join(", ")))?;
        fields(table, names, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        choices: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let listed = choices.join(", ");
        let is_choice = |name: &str| choices.contains(&name);
        if self.is_section {
            let mut table = self.table("a table")?;
            return match table.remove("type") {
                Some(Value::String(name)) if is_choice(&name) => {
                    visitor.visit_enum(Choice { name, content: Value::Table(table) })
                }
                other => {
                    let accepted = format_args!("one of {listed}");
                    Err(FieldError::refused(other.as_ref(), accepted).within("type"))
                }
            };
        }
        let accepted = format!("a table with one of {listed}");
        let table = self.table(&accepted)?;
        if table.len() != 1 {
            return Err(FieldError::refused(Some(&Value::Table(table)), accepted));
        }
        let (name, content) = table.into_iter().next().expect("a table with one field");
        if !is_choice(&name) {
            let accepted = format_args!("no such field here, only one of {listed}");
            return Err(FieldError::refused(Some(&content), accepted).within(&name));
        }
        let choice = Choice { name: name.clone(), content };
        visitor.visit_enum(choice).map_err(|error: FieldError| error.within(&name))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// Visits the fields `names` of a table, also the absent ones. `Err` if the table has another
/// field.
fn fields<'de, V: Visitor<'de>>(
    table: Table,
    names: &'static [&'static str],
    visitor: V,
) -> Result<V::Value, FieldError> {
    if let Some((name, value)) = table.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        let only = if names.is_empty() { "" } else { ", only " };
        let accepted = format_args!("no such field here{only}{}", names.join(", "));
        return Err(FieldError::refused(Some(value), accepted).within(name));
    }
    visitor.visit_map(Fields { table, names: names.iter(), next: "" })
}

/// The fields of a table, which are visited in the order of `names`.
struct Fields {
    table: Table,
    names: Iter<'static, &'static str>,
    /// The field whose value is visited next.
    next: &'static str,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = FieldError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, FieldError> {
        let Some(name) = self.names.next() else { return Ok(None) };
        self.next = name;
        seed.deserialize(StrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, FieldError> {
        let node = Node::field(self.next, self.table.remove(self.next));
        seed.deserialize(node).map_err(|error| error.within(self.next))
    }
}

/// The name of a choice, and the value that holds its fields.
struct Choice {
    name: String,
    content: Value,
}

impl<'de> EnumAccess<'de> for Choice {
    type Error = FieldError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), FieldError> {
        let name = seed.deserialize(StrDeserializer::<FieldError>::new(&self.name))?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Choice {
    type Error = FieldError;

    fn unit_variant(self) -> Result<(), FieldError> {
        self.struct_variant(&[], IgnoredAny).map(drop)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<S::Value, FieldError> {
        let node = Node { value: Some(self.content.clone()), is_section: false };
        seed.deserialize(node).map_err(|error| {
            // A field that does not fit the others of its table has no value yet.
            match self.content.get(error.first_name()) {
                None => error,
                field => error.of(field),
            }
        })
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, FieldError> {
        Err(FieldError::refused(Some(&self.content), &visitor as &dyn Expected))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let node = Node { value: Some(self.content), is_section: false };
        let table = node.table(format_args!("a table of {}", names.join(", ")))?;
        fields(table, names, visitor)
    }
}
