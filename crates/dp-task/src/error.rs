//! Why a document is not a task. Each message is one line that names the field by its path.

use dp_exact::{ParameterError, shown};

/// An error of a document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The document is longer than [`MAX_BYTES`](crate::MAX_BYTES). The rest was not read.
    #[error("the document is longer than {max} bytes")]
    TooLong {
        /// The most that is read.
        max: usize,
    },
    /// The file cannot be read.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What the operating system says.
        reason: String,
    },
    /// It is not TOML, or not JSON.
    #[error("not a document in {format}: {reason}")]
    Syntax {
        /// Which of the two.
        format: &'static str,
        /// Where and why.
        reason: String,
    },
    /// A field that is missing, unknown, of another kind, out of its range, or contradicts another
    /// one. The parameter's name is the path of the field.
    #[error(transparent)]
    Field(#[from] ParameterError),
    /// The policy cannot be built, for a reason that is not the value of a single field.
    #[error("{field}: {source}")]
    Policy {
        /// The section that asks for it.
        field: &'static str,
        /// Why not.
        source: dp_prio3::Error,
    },
}

impl Error {
    /// The path of the field that is to blame, such as `vdaf.length`; `None` for a document that
    /// cannot be read at all.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Field(error) => Some(error.name()),
            Self::Policy { field, .. } => Some(field),
            Self::TooLong { .. } | Self::File { .. } | Self::Syntax { .. } => None,
        }
    }

    pub(crate) fn syntax(format: &'static str, reason: impl ToString) -> Self {
        Self::Syntax { format, reason: shown(reason.to_string().replace('\n', " ")) }
    }
}
