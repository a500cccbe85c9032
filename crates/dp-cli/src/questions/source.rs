//! The table that is asked, and its columns.

use dp_exact::{Refusal, shown};
use dp_files::Input;
use dp_simulation::data::{SHIPPED, Table, shipped};

use crate::failure::Failure;
use crate::options::{LEAVE_OUT, Options};

/// The columns of the shipped data that say whether a condition was ever diagnosed.
const DIAGNOSES: &str = "asthma,bronch,tb,hf,hbp,pepticulcer,colitis,hepatitis,chroniccough,\
                         hayfever,diabetes,polio,tumor,nervousbreak";

/// The table, and the name of its file.
pub(super) fn read(options: &Options) -> Result<(Table<'static>, String), Failure> {
    let data = &options.data;
    let (delimiter, missing) = (data.delimiter()?, data.missing()?);
    if let (None, Some(column)) = (&data.counts, &data.count_column) {
        let place = "without --counts";
        return Err(Refusal::contradiction("count-column", column, place, LEAVE_OUT).into());
    }
    let path = match (&data.file, &data.counts) {
        (Some(_), Some(counts)) => {
            let (counts, change) = (counts.display(), "leave one of them out");
            return Err(Refusal::contradiction("counts", counts, "with --data", change).into());
        }
        (Some(path), None) | (None, Some(path)) => path,
        (None, None) => {
            if let Some(delimiter) = &data.delimiter {
                let place = "without --data";
                return Err(
                    Refusal::contradiction("delimiter", delimiter, place, LEAVE_OUT).into(),
                );
            }
            let table = Table::new(SHIPPED, shipped())?;
            return Ok((table.with_missing(missing), SHIPPED.to_owned()));
        }
    };
    let file = Input::open(path).map_err(Failure::other)?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let shown_path = path.display().to_string();
    let table = match delimiter {
        Some(delimiter) => Table::delimited(shown_path, file, delimiter)?,
        None => Table::new(shown_path, file)?,
    };
    let table = match (&data.counts, options.ideal) {
        (Some(_), _) => table.counted_by(data.count_column.as_deref().unwrap_or("count"))?,
        // Who is which row matters to nobody then.
        (None, true) => table.counted(),
        (None, false) => table,
    };
    Ok((table.with_missing(missing), shown(name)))
}

/// The columns of a vector.
pub(super) fn columns(options: &Options) -> Vec<String> {
    split(options.data.columns.as_deref().unwrap_or(DIAGNOSES))
}

/// The names in a list with commas.
pub(super) fn split(columns: &str) -> Vec<String> {
    let names = columns.split(',');
    names.map(|name| name.trim().to_owned()).collect()
}
