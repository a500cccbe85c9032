//! The columns of a file and the bins that fit a question, where no option names them.

use dp_calibration::Refusal;
use dp_simulation::data::{Bins, Category, MARKERS, number};

use super::read_table;
use crate::failure::Failure;
use crate::options::SimulateOptions;

/// A column of numbers.
struct NumberColumn {
    name: String,
    /// The least and the largest value; `None` if they are not integers of 64 bits.
    integers: Option<(i128, i128)>,
}

/// The columns of the file whose values, but for missing ones, are all numbers, and the name of the
/// file. `Err` for standard input, which cannot be read twice: it names `option`.
fn number_columns(
    options: &SimulateOptions,
    option: &'static str,
) -> Result<(Vec<NumberColumn>, String), Failure> {
    let data = &options.data;
    if [&data.file, &data.counts].into_iter().flatten().any(|path| path.as_os_str() == "-") {
        return Err(Refusal::missing(option, "a name in the header of standard input").into());
    }
    let (mut table, file) = read_table(options)?;
    let names = table.header().to_vec();
    let counts = data.counts.as_ref().map(|_| data.count_column.as_deref().unwrap_or("count"));
    // Without a name, or with the name of another column, a column cannot be asked for.
    let is_asked = |name: &String| {
        !name.is_empty()
            && counts != Some(name)
            && names.iter().filter(|other| *other == name).count() == 1
    };
    let is_missing = |cell: &str| {
        let codes = data.missing_value.as_ref();
        cell.is_empty()
            || MARKERS.iter().any(|marker| marker.eq_ignore_ascii_case(cell))
            || codes.is_some_and(|codes| codes.contains(&Category::of(cell)))
    };
    // Of each column `None` if it is no column of numbers, else the integers that were found.
    let unseen = Some((i128::MAX, i128::MIN));
    let mut found: Vec<_> = names.iter().map(|name| is_asked(name).then_some(unseen)).collect();
    while let Some(row) = table.next_row()? {
        for (cell, found) in row.iter().zip(&mut found) {
            let Some(integers) = found else { continue };
            if is_missing(cell) {
                continue;
            }
            *found = number(cell).ok().map(|value| {
                let value = i64::try_from(value.floor()).ok().filter(|_| value.is_integer());
                let (value, (least, largest)) = (i128::from(value?), (*integers)?);
                Some((least.min(value), largest.max(value)))
            });
        }
    }
    let columns = names.into_iter().zip(found).filter_map(|(name, found)| {
        // A column without any value is no column of numbers.
        found.filter(|found| *found != unseen).map(|integers| NumberColumn { name, integers })
    });
    Ok((columns.collect(), file))
}

/// The names of the file's columns of integers, or with `are_real` of numbers, if they are
/// `wanted`; `None` is any number that the user has to choose. `Err` that `option` is missing, with
/// the columns.
pub(super) fn columns(
    options: &SimulateOptions,
    option: &'static str,
    wanted: Option<usize>,
    are_real: bool,
) -> Result<Vec<String>, Failure> {
    let (found, file) = number_columns(options, option)?;
    let found = found.into_iter().filter(|column| are_real || column.integers.is_some());
    let names: Vec<String> = found.map(|column| column.name).collect();
    if Some(names.len()) == wanted {
        return Ok(names);
    }
    let kind = if are_real { "numbers" } else { "integers" };
    let number = match wanted {
        Some(1) => "one".to_owned(),
        Some(wanted) => wanted.to_string(),
        None => "some".to_owned(),
    };
    let accepted = match &*names {
        [] => format!("the name of a column; no column of {file} has {kind} alone"),
        names => {
            let written = if wanted == Some(1) { "" } else { "--columns NAME,NAME,… with " };
            let names = names.join(", ");
            format!("{written}{number} of {names}, the columns of {kind} of {file}")
        }
    };
    Err(Refusal::missing(option, accepted).into())
}

/// As many bins as `length` for the integers of a column, and the bins as text: from 0 in steps of
/// 1 if they all fall into these, else in the narrowest steps that hold all. `Err` that bins are
/// missing if the column has other values.
pub(super) fn bins(
    options: &SimulateOptions,
    column: &str,
    length: usize,
) -> Result<(Bins, String), Failure> {
    let (columns, _) = number_columns(options, "bins")?;
    let found = columns.into_iter().find(|one| one.name == column);
    let Some((least, largest)) = found.and_then(|column| column.integers) else {
        let accepted = format!(
            "{length} of them, as the task's vdaf.length: LOW..HIGH/WIDTH, or values such as \
             ios,android"
        );
        return Err(Refusal::missing("bins", accepted).into());
    };
    let number = i128::try_from(length).expect("a length is below 2^24");
    let (mut low, mut width) = (0, 1);
    if least < 0 || largest >= number {
        // Narrower steps do not even span the values.
        width = ((largest - least) / number).max(1);
        low = least.div_euclid(width) * width;
        while low + number * width <= largest {
            width += 1;
            low = least.div_euclid(width) * width;
        }
    }
    let written = format!("{low}..{}/{width}", low + number * width);
    Ok((written.parse()?, written))
}
