//! Estimates as rows for data warehouses: lines of JSON or of CSV.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use dp_exact::{ParameterError, Rational, shown};
use serde_json::Value;

use crate::failure::{Failure, warn};

/// The schema of a table of rows. The first three columns are the key of a row; the last one may
/// change when a row is made again.
const SCHEMA: &str = include_str!("../../docs/rows.bigquery.json");

/// The number of columns.
const COLUMNS: usize = 18;

/// How long `append` waits for another process that has the file open.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest file of rows, in bytes.
const LONGEST: u64 = 1 << 30;

/// The form of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// One object of JSON in each line.
    Json,
    /// A header line, and a line for each row.
    Csv,
}

impl FromStr for Format {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let accepted = "json or csv; Parquet is written in Python, by the to_parquet of \
                        pandas.DataFrame(dp.rows(text, task=path))";
        match text {
            "json" => Ok(Self::Json),
            "csv" => Ok(Self::Csv),
            other => Err(ParameterError::new("rows", other, accepted)),
        }
    }
}

/// The values of the columns, as in JSON. No text has a comma or a character that is escaped.
pub(super) type Row = [String; COLUMNS];

/// The names of the columns.
fn columns() -> Vec<String> {
    let schema: Vec<Value> = serde_json::from_str(SCHEMA).expect("a list of columns");
    let names = schema.iter().map(|column| column["name"].as_str().expect("a name").to_owned());
    names.collect()
}

/// A text in a row.
pub(super) fn text(text: impl Into<String>) -> String {
    Value::from(text.into()).to_string()
}

/// A number in a row, with all its digits if it is an integer, else as the nearest float.
pub(super) fn number(number: Option<Rational>) -> String {
    match number {
        None => Value::Null.to_string(),
        Some(number) if number.is_integer() => number.numerator().to_string(),
        Some(number) => format!("{:?}", number.to_f64()),
    }
}

impl Format {
    /// The header line; empty for JSON.
    fn header(self) -> String {
        if self == Self::Json { String::new() } else { columns().join(",") + "\n" }
    }

    /// A line for each row.
    pub(super) fn lines(self, rows: &[Row]) -> impl Iterator<Item = String> {
        let columns = columns();
        rows.iter().map(move |row| match self {
            Self::Json => {
                let fields = columns.iter().zip(row);
                let fields = fields.map(|(name, value)| format!("\"{name}\":{value}"));
                format!("{{{}}}\n", fields.collect::<Vec<_>>().join(","))
            }
            Self::Csv => {
                let cells = row.iter().map(|value| if value == "null" { "" } else { value });
                cells.collect::<Vec<_>>().join(",") + "\n"
            }
        })
    }

    /// The rows as a text, with a header where the format has one.
    pub(super) fn text(self, rows: &[Row]) -> String {
        self.header() + &self.lines(rows).collect::<String>()
    }

    /// Appends the rows that the file at `path` has not, and returns their number; makes the file
    /// if it is not there. `Err`, with the file as it was or new and empty, if it is no file of
    /// rows of this format, or has a row of the same key with other numbers: a second release of
    /// one batch.
    pub(super) fn append(self, path: &Path, rows: &[Row]) -> Result<usize, Failure> {
        let failed = |error| Failure::content(path, error);
        // Not private: rows are for the users whom the umask admits.
        match OpenOptions::new().append(true).create_new(true).open(path) {
            Ok(_) => dp_files::sync_folder(dp_files::folder_of(path)).map_err(failed)?,
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(failed(error)),
            Err(_) => {}
        }
        let options = OpenOptions::new().read(true).append(true).clone();
        let mut file = dp_files::open_regular(path, &options).map_err(failed)?;
        dp_files::lock(&file, PATIENCE).map_err(failed)?;
        let before = String::from_utf8(dp_files::read_limited(path, LONGEST)?);
        let before = before.map_err(|error| Failure::content(path, error))?;
        let refused = |text: &str, accepted: &str| {
            Failure::content(path, ParameterError::new("a line", text, accepted))
        };
        let whole =
            "a whole row of this format: delete what a stopped run left, and repeat that run";
        let header = self.header();
        let first = if self == Self::Json { '{' } else { '"' };
        let mut known = HashMap::new();
        for line in before.strip_prefix(&header).unwrap_or(&before).split_inclusive('\n') {
            let row = key_and_numbers(line).filter(|(key, _)| key.starts_with(first));
            let row = row.filter(|_| before.starts_with(&header));
            let row = row.ok_or_else(|| refused(line, whole))?;
            known.insert(row.0, row.1);
        }
        let lines: Vec<String> = self.lines(rows).collect();
        let mut added = Vec::new();
        for line in &lines {
            let (key, numbers) = key_and_numbers(line).expect("a row");
            match known.insert(key, numbers) {
                None => added.push(line.clone()),
                Some(before) if before == numbers => {}
                Some(_) => {
                    let accepted = "the labels and numbers of the row that is there: other numbers are a second release";
                    return Err(refused(key, accepted));
                }
            }
        }
        warn_of_overlap(&shown(path), &added, &before);
        let header = if before.is_empty() { header } else { String::new() };
        let new = header + &added.concat();
        let written = file.write_all(new.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(|error| {
            // A part of a row would stop every later run.
            let _ = file.set_len(before.len() as u64);
            failed(error)
        })?;
        Ok(added.len())
    }
}

/// Task, batch, label, start and end of a line of rows, in quotes; `None` unless the line is the
/// first entry of a batch.
fn first_of_batch(line: &str) -> Option<[&str; 5]> {
    // In JSON the name of the column stands before the value.
    let value = |cell| str::split_once(cell, "\":").map_or(cell, |(_, value)| value);
    match line.split(',').take(6).map(value).collect::<Vec<_>>()[..] {
        [task, batch, "0", label, start, end] => Some([task, batch, label, start, end]),
        _ => None,
    }
}

/// Warns of the first of the `added` lines of rows that may be about reports of a row in the text
/// `before` or of an earlier one: with one batch and label under another digest, or with another
/// interval of one task that overlaps. Batches with an identifier, without a slash, may overlap in
/// time. `place` is where the rows are, in words.
pub(super) fn warn_of_overlap(place: &str, added: &[String], before: &str) {
    let may_share = |one: &[&str; 5], other: &[&str; 5]| {
        let ([task, batch, label, start, end], [other_task, other_batch, ..]) = (one, other);
        match (task == other_task, batch == other_batch) {
            (false, true) => *label == other[2],
            (true, false) if batch.contains('/') => *start < other[4] && other[3] < *end,
            _ => false,
        }
    };
    let pair = (0..added.len()).find_map(|last| {
        let one = first_of_batch(&added[last])?;
        let known = before.lines().chain(added[..last].iter().map(String::as_str));
        let other = known.filter_map(first_of_batch).find(|other| may_share(&one, other))?;
        Some([one, other].map(|[task, batch, ..]| format!("batch {batch} of the task {task}")))
    });
    if let Some([one, other]) = pair {
        warn(&format!("{place}: {one} is there beside {other}: one report may count in both"));
    }
}

/// The key of a line of rows, and its numbers but for the last column; `None` if it has too few
/// columns or no line end.
fn key_and_numbers(line: &str) -> Option<(&str, &str)> {
    let (end_of_key, _) = line.strip_suffix('\n')?.match_indices(',').nth(2)?;
    let (last, _) = line.match_indices(',').nth(COLUMNS - 2)?;
    Some((&line[..end_of_key], &line[end_of_key..last]))
}
