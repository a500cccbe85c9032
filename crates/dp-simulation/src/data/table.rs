//! A CSV file with a header, read as a stream that keeps only converted values of chosen columns.
//! The `csv` crate reads UTF-8, with these rules:
//!
//! - The delimiter is given, or the only one of comma, semicolon, tab and bar in the first line.
//! - The first line has the names of the columns, which are visible and differ.
//! - Each row is one line and has as many values as there are columns.
//! - White space around a name or a value is not part of it.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Debug, Display, Formatter};
use std::io::{self, BufRead as _, BufReader, Cursor, Read};
use std::str::FromStr;

use dp_calibration::is_printable;
use dp_exact::{ParameterError, directed, parse_integer};

use super::category::{MissingAction, MissingRule, is_marker};
use super::rows::Rows;
use super::{DataError, LabelledMeasurements, RowCounts};
use crate::measurements::MAX_COUNT;

/// The longest line that is read, in bytes, about: it bounds memory for a file without line ends.
const MAX_LINE: usize = 1 << 20;

/// The most characters of a list of columns in an error.
const LISTED: usize = 500;

/// Largest number of different values whose conversion is remembered: most columns have few values.
const REMEMBERED: usize = 1 << 16;
/// The most bytes of a value whose conversion is remembered.
const SHORT: usize = 32;

/// The byte order mark with which some programs begin a file in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The delimiter between the values of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Delimiter {
    /// A comma.
    #[default]
    Comma = b',',
    /// A semicolon.
    Semicolon = b';',
    /// A tab.
    Tab = b'\t',
    /// A vertical bar.
    Bar = b'|',
}

impl Delimiter {
    /// All delimiters.
    pub const ALL: [Self; 4] = [Self::Comma, Self::Semicolon, Self::Tab, Self::Bar];

    /// The only delimiter in the first line; the comma if there is none. `Err` if there are two.
    fn of_header(line: &[u8]) -> Result<Self, String> {
        let mut found = Self::ALL.into_iter().filter(|one| line.contains(&(*one as u8)));
        match (found.next(), found.next()) {
            (Some(one), Some(other)) => Err(format!(
                "its values could be separated by a {one} or by a {other}: expected --delimiter {one} or \
                 --delimiter {other}"
            )),
            (one, _) => Ok(one.unwrap_or_default()),
        }
    }
}

impl FromStr for Delimiter {
    type Err = ParameterError;

    /// Reads the character or its name: `,` or `comma`, `;` or `semicolon`, a tab, `\t` or `tab`,
    /// `|` or `bar`.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let is_this = |one: &Self| text == one.to_string() || text.as_bytes() == [*one as u8];
        let found = Self::ALL.into_iter().find(is_this);
        found.or((text == "\\t").then_some(Self::Tab)).ok_or_else(|| {
            let accepted = "comma, semicolon, tab or bar, or the character itself in quotes";
            ParameterError::new("delimiter", text, accepted)
        })
    }
}

impl Display for Delimiter {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Comma => "comma",
            Self::Semicolon => "semicolon",
            Self::Tab => "tab",
            Self::Bar => "bar",
        })
    }
}

/// The integer that stands for a value, and how the value was changed to become it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Converted {
    pub(super) number: u128,
    /// Whether the value was below the range, and counts as its lower end.
    pub(super) is_below: bool,
    /// Whether the value was above the range, and counts as its upper end.
    pub(super) is_above: bool,
    /// The real number that the integer stands for, minus the value; 0 without a grid.
    pub(super) change: f64,
}

impl Converted {
    /// A value that is not changed.
    pub(super) const fn exact(number: u128) -> Self {
        Self { number, is_below: false, is_above: false, change: 0.0 }
    }
}

/// A CSV file whose header was read.
pub struct CsvTable<'a> {
    name: String,
    /// The names of the columns.
    header: Vec<String>,
    rows: csv::Reader<Box<dyn Read + 'a>>,
    pub(super) missing: MissingRule,
    /// Whether equal rows are kept once.
    is_counted: bool,
    /// The column with the number of people that a row stands for.
    counts: Option<usize>,
}

impl Debug for CsvTable<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut table = formatter.debug_struct("CsvTable");
        table.field("name", &self.name);
        table.field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'a> CsvTable<'a> {
    /// The table in a file with this name and delimiter. Without a delimiter the first line
    /// determines it. Reads the header.
    ///
    /// # Errors
    /// If the file cannot be read or has no header.
    pub fn new(
        name: impl Into<String>,
        bytes: impl Read + 'a,
        delimiter: Option<Delimiter>,
    ) -> Result<Self, DataError> {
        let name = name.into();
        let mut bytes = BufReader::new(Lines { bytes, line: 0 });
        let mut first = Vec::new();
        let read = bytes.read_until(b'\n', &mut first);
        read.map_err(|error| DataError::file(&name, error))?;
        if first.starts_with(BYTE_ORDER_MARK) {
            first.drain(..BYTE_ORDER_MARK.len());
        }
        let delimiter = delimiter.map_or_else(|| Delimiter::of_header(&first), Ok);
        let delimiter = delimiter.map_err(|reason| DataError::line(&name, 1, reason))?;
        let bytes: Box<dyn Read + 'a> = Box::new(Cursor::new(first).chain(bytes));
        let mut rows = csv::ReaderBuilder::new()
            .delimiter(delimiter as u8)
            // A carriage return before it is white space around the last value.
            .terminator(csv::Terminator::Any(b'\n'))
            .trim(csv::Trim::All)
            .from_reader(bytes);
        let header = rows.headers().map_err(|error| DataError::csv(&name, &error))?;
        if header.is_empty() {
            return Err(DataError::file(&name, "no header: it is empty"));
        }
        let header = names(header).map_err(|reason| DataError::line(&name, 1, reason))?;
        let missing = MissingRule::default();
        Ok(Self { name, header, rows, missing, is_counted: false, counts: None })
    }

    /// This table with this rule for missing values; without one they are refused.
    #[must_use]
    pub fn with_missing(self, missing: MissingRule) -> Self {
        Self { missing, ..self }
    }

    /// This table with one row for all that have the same measurements, and their number.
    #[must_use]
    pub fn counted(self) -> Self {
        Self { is_counted: true, ..self }
    }

    /// This table, where each row stands for the number of people in this column, up to
    /// [`MAX_COUNT`](crate::MAX_COUNT). The values of a row that stands for nobody are not read.
    ///
    /// # Errors
    /// A [`ParameterError`] that lists the columns if there is no such column.
    pub fn counted_by(self, column: &str) -> Result<Self, ParameterError> {
        let counts = self.index(column).map_err(|error| error.renamed("count-column"))?;
        Ok(Self { counts: Some(counts), ..self.counted() })
    }

    /// The names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Checks that there is such a column.
    ///
    /// # Errors
    /// A [`ParameterError`] that lists the columns if there is none.
    pub fn check_column(&self, name: &str) -> Result<(), ParameterError> {
        self.index(name).map(|_| ())
    }

    /// The measurements of all rows, with the columns as labels. `convert` makes an integer of each
    /// value in these columns, or a place of the value in a single column.
    ///
    /// It may be called once for all equal values. A value that it refuses may be missing.
    pub(super) fn read(
        mut self,
        columns: &[String],
        are_places: bool,
        convert: impl Fn(&str) -> Result<Converted, ParameterError>,
    ) -> Result<LabelledMeasurements, DataError> {
        let places = self.places(columns)?;
        let mut rows = Rows::new(are_places, columns.len(), self.is_counted);
        let (mut reading, mut change, mut values) = (RowCounts::default(), 0.0, 0.0);
        // The conversions of short values; `None` of a value whose row is left out.
        let mut known: HashMap<String, Option<Converted>> = HashMap::new();
        let mut row = Vec::with_capacity(columns.len());
        let mut record = csv::StringRecord::new();
        let named = |error: csv::Error| DataError::csv(&self.name, &error);
        while self.rows.read_record(&mut record).map_err(named)? {
            let line = record.position().map_or(0, csv::Position::line);
            if record.as_slice().contains(['\n', '\r']) {
                let reason =
                    "a line break in quotes: expected a row in one line, and every quote closed";
                return Err(DataError::line(&self.name, line, reason));
            }
            let refused = |column: &str, error: ParameterError| {
                DataError::line(&self.name, line, error.renamed(column.to_owned()))
            };
            let times = self.counts.map_or(Ok(1), |place| {
                let times = record.get(place).unwrap_or_default();
                let times = parse_integer("count", times, 0..=MAX_COUNT);
                times.map_err(|error| refused(&self.header[place], error))
            })?;
            if times == 0 {
                continue;
            }
            reading.rows = reading.rows.saturating_add(times);
            row.clear();
            for (place, column) in places.iter().zip(columns) {
                let text = record.get(*place).unwrap_or_default();
                let value = match known.get(text) {
                    Some(value) => *value,
                    None => {
                        let value = self.converted(text, &convert);
                        let value = value.map_err(|error| refused(column, error))?;
                        if known.len() < REMEMBERED && text.len() <= SHORT {
                            known.insert(text.to_owned(), value);
                        }
                        value
                    }
                };
                row.extend(value);
            }
            if row.len() < columns.len() {
                reading.rows_skipped = reading.rows_skipped.saturating_add(times);
                continue;
            }
            for converted in &row {
                for (count, is_counted) in [
                    (&mut reading.values_clamped_below, converted.is_below),
                    (&mut reading.values_clamped_above, converted.is_above),
                ] {
                    *count = count.saturating_add(if is_counted { times } else { 0 });
                }
                change += converted.change * directed::count(times);
                values += directed::count(times);
            }
            let numbers: Vec<u128> = row.iter().map(|converted| converted.number).collect();
            rows.add(&numbers, times)?;
        }
        if reading.rows == reading.rows_skipped {
            let reason = match reading.rows {
                0 => "no rows: expected a header line and data, with a count above 0",
                _ => "no rows are left: in each of them a value is missing",
            };
            return Err(DataError::file(&self.name, reason));
        }
        let (labels, measurements) = (columns.to_vec(), rows.into_measurements()?);
        Ok(LabelledMeasurements { labels, measurements, reading, change_of_mean: change / values })
    }

    /// The conversion of a value; `None` if it is missing and its row is left out. `Err` if
    /// `convert` refuses it, or it is missing and the rule is to refuse.
    fn converted(
        &self,
        text: &str,
        convert: &impl Fn(&str) -> Result<Converted, ParameterError>,
    ) -> Result<Option<Converted>, ParameterError> {
        if !self.missing.names(text) {
            match convert(text) {
                Err(_) if is_marker(text) => {}
                converted => return converted.map(Some),
            }
        }
        match self.missing.values {
            MissingAction::Skip => Ok(None),
            MissingAction::Refuse => {
                let accepted = "a value, or --missing skip, as this says that there is none";
                Err(ParameterError::new("value", text, accepted))
            }
        }
    }

    /// The indices of these columns; `Err` if there are none, or one is not there, is repeated or
    /// is the column of counts.
    fn places(&self, columns: &[String]) -> Result<Vec<usize>, ParameterError> {
        if columns.is_empty() {
            let accepted = "at least one column";
            return Err(ParameterError::new("columns", "none", accepted));
        }
        let mut seen = HashSet::new();
        let place = |column: &String| {
            let place = self.index(column)?;
            let accepted = match seen.insert(place) {
                false => "each column once",
                true if self.counts == Some(place) => "one that is not --count-column",
                true => return Ok(place),
            };
            Err(ParameterError::new("column", column, accepted))
        };
        columns.iter().map(place).collect()
    }

    /// The index of a column; `Err` lists all columns.
    fn index(&self, name: &str) -> Result<usize, ParameterError> {
        let found = self.header.iter().position(|column| column == name);
        found.ok_or_else(|| {
            let columns = format!("one of {}", self.header.join(", "));
            let more = if columns.chars().count() > LISTED { "…" } else { "" };
            let listed: String = columns.chars().take(LISTED).collect();
            ParameterError::new("column", name, listed + more)
        })
    }
}

/// A reader that fails on a line much longer than [`MAX_LINE`].
struct Lines<R> {
    bytes: R,
    /// How many bytes of the current line were read.
    line: usize,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.line = match buffer[..count].iter().rposition(|byte| *byte == b'\n') {
            Some(end) => count - end - 1,
            None => self.line.saturating_add(count),
        };
        match self.line > MAX_LINE {
            true => Err(io::Error::other(format!("a line is longer than {MAX_LINE} bytes"))),
            false => Ok(count),
        }
    }
}

/// The names of the columns. `Err`, with the reason, if a name is empty, is repeated or has a
/// character that is not printable.
fn names(header: &csv::StringRecord) -> Result<Vec<String>, String> {
    let mut names = HashSet::new();
    let name = |(place, name): (u32, &str)| match name {
        "" => Err(format!("column {place} has no name")),
        _ if !name.chars().all(is_printable) => {
            Err(format!("the name of column {place} has a character that is not seen"))
        }
        _ if !names.insert(name.to_owned()) => {
            Err(format!("column {place} has the name of another one"))
        }
        _ => Ok(name.to_owned()),
    };
    (1..).zip(header).map(name).collect()
}
