//! Errors of data files.

use dp_exact::{ParameterError, shown};

/// Data that cannot be used. Each message is one line with the file and, if known, the line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file cannot be read, or is no table as a whole.
    #[error("{}: {reason}", shown(name))]
    File {
        /// The file.
        name: String,
        /// The reason.
        reason: String,
    },
    /// A line is not one of a table.
    #[error("{}: line {line}: {reason}", shown(name))]
    Line {
        /// The file.
        name: String,
        /// The line of the file, from 1; the header is line 1.
        line: u64,
        /// The reason.
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
    /// [`DataError::File`] for the file `name`.
    pub(super) fn file(name: &str, reason: impl ToString) -> Self {
        let reason = reason.to_string();
        // The error of a reader may name the file already.
        let begin = format!("{}: ", shown(name));
        Self::File {
            name: name.to_owned(),
            reason: reason.strip_prefix(&begin).unwrap_or(&reason).to_owned(),
        }
    }

    /// [`DataError::Line`] for line number `line` of the file `name`, counted from 1.
    pub(super) fn line(name: &str, line: u64, reason: impl Into<String>) -> Self {
        Self::Line { name: name.to_owned(), line, reason: reason.into() }
    }

    /// The error of the csv crate as an error of the file `name`.
    pub(super) fn csv(name: &str, error: &csv::Error) -> Self {
        let line = error.position().map_or(0, csv::Position::line);
        match error.kind() {
            csv::ErrorKind::Io(error) => Self::file(name, error),
            csv::ErrorKind::Utf8 { err, .. } => {
                let value = err.field() + 1;
                Self::line(
                    name,
                    line,
                    format!("value {value} is not UTF-8: save the file as CSV in UTF-8"),
                )
            }
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => Self::line(
                name,
                line,
                format!("it has {len} values: expected {expected_len}, as the header has"),
            ),
            _ => Self::file(name, shown(error.to_string())),
        }
    }
}
