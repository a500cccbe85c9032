//! A document as a tree of values, and serde's way through it with errors that have a kind and a path.
//!
//! TOML and JSON become one tree. Every field of a struct is visited, also an absent one, so that "missing"
//! comes with what is accepted. An enum is a table with a `type`, or a table with one field.

use std::fmt::Display;

use dp_exact::ParameterError;
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer as _, MapAccess,
    Unexpected, VariantAccess, Visitor,
};
use toml::{Table, Value};

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldErrorKind {
    /// It is not there.
    Missing,
    /// No such field, or no such type of a section.
    Unknown,
    /// Its value is of another type, or out of its range.
    Refused,
}

/// A wrong field of a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.clone().into_parameter_error())]
pub struct FieldError {
    /// The kind.
    pub kind: FieldErrorKind,
    /// The names from the document to the field.
    pub path: Vec<String>,
    /// The value as it is written, or "missing".
    pub value: Option<String>,
    /// What is accepted.
    pub accepted: String,
}

impl FieldError {
    fn new(kind: FieldErrorKind, accepted: impl Display) -> Self {
        Self { kind, path: Vec::new(), value: None, accepted: accepted.to_string() }
    }

    fn within(mut self, field: &str) -> Self {
        self.path.insert(0, field.to_owned());
        self
    }

    fn of(mut self, value: &str) -> Self {
        self.value.get_or_insert_with(|| value.to_owned());
        self
    }

    /// The error as the other errors of parameters.
    #[must_use]
    pub fn into_parameter_error(self) -> ParameterError {
        let path = if self.path.is_empty() { "document".to_owned() } else { self.path.join(".") };
        ParameterError::new(path, self.value.unwrap_or_default(), self.accepted)
    }
}

impl de::Error for FieldError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(FieldErrorKind::Refused, message)
    }

    fn invalid_type(found: Unexpected<'_>, accepted: &dyn Expected) -> Self {
        let kind = match found {
            Unexpected::Option => FieldErrorKind::Missing,
            _ => FieldErrorKind::Refused,
        };
        Self::new(kind, accepted)
    }

    fn invalid_value(_: Unexpected<'_>, accepted: &dyn Expected) -> Self {
        Self::new(FieldErrorKind::Refused, accepted)
    }

    fn unknown_field(field: &str, names: &'static [&'static str]) -> Self {
        let only = if names.is_empty() { "" } else { ", only " };
        let accepted = format!("no such field here{only}{}", names.join(", "));
        Self::new(FieldErrorKind::Unknown, accepted).within(field)
    }

    fn unknown_variant(_: &str, names: &'static [&'static str]) -> Self {
        Self::new(FieldErrorKind::Unknown, format_args!("one of {}", names.join(", ")))
    }
}

/// A value of the tree, or an absent one.
pub(crate) struct Node(pub(crate) Option<Value>);

/// The value in an error: a text without quotes, a float with its point, since 1.0 is no integer.
fn shown(value: Option<&Value>) -> String {
    match value {
        None => "missing".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Float(float)) => format!("{float:?}"),
        Some(Value::Array(_)) => "[…]".to_owned(),
        Some(Value::Table(_)) => "{…}".to_owned(),
        Some(number) => number.to_string(),
    }
}

impl Node {
    fn table(self, names: &[&str]) -> Result<Table, FieldError> {
        match self.0 {
            Some(Value::Table(table)) => Ok(table),
            other => {
                let accepted = format!("a table of {}", names.join(", "));
                Err(FieldError::new(FieldErrorKind::Refused, accepted).of(&shown(other.as_ref())))
            }
        }
    }
}

impl<'de> Deserializer<'de> for Node {
    type Error = FieldError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        let text = shown(self.0.as_ref());
        match self.0 {
            None => visitor.visit_none(),
            Some(Value::String(text)) => visitor.visit_string(text),
            Some(Value::Integer(integer)) => visitor.visit_i64(integer),
            Some(Value::Boolean(value)) => visitor.visit_bool(value),
            Some(Value::Float(float)) => visitor.visit_f64(float),
            Some(other) => other.into_deserializer().deserialize_any(visitor).map_err(|_| {
                FieldError::new(FieldErrorKind::Refused, "no table and no list")
            }),
        }
        .map_err(|error: FieldError| error.of(&text))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        if self.0.is_some() { visitor.visit_some(self) } else { visitor.visit_none() }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let table = self.table(fields)?;
        if let Some(name) = table.keys().find(|name| !fields.contains(&name.as_str())) {
            let error = <FieldError as de::Error>::unknown_field(name, fields);
            return Err(error.of(&shown(table.get(name))));
        }
        visitor.visit_map(Fields { table, names: fields.iter(), next: None })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        let mut table = match self.0 {
            Some(Value::String(name)) => Table::from_iter([(name, Value::Table(Table::new()))]),
            other => Self(other).table(&["type"])?,
        };
        let one_of = || FieldError::new(FieldErrorKind::Unknown, format_args!("one of {}", variants.join(", ")));
        let (tag, content) = match table.remove("type") {
            Some(Value::String(name)) => (Some("type"), (name, Value::Table(table))),
            Some(other) => return Err(one_of().of(&shown(Some(&other))).within("type")),
            None if table.len() == 1 => (None, table.into_iter().next().unwrap_or_else(|| (String::new(), Value::Integer(0)))),
            None => return Err(one_of().of("missing").within("type")),
        };
        if !variants.contains(&content.0.as_str()) {
            let error = one_of().of(&content.0);
            return Err(if let Some(tag) = tag { error.within(tag) } else { error });
        }
        let outer = if tag.is_none() { Some(content.0.clone()) } else { None };
        let result = visitor.visit_enum(Choice { name: content.0, content: Self(Some(content.1)) });
        result.map_err(|error| match outer {
            Some(name) => error.within(&name),
            None => error,
        })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// The fields of a table, also the absent ones.
struct Fields {
    table: Table,
    names: std::slice::Iter<'static, &'static str>,
    next: Option<&'static str>,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = FieldError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, FieldError> {
        self.next = self.names.next().copied();
        let name = self.next.map(|name| seed.deserialize(StrDeserializer::<FieldError>::new(name)));
        name.transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, FieldError> {
        let name = self.next.take().unwrap_or_default();
        seed.deserialize(Node(self.table.remove(name))).map_err(|error| error.within(name))
    }
}

/// A variant of an enum by its name, and the table of its fields.
struct Choice {
    name: String,
    content: Node,
}

impl<'de> EnumAccess<'de> for Choice {
    type Error = FieldError;
    type Variant = Node;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Node), FieldError> {
        let name = seed.deserialize(StrDeserializer::<FieldError>::new(&self.name))?;
        Ok((name, self.content))
    }
}

impl<'de> VariantAccess<'de> for Node {
    type Error = FieldError;

    fn unit_variant(self) -> Result<(), FieldError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, FieldError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, FieldError> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        self.deserialize_struct("", fields, visitor)
    }
}

/// Writes the types of the sections `names` as a field `type` beside their fields.
pub(crate) fn with_types(document: &mut Table, names: &[&str]) {
    for name in names {
        let Some(Value::Table(section)) = document.get_mut(*name) else {
            continue;
        };
        if let Some((kind, Value::Table(fields))) = std::mem::take(section).into_iter().next() {
            let kind = ("type".to_owned(), Value::String(kind));
            *section = std::iter::once(kind).chain(fields).collect();
        }
    }
}
