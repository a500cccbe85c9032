//! Several columns at once: a vector for each row.

use dp_exact::{ParameterError, Rational};
use dp_prio3::grid::{Distortion, Grid};
use num_traits::{ToPrimitive as _, Zero as _};

use super::code::listed;
use super::decimal::Lattice;
use super::placed::{Placed, Side, gathered, number, placed};
use super::{Code, DataError, Labelled, Table, missing};
use crate::measurements::Kind;

/// What becomes of a number beyond the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beyond {
    /// The data are refused, with the line.
    #[default]
    Refuse,
    /// It counts as the nearer end of the range, and is counted.
    Clamp,
}

/// For each row and column, whether the value is one of the codes `yes`.
///
/// # Errors
/// If the file is no table, a column is not there or named twice, or a value is neither one of `yes` nor
/// one of `no`.
pub fn indicators(
    table: Table<'_>,
    columns: &[String],
    yes: &[Code],
    no: &[Code],
) -> Result<Labelled, DataError> {
    table.missing().check(yes)?;
    table.missing().check(no)?;
    let bit = |value: Option<&str>| {
        let Some(value) = value else {
            return Ok(Placed::within(0));
        };
        let code = Code::of(value);
        if yes.contains(&code) {
            return Ok(Placed::within(1));
        }
        if no.contains(&code) {
            return Ok(Placed::within(0));
        }
        let (yes, no) = (listed(yes, " or "), listed(no, " or "));
        let accepted = format!("{yes} for yes, or {no} for no");
        Err(ParameterError::new("value", value, accepted))
    };
    let kind = Kind::BitVectors(columns.len());
    let (measurements, reading) = placed(table, columns, kind, bit)?;
    Ok(Labelled {
        labels: columns.to_vec(),
        measurements,
        reading,
    })
}

/// For each row and column, the value as an integer from 0 to `max`.
///
/// # Errors
/// If the file is no table, a column is not there or named twice, a value is no integer, or it is
/// `beyond` the range and that is refused.
pub fn integers(
    table: Table<'_>,
    columns: &[String],
    max: u128,
    beyond: Beyond,
) -> Result<Labelled, DataError> {
    let integer = |value: Option<&str>| {
        let Some(text) = value else {
            return Ok(Placed::within(0));
        };
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let plain = text
            .parse()
            .ok()
            .filter(|integer| is_plain && *integer <= max);
        if let Some(integer) = plain {
            return Ok(Placed::within(integer));
        }
        let value = number(text)?;
        let integer = value.is_integer().then(|| value.numerator().to_u128());
        if let Some(integer) = integer.flatten().filter(|integer| *integer <= max) {
            return Ok(Placed::within(integer));
        }
        match beyond {
            Beyond::Clamp if value.is_integer() && value.is_positive() => Ok(Placed {
                number: max,
                side: Side::Above,
            }),
            Beyond::Clamp if value.is_integer() => Ok(Placed {
                number: 0,
                side: Side::Below,
            }),
            _ => {
                let mut accepted = format!("an integer from 0 to {max}");
                if !value.is_integer() {
                    accepted.push_str("; real numbers need a grid");
                }
                Err(ParameterError::new("value", text, accepted))
            }
        }
    };
    let kind = Kind::IntegerVectors(columns.len());
    let (measurements, reading) = placed(table, columns, kind, integer)?;
    Ok(Labelled {
        labels: columns.to_vec(),
        measurements,
        reading,
    })
}

/// For each row and column, the cell of the grid that the value falls into; and what the grid adds to
/// the sum of all values, of the missing ones too if they count as 0: then the grid has to have it.
///
/// # Errors
/// If the file is no table, a column is not there or named twice, a value is not a number, or it is
/// `beyond` the grid and that is refused.
pub fn cells(
    table: Table<'_>,
    columns: &[String],
    grid: &Grid,
    beyond: Beyond,
) -> Result<(Labelled, Distortion), DataError> {
    let mut total = Distortion::default();
    let lattice = Lattice::new(grid.low(), grid.granularity());
    let cell = |text: Option<&str>| {
        let quick = text
            .zip(lattice)
            .and_then(|(text, lattice)| lattice.cell(text, grid));
        if let Some(placed) = quick {
            return Ok(placed);
        }
        let value = text.map_or_else(|| Ok(Rational::zero()), number)?;
        let distortion = Distortion::of(grid, [&value]);
        if text.is_none() && !(distortion.below + distortion.above).is_zero() {
            return Err(missing::no_zero());
        }
        if beyond == Beyond::Refuse && !(distortion.below + distortion.above).is_zero() {
            let accepted = format!("a number from {} to {}", grid.low(), grid.high());
            return Err(ParameterError::new("value", &value, accepted));
        }
        Ok((grid.cell(&value), distortion))
    };
    let add = |(cell, distortion): (u128, Distortion), times| {
        total += distortion.times(times);
        cell
    };
    let kind = Kind::IntegerVectors(columns.len());
    let (measurements, mut reading) = gathered(table, columns, kind, cell, add)?;
    reading.values_clamped_below = total.below;
    reading.values_clamped_above = total.above;
    let data = Labelled {
        labels: columns.to_vec(),
        measurements,
        reading,
    };
    Ok((data, total))
}
