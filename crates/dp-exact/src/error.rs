//! Errors: a parameter out of its range ([`ParameterError`]), or a question that is refused for
//! another reason ([`Refusal`]).

use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt::Display;

use thiserror::Error;

use crate::text::{escaped_bytes, shown_bytes};

/// The longest value that an error message repeats in full, in characters.
const SHOWN: usize = 40;

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
            value: shorten(&value.to_string()),
            accepted: visible(accepted),
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

/// Why a question is refused, other than for a parameter out of its range: one line that says what
/// to change.
///
/// ```
/// use dp_exact::Refusal;
///
/// let both = Refusal::contradiction("delta", "1e-9", "with --rho", "leave one of them out");
/// assert_eq!(both.to_string(), "delta 1e-9 has no meaning with --rho: leave one of them out");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A required parameter was not given.
    #[error("{name} is missing: expected {accepted}")]
    Missing {
        /// The parameter's name.
        name: String,
        /// The accepted range, in words.
        accepted: String,
    },
    /// A parameter contradicts another one.
    #[error("{name} {value} has no meaning {context}: {change}")]
    Contradiction {
        /// The parameter's name.
        name: String,
        /// The parameter's value, shortened when long.
        value: String,
        /// The context in which it has no meaning, such as "with --rho".
        context: String,
        /// What the caller should change.
        change: String,
    },
    /// The answer would take more time or memory than is allowed.
    #[error("{what}, which takes too long: {change}")]
    TooCostly {
        /// A statement, such as "this table has 2^30 entries".
        what: String,
        /// What the caller should change.
        change: String,
    },
    /// No method here gives an answer.
    #[error("{what} is not available: {change}")]
    NotAvailable {
        /// A noun, such as "a bound for 3 coordinates".
        what: String,
        /// What the caller should change.
        change: String,
    },
}

impl Refusal {
    /// The required parameter `name` was not given.
    pub fn missing(name: impl Into<String>, accepted: impl Into<String>) -> Self {
        Self::Missing { name: shown_bytes(name.into().as_bytes()), accepted: visible(accepted) }
    }

    /// `name` was given as `value`, which has no meaning in a `context` such as "with --rho".
    pub fn contradiction(
        name: &str,
        value: impl Display,
        context: impl Into<String>,
        change: impl Into<String>,
    ) -> Self {
        Self::Contradiction {
            name: shown_bytes(name.as_bytes()),
            value: shorten(&value.to_string()),
            context: visible(context),
            change: visible(change),
        }
    }

    /// [`Refusal::TooCostly`].
    pub fn too_costly(what: impl Into<String>, change: impl Into<String>) -> Self {
        Self::TooCostly { what: visible(what), change: visible(change) }
    }

    /// [`Refusal::NotAvailable`].
    pub fn not_available(what: impl Into<String>, change: impl Into<String>) -> Self {
        Self::NotAvailable { what: visible(what), change: visible(change) }
    }
}

/// A part of a sentence, escaped.
fn visible(part: impl Into<String>) -> String {
    escaped_bytes(part.into().as_bytes())
}

/// `text` on one line, quoted if it is empty or has spaces, its first half alone if it is long.
fn shorten(text: &str) -> String {
    let printable = escaped_bytes(text.as_bytes());
    let length = printable.chars().count();
    if length == 0 || printable.contains(char::is_whitespace) && length <= SHOWN {
        return format!("\"{printable}\"");
    }
    if length <= SHOWN {
        return printable;
    }
    let head: String = printable.chars().take(SHOWN / 2).collect();
    format!("{head}… ({} characters)", text.chars().count())
}
