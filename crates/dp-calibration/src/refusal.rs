//! Why a question is refused, other than for a parameter out of its range.

use std::fmt::Display;

use dp_exact::{ParameterError, escaped, shown};
use thiserror::Error;

/// Why a question is refused, other than for a range, in one line that says what to change.
///
/// ```
/// use dp_calibration::Refusal;
///
/// let both = Refusal::contradiction("delta", "1e-9", "with rho", "leave one of them out");
/// assert_eq!(both.to_string(), "delta 1e-9 has no meaning with rho: leave one of them out");
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
    #[error("{} has no meaning {context}: {change}", given(name, value))]
    Contradiction {
        /// The parameter's name.
        name: String,
        /// The parameter's value, shortened when long.
        value: String,
        /// The context in which it has no meaning, such as "with rho".
        context: String,
        /// What the caller should change.
        change: String,
    },
    /// No method here gives an answer, or none in the time and memory that are allowed.
    #[error("{what} is not available: {change}")]
    NotAvailable {
        /// A noun, such as "a bound for 3 coordinates".
        what: String,
        /// What the caller should change.
        change: String,
    },
}

/// The parameter `name` with its `value`; a flag, whose value is `true`, by its name alone.
fn given(name: &str, value: &str) -> String {
    if value == "true" { name.to_owned() } else { format!("{name} {value}") }
}

impl Refusal {
    /// The required parameter `name` was not given.
    pub fn missing(name: impl Into<String>, accepted: impl Into<String>) -> Self {
        Self::Missing { name: shown(name.into()), accepted: escaped(accepted.into()) }
    }

    /// `name` was given as `value`, which has no meaning in a `context` such as "with rho".
    pub fn contradiction(
        name: &str,
        value: impl Display,
        context: impl Into<String>,
        change: impl Into<String>,
    ) -> Self {
        // Messages name a parameter and its value as the parameter's own error does.
        let given = ParameterError::new(name, value, "");
        Self::Contradiction {
            name: given.name().to_owned(),
            value: given.value().to_owned(),
            context: escaped(context.into()),
            change: escaped(change.into()),
        }
    }

    /// One coordinate of `measurements`, such as "a histogram", cannot change alone.
    pub fn no_single_coordinate(measurements: &str) -> Self {
        let context = format!("for {measurements}, of which two counts change or none");
        let change = "ask for replacement or deletion";
        Self::contradiction("adjacency", "one-coordinate", context, change)
    }

    /// [`Refusal::NotAvailable`].
    pub fn not_available(what: impl Into<String>, change: impl Into<String>) -> Self {
        Self::NotAvailable { what: escaped(what.into()), change: escaped(change.into()) }
    }
}
