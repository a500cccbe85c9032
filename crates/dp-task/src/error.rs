//! Errors of a document: one line each, which names the field by its path.

use dp_exact::{ParameterError, shown};

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
    /// The file cannot be read.
    #[error("{path}: {reason}")]
    File {
        /// The path of the file.
        path: String,
        /// The reason that the operating system gives.
        reason: String,
    },
    /// The document is not TOML, or not JSON.
    #[error("not a document in {format}: {reason}")]
    Syntax {
        /// TOML or JSON.
        format: &'static str,
        /// The place and the reason.
        reason: String,
    },
    /// A field is missing, unknown, of another kind, out of its range, or contradicts another
    /// field. The parameter's name is the path of the field.
    #[error(transparent)]
    Field(#[from] ParameterError),
    /// The policy cannot be built, and no single field causes that.
    #[error("{field}: {source}")]
    Policy {
        /// The section that asks for the policy.
        field: &'static str,
        /// Why it cannot be built.
        source: dp_prio3::Error,
    },
}

impl From<dp_prio3::Error> for Error {
    fn from(error: dp_prio3::Error) -> Self {
        match error {
            dp_prio3::Error::Parameter(error) => Self::Field(error),
            source => Self::Policy { field: "policy", source },
        }
    }
}

impl Error {
    /// The path of the field that causes the error, such as `vdaf.length`; `None` if the document
    /// cannot be read at all.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Field(error) => Some(error.name()),
            Self::Policy { field, .. } => Some(field),
            Self::TooLong { .. } | Self::File { .. } | Self::Syntax { .. } => None,
        }
    }

    /// The error [`Error::Syntax`] of a document in this `format`, with its reason on one line.
    pub(crate) fn syntax(format: &'static str, reason: impl ToString) -> Self {
        Self::Syntax { format, reason: shown(reason.to_string().replace('\n', " ")) }
    }
}
