//! A CSV file with a header, read as a stream: of each row the values in the chosen columns are kept,
//! converted, and nothing else.
//!
//! What is read is RFC 4180 with less freedom, so that a file has one meaning or is refused:
//!
//! - UTF-8. A byte order mark at its beginning is skipped.
//! - Values are separated by commas, semicolons, tabs or vertical bars: by the one of them that the
//!   header has outside quotes. A header that has two of them is refused, unless it is said which.
//! - Lines end with LF or CRLF; the last one may end with the file. No line is blank.
//! - The first line is the header: names that are not empty and differ, without characters that are
//!   not seen.
//! - Each line after it is a row with as many values as there are names.
//! - A value that begins with a quote ends with one that a delimiter or the end of its line follows, and
//!   two quotes inside stand for one. There are no quotes in other values.
//! - There are no control characters anywhere, in quotes neither, but tabs between values: a row is
//!   one line.
//! - Spaces around a name or a value are not part of it.
//!
//! The limits are [`MAX_LINE`](super::MAX_LINE), [`MAX_COLUMNS`] and [`MAX_DATA`](super::MAX_DATA); a
//! line beyond one is refused before more of it is read.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Debug, Formatter};
use std::io::Read;

use dp_exact::{ParameterError, is_printable};

use super::delimiter::Delimiter;
use super::lines::{LineError, Lines, refused_control};
use super::missing::{self, Missing, MissingValues};
use super::record::Record;
use super::{DataError, Reading};

/// The most columns: 16 384.
pub const MAX_COLUMNS: usize = 1 << 14;

/// Characters of a list of columns in an error.
const LISTED: usize = 500;

/// Conversions that are remembered, in a few MiB: mostly a column has few values.
const REMEMBERED: usize = 1 << 16;

/// Bytes of the longest value whose conversion is remembered.
const SHORT: usize = 32;

/// A CSV file of which the header was read.
pub struct Table<'a> {
    name: String,
    header: Vec<String>,
    lines: Lines<'a>,
    record: Record,
    /// As given, or as found in the header.
    delimiter: Option<Delimiter>,
    missing: Missing,
}

/// What becomes of a value.
#[derive(Clone, Copy)]
enum Converted<T> {
    Value(T),
    /// A missing one, whose row is left out.
    Skipped,
    /// A missing one that counts as 0.
    Zeroed(T),
}

impl Debug for Table<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut table = formatter.debug_struct("Table");
        table.field("name", &self.name);
        table.field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'a> Table<'a> {
    /// The table in a file that people know by this name; its header says what separates the values.
    /// Reads the header.
    ///
    /// # Errors
    /// If the file cannot be read, or has no header as described above.
    pub fn new(name: impl Into<String>, bytes: impl Read + 'a) -> Result<Self, DataError> {
        Self::open(name.into(), bytes, None)
    }

    /// The table in a file whose values are separated by this delimiter.
    ///
    /// # Errors
    /// As [`Table::new`].
    pub fn delimited(
        name: impl Into<String>,
        bytes: impl Read + 'a,
        delimiter: Delimiter,
    ) -> Result<Self, DataError> {
        Self::open(name.into(), bytes, Some(delimiter))
    }

    fn open(
        name: String,
        bytes: impl Read + 'a,
        delimiter: Option<Delimiter>,
    ) -> Result<Self, DataError> {
        let mut table = Self {
            name,
            header: Vec::new(),
            lines: Lines::new(bytes),
            record: Record::default(),
            delimiter,
            missing: Missing::default(),
        };
        if !table.advance(MAX_COLUMNS)? {
            return Err(DataError::file(&table.name, "no header: it is empty"));
        }
        table.header = header(&table.record).map_err(|reason| table.refused(reason))?;
        Ok(table)
    }

    /// The same, with these missing values. Otherwise they are refused.
    #[must_use]
    pub fn with_missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// Which values are missing.
    pub(super) const fn missing(&self) -> &Missing {
        &self.missing
    }

    /// What separates the values.
    #[must_use]
    pub fn delimiter(&self) -> Delimiter {
        self.delimiter.unwrap_or_default()
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
    /// `convert` gets `None` for a missing value that counts as 0. It may not be asked again for a value
    /// that was converted before, and what it refuses may be missing.
    pub(super) fn read<T: Copy>(
        mut self,
        columns: &[String],
        mut convert: impl FnMut(Option<&str>) -> Result<T, ParameterError>,
        mut take: impl FnMut(T) -> Result<(), ParameterError>,
    ) -> Result<Reading, DataError> {
        let places = self.places(columns)?;
        let mut known: HashMap<String, Converted<T>> = HashMap::new();
        let mut reading = Reading::default();
        let mut row = Vec::with_capacity(columns.len());
        while self.advance(self.header.len())? {
            reading.rows += 1;
            row.clear();
            for (place, column) in places.iter().zip(columns) {
                let text = self.record.get(*place).unwrap_or_default();
                let value = match known.get(text) {
                    Some(value) => *value,
                    None => {
                        let value = self.converted(text, &mut convert);
                        let value = value.map_err(|error| self.refused_value(column, error))?;
                        if known.len() < REMEMBERED && text.len() <= SHORT {
                            known.insert(text.to_owned(), value);
                        }
                        value
                    }
                };
                match value {
                    Converted::Value(value) => row.push(value),
                    Converted::Skipped => {}
                    Converted::Zeroed(value) => {
                        reading.values_zeroed += 1;
                        row.push(value);
                    }
                }
            }
            if row.len() < columns.len() {
                reading.rows_skipped += 1;
                continue;
            }
            row.drain(..).try_for_each(&mut take)?;
        }
        self.check_rows(&reading)?;
        Ok(reading)
    }

    /// What becomes of a value.
    fn converted<T>(
        &self,
        text: &str,
        convert: &mut impl FnMut(Option<&str>) -> Result<T, ParameterError>,
    ) -> Result<Converted<T>, ParameterError> {
        if !self.missing.names(text) {
            match convert(Some(text)) {
                Ok(value) => return Ok(Converted::Value(value)),
                Err(error) if !missing::is_marker(text) => return Err(error),
                Err(_) => {}
            }
        }
        match self.missing.values {
            MissingValues::Refuse => Err(missing::refused(text)),
            MissingValues::Skip => Ok(Converted::Skipped),
            MissingValues::Zero => Ok(Converted::Zeroed(convert(None)?)),
        }
    }

    /// Refuses a file without rows, or with none that is kept.
    fn check_rows(&self, reading: &Reading) -> Result<(), DataError> {
        let reason = match reading {
            Reading { rows: 0, .. } => "no rows: expected a header line and data",
            Reading {
                rows, rows_skipped, ..
            } if rows == rows_skipped => "no rows are left: in each of them a value is missing",
            _ => return Ok(()),
        };
        Err(DataError::file(&self.name, reason))
    }

    /// Reads the next line into the record; false at the end of the file.
    fn advance(&mut self, most: usize) -> Result<bool, DataError> {
        let may_have_tabs = self.delimiter.is_none_or(|found| found == Delimiter::Tab);
        let line = match self.lines.next(may_have_tabs) {
            Ok(Some(line)) => line,
            Ok(None) => return Ok(false),
            Err(LineError::Read(error)) => return Err(DataError::unread(&self.name, &error)),
            Err(LineError::Refused(reason)) => return Err(self.refused(reason)),
            Err(LineError::Encoding(place)) => return Err(self.refused_encoding(place)),
        };
        if self.header.is_empty()
            && let Some(reason) = of_spreadsheet(line)
        {
            return Err(self.refused(reason));
        }
        let delimiter = match self.delimiter {
            Some(delimiter) => delimiter,
            None => match Delimiter::of_header(line) {
                Ok(delimiter) => delimiter,
                Err([one, other]) => {
                    let reason = format!(
                        "its values could be separated by a {one} or by a {other}: expected \
                         --delimiter {one} or --delimiter {other}"
                    );
                    return Err(self.refused(reason));
                }
            },
        };
        let split = self.record.split(line, delimiter, most);
        split.map_err(|reason| self.refused(reason))?;
        self.delimiter = Some(delimiter);
        if may_have_tabs && self.record.has_tab() {
            return Err(self.refused(refused_control('\t')));
        }
        let (expected, found) = (self.header.len(), self.record.len());
        if expected > 0 && found != expected {
            let reason = format!("it has {found} values: expected {expected}, as the header has");
            return Err(self.refused(reason));
        }
        Ok(true)
    }

    /// Names the value that has a byte which is no text.
    fn refused_encoding(&self, place: usize) -> DataError {
        let begin = self.lines.begin(place);
        let delimiter = match self.delimiter {
            Some(delimiter) => Some(delimiter),
            None => Delimiter::of_header(begin).ok(),
        };
        let value = delimiter.map_or_else(String::new, |delimiter| {
            let value = delimiter.value_after(begin);
            match self.header.get(value - 1) {
                Some(column) => format!(", in value {value} ({})", shortened(column)),
                None => format!(", in value {value}"),
            }
        });
        let byte = place.saturating_add(1);
        self.refused(format!(
            "byte {byte} is not UTF-8{value}: save the file as UTF-8"
        ))
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

/// Why a first line that tells a spreadsheet the delimiter, `sep=;`, is no header.
fn of_spreadsheet(line: &str) -> Option<String> {
    let told = line.trim_matches('"').strip_prefix("sep=")?;
    let mut told = told.chars();
    let (delimiter, None) = (told.next()?, told.next()) else {
        return None;
    };
    let of_ours = Delimiter::ALL.into_iter();
    let mut of_ours = of_ours.filter(|known| known.character() == delimiter);
    let say = of_ours.next().map_or_else(String::new, |known| {
        format!(", and say --delimiter {known} if it is not found by itself")
    });
    Some(format!(
        "it is no header but tells a spreadsheet what separates values: delete this line{say}"
    ))
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
            let name = shortened(name);
            return Err(format!(
                "column {place} has the name of another one, {name}"
            ));
        }
        Ok(name.to_owned())
    };
    values.map(name).collect()
}

/// A name as an error quotes it.
fn shortened(name: &str) -> String {
    ParameterError::new("name", name, "").value().to_owned()
}
