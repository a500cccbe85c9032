//! A wrong field while a document is read: what is wrong, where, the value and what is accepted.

use std::fmt::Display;

use dp_exact::ParameterError;
use serde::de::{Error, Expected, Unexpected};
use toml::Value;

/// A wrong field of a document, whose path is still growing.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {parameter}")]
pub(crate) struct FieldError {
    /// The names from the document to the field, with points between them; empty for the document.
    path: String,
    /// The value and what is accepted, without a name.
    parameter: ParameterError,
    /// False until the error has passed the value that it is about.
    has_value: bool,
}

impl FieldError {
    /// The error with what is accepted, still without path and value.
    fn new(accepted: impl Display) -> Self {
        let parameter = ParameterError::new("", "", accepted.to_string());
        Self { path: String::new(), parameter, has_value: false }
    }

    /// The error that a value is not accepted, or is required and absent.
    pub(crate) fn refused(value: Option<&Value>, accepted: impl Display) -> Self {
        Self::new(accepted).of(value)
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
    pub(crate) fn within(self, name: &str) -> Self {
        let path = match &*self.path {
            "" => name.to_owned(),
            path => format!("{name}.{path}"),
        };
        Self { path, ..self }
    }

    /// The first name of the path; empty for the document.
    pub(crate) fn first_name(&self) -> &str {
        self.path.split('.').next().expect("a split text has a first part")
    }
}

/// The name of the parameter is the path of the field, or `document`.
impl From<FieldError> for ParameterError {
    fn from(FieldError { path, parameter, .. }: FieldError) -> Self {
        parameter.renamed(if path.is_empty() { "document".to_owned() } else { path })
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
