//! Why data cannot be used.

use std::fmt::Display;
use std::io;

use dp_exact::{ParameterError, shown};

/// Why data cannot be used: the file, or a place in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file cannot be read, or is no table as a whole.
    #[error("{}: {reason}", shown(name))]
    File {
        /// The file.
        name: String,
        /// What is wrong, on one line.
        reason: String,
    },
    /// A line is not one of a table.
    #[error("{}: line {line}: {reason}", shown(name))]
    Line {
        /// The file.
        name: String,
        /// The line of the file, from 1; the header is line 1.
        line: u64,
        /// What is wrong, on one line.
        reason: String,
    },
    /// A value in the file is not accepted.
    #[error("{}: line {line}: {source}", shown(name))]
    Cell {
        /// The file.
        name: String,
        /// The line of the file, from 1; the header is line 1.
        line: u64,
        /// The column, the value and what is accepted.
        source: ParameterError,
    },
    /// A column that is not there, bins that are not bins, or data beyond a limit.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

impl DataError {
    /// That of a reader may name the file already.
    pub(super) fn unread(name: &str, error: &io::Error) -> Self {
        let reason = error.to_string();
        let begin = format!("{}: ", shown(name));
        Self::file(name, reason.strip_prefix(&begin).unwrap_or(&reason))
    }

    pub(super) fn file(name: &str, reason: impl Display) -> Self {
        Self::File {
            name: name.to_owned(),
            reason: reason.to_string(),
        }
    }
}
