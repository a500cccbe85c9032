//! From bytes to a document: sizes first, then syntax, then fields. What is missing, unknown, of another kind or
//! out of its range is refused with its path, its value and what is accepted.
//!
//! TOML and JSON become one tree of values, in which nothing occurs twice. Integers may be strings of digits, exact
//! numbers strings or integers, a flag that does not occur is false, and a choice such as a budget is a table with
//! one field.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use dp_prio3::TrustModel;
use dp_prio3::grid::Grid;
use serde::de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::Error;

/// The longest document that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// What is accepted as an exact number.
const EXACT: &str =
    "an exact number: an integer, or a string such as \"0.317\", \"1e-9\" or \"1/3\"";

/// Reads TOML. Nested tables and arrays are bounded by the parser, at a depth of 80.
pub(crate) fn toml(bytes: &[u8]) -> Result<Value, Error> {
    let text = text("TOML", bytes)?;
    let syntax = |error: toml::de::Error| Error::syntax("TOML", toml_reason(text, &error));
    let deserializer = toml::Deserializer::parse(text).map_err(syntax)?;
    Value::deserialize(deserializer).map_err(syntax)
}

/// Reads JSON. Nested objects and arrays are bounded by the parser, at a depth of 128.
pub(crate) fn json(bytes: &[u8]) -> Result<Value, Error> {
    serde_json::from_str(text("JSON", bytes)?).map_err(|error| Error::syntax("JSON", error))
}

/// Reads a file in the format that its name ends with, and no more of it than is accepted.
#[cfg(feature = "files")]
pub(crate) fn file(path: &std::path::Path) -> Result<Value, Error> {
    let failed = |reason: &dyn ToString| Error::File {
        path: dp_exact::shown(path),
        reason: reason.to_string(),
    };
    let parse = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml,
        Some("json") => json,
        _ => return Err(failed(&"expected a name that ends in .toml or .json")),
    };
    let max = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = dp_files::read_limited(path, max).map_err(|error| match error.reason() {
        dp_files::Reason::TooLong { .. } => Error::TooLong { max: MAX_BYTES },
        other => failed(other),
    })?;
    parse(&bytes)
}

fn text<'a>(format: &'static str, bytes: &'a [u8]) -> Result<&'a str, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLong { max: MAX_BYTES });
    }
    str::from_utf8(bytes).map_err(|error| Error::syntax(format, error))
}

fn toml_reason(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    match before.map(|before| before.matches('\n').count() + 1) {
        None => error.message().to_owned(),
        Some(line) => format!("line {line}: {}", error.message()),
    }
}

/// A value of a document.
#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    List,
    Table(BTreeMap<String, Value>),
}

impl Display for Value {
    /// The value in a message.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Bool(value) => value.fmt(formatter),
            Self::Integer(value) => value.fmt(formatter),
            // 1.0, which is no integer, and not 1.
            Self::Float(value) => write!(formatter, "{value:?}"),
            Self::Text(value) => value.fmt(formatter),
            Self::List => formatter.write_str("[…]"),
            Self::Table(_) => formatter.write_str("{…}"),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of TOML or JSON")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Integer(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut table = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            if table.contains_key(&name) {
                let message = format_args!("duplicate field `{name}`");
                return Err(A::Error::custom(message));
            }
            table.insert(name, value);
        }
        Ok(Value::Table(table))
    }
}

/// A field, if it occurs.
pub(crate) struct Field {
    /// Where it is in the document; empty for the document itself.
    path: String,
    value: Option<Value>,
}

impl Field {
    /// The whole document.
    pub(crate) const fn document(value: Value) -> Self {
        Self { path: String::new(), value: Some(value) }
    }

    pub(crate) fn refused(&self, accepted: impl Into<String>) -> ParameterError {
        let path = match self.path.as_str() {
            "" => "document",
            path => path,
        };
        let value = match &self.value {
            None => "missing".to_owned(),
            Some(value) => value.to_string(),
        };
        ParameterError::new(path.to_owned(), value, accepted.into())
    }

    /// A table, with whatever fields.
    pub(crate) fn table(self, accepted: &str) -> Result<Table, ParameterError> {
        match self.value {
            Some(Value::Table(fields)) => Ok(Table { path: self.path, fields }),
            _ => Err(self.refused(accepted)),
        }
    }

    /// A table of these fields and no other.
    pub(crate) fn fields(self, names: &[&str]) -> Result<Table, ParameterError> {
        let table = self.table(&format!("a table of {}", names.join(", ")))?;
        table.only(names, "here")?;
        Ok(table)
    }

    /// The one field of a table, which has one of these names.
    pub(crate) fn choice(
        self,
        names: &[&'static str],
    ) -> Result<(&'static str, Self), ParameterError> {
        let refused = self.refused(format!("a table with one of {}", names.join(", ")));
        let Some(Value::Table(fields)) = self.value else {
            return Err(refused);
        };
        let mut table = Table { path: self.path, fields };
        let [name] = &*table.fields.keys().cloned().collect::<Vec<_>>() else {
            return Err(refused);
        };
        let field = table.field(name);
        match names.iter().find(|known| *known == name) {
            Some(known) => Ok((known, field)),
            None => {
                Err(field.refused(format!("no such field here, only one of {}", names.join(", "))))
            }
        }
    }

    /// A text, which the accepted ones are parsed from.
    pub(crate) fn text(self, accepted: &str) -> Result<String, ParameterError> {
        match self.value {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(self.refused(accepted)),
        }
    }

    /// An integer from 0 to `most`, as such or as a string of digits.
    fn integer<T: TryFrom<u128> + Display>(self, most: T) -> Result<T, ParameterError> {
        let value: Option<u128> = match &self.value {
            Some(Value::Integer(value)) => (*value).try_into().ok(),
            Some(Value::Text(text)) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().ok()
            }
            _ => None,
        };
        value
            .and_then(|value| value.try_into().ok())
            .ok_or_else(|| self.refused(format!("an integer from 0 to {most}")))
    }

    /// An exact number. An integer is one; the number that a reader makes of `0.1` is another one.
    fn exact<T: FromStr<Err = ParameterError>>(self) -> Result<T, ParameterError> {
        let text = match &self.value {
            Some(Value::Text(text)) => text.clone(),
            Some(Value::Integer(value)) => value.to_string(),
            _ => return Err(self.refused(EXACT)),
        };
        text.parse().map_err(|error: ParameterError| error.renamed(self.path))
    }
}

/// A table of a document.
pub(crate) struct Table {
    path: String,
    fields: BTreeMap<String, Value>,
}

impl Table {
    /// The field of this name, which is in the table no more.
    pub(crate) fn field(&mut self, name: &str) -> Field {
        let path = match self.path.as_str() {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        let value = self.fields.remove(name);
        Field { path, value }
    }

    /// The value of a field.
    pub(crate) fn take<T: Read>(&mut self, name: &str) -> Result<T, ParameterError> {
        T::read(self.field(name))
    }

    /// The `type` of a section, one of these.
    pub(crate) fn tag(&mut self, types: &[&'static str]) -> Result<&'static str, ParameterError> {
        let field = self.field("type");
        let found = match &field.value {
            Some(Value::Text(name)) => types.iter().find(|candidate| *candidate == name),
            _ => None,
        };
        let refused = || field.refused(format!("one of {}", types.join(", ")));
        found.copied().ok_or_else(refused)
    }

    /// Refuses every field that is not one of these.
    pub(crate) fn only(&self, names: &[&str], of: &str) -> Result<(), ParameterError> {
        let mut given = self.fields.iter();
        let Some((name, value)) = given.find(|(name, _)| !names.contains(&name.as_str())) else {
            return Ok(());
        };
        let accepted = match names {
            [] => format!("no such field {of}"),
            names => format!("no such field {of}, only {}", names.join(", ")),
        };
        let path = match self.path.as_str() {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        Err(ParameterError::new(path, value, accepted))
    }
}

/// What a field may hold.
pub(crate) trait Read: Sized {
    /// The value, or why it is refused.
    fn read(field: Field) -> Result<Self, ParameterError>;
}

impl<T: Read> Read for Option<T> {
    fn read(field: Field) -> Result<Self, ParameterError> {
        field.value.is_some().then(|| T::read(field)).transpose()
    }
}

impl Read for bool {
    fn read(field: Field) -> Result<Self, ParameterError> {
        match field.value {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(value),
            Some(_) => Err(field.refused("true or false")),
        }
    }
}

impl Read for usize {
    fn read(field: Field) -> Result<Self, ParameterError> {
        field.integer(Self::MAX)
    }
}

impl Read for u64 {
    fn read(field: Field) -> Result<Self, ParameterError> {
        field.integer(Self::MAX)
    }
}

impl Read for u128 {
    fn read(field: Field) -> Result<Self, ParameterError> {
        field.integer(Self::MAX)
    }
}

impl Read for Rational {
    fn read(field: Field) -> Result<Self, ParameterError> {
        field.exact()
    }
}

impl Read for Epsilon {
    fn read(field: Field) -> Result<Self, ParameterError> {
        field.exact()
    }
}

impl Read for Delta {
    fn read(field: Field) -> Result<Self, ParameterError> {
        field.exact()
    }
}

impl Read for Rho {
    fn read(field: Field) -> Result<Self, ParameterError> {
        field.exact()
    }
}

impl Read for TrustModel {
    fn read(field: Field) -> Result<Self, ParameterError> {
        const ACCEPTED: &str =
            "OC, OAOC, OAMC, or for N honest aggregators NAOC or NAMC, such as 2AOC";
        let refused = field.refused(ACCEPTED);
        field.text(ACCEPTED)?.parse().map_err(|_| refused)
    }
}

impl Read for Budget {
    fn read(field: Field) -> Result<Self, ParameterError> {
        let names = ["pure", "approximate", "zero_concentrated", "renyi"];
        let (name, field) = field.choice(&names)?;
        Ok(match name {
            "pure" => Self::Pure { epsilon: field.fields(&["epsilon"])?.take("epsilon")? },
            "approximate" => {
                let mut table = field.fields(&["epsilon", "delta"])?;
                Self::Approximate { epsilon: table.take("epsilon")?, delta: table.take("delta")? }
            }
            "zero_concentrated" => {
                Self::ZeroConcentrated { rho: field.fields(&["rho"])?.take("rho")? }
            }
            _ => {
                let path = field.path.clone();
                let mut table = field.fields(&["alpha", "tau"])?;
                Self::renyi(table.take("alpha")?, table.take("tau")?).map_err(
                    |error| match error {
                        dp_calibration::Error::Parameter(error) => within(&path, error),
                        other => ParameterError::new(path.clone(), "refused", other.to_string()),
                    },
                )?
            }
        })
    }
}

impl Read for Grid {
    fn read(field: Field) -> Result<Self, ParameterError> {
        let path = field.path.clone();
        let mut table = field.fields(&["low", "high", "granularity"])?;
        let (low, high) = (table.take("low")?, table.take("high")?);
        Self::new(low, high, table.take("granularity")?).map_err(|error| within(&path, error))
    }
}

/// The error of a parameter that is a field of the table at `path`.
fn within(path: &str, error: ParameterError) -> ParameterError {
    let path = format!("{path}.{}", error.name());
    error.renamed(path)
}
