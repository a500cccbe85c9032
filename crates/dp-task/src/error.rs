//! Why a document is not a task. Each message is one line that names the field by its path.

use dp_exact::{ParameterError, escaped, shown};

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
    /// A field whose value its type refuses, for a reason of its own.
    #[error("{field} {reason}")]
    Malformed {
        /// The path of the field.
        field: String,
        /// The value, and what is accepted: "is 0: expected a number greater than 0".
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
            Self::Malformed { field, .. } => Some(field),
            Self::Field(error) => Some(error.name()),
            Self::Policy { field, .. } => Some(field),
            Self::TooLong { .. } | Self::File { .. } | Self::Syntax { .. } => None,
        }
    }

    pub(crate) fn syntax(format: &'static str, reason: impl ToString) -> Self {
        Self::Syntax {
            format,
            reason: shown(reason.to_string().replace('\n', " ")),
        }
    }

    pub(crate) fn malformed(field: String, reason: &str) -> Self {
        Self::Malformed {
            field,
            reason: one_line(reason),
        }
    }
}

/// Messages repeat parts of the document: on one line, visibly, and not all of a long one.
fn one_line(message: &str) -> String {
    const SHOWN: usize = 400;
    let line = escaped(message.replace('\n', " "));
    if line.chars().count() <= SHOWN {
        return line;
    }
    line.chars().take(SHOWN).chain(['…']).collect()
}
