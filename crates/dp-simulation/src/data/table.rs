//! Tables in text files: below a line of names, rows of values that a delimiter separates. What can
//! be read in two ways is an error that names the line.

use std::fmt::{self, Debug, Formatter};
use std::io::{BufRead as _, BufReader, Read};
use std::str::FromStr;

use dp_exact::{ParameterError, escaped, shown};

use super::{DataError, MissingRule};

/// The longest line that is read, in bytes: it bounds memory for a file without line ends.
const MAX_LINE: usize = 1 << 20;

/// The most characters of a list of columns in an error.
const LISTED: usize = 500;

/// The delimiter between the values of a line: a comma, a semicolon, a tab or a vertical bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimiter(char);

/// All delimiters with their names.
const DELIMITERS: [(Delimiter, &str); 4] = [
    (Delimiter(','), "comma"),
    (Delimiter(';'), "semicolon"),
    (Delimiter('\t'), "tab"),
    (Delimiter('|'), "bar"),
];

impl Delimiter {
    /// The comma.
    pub const COMMA: Self = Self(',');

    /// The only delimiter in the first line; the comma if there is none. `Err` if there are two.
    fn of_header(line: &str) -> Result<Self, String> {
        let mut found = DELIMITERS.into_iter().filter(|(one, _)| line.contains(one.0));
        match (found.next(), found.next()) {
            (Some((_, one)), Some((_, other))) => Err(format!(
                "its values could be separated by a {one} or by a {other}: expected --delimiter {one} or \
                 --delimiter {other}"
            )),
            (one, _) => Ok(one.map_or(Self::COMMA, |(one, _)| one)),
        }
    }
}

impl FromStr for Delimiter {
    type Err = ParameterError;

    /// Reads the character or its name: `,` or `comma`, `;` or `semicolon`, a tab, `\t` or `tab`,
    /// `|` or `bar`.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let text = if text == "\\t" { "\t" } else { text };
        let is_this =
            |(one, name): &(Self, &str)| text == *name || text.strip_prefix(one.0) == Some("");
        let found = DELIMITERS.into_iter().find(is_this).map(|(one, _)| one);
        let accepted = "comma, semicolon, tab or bar, or the character itself in quotes";
        found.ok_or_else(|| ParameterError::new("delimiter", text, accepted))
    }
}

/// The separator in a line such as `sep=;`, which spreadsheets write above the names of columns.
fn separator(line: &str) -> Option<Delimiter> {
    line.trim_matches('"').strip_prefix("sep=")?.parse().ok()
}

/// A table whose header was read.
pub struct CsvTable<'a> {
    name: String,
    bytes: BufReader<Box<dyn Read + 'a>>,
    delimiter: Delimiter,
    /// The names of the columns; a column may have none.
    header: Vec<String>,
    /// The number of columns up to the last one that has a name: a row has as many values or more.
    named: usize,
    /// The number of the last line that was read, from 1.
    line: u64,
    pub(super) missing: MissingRule,
    /// The column with the number of people that a row stands for.
    pub(super) counts: Option<usize>,
}

impl Debug for CsvTable<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut table = formatter.debug_struct("CsvTable");
        table.field("name", &self.name);
        table.field("header", &self.header).finish_non_exhaustive()
    }
}

impl<'a> CsvTable<'a> {
    /// The table in a file with this name and delimiter. Without a delimiter a line such as `sep=;`
    /// or the header determines it. Reads the header; columns need no names, but are found by them.
    ///
    /// # Errors
    /// If the file cannot be read or has no header.
    pub fn new(
        name: impl Into<String>,
        bytes: impl Read + 'a,
        delimiter: Option<Delimiter>,
    ) -> Result<Self, DataError> {
        let mut table = Self {
            name: name.into(),
            bytes: BufReader::new(Box::new(bytes)),
            delimiter: Delimiter::COMMA,
            header: Vec::new(),
            named: 0,
            line: 0,
            missing: MissingRule::default(),
            counts: None,
        };
        let mut first = table.header_line()?;
        // The byte order mark with which some programs begin a file in UTF-8.
        if let Some(marked) = first.strip_prefix('\u{feff}') {
            first = marked.to_owned();
        }
        let separator = separator(&first);
        if separator.is_some() {
            first = table.header_line()?;
        }
        let delimiter = delimiter.or(separator).map_or_else(|| Delimiter::of_header(&first), Ok);
        table.delimiter = delimiter.map_err(|reason| table.error(reason))?;
        let header = values(&first, table.delimiter).map_err(|reason| table.error(reason))?;
        let last = header.iter().rposition(|name| !name.is_empty());
        table.named = last.ok_or_else(|| table.error("no column has a name"))? + 1;
        table.header = header;
        Ok(table)
    }

    /// The names of the columns, which may be empty or repeated.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The index of the column of this name.
    ///
    /// # Errors
    /// A [`ParameterError`] if several columns have the name, or none: it lists all names.
    pub fn column(&self, name: &str) -> Result<usize, ParameterError> {
        let mut found =
            (0..).zip(&self.header).filter(|(_, column)| *column == name && !name.is_empty());
        let refused = |accepted| Err(ParameterError::new("column", name, accepted));
        match (found.next(), found.next()) {
            (Some((place, _)), None) => Ok(place),
            (Some((one, _)), Some((other, _))) => refused(format!(
                "the name of one column, not of columns {} and {}",
                one + 1,
                other + 1
            )),
            _ => {
                let names = self.header.iter().map(String::as_str).filter(|name| !name.is_empty());
                let columns = format!("one of {}", escaped(names.collect::<Vec<_>>().join(", ")));
                let more = if columns.chars().count() > LISTED { "…" } else { "" };
                refused(columns.chars().take(LISTED).collect::<String>() + more)
            }
        }
    }

    /// The values of the next row, one for each column, without quotes and without white space
    /// around them; `None` behind the last row.
    ///
    /// # Errors
    /// For a line that cannot be read, is no UTF-8, is empty between rows of a single column, has
    /// another number of values than the header, or a quote that is not closed.
    pub fn next_row(&mut self) -> Result<Option<Vec<String>>, DataError> {
        let mut is_blank = false;
        let line = loop {
            match self.next_line()? {
                None => return Ok(None),
                Some(line) if line.is_empty() => is_blank = true,
                Some(line) => break line,
            }
        };
        if is_blank && self.header.len() == 1 {
            let reason = "an empty line above: expected \"\" for a missing value, or no line";
            return Err(self.error(reason));
        }
        let mut row = values(&line, self.delimiter).map_err(|reason| self.error(reason))?;
        let columns = self.header.len();
        // What a delimiter behind the last value leaves is no value.
        while row.len() > columns && row.pop_if(|value| value.is_empty()).is_some() {}
        if !(self.named..=columns).contains(&row.len()) {
            let (found, expected) = (row.len(), self.named);
            let values = if found == 1 { "value" } else { "values" };
            let reason = format!("it has {found} {values}: expected {expected}, as the header has");
            return Err(self.error(reason));
        }
        row.resize(columns, String::new());
        Ok(Some(row))
    }

    /// The number of the last line that was read, from 1.
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// An error in the last line that was read.
    pub fn error(&self, reason: impl ToString) -> DataError {
        let place = format!("{}: line {}", shown(&self.name), self.line);
        DataError::Table { place, reason: reason.to_string() }
    }

    /// An error in the file as a whole.
    pub fn error_of_file(&self, reason: impl ToString) -> DataError {
        let (place, reason) = (shown(&self.name), reason.to_string());
        // The error of a reader may name the file already.
        let reason = reason.strip_prefix(&format!("{place}: ")).unwrap_or(&reason).to_owned();
        DataError::Table { place, reason }
    }

    /// The next line that is not empty; `Err` if there is none.
    fn header_line(&mut self) -> Result<String, DataError> {
        loop {
            match self.next_line()? {
                None => return Err(self.error_of_file("no header: it is empty")),
                Some(line) if line.is_empty() => {}
                Some(line) => return Ok(line),
            }
        }
    }

    /// The next line without its end; `None` at the end of the file.
    fn next_line(&mut self) -> Result<Option<String>, DataError> {
        let mut line = Vec::new();
        let mut bytes = self.bytes.by_ref().take(MAX_LINE as u64 + 1);
        let count = bytes.read_until(b'\n', &mut line);
        let count = count.map_err(|error| self.error_of_file(error))?;
        if count > MAX_LINE {
            return Err(self.error_of_file(format!("a line is longer than {MAX_LINE} bytes")));
        }
        if count == 0 {
            return Ok(None);
        }
        self.line += 1;
        let mut line = String::from_utf8(line)
            .map_err(|_| self.error("it is not UTF-8: save the file as CSV in UTF-8"))?;
        line.truncate(line.trim_end_matches('\n').trim_end_matches('\r').len());
        match line.contains('\r') {
            true => Err(self.error("a carriage return within it: expected a row in one line")),
            false => Ok(Some(line)),
        }
    }
}

/// The values of a line, without quotes and without white space around them. `Err`, with the
/// reason, for a quote that is not closed, and for text behind a closed one.
pub(super) fn values(line: &str, delimiter: Delimiter) -> Result<Vec<String>, &'static str> {
    let Delimiter(delimiter) = delimiter;
    let is_blank = |one: char| one.is_whitespace() && one != delimiter;
    let mut values = Vec::new();
    let mut rest = line;
    loop {
        let begin = rest.trim_start_matches(is_blank);
        let value;
        (value, rest) = match begin.strip_prefix('"') {
            Some(quoted) => {
                let (text, rest) = unquoted(quoted)?;
                (text.trim().to_owned(), rest)
            }
            None => {
                let (text, rest) = begin.split_at(begin.find(delimiter).unwrap_or(begin.len()));
                (text.trim().to_owned(), rest)
            }
        };
        values.push(value);
        rest = rest.trim_start_matches(is_blank);
        match rest.strip_prefix(delimiter) {
            Some(next) => rest = next,
            None if rest.is_empty() => return Ok(values),
            None => return Err("text behind a closed quote: expected \"\" for a quote in a value"),
        }
    }
}

/// The text up to the quote that closes it, where two quotes stand for one, and what follows; `Err`
/// if no quote closes it.
fn unquoted(mut rest: &str) -> Result<(String, &str), &'static str> {
    let mut value = String::new();
    loop {
        let reason =
            "a quote that is not closed: expected a row in one line, and every quote closed";
        let (before, after) = rest.split_once('"').ok_or(reason)?;
        value.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => rest = more,
            None => return Ok((value, after)),
        }
        value.push('"');
    }
}
