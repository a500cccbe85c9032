//! The error of a parameter out of its range.

use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt::Display;

use thiserror::Error;

use crate::text::{escaped_bytes, shown_bytes};

/// A parameter whose value is not accepted. The message is one line: the parameter, its value
/// (shortened when long) and the accepted range, with invisible characters escaped
/// ([`shown`](crate::shown)).
///
/// ```
/// use dp_exact::Epsilon;
///
/// let error = "0".parse::<Epsilon>().unwrap_err();
/// assert_eq!(error.to_string(), "epsilon is 0: expected a number greater than 0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name} is {value}: expected {accepted}")]
pub struct ParameterError {
    name: String,
    value: String,
    accepted: String,
}

impl ParameterError {
    /// The parameter `name` has a `value` outside of the `accepted` range.
    pub fn new(name: impl Into<String>, value: impl Display, accepted: impl Into<String>) -> Self {
        Self {
            name: shown_bytes(name.into().as_bytes()),
            value: quoted(&value.to_string()),
            accepted: escaped_bytes(accepted.into().as_bytes()),
        }
    }

    /// This error under another name of the parameter.
    #[must_use]
    pub fn renamed(self, name: impl Into<String>) -> Self {
        Self { name: shown_bytes(name.into().as_bytes()), ..self }
    }

    /// The parameter's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameter's value, shortened when long.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The accepted range, in words.
    pub fn accepted(&self) -> &str {
        &self.accepted
    }
}

/// `text` as [`shown_bytes`] shows it, in quotes if it is empty or has spaces.
fn quoted(text: &str) -> String {
    let line = shown_bytes(text.as_bytes());
    let is_unclear = line.is_empty() || line.contains(char::is_whitespace);
    if is_unclear { format!("\"{line}\"") } else { line }
}
