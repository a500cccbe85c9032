//! Numbers in cells, and vectors of measurements from several columns.

use std::cmp::Ordering;

use dp_exact::{ParameterError, Rational, parse_number, two_readings};
use dp_prio3::grid::Grid;
use num_traits::ToPrimitive as _;

use super::category::{listed, truth_as_number};
use super::{Category, CsvTable, DataError, LabelledMeasurements};

/// The treatment of a number out of range, or of a value that falls into no bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutOfRange {
    /// The data are refused; the error names the line.
    #[default]
    Refuse,
    /// The number counts as the nearer end of the range or in the nearest interval, and in
    /// [`RowCounts`](super::RowCounts).
    Clamp,
    /// There are further buckets: below and above all intervals, or of all other values. Numbers
    /// that are not binned are refused.
    Count,
}

/// The number in a cell of a table, written as an integer of an option is, with a fraction or none.
///
/// # Errors
/// If it is no such number. A comma that can be read in two ways, and an `m` or a letter behind a
/// space, which may be a factor or a unit, are errors with both readings.
pub fn number(cell: &str) -> Result<Rational, ParameterError> {
    let refused = |accepted: String| Err(ParameterError::new("value", cell, accepted));
    if let Some(readings) = two_readings(cell, ',') {
        return refused(readings);
    }
    let end_of_digits = cell.rfind(|one: char| one.is_ascii_digit()).map_or(0, |last| last + 1);
    let (digits, unit) = cell.split_at(end_of_digits);
    let has_unit = unit.trim_start().starts_with(|one: char| one.is_alphabetic() || one == '%');
    match (parse_number(cell), has_unit.then(|| parse_number(digits)).flatten()) {
        (Some(number), Some(alone)) if unit == "m" || unit.starts_with(' ') => {
            let unit = unit.trim_start();
            refused(format!("{number} or {alone}, as its {unit} may be a factor or a unit"))
        }
        (Some(number), _) => Ok(number),
        (None, Some(alone)) => refused(format!("a number without a unit, such as {alone}")),
        (None, None) => {
            let accepted = "a number such as 0.317 or 1e-9".to_owned();
            let with_point = cell.replace('.', "").replace(',', ".");
            match parse_number(&with_point).filter(|_| cell.contains(',')) {
                Some(number) => refused(format!("{accepted}, with a point: {number}")),
                None => refused(accepted),
            }
        }
    }
}

/// For each row and column, whether the value is one of the codes `yes`. True and false are 1 and 0
/// where they are no codes themselves.
///
/// # Errors
/// If the file is no table, a column is not there or named twice, or a value is no such code.
pub fn indicators(
    table: CsvTable<'_>,
    columns: &[String],
    yes: &[Category],
    no: &[Category],
) -> Result<LabelledMeasurements, DataError> {
    table.missing.check(yes, "yes")?;
    table.missing.check(no, "no")?;
    let bit = |value: &str| {
        let codes = [value, truth_as_number(value)].map(Category::of);
        let code = codes.iter().find(|code| yes.contains(code) || no.contains(code));
        let Some(code) = code else {
            let (yes, no) = (listed(yes, " or "), listed(no, " or "));
            let accepted = format!("{yes} for yes, or {no} for no");
            return Err(ParameterError::new("value", value, accepted));
        };
        Ok((yes.contains(code).into(), Ordering::Equal))
    };
    table.read(columns, false, bit)
}

/// For each row and column, the value as an integer from 0 to `max`; true is 1 and false is 0.
///
/// # Errors
/// If the file is no table, a column is not there or named twice, or a value is no such integer.
pub fn integers(
    table: CsvTable<'_>,
    columns: &[String],
    max: u128,
    beyond: OutOfRange,
) -> Result<LabelledMeasurements, DataError> {
    let integer = |text: &str| {
        let value = number(truth_as_number(text))?;
        if let Some(readings) = two_readings(text, '.') {
            return Err(ParameterError::new("value", text, readings));
        }
        if !value.is_integer() {
            let accepted = format!("an integer from 0 to {max}; real numbers need a grid");
            return Err(ParameterError::new("value", text, accepted));
        }
        match value.numerator().to_u128().filter(|integer| *integer <= max) {
            Some(integer) => Ok((integer, Ordering::Equal)),
            None if beyond != OutOfRange::Clamp => {
                let accepted = format!("an integer from 0 to {max}");
                Err(ParameterError::new("value", text, accepted))
            }
            None if value.is_positive() => Ok((max, Ordering::Greater)),
            None => Ok((0, Ordering::Less)),
        }
    };
    table.read(columns, false, integer)
}

/// For each row and column, the grid cell of the value.
///
/// # Errors
/// If the file is no table, a column is not there or named twice, or a value is no such number.
pub fn grid_cells(
    table: CsvTable<'_>,
    columns: &[String],
    grid: &Grid,
    beyond: OutOfRange,
) -> Result<LabelledMeasurements, DataError> {
    let cell = |text: &str| {
        let value = number(text)?;
        let side = match (value < *grid.low(), value > *grid.high()) {
            (true, _) => Ordering::Less,
            (_, is_above) => is_above.cmp(&false),
        };
        if beyond != OutOfRange::Clamp && side.is_ne() {
            let accepted = format!("a number from {} to {}", grid.low(), grid.high());
            return Err(ParameterError::new("value", &value, accepted));
        }
        Ok((grid.cell(&value), side))
    };
    table.read(columns, false, cell)
}
