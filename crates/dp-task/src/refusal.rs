//! Why a value of a document is refused.

use std::fmt::{self, Display, Formatter};

use dp_exact::ParameterError;
use serde::de::{self, Expected, Unexpected};

use crate::Error;

/// What an exact number without a name of its own is called in its errors.
const NUMBER: &str = "number";

/// Why a value is refused, and where, seen from the table that is being read.
#[derive(Debug)]
pub(crate) struct Refusal {
    path: String,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    NotAccepted {
        value: String,
        accepted: String,
    },
    /// What a type says of a parameter by its own name for it: "is 0: expected a number greater than 0".
    Said {
        name: String,
        reason: String,
    },
    Other(String),
}

impl Refusal {
    pub(crate) fn new(value: impl Display, accepted: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            reason: Reason::NotAccepted {
                value: value.to_string(),
                accepted: accepted.into(),
            },
        }
    }

    /// The same, seen from the table in which the field is.
    pub(crate) fn within(mut self, field: &str) -> Self {
        self.path = match (self.path.as_str(), &self.reason) {
            // A field of this one, which the type has checked as a whole.
            ("", Reason::Said { name, .. }) if name != field && name != NUMBER => {
                format!("{field}.{name}")
            }
            ("", _) => field.to_owned(),
            (path, _) => format!("{field}.{path}"),
        };
        self
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let field = match refusal.path.as_str() {
            "" => "document".to_owned(),
            path => path.to_owned(),
        };
        match refusal.reason {
            Reason::NotAccepted { value, accepted } => {
                ParameterError::new(field, value, accepted).into()
            }
            Reason::Said { reason, .. } => Self::malformed(field, &reason),
            Reason::Other(reason) => Self::malformed(field, &format!("cannot be read: {reason}")),
        }
    }
}

impl std::error::Error for Refusal {}

impl Display for Refusal {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::NotAccepted { value, accepted } => {
                write!(formatter, "{value}: expected {accepted}")
            }
            Reason::Said { name, reason } => write!(formatter, "{name} {reason}"),
            Reason::Other(reason) => formatter.write_str(reason),
        }
    }
}

impl de::Error for Refusal {
    /// Of an error that a type makes itself serde keeps the message alone. That of a [`ParameterError`]
    /// starts with the parameter's name, which the path says already.
    fn custom<T: Display>(message: T) -> Self {
        let message = message.to_string();
        let reason = match message.split_once(' ') {
            Some((name, reason)) if reason.starts_with("is ") => Reason::Said {
                name: name.to_owned(),
                reason: reason.to_owned(),
            },
            _ => Reason::Other(message),
        };
        Self {
            path: String::new(),
            reason,
        }
    }

    fn invalid_type(value: Unexpected<'_>, accepted: &dyn Expected) -> Self {
        match value {
            Unexpected::Bool(value) => Self::new(value, accepted.to_string()),
            value => Self::new(value, accepted.to_string()),
        }
    }

    fn invalid_value(value: Unexpected<'_>, accepted: &dyn Expected) -> Self {
        Self::new(value, accepted.to_string())
    }
}
