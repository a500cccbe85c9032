//! Reads a document: first its size, then its syntax, then its fields. An error names a field by
//! its path, with its value and the accepted values.
//!
//! TOML and JSON become one tree of values, in which no field occurs twice or is null. Integers may
//! be strings of digits; exact numbers are strings or integers; an absent flag is false; a choice
//! such as a budget is a table with one field.

use std::fmt::Display;
use std::str::FromStr;

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use dp_prio3::TrustModel;
use dp_prio3::grid::Grid;
use dp_prio3::types::{MAX_AGGREGATORS, MAX_INPUT_LENGTH};
use toml::{Table, Value};

use crate::Error;

/// The longest document that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// The largest number of releases in which one person takes part.
pub(crate) const MAX_RELEASES: u64 = 1 << 20;

/// The accepted forms of an exact number, in the text of an error.
const EXACT: &str =
    "an exact number: an integer, or a string such as \"0.317\", \"1e-9\" or \"1/3\"";

/// Reads TOML; `Err` if the text is too long or no TOML. The parser refuses tables and arrays
/// nested deeper than 80.
pub(crate) fn toml(bytes: &[u8]) -> Result<Value, Error> {
    let text = text("TOML", bytes)?;
    let table: Table =
        text.parse().map_err(|error| Error::syntax("TOML", toml_reason(text, &error)))?;
    Ok(Value::Table(table))
}

/// Reads JSON; `Err` if the text is too long or no JSON. The parser refuses objects and arrays
/// nested deeper than 128.
pub(crate) fn json(bytes: &[u8]) -> Result<Value, Error> {
    serde_json::from_str(text("JSON", bytes)?).map_err(|error| Error::syntax("JSON", error))
}

/// Reads a file in the format of its name's ending. `Err` if it has more than [`MAX_BYTES`] bytes
/// or another ending.
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

/// The document as text; `Err` if it is longer than [`MAX_BYTES`] or not UTF-8. `format` is named
/// in the error.
fn text<'a>(format: &'static str, bytes: &'a [u8]) -> Result<&'a str, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLong { max: MAX_BYTES });
    }
    str::from_utf8(bytes).map_err(|error| Error::syntax(format, error))
}

/// The parser's message, with the number of the faulty line where the line is known.
fn toml_reason(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    match before.map(|before| before.matches('\n').count() + 1) {
        None => error.message().to_owned(),
        Some(line) => format!("line {line}: {}", error.message()),
    }
}

/// The value in an error: a text without quotes, a float with its point, since 1.0 is no integer.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(integer) => integer.to_string(),
        Value::Float(float) => format!("{float:?}"),
        Value::Boolean(flag) => flag.to_string(),
        Value::Datetime(time) => time.to_string(),
        Value::Array(_) => "[…]".to_owned(),
        Value::Table(_) => "{…}".to_owned(),
    }
}

/// A field of a document, which may be absent.
pub(crate) struct DocumentField {
    /// The path, such as `vdaf.length`; empty for the document itself.
    path: String,
    /// `None` if the field is absent.
    value: Option<Value>,
}

impl DocumentField {
    /// The whole document as one field.
    pub(crate) const fn document(value: Value) -> Self {
        Self { path: String::new(), value: Some(value) }
    }

    /// The error that the field's value, or its absence, is not as `accepted`.
    pub(crate) fn refused(&self, accepted: impl Into<String>) -> ParameterError {
        let path = if self.path.is_empty() { "document" } else { &self.path };
        let value = self.value.as_ref().map_or("missing".to_owned(), shown);
        ParameterError::new(path.to_owned(), value, accepted.into())
    }

    /// The field as a table with any fields. `accepted` is the text of the error if the field is no
    /// table.
    pub(crate) fn table(self, accepted: &str) -> Result<DocumentTable, ParameterError> {
        match self.value {
            Some(Value::Table(fields)) => Ok(DocumentTable { path: self.path, fields }),
            _ => Err(self.refused(accepted)),
        }
    }

    /// The field as a table that has fields of these names alone; `Err` otherwise.
    pub(crate) fn fields(self, names: &[&str]) -> Result<DocumentTable, ParameterError> {
        let table = self.table(&format!("a table of {}", names.join(", ")))?;
        table.only(names, "here")?;
        Ok(table)
    }

    /// The name and value of the single field of a table. `Err` unless its name is one of these.
    pub(crate) fn choice(
        self,
        names: &[&'static str],
    ) -> Result<(&'static str, Self), ParameterError> {
        let accepted = names.join(", ");
        let refused = self.refused(format!("a table with one of {accepted}"));
        let Ok(mut table) = self.table("") else {
            return Err(refused);
        };
        let given: Vec<String> = table.fields.keys().cloned().collect();
        let [given] = &given[..] else {
            return Err(refused);
        };
        let field = table.field(given);
        match names.iter().find(|name| *name == given) {
            Some(name) => Ok((name, field)),
            None => Err(field.refused(format!("no such field here, only one of {accepted}"))),
        }
    }

    /// The field as a text. `accepted` is the text of the error if the field is no text.
    pub(crate) fn text(self, accepted: &str) -> Result<String, ParameterError> {
        match self.value {
            Some(Value::String(text)) => Ok(text),
            _ => Err(self.refused(accepted)),
        }
    }

    /// The field as an integer from 0 to `most`, written as a number or a string of digits; `Err`
    /// otherwise.
    fn integer<T: TryFrom<u128> + Display>(self, most: T) -> Result<T, ParameterError> {
        let value: Option<u128> = match &self.value {
            Some(Value::Integer(value)) => (*value).try_into().ok(),
            Some(Value::String(text)) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().ok()
            }
            _ => None,
        };
        value
            .and_then(|value| value.try_into().ok())
            .ok_or_else(|| self.refused(self.accepted_integers(&most)))
    }

    /// The accepted range of an integer field, in words: the field's own for a few names, else 0 to
    /// `most`.
    fn accepted_integers(&self, most: &impl Display) -> String {
        match self.path.rsplit('.').next().unwrap_or_default() {
            "aggregators" => format!("an integer from 2 to {MAX_AGGREGATORS}"),
            "length" => format!("an integer from 1 to {MAX_INPUT_LENGTH}"),
            "releases" => format!("an integer from 1 to {MAX_RELEASES}"),
            "min_reports" | "max_reports" | "honest_clients" => {
                format!("an integer from 1 to {most}")
            }
            _ => format!("an integer from 0 to {most}"),
        }
    }

    /// The field as an exact number. `Err` for a float: the number that a parser makes of `0.1` is
    /// not 1/10.
    fn exact<T: FromStr<Err = ParameterError>>(self) -> Result<T, ParameterError> {
        let text = match &self.value {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Integer(value)) => value.to_string(),
            _ => return Err(self.refused(EXACT)),
        };
        text.parse().map_err(|error: ParameterError| error.renamed(self.path))
    }
}

/// A table of a document: the fields that have not been read yet.
pub(crate) struct DocumentTable {
    path: String,
    fields: Table,
}

impl DocumentTable {
    /// The path of the field `name` of this table, from the top of the document.
    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// Removes the field of this name from the table; the result has no value if the field is
    /// absent.
    pub(crate) fn field(&mut self, name: &str) -> DocumentField {
        DocumentField { path: self.path_of(name), value: self.fields.remove(name) }
    }

    /// Removes the field of this name and reads its value; `Err` names the field.
    pub(crate) fn take<T: FromField>(&mut self, name: &str) -> Result<T, ParameterError> {
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

    /// `Err` if a field has a name other than these. `of` names the place in the error.
    pub(crate) fn only(&self, names: &[&str], of: &str) -> Result<(), ParameterError> {
        let mut given = self.fields.iter();
        let Some((name, value)) = given.find(|(name, _)| !names.contains(&name.as_str())) else {
            return Ok(());
        };
        let accepted = match names {
            [] => format!("no such field {of}"),
            names => format!("no such field {of}, only {}", names.join(", ")),
        };
        Err(ParameterError::new(self.path_of(name), shown(value), accepted))
    }
}

/// A type that a field can hold.
pub(crate) trait FromField: Sized {
    /// The value of the field, or the error that names it.
    fn read(field: DocumentField) -> Result<Self, ParameterError>;
}

/// Implements [`FromField`] for a type by a function that reads the field.
macro_rules! read_by {
    ($($type:ty => $read:expr;)+) => {$(
        impl FromField for $type {
            fn read(field: DocumentField) -> Result<Self, ParameterError> {
                let read: fn(DocumentField) -> Result<Self, ParameterError> = $read;
                read(field)
            }
        }
    )+};
}

read_by! {
    usize => |field| field.integer(usize::MAX);
    u64 => |field| field.integer(u64::MAX);
    u128 => |field| field.integer(u128::MAX);
    Rational => DocumentField::exact;
    Epsilon => DocumentField::exact;
    Delta => DocumentField::exact;
    Rho => DocumentField::exact;
}

impl<T: FromField> FromField for Option<T> {
    fn read(field: DocumentField) -> Result<Self, ParameterError> {
        field.value.is_some().then(|| T::read(field)).transpose()
    }
}

impl FromField for bool {
    fn read(field: DocumentField) -> Result<Self, ParameterError> {
        match field.value {
            None => Ok(false),
            Some(Value::Boolean(value)) => Ok(value),
            Some(_) => Err(field.refused("true or false")),
        }
    }
}

impl FromField for TrustModel {
    fn read(field: DocumentField) -> Result<Self, ParameterError> {
        const ACCEPTED: &str =
            "OC, OAOC, OAMC, or for N honest aggregators NAOC or NAMC, such as 2AOC";
        let refused = field.refused(ACCEPTED);
        field.text(ACCEPTED)?.parse().map_err(|_| refused)
    }
}

impl FromField for Budget {
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

impl FromField for Grid {
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
