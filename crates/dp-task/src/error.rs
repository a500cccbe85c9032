//! Errors of a document: one line each, which names the field by its path.

use dp_exact::{ParameterError, shown};

use crate::field_error::FieldError;

/// Why a document is not a task.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The document is longer than [`MAX_BYTES`](crate::MAX_BYTES). The rest was not read.
    #[error("the document is longer than {max} bytes")]
    TooLong {
        /// The largest accepted length in bytes.
        max: usize,
    },
    /// The file cannot be read, or is too long.
    #[cfg(feature = "files")]
    #[error(transparent)]
    File(#[from] dp_files::FileError),
    /// The document is not TOML, or not JSON.
    #[error("not a document in {format}: {reason}")]
    Syntax {
        /// TOML or JSON.
        format: &'static str,
        /// The place and the reason.
        reason: String,
    },
    /// A field is missing, unknown, of another type, out of its range, or contradicts another
    /// field. The name of the parameter is the path of the field, such as `vdaf.length`.
    #[error(transparent)]
    Field(#[from] ParameterError),
    /// The policy cannot be built, and no single field causes that.
    #[error("policy: {0}")]
    Policy(dp_prio3::Error),
}

impl From<FieldError> for Error {
    fn from(error: FieldError) -> Self {
        Self::Field(error.into())
    }
}

impl From<dp_prio3::Error> for Error {
    fn from(error: dp_prio3::Error) -> Self {
        match error {
            dp_prio3::Error::Parameter(error) => error.into(),
            source => Self::Policy(source),
        }
    }
}

impl Error {
    /// The error [`Error::Syntax`] of a document in this `format`, with its reason on one line.
    pub(crate) fn syntax(format: &'static str, reason: impl ToString) -> Self {
        Self::Syntax { format, reason: shown(reason.to_string().replace('\n', " ")) }
    }
}
