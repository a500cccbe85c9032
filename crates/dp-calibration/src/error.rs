//! What can go wrong: a parameter out of its range, or a number that no precision settles.

use dp_exact::{ParameterError, PrecisionError};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A parameter is not accepted; the message names it, its value and what is accepted.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The certified arithmetic ran out of precision before it could decide.
    #[error(transparent)]
    Precision(#[from] PrecisionError),
}

impl Error {
    /// A parameter is out of its range.
    pub fn parameter(
        name: &'static str,
        value: impl std::fmt::Display,
        accepted: &'static str,
    ) -> Self {
        ParameterError::new(name, value, accepted).into()
    }
}
