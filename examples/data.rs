//! The data that the examples run on: 1629 people, see `crates/dp-simulation/data/README.md`.

use std::io;

use dp_simulation::data::shipped;

/// One column of the people, as text.
///
/// # Errors
/// If there is no such column.
pub fn column(name: &str) -> io::Result<Vec<String>> {
    let mut reader = csv::Reader::from_reader(shipped());
    let index = reader.headers()?.iter().position(|column| column == name);
    let index = index.ok_or_else(|| io::Error::other(format!("there is no column {name}")))?;
    reader.records().map(|record| Ok(record?.get(index).unwrap_or_default().to_owned())).collect()
}
