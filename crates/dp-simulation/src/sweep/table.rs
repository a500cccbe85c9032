//! Rows as CSV, and back; and the digest of rows.

use std::io;

use dp_exact::hexadecimal;
use sha2::{Digest as _, Sha256};

use crate::sweep::SweepError;
use crate::sweep::row::{COLUMNS, SweepRow};

/// Writes rows as CSV (RFC 4180), with the names of [`COLUMNS`] in the first line. Numbers have as many
/// digits as it takes to read the same floats again. A text that a spreadsheet would evaluate stands behind an
/// apostrophe, which spreadsheets take for the mark of a text; a text that is a number does not.
///
/// # Errors
/// If the writer does not take all of it.
pub fn write_csv(writer: impl io::Write, rows: &[SweepRow]) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(writer);
    table.write_record(COLUMNS)?;
    for row in rows {
        table.write_record(row.texts().into_iter().map(inert))?;
    }
    table.flush()
}

/// Reads what [`write_csv`] writes.
///
/// # Errors
/// If it is no such table.
pub fn read_csv(bytes: &[u8]) -> Result<Vec<SweepRow>, SweepError> {
    let mut table = csv::Reader::from_reader(bytes);
    let header = table.headers().map_err(SweepError::rows)?;
    if !header.iter().eq(COLUMNS.iter().copied()) {
        return Err(SweepError::rows("the first line does not name the columns"));
    }
    let rows = table.records().map(|record| {
        let record = record.map_err(SweepError::rows)?;
        let place = record.position().map_or(0, csv::Position::line);
        SweepRow::read(record.iter().map(text_of))
            .ok_or_else(|| SweepError::rows(format!("line {place} is no row")))
    });
    rows.collect()
}

/// Whether a file that begins like this is a table of rows: its first line names the columns, all of them or as
/// many as the beginning has.
#[must_use]
pub fn is_own(beginning: &[u8]) -> bool {
    let line = COLUMNS.join(",") + "\n";
    beginning.starts_with(line.as_bytes())
}

/// The characters with which a spreadsheet begins a formula, also in their wide forms, or leaves out to find one.
const FORMULA: &[char] =
    &['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Whether a spreadsheet may evaluate a text, once apostrophes at its beginning are taken away.
fn is_formula(text: &str) -> bool {
    let text = text.trim_start_matches('\'').trim_start_matches(' ');
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    text.starts_with(FORMULA) && !is_number
}

/// A text as it stands in a cell.
fn inert(text: String) -> String {
    match is_formula(&text) {
        true => format!("'{text}"),
        false => text,
    }
}

/// The text that stands in a cell.
fn text_of(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if is_formula(text) => text,
        _ => cell,
    }
}

/// SHA-256 over the rows in their order, without their times and commands: it is the same for every number of threads,
/// processes and restarts.
#[must_use]
pub fn digest(rows: &[SweepRow]) -> String {
    let mut hash = Sha256::new();
    for row in rows {
        for text in row.untimed().texts() {
            let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
            hash.update(length.to_le_bytes());
            hash.update(text);
        }
    }
    hexadecimal(&hash.finalize())
}
