//! Several columns at once: a vector for each row.

use dp_exact::{ParameterError, Rational};
use num_traits::ToPrimitive as _;

use super::{DataError, Labelled, Table};

/// For each row and column, whether the value is the code `yes`.
///
/// # Errors
/// If a column is not there, is named twice, or has a value that is neither `yes` nor one of `no`.
pub fn indicators(
    table: &Table,
    columns: &[String],
    yes: &Rational,
    no: &[Rational],
) -> Result<Labelled<Vec<bool>>, DataError> {
    transposed(table, columns, |value| {
        if value == yes {
            return Ok(true);
        }
        if no.contains(value) {
            return Ok(false);
        }
        let codes: Vec<String> = no.iter().map(Rational::to_string).collect();
        let accepted = format!("{yes} for yes, or {} for no", codes.join(" or "));
        Err(ParameterError::new("value", value, accepted))
    })
}

/// For each row and column, the value as an integer from 0 to `max`.
///
/// # Errors
/// If a column is not there, is named twice, or has another value.
pub fn integers(
    table: &Table,
    columns: &[String],
    max: u128,
) -> Result<Labelled<Vec<u128>>, DataError> {
    transposed(table, columns, |value| {
        let integer = value.is_integer().then(|| value.numerator().to_u128());
        integer
            .flatten()
            .filter(|integer| *integer <= max)
            .ok_or_else(|| {
                ParameterError::new("value", value, format!("an integer from 0 to {max}"))
            })
    })
}

/// For each row and column, the number, exactly.
///
/// # Errors
/// If a column is not there, is named twice, or has a value that is not a number.
pub fn numbers(table: &Table, columns: &[String]) -> Result<Labelled<Vec<Rational>>, DataError> {
    transposed(table, columns, |value| Ok(value.clone()))
}

fn transposed<T: Clone>(
    table: &Table,
    columns: &[String],
    convert: impl Fn(&Rational) -> Result<T, ParameterError>,
) -> Result<Labelled<Vec<T>>, DataError> {
    if columns.is_empty() {
        let none = ParameterError::new("columns", "none", "at least one column");
        return Err(none.into());
    }
    let mut rows = vec![Vec::with_capacity(columns.len()); table.len()];
    for (place, column) in columns.iter().enumerate() {
        if columns[..place].contains(column) {
            let twice = ParameterError::new("column", column, "each column once");
            return Err(twice.into());
        }
        for (row, value) in rows.iter_mut().zip(table.numbers(column, &convert)?) {
            row.push(value);
        }
    }
    Ok(Labelled {
        labels: columns.to_vec(),
        rows,
    })
}
