//! The first line of a table: the names of its columns.

use std::collections::HashSet;

use dp_exact::{ParameterError, is_printable};

use super::delimiter::Delimiter;
use super::record::Record;

/// Why a first line that tells a spreadsheet the delimiter, `sep=;`, is no header.
pub(super) fn of_spreadsheet(line: &str) -> Option<String> {
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
pub(super) fn names(record: &Record) -> Result<Vec<String>, String> {
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
pub(super) fn shortened(name: &str) -> String {
    ParameterError::new("name", name, "").value().to_owned()
}
