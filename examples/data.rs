//! The data that the examples run on: 1629 people, see `data/README.md`.

mod parties;

use std::io;
use std::path::Path;

pub use parties::run;

/// One column of the people, as text.
///
/// # Errors
/// If the file cannot be read or has no such column.
pub fn column(name: &str) -> io::Result<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/nhefs.csv");
    let mut reader = csv::Reader::from_path(path)?;
    let index = reader.headers()?.iter().position(|column| column == name);
    let index = index.ok_or_else(|| io::Error::other(format!("there is no column {name}")))?;
    reader
        .records()
        .map(|record| Ok(record?.get(index).unwrap_or_default().to_owned()))
        .collect()
}
