//! Reads a document: first its size, then its syntax, then its fields.
//!
//! TOML and JSON become one tree of values, in which no field occurs twice or is null. Integers may
//! be strings; exact numbers are strings or integers; a choice such as a budget is a table with one
//! field.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho, parse_integer};
use dp_prio3::grid::Grid;
use dp_prio3::types::{MAX_AGGREGATORS, MAX_INPUT_LENGTH};
use dp_prio3::{BigInt, TrustModel};
use serde::{Serialize, Serializer};
use toml::{Table, Value};

use crate::Error;

/// The longest document that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// The most values of a list.
const MAX_LIST: usize = 10_000;

/// The largest number of releases in which one person takes part.
pub(crate) const MAX_RELEASES: u64 = 1 << 20;

/// The accepted forms of an exact number, in the text of an error.
const EXACT: &str =
    "an exact number: an integer, or a string such as \"0.317\", \"1e-9\" or \"1/3\"";

/// Reads a file in the format of its name's ending, `.toml` or `.json`.
#[cfg(feature = "files")]
pub(crate) fn file(path: &std::path::Path) -> Result<DocumentField, Error> {
    let failed = |reason: &dyn ToString| Error::File {
        path: dp_exact::shown(path),
        reason: reason.to_string(),
    };
    let parse = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => DocumentField::toml,
        Some("json") => DocumentField::json,
        _ => return Err(failed(&"expected a name that ends in .toml or .json")),
    };
    let max = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = dp_files::read_limited(path, max).map_err(|error| match error.reason() {
        dp_files::Reason::TooLong { .. } => Error::TooLong { max: MAX_BYTES },
        other => failed(other),
    })?;
    parse(&bytes)
}

/// The document as text; `Err` if it is longer than [`MAX_BYTES`] or not UTF-8.
fn text<'a>(format: &'static str, bytes: &'a [u8]) -> Result<&'a str, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLong { max: MAX_BYTES });
    }
    str::from_utf8(bytes).map_err(|error| Error::syntax(format, error))
}

/// The value in an error: a text without quotes, a float with its point, since 1.0 is no integer.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Float(float) => format!("{float:?}"),
        Value::Array(_) => "[…]".to_owned(),
        Value::Table(_) => "{…}".to_owned(),
        number => number.to_string(),
    }
}

/// A field of a document, which may be absent. Every error names it by its path.
#[derive(Debug)]
pub struct DocumentField {
    /// The path, such as `vdaf.length`; empty for the document itself.
    path: String,
    /// `None` if the field is absent.
    value: Option<Value>,
}

impl DocumentField {
    /// A document in TOML as one field. The parser refuses nesting deeper than 80.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`] or no TOML.
    pub fn toml(bytes: &[u8]) -> Result<Self, Error> {
        let text = text("TOML", bytes)?;
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map(|before| before.matches('\n').count() + 1);
            let line = line.map_or(String::new(), |line| format!("line {line}: "));
            Error::syntax("TOML", line + error.message())
        })?;
        Ok(Self::document(Value::Table(table)))
    }

    /// A document in JSON as one field. The parser refuses nesting deeper than 128.
    pub(crate) fn json(bytes: &[u8]) -> Result<Self, Error> {
        let value = serde_json::from_str(text("JSON", bytes)?);
        value.map(Self::document).map_err(|error| Error::syntax("JSON", error))
    }

    /// The whole document as one field.
    pub(crate) const fn document(value: Value) -> Self {
        Self { path: String::new(), value: Some(value) }
    }

    /// The path of the field, such as `vdaf.length`.
    #[must_use]
    pub fn path(&self) -> &str {
        if self.path.is_empty() { "document" } else { &self.path }
    }

    /// Whether the field is a text.
    #[must_use]
    pub const fn is_text(&self) -> bool {
        matches!(self.value, Some(Value::String(_)))
    }

    /// The error that the field's value, or its absence, is not as `accepted`.
    #[must_use]
    pub fn refused(&self, accepted: impl Into<String>) -> ParameterError {
        let value = self.value.as_ref().map_or("missing".to_owned(), shown);
        ParameterError::new(self.path().to_owned(), value, accepted.into())
    }

    /// The field as a table; `Err` otherwise.
    pub(crate) fn table(self) -> Result<Self, ParameterError> {
        let is_table = matches!(self.value, Some(Value::Table(_)));
        if is_table { Ok(self) } else { Err(self.refused("a table")) }
    }

    /// The field as a table that has fields of these names alone.
    ///
    /// # Errors
    /// If it is no table, or has a field of another name.
    pub fn fields(self, names: &[&str]) -> Result<Self, ParameterError> {
        self.check_fields(names, "here")?;
        Ok(self)
    }

    /// `Err` if the field is no table, or has a field of a name other than these. `of` names the
    /// place in the error.
    pub(crate) fn check_fields(&self, names: &[&str], of: &str) -> Result<(), ParameterError> {
        let listed = names.join(", ");
        let Some(Value::Table(fields)) = &self.value else {
            return Err(self.refused(format!("a table of {listed}")));
        };
        let mut given = fields.iter();
        let Some((name, value)) = given.find(|(name, _)| !names.contains(&name.as_str())) else {
            return Ok(());
        };
        let only = if names.is_empty() { String::new() } else { format!(", only {listed}") };
        let accepted = format!("no such field {of}{only}");
        Err(ParameterError::new(self.path_of(name), shown(value), accepted))
    }

    /// The path of the field `name` of this table, from the top of the document.
    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Removes the field of this name from the table; the result has no value if the field is
    /// absent.
    pub fn field(&mut self, name: &str) -> Self {
        let value = match &mut self.value {
            Some(Value::Table(fields)) => fields.remove(name),
            _ => None,
        };
        Self { path: self.path_of(name), value }
    }

    /// Removes the field of this name and reads its value; `Err` names the field.
    pub(crate) fn take<T: Field>(&mut self, name: &str) -> Result<T, ParameterError> {
        T::read(self.field(name))
    }

    /// Removes the field `type` of a section, whose value is one of `types`.
    pub(crate) fn tag(&mut self, types: &[&'static str]) -> Result<&'static str, ParameterError> {
        let field = self.field("type");
        let found = match &field.value {
            Some(Value::String(name)) => types.iter().find(|candidate| *candidate == name),
            _ => None,
        };
        found.copied().ok_or_else(|| field.refused(format!("one of {}", types.join(", "))))
    }

    /// The name and value of the single field of a table. `Err` unless its name is one of these.
    pub(crate) fn choice(
        mut self,
        names: &[&'static str],
    ) -> Result<(&'static str, Self), ParameterError> {
        let accepted = names.join(", ");
        let given = match &self.value {
            Some(Value::Table(fields)) if fields.len() == 1 => fields.keys().next().cloned(),
            _ => None,
        };
        let refused = || self.refused(format!("a table with one of {accepted}"));
        let given = given.ok_or_else(refused)?;
        let field = self.field(&given);
        match names.iter().find(|name| **name == given) {
            Some(name) => Ok((name, field)),
            None => Err(field.refused(format!("no such field here, only one of {accepted}"))),
        }
    }

    /// What `read` makes of the field; `None` if the field is absent.
    ///
    /// # Errors
    /// The error of `read`.
    pub fn optional<T>(
        self,
        read: impl FnOnce(Self) -> Result<T, ParameterError>,
    ) -> Result<Option<T>, ParameterError> {
        self.value.is_some().then(|| read(self)).transpose()
    }

    /// What `read` makes of each value of a list; one value stands for a list of it. Empty if the
    /// field is absent.
    ///
    /// # Errors
    /// The first error of `read`; if a value is there twice, or a list has no values or more than
    /// 10 000.
    pub fn list<T: PartialEq>(
        self,
        read: impl Fn(Self) -> Result<T, ParameterError>,
    ) -> Result<Vec<T>, ParameterError> {
        let fields = match self.value {
            None => return Ok(Vec::new()),
            Some(Value::Array(values)) if (1..=MAX_LIST).contains(&values.len()) => {
                let field = |(place, value)| Self {
                    path: format!("{}[{place}]", self.path),
                    value: Some(value),
                };
                values.into_iter().enumerate().map(field).collect()
            }
            Some(Value::Array(_)) => {
                return Err(self.refused(format!("a list of 1 to {MAX_LIST} values")));
            }
            Some(_) => vec![self],
        };
        let mut all = Vec::new();
        for field in fields {
            let twice = field.refused("each value once");
            let value = read(field)?;
            if all.contains(&value) {
                return Err(twice);
            }
            all.push(value);
        }
        Ok(all)
    }

    /// The field as a text.
    ///
    /// # Errors
    /// If it is none; `accepted` is what the error expects.
    pub fn text(self, accepted: &str) -> Result<String, ParameterError> {
        match self.value {
            Some(Value::String(text)) => Ok(text),
            _ => Err(self.refused(accepted)),
        }
    }

    /// The field as true or false; false if it is absent.
    ///
    /// # Errors
    /// If it is neither.
    pub fn flag(self) -> Result<bool, ParameterError> {
        match self.value {
            None => Ok(false),
            Some(Value::Boolean(value)) => Ok(value),
            Some(_) => Err(self.refused("true or false")),
        }
    }

    /// The field as an integer in this range, written as a number or a string.
    ///
    /// # Errors
    /// If it is none.
    pub fn integer<T>(self, accepted: RangeInclusive<T>) -> Result<T, ParameterError>
    where
        T: TryFrom<BigInt> + PartialOrd + Display,
    {
        if !matches!(self.value, Some(Value::String(_) | Value::Integer(_))) {
            let (least, most) = accepted.into_inner();
            return Err(self.refused(format!("an integer from {least} to {most}")));
        }
        let text = self.exact_text()?;
        parse_integer("integer", &text, accepted).map_err(|error| error.renamed(self.path))
    }

    /// The accepted range of an integer field of a task, by its name; else 0 to `most`.
    fn range<T: From<u8> + TryFrom<u64> + TryFrom<usize>>(&self, most: T) -> RangeInclusive<T> {
        let (least, most) = match self.path.rsplit('.').next().unwrap_or_default() {
            "aggregators" => (2, MAX_AGGREGATORS.try_into().unwrap_or(most)),
            "length" => (1, MAX_INPUT_LENGTH.try_into().unwrap_or(most)),
            "releases" => (1, MAX_RELEASES.try_into().unwrap_or(most)),
            "min_reports" | "max_reports" | "honest_clients" => (1, most),
            _ => (0, most),
        };
        T::from(least)..=most
    }

    /// The text of an exact number: a string, or the digits of an integer.
    ///
    /// # Errors
    /// Unless it is a string or an integer: what a parser makes of the float `0.1` is not 1/10.
    pub fn exact_text(&self) -> Result<String, ParameterError> {
        match &self.value {
            Some(Value::String(text)) => Ok(text.trim().to_owned()),
            Some(Value::Integer(value)) => Ok(value.to_string()),
            _ => Err(self.refused(EXACT)),
        }
    }

    /// The field as an exact number.
    fn exact<T: FromStr<Err = ParameterError>>(self) -> Result<T, ParameterError> {
        let text = self.exact_text()?;
        text.parse().map_err(|error: ParameterError| error.renamed(self.path))
    }
}

/// A type that a field can hold.
pub(crate) trait Field: Serialize + Sized {
    /// The value of the field, or the error that names it.
    fn read(field: DocumentField) -> Result<Self, ParameterError>;

    /// Whether the value is written as no field at all.
    fn is_absent(&self) -> bool {
        false
    }

    /// Writes the value.
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.serialize(serializer)
    }
}

/// The largest integer that is written as a number, since every JSON reader keeps it exactly.
/// Larger integers are written as strings.
const MAX_EXACT: u64 = 1 << 53;

/// Implements [`Field`] for integers, of any size, or for exact numbers.
macro_rules! numbers {
    (integers $($integer:ty)+; exact $($exact:ty)+) => {
        $(
            impl Field for $integer {
                fn read(field: DocumentField) -> Result<Self, ParameterError> {
                    let range = field.range(Self::MAX);
                    field.integer(range)
                }

                fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match u64::try_from(*self).ok().filter(|value| *value <= MAX_EXACT) {
                        Some(value) => serializer.serialize_u64(value),
                        None => serializer.collect_str(self),
                    }
                }
            }
        )+
        $(
            impl Field for $exact {
                fn read(field: DocumentField) -> Result<Self, ParameterError> {
                    field.exact()
                }
            }
        )+
    };
}

numbers!(integers usize u64 u128; exact Rational Epsilon Delta Rho);

impl Field for bool {
    fn read(field: DocumentField) -> Result<Self, ParameterError> {
        field.flag()
    }

    fn is_absent(&self) -> bool {
        !self
    }
}

impl<T: Field> Field for Option<T> {
    fn read(field: DocumentField) -> Result<Self, ParameterError> {
        field.optional(T::read)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => value.write(serializer),
            None => serializer.serialize_none(),
        }
    }
}

impl Field for TrustModel {
    fn read(field: DocumentField) -> Result<Self, ParameterError> {
        const ACCEPTED: &str =
            "OC, OAOC, OAMC, or for N honest aggregators NAOC or NAMC, such as 2AOC";
        let refused = field.refused(ACCEPTED);
        field.text(ACCEPTED)?.parse().map_err(|_| refused)
    }
}

impl Field for Budget {
    fn read(field: DocumentField) -> Result<Self, ParameterError> {
        let names = ["pure", "approximate", "zero_concentrated"];
        let (name, field) = field.choice(&names)?;
        Ok(match name {
            "pure" => Self::Pure { epsilon: field.fields(&["epsilon"])?.take("epsilon")? },
            "approximate" => {
                let mut table = field.fields(&["epsilon", "delta"])?;
                Self::Approximate { epsilon: table.take("epsilon")?, delta: table.take("delta")? }
            }
            _ => Self::ZeroConcentrated { rho: field.fields(&["rho"])?.take("rho")? },
        })
    }
}

impl Field for Grid {
    fn read(field: DocumentField) -> Result<Self, ParameterError> {
        let path = field.path.clone();
        let mut table = field.fields(&["low", "high", "granularity"])?;
        let (low, high) = (table.take("low")?, table.take("high")?);
        Self::new(low, high, table.take("granularity")?).map_err(|error| {
            let path = format!("{path}.{}", error.name());
            error.renamed(path)
        })
    }
}
