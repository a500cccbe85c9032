//! Several columns at once: a vector for each row.

use dp_exact::{ParameterError, Rational};
use num_traits::ToPrimitive as _;

use super::{DataError, Labelled, Table};
use crate::Measurements;
use crate::measurements::Kind;

/// The most bytes that the measurements of all rows take: 128 MiB. A number takes as many bytes as the
/// largest of the table: 1, 2, 4, 8 or 16. So 10^8 rows of one column of bits or of up to 256 bins fit.
pub const MAX_DATA: usize = 1 << 27;

/// For each row and column, whether the value is the code `yes`.
///
/// # Errors
/// If the file is no table, a column is not there or named twice, or a value is neither `yes` nor one
/// of `no`.
pub fn indicators(
    table: Table<'_>,
    columns: &[String],
    yes: &Rational,
    no: &[Rational],
) -> Result<Labelled, DataError> {
    let bit = |value: &Rational| {
        if value == yes {
            return Ok(1);
        }
        if no.contains(value) {
            return Ok(0);
        }
        let codes: Vec<String> = no.iter().map(Rational::to_string).collect();
        let accepted = format!("{yes} for yes, or {} for no", codes.join(" or "));
        Err(ParameterError::new("value", value, accepted))
    };
    let kind = Kind::BitVectors(columns.len());
    labelled(table, columns, kind, bit, |bit| bit)
}

/// For each row and column, the value as an integer from 0 to `max`.
///
/// # Errors
/// If the file is no table, a column is not there or named twice, or has another value.
pub fn integers(table: Table<'_>, columns: &[String], max: u128) -> Result<Labelled, DataError> {
    let integer = |value: &Rational| {
        let integer = value.is_integer().then(|| value.numerator().to_u128());
        let integer = integer.flatten().filter(|integer| *integer <= max);
        let accepted = || format!("an integer from 0 to {max}");
        integer.ok_or_else(|| ParameterError::new("value", value, accepted()))
    };
    let kind = Kind::IntegerVectors(columns.len());
    labelled(table, columns, kind, integer, |integer| integer)
}

/// For each row and column, the integer that stands for the number: `convert` takes the exact number,
/// and need not be asked for one that occurred before; `cell` makes the integer, and is asked for each
/// value, row by row.
///
/// # Errors
/// If the file is no table, a column is not there or named twice, or a value is not a number.
pub fn cells<T: Copy>(
    table: Table<'_>,
    columns: &[String],
    convert: impl Fn(&Rational) -> T,
    cell: impl FnMut(T) -> u128,
) -> Result<Labelled, DataError> {
    let kind = Kind::IntegerVectors(columns.len());
    labelled(table, columns, kind, |value| Ok(convert(value)), cell)
}

fn labelled<T: Copy>(
    table: Table<'_>,
    columns: &[String],
    kind: Kind,
    convert: impl FnMut(&Rational) -> Result<T, ParameterError>,
    number: impl FnMut(T) -> u128,
) -> Result<Labelled, DataError> {
    Ok(Labelled {
        labels: columns.to_vec(),
        measurements: gathered(table, columns, kind, convert, number)?,
    })
}

/// The measurements of a table, of this kind.
pub(super) fn gathered<T: Copy>(
    table: Table<'_>,
    columns: &[String],
    kind: Kind,
    convert: impl FnMut(&Rational) -> Result<T, ParameterError>,
    mut number: impl FnMut(T) -> u128,
) -> Result<Measurements, DataError> {
    let mut measurements = Measurements::new(kind);
    table.read(columns, convert, |value| {
        measurements.push(number(value));
        if measurements.bytes() <= MAX_DATA {
            return Ok(());
        }
        let rows = format!("{} rows", measurements.len());
        let accepted = format!("fewer rows, columns or bins: {MAX_DATA} bytes of measurements");
        Err(ParameterError::new("data", rows, accepted))
    })?;
    Ok(measurements)
}
