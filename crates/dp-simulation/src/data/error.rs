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

    /// [`DataError::Table`] for what the CSV reader refused in the file `name`, with the line if
    /// the error is about the text of a row.
    pub(super) fn csv(name: &str, error: &csv::Error) -> Self {
        let line = error.position().map_or(0, csv::Position::line);
        match error.kind() {
            csv::ErrorKind::Io(error) => Self::file(name, error),
            csv::ErrorKind::Utf8 { err, .. } => {
                let value = err.field() + 1;
                let reason = format!("value {value} is not UTF-8: save the file as CSV in UTF-8");
                Self::line(name, line, reason)
            }
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                let reason =
                    format!("it has {len} values: expected {expected_len}, as the header has");
                Self::line(name, line, reason)
            }
            _ => Self::file(name, shown(error.to_string())),
        }
    }
}
