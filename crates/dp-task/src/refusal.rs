//! Why a value of a document is refused.

use std::fmt::{self, Display, Formatter};

use dp_exact::ParameterError;
use serde::de::{self, Expected, Unexpected};

use crate::Error;

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
    /// What a type says of itself.
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
        self.path = match self.path.as_str() {
            "" => field.to_owned(),
            path => format!("{field}.{path}"),
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
            Reason::Other(reason) => Self::malformed(field, &reason),
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
            Reason::Other(reason) => formatter.write_str(reason),
        }
    }
}

impl de::Error for Refusal {
    fn custom<T: Display>(message: T) -> Self {
        Self {
            path: String::new(),
            reason: Reason::Other(message.to_string()),
        }
    }

    fn invalid_type(value: Unexpected<'_>, accepted: &dyn Expected) -> Self {
        Self::new(value, accepted.to_string())
    }

    fn invalid_value(value: Unexpected<'_>, accepted: &dyn Expected) -> Self {
        Self::new(value, accepted.to_string())
    }
}
