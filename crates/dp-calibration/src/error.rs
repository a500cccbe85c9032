//! The errors of this crate.

use std::fmt::Display;

use crate::Refusal;
use dp_exact::{ParameterError, PrecisionError};

/// The result of what this crate may refuse.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is out of its range; the message names it, its value and what is accepted.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Something is missing, contradicts something else, or is not available.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The certified arithmetic ran out of precision before it could decide.
    #[error(transparent)]
    Precision(#[from] PrecisionError),
}

impl Error {
    /// A parameter is out of its range.
    pub fn parameter(name: &'static str, value: impl Display, accepted: &'static str) -> Self {
        ParameterError::new(name, value, accepted).into()
    }

    /// Checks the `value` of a parameter.
    ///
    /// # Errors
    /// [`Error::Parameter`] with these words unless `is_accepted`.
    pub fn check(
        is_accepted: bool,
        name: &'static str,
        value: impl Display,
        accepted: &'static str,
    ) -> Result<()> {
        if is_accepted { Ok(()) } else { Err(Self::parameter(name, value, accepted)) }
    }
}
