//! A CSV file with a header, kept as text until a column is asked for.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use dp_exact::{ParameterError, Rational};

/// Why data cannot be used: the file, or a place in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file cannot be read as CSV.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What is wrong, on one line.
        reason: String,
    },
    /// A value in the file is not accepted.
    #[error("line {line}: {source}")]
    Cell {
        /// The line of the file, from 1; the header is line 1.
        line: u64,
        /// The column, the value and what is accepted.
        source: ParameterError,
    },
    /// A column that is not there, or bins that are not bins.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

/// The rows of a CSV file with a header line.
#[derive(Clone, Debug)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<(u64, csv::StringRecord)>,
}

impl Table {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is not UTF-8, has rows of different lengths or no rows at all.
    pub fn read(path: &Path) -> Result<Self, DataError> {
        let bytes = fs::read(path).map_err(|error| failed(path.display(), error))?;
        Self::parse(&path.display().to_string(), &bytes)
    }

    /// Reads the bytes of a file that people know by this name.
    ///
    /// # Errors
    /// If they are not UTF-8, have rows of different lengths or no rows at all.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, DataError> {
        let csv = |error: csv::Error| failed(name, error);
        let mut reader = csv::Reader::from_reader(bytes);
        let header = reader.headers().map_err(csv)?;
        let header = header.iter().map(|name| name.trim().to_owned()).collect();
        let rows = reader
            .records()
            .map(|record| {
                let record = record.map_err(csv)?;
                Ok((record.position().map_or(0, csv::Position::line), record))
            })
            .collect::<Result<Vec<_>, DataError>>()?;
        if rows.is_empty() {
            return Err(failed(name, "no rows: expected a header line and data"));
        }
        Ok(Self { header, rows })
    }

    /// The names of the columns.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows. A table that was read has some.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether there is such a column.
    ///
    /// # Errors
    /// A [`ParameterError`] that lists the columns if not.
    pub fn check_column(&self, name: &str) -> Result<(), ParameterError> {
        self.index(name).map(|_| ())
    }

    /// One column as exact numbers, each made into a `T` or refused with its line.
    pub(crate) fn numbers<T>(
        &self,
        name: &str,
        convert: impl Fn(&Rational) -> Result<T, ParameterError>,
    ) -> Result<Vec<T>, DataError> {
        let index = self.index(name)?;
        let cell = |(line, record): &(u64, csv::StringRecord)| {
            let text = record.get(index).unwrap_or_default().trim();
            text.parse::<Rational>()
                .and_then(|value| convert(&value))
                .map_err(|error| DataError::Cell {
                    line: *line,
                    source: error.renamed(name.to_owned()),
                })
        };
        self.rows.iter().map(cell).collect()
    }

    fn index(&self, name: &str) -> Result<usize, ParameterError> {
        let found = self.header.iter().position(|column| column == name);
        found.ok_or_else(|| {
            let columns = format!("one of {}", self.header.join(", "));
            ParameterError::new("column", name, columns)
        })
    }
}

fn failed(path: impl Display, reason: impl Display) -> DataError {
    DataError::File {
        path: path.to_string(),
        reason: reason.to_string().replace('\n', " "),
    }
}
