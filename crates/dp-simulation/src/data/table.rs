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

use dp_exact::ParameterError;

use super::counting::{self, Counting};
use super::delimiter::Delimiter;
use super::header::{self, shortened};
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
    counting: Counting,
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
            counting: Counting::Kept,
        };
        if !table.advance(MAX_COLUMNS)? {
            return Err(DataError::file(&table.name, "no header: it is empty"));
        }
        table.header = header::names(&table.record).map_err(|reason| table.refused(reason))?;
        Ok(table)
    }

    /// The same, with these missing values. Otherwise they are refused.
    #[must_use]
    pub fn with_missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// The same where rows of the same measurements are counted, so that they take the memory of those that
    /// differ, however long the file is.
    #[must_use]
    pub fn counted(self) -> Self {
        let counting = Counting::Counted;
        Self { counting, ..self }
    }

    /// The same where each row stands for as many people as the integer in this column says, 0 to
    /// [`MAX_COUNT`](crate::MAX_COUNT): what is read is what a file would be of which each row stands that often.
    /// The values of a row that stands for nobody are not looked at.
    ///
    /// # Errors
    /// A [`ParameterError`] that lists the columns if it is not there.
    pub fn counted_by(self, column: &str) -> Result<Self, ParameterError> {
        let place = self.index(column);
        let place = place.map_err(|error| error.renamed("count-column"))?;
        let counting = Counting::By(place);
        Ok(Self { counting, ..self })
    }

    /// Whether rows of the same measurements are counted.
    pub(super) fn is_counted(&self) -> bool {
        self.counting != Counting::Kept
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
    /// and within a row in the order of `columns`, with how many rows this one stands for.
    ///
    /// `convert` gets `None` for a missing value that counts as 0. It may not be asked again for a value
    /// that was converted before, and what it refuses may be missing.
    pub(super) fn read<T: Copy>(
        mut self,
        columns: &[String],
        mut convert: impl FnMut(Option<&str>) -> Result<T, ParameterError>,
        mut take: impl FnMut(&[T], u64) -> Result<(), ParameterError>,
    ) -> Result<Reading, DataError> {
        let places = self.places(columns)?;
        let mut known: HashMap<String, Converted<T>> = HashMap::new();
        let mut reading = Reading::default();
        let mut row = Vec::with_capacity(columns.len());
        while self.advance(self.header.len())? {
            let times = self.times()?;
            // Of a row that stands for nobody no value occurs.
            if times == 0 {
                continue;
            }
            reading.rows = reading.rows.saturating_add(times);
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
                        reading.values_zeroed = reading.values_zeroed.saturating_add(times);
                        row.push(value);
                    }
                }
            }
            if row.len() < columns.len() {
                reading.rows_skipped = reading.rows_skipped.saturating_add(times);
                continue;
            }
            take(&row, times)?;
        }
        self.check_rows(&reading)?;
        Ok(reading)
    }

    /// How many rows the last one stands for.
    fn times(&self) -> Result<u64, DataError> {
        let Counting::By(place) = self.counting else {
            return Ok(1);
        };
        let times = counting::times(self.record.get(place).unwrap_or_default());
        times.map_err(|error| {
            let column = self.header.get(place).map_or("count", String::as_str);
            self.refused_value(column, error)
        })
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
            _ if self.lines.number() <= 2 => "no rows: expected a header line and data",
            Reading { rows: 0, .. } => "nobody is counted: expected counts above 0",
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
            && let Some(reason) = header::of_spreadsheet(line)
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
        let places: Result<Vec<usize>, _> =
            columns.iter().map(|column| self.index(column)).collect();
        let places = places?;
        let counts = |place: &usize| Counting::By(*place) == self.counting;
        if let Some(place) = places.iter().position(counts) {
            let accepted = "one that is not --count-column";
            return Err(ParameterError::new("column", &columns[place], accepted));
        }
        Ok(places)
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
