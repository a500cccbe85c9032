//! A CSV file with a header, read as a stream: of each row the numbers in the chosen columns are kept,
//! converted, and nothing else.
//!
//! What is read is RFC 4180 with less freedom, so that a file has one meaning or is refused:
//!
//! - UTF-8. A byte order mark at its beginning is skipped.
//! - Lines end with LF or CRLF; the last one may end with the file. No line is blank.
//! - The first line is the header: names that are not empty and differ, without characters that are
//!   not seen.
//! - Each line after it is a row with as many values as there are names.
//! - A value that begins with a quote ends with one that a comma or the end of its line follows, and
//!   two quotes inside stand for one. There are no quotes in other values.
//! - There are no control characters anywhere, in quotes neither: a row is one line.
//! - Spaces around a name or a value are not part of it.
//!
//! The limits are [`MAX_LINE`](super::MAX_LINE), [`MAX_COLUMNS`] and [`MAX_DATA`](super::MAX_DATA); a
//! line beyond one is refused before more of it is read.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Debug, Formatter};
use std::io::Read;

use dp_exact::{ParameterError, Rational, is_printable};

use super::DataError;
use super::lines::{LineError, Lines};
use super::record::Record;

/// The most columns: 16 384.
pub const MAX_COLUMNS: usize = 1 << 14;

/// Characters of a list of columns in an error.
const LISTED: usize = 500;

/// Conversions that are remembered: mostly a column has few values.
const REMEMBERED: usize = 4096;

/// Bytes of the longest value whose conversion is remembered.
const SHORT: usize = 32;

/// A CSV file of which the header was read.
pub struct Table<'a> {
    name: String,
    header: Vec<String>,
    lines: Lines<'a>,
    record: Record,
}

impl Debug for Table<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut table = formatter.debug_struct("Table");
        table.field("name", &self.name);
        table.field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'a> Table<'a> {
    /// The table in a file that people know by this name. Reads the header.
    ///
    /// # Errors
    /// If the file cannot be read, or has no header as described above.
    pub fn new(name: impl Into<String>, bytes: impl Read + 'a) -> Result<Self, DataError> {
        let mut table = Self {
            name: name.into(),
            header: Vec::new(),
            lines: Lines::new(bytes),
            record: Record::default(),
        };
        if !table.advance(MAX_COLUMNS)? {
            return Err(DataError::file(&table.name, "no header: it is empty"));
        }
        table.header = header(&table.record).map_err(|reason| table.refused(reason))?;
        Ok(table)
    }

    /// The names of the columns.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Whether there is such a column.
    ///
    /// # Errors
    /// A [`ParameterError`] that lists the columns if not.
    pub fn check_column(&self, name: &str) -> Result<(), ParameterError> {
        self.index(name).map(|_| ())
    }

    /// Reads all rows: each value in these columns is made into a `T`, which `take` gets, row by row
    /// and within a row in the order of `columns`.
    ///
    /// `convert` may not be asked again for a value that was converted before.
    pub(crate) fn read<T: Copy>(
        mut self,
        columns: &[String],
        mut convert: impl FnMut(&Rational) -> Result<T, ParameterError>,
        mut take: impl FnMut(T) -> Result<(), ParameterError>,
    ) -> Result<(), DataError> {
        let places = self.places(columns)?;
        let mut known: HashMap<String, T> = HashMap::new();
        let mut rows = 0_u64;
        while self.advance(self.header.len())? {
            rows += 1;
            for (place, column) in places.iter().zip(columns) {
                let text = self.record.get(*place).unwrap_or_default();
                let value = match known.get(text) {
                    Some(value) => *value,
                    None => {
                        let value = text.parse().and_then(|number| convert(&number));
                        let value = value.map_err(|error| self.refused_value(column, error))?;
                        if known.len() < REMEMBERED && text.len() <= SHORT {
                            known.insert(text.to_owned(), value);
                        }
                        value
                    }
                };
                take(value)?;
            }
        }
        if rows == 0 {
            let reason = "no rows: expected a header line and data";
            return Err(DataError::file(&self.name, reason));
        }
        Ok(())
    }

    /// Reads the next line into the record; false at the end of the file.
    fn advance(&mut self, most: usize) -> Result<bool, DataError> {
        let line = match self.lines.next() {
            Ok(Some(line)) => line,
            Ok(None) => return Ok(false),
            Err(LineError::Read(error)) => return Err(DataError::unread(&self.name, &error)),
            Err(LineError::Refused(reason)) => return Err(self.refused(reason)),
        };
        let split = self.record.split(line, most);
        split.map_err(|reason| self.refused(reason))?;
        let (expected, found) = (self.header.len(), self.record.len());
        if expected > 0 && found != expected {
            let reason = format!("it has {found} values: expected {expected}, as the header has");
            return Err(self.refused(reason));
        }
        Ok(true)
    }

    /// Where each of these columns is.
    fn places(&self, columns: &[String]) -> Result<Vec<usize>, ParameterError> {
        if columns.is_empty() {
            return Err(ParameterError::new(
                "columns",
                "none",
                "at least one column",
            ));
        }
        let mut seen = HashSet::new();
        let twice = columns.iter().find(|column| !seen.insert(*column));
        if let Some(column) = twice {
            return Err(ParameterError::new("column", column, "each column once"));
        }
        columns.iter().map(|column| self.index(column)).collect()
    }

    fn index(&self, name: &str) -> Result<usize, ParameterError> {
        let found = self.header.iter().position(|column| column == name);
        found.ok_or_else(|| {
            let mut columns = format!("one of {}", self.header.join(", "));
            if columns.chars().count() > LISTED {
                columns = columns.chars().take(LISTED).chain(['…']).collect();
            }
            ParameterError::new("column", name, columns)
        })
    }

    fn refused(&self, reason: String) -> DataError {
        DataError::Line {
            name: self.name.clone(),
            line: self.lines.number(),
            reason,
        }
    }

    fn refused_value(&self, column: &str, error: ParameterError) -> DataError {
        DataError::Cell {
            name: self.name.clone(),
            line: self.lines.number(),
            source: error.renamed(column.to_owned()),
        }
    }
}

/// The names of the columns, if they are names.
fn header(record: &Record) -> Result<Vec<String>, String> {
    let mut names = HashSet::new();
    let values = (0..record.len()).filter_map(|place| record.get(place).map(|name| (place, name)));
    let name = |(place, name): (usize, &str)| {
        let place = place + 1;
        if name.is_empty() {
            return Err(format!("column {place} has no name"));
        }
        if let Some(hidden) = name.chars().find(|character| !is_printable(*character)) {
            let code = u32::from(hidden);
            return Err(format!(
                "the name of column {place} has the character U+{code:04X}, which is not seen"
            ));
        }
        if !names.insert(name.to_owned()) {
            let name = ParameterError::new("name", name, "").value().to_owned();
            return Err(format!(
                "column {place} has the name of another one, {name}"
            ));
        }
        Ok(name.to_owned())
    };
    values.map(name).collect()
}
