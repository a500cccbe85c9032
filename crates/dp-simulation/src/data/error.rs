//! Errors of data files.

use dp_exact::ParameterError;

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
