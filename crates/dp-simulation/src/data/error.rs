//! Errors of data files.

use dp_exact::{ParameterError, shown};

/// Data that cannot be used. Each message is one line with the file and, if known, the line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file cannot be read, is no table, or has a value that is not accepted.
    #[error("{place}: {reason}")]
    Table {
        /// The file, and the line from 1 if it is known; the header is line 1.
        place: String,
        /// What is wrong there; for a value its column, the value and what is accepted.
        reason: String,
    },
    /// A column that is not there, bins that are not bins, or data beyond a limit.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

impl DataError {
    /// [`DataError::Table`] for the file `name` as a whole.
    pub(super) fn file(name: &str, reason: impl ToString) -> Self {
        let (place, reason) = (shown(name), reason.to_string());
        // The error of a reader may name the file already.
        let reason = reason.strip_prefix(&format!("{place}: ")).unwrap_or(&reason).to_owned();
        Self::Table { place, reason }
    }

    /// [`DataError::Table`] for line number `line` of the file `name`, counted from 1.
    pub(super) fn line(name: &str, line: u64, reason: impl ToString) -> Self {
        Self::Table { place: format!("{}: line {line}", shown(name)), reason: reason.to_string() }
    }
}
