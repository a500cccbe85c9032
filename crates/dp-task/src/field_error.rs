//! A wrong field of a document: what is wrong, where, the value and what is accepted.

use std::fmt::{self, Display, Formatter};

use dp_exact::ParameterError;
use serde::de::{Error, Expected, Unexpected};
use toml::Value;

/// A wrong field of a document. The message has its path, its value and what is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    path: Vec<String>,
    /// The value and what is accepted; the name is the path once the error is delivered.
    parameter: ParameterError,
    /// False until the error has passed the value that it is about.
    has_value: bool,
}

impl FieldError {
    /// The error with what is accepted, still without path and value.
    fn new(accepted: impl Display) -> Self {
        let parameter = ParameterError::new("", "", accepted.to_string());
        Self { path: Vec::new(), parameter, has_value: false }
    }

    /// The error that a value is not accepted, or is required and absent.
    pub(crate) fn refused(value: Option<&Value>, accepted: impl Display) -> Self {
        Self::new(accepted).of(value)
    }

    /// The error that a table has a field of this name, which it must not have.
    pub(crate) fn unknown(name: &str, value: &Value, accepted: impl Display) -> Self {
        Self::refused(Some(value), accepted).within(name)
    }

    /// The error that the field `path` has this value, or is absent.
    pub(crate) fn at<T: Display>(path: &[&str], value: Option<T>, accepted: impl Display) -> Self {
        let value = value.map(|value| Value::String(value.to_string()));
        let error = Self::refused(value.as_ref(), accepted);
        path.iter().rev().fold(error, |error, name| error.within(name))
    }

    /// The error with the value that it is about, "missing" for `None`, unless it has one already.
    pub(crate) fn of(self, value: Option<&Value>) -> Self {
        if self.has_value {
            return self;
        }
        let parameter = ParameterError::new("", shown(value), self.parameter.accepted());
        Self { parameter, has_value: true, ..self }
    }

    /// The error in the field `name` of a table, which is put before the path.
    pub(crate) fn within(mut self, name: &str) -> Self {
        self.path.insert(0, name.to_owned());
        self
    }

    /// The names from the document to the field, such as `vdaf` and `length`; none for the
    /// document.
    #[must_use]
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// This error as one of a parameter of another name, such as an option's. The value of an
    /// absent field is "missing".
    #[must_use]
    pub fn renamed(self, name: impl Into<String>) -> ParameterError {
        self.parameter.renamed(name)
    }
}

impl Display for FieldError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "document".to_owned() } else { self.path.join(".") };
        self.parameter.clone().renamed(path).fmt(f)
    }
}

impl std::error::Error for FieldError {}

/// The name of the parameter is the path of its field, with points between the names.
impl From<ParameterError> for FieldError {
    fn from(parameter: ParameterError) -> Self {
        let path = parameter.name().split('.').map(str::to_owned).collect();
        Self { path, parameter, has_value: true }
    }
}

impl Error for FieldError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message)
    }

    fn invalid_type(_: Unexpected<'_>, accepted: &dyn Expected) -> Self {
        Self::new(accepted)
    }

    fn invalid_value(found: Unexpected<'_>, accepted: &dyn Expected) -> Self {
        let error = Self::new(accepted);
        match found {
            Unexpected::Str(text) => error.of(Some(&Value::String(text.to_owned()))),
            // A field that does not fit the others of its table.
            Unexpected::Other(field) => error.within(field),
            _ => error,
        }
    }
}

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
