//! From the values of a table to integers in rows, whatever they stand for.

use dp_exact::{ParameterError, Rational};

use super::tally::Tally;
use super::{DataError, Reading, Table};
use crate::Measurements;
use crate::measurements::Kind;

/// The most bytes that the measurements of all rows take: 128 MiB. A number takes as many bytes as the
/// largest of the table: 1, 2, 4, 8 or 16. So 10^8 rows of one column of bits or of up to 256 bins fit.
pub const MAX_DATA: usize = 1 << 27;

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Within,
    Below,
    Above,
}

/// The integer that stands for a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) number: u128,
    /// Where the value lies if it was clamped to this, else within.
    pub(super) side: Side,
}

impl Placed {
    pub(super) const fn within(number: u128) -> Self {
        Self {
            number,
            side: Side::Within,
        }
    }
}

/// The number that a value of a table is.
pub(super) fn number(value: &str) -> Result<Rational, ParameterError> {
    value.parse().map_err(|error: ParameterError| {
        let with_point = value.replacen(',', ".", 1);
        if value.contains(',') && with_point.parse::<Rational>().is_ok() {
            let after = value.split_once(',').map_or("", |(_, after)| after);
            let may_be_thousands =
                after.len() == 3 && after.bytes().all(|byte| byte.is_ascii_digit());
            let accepted = if may_be_thousands {
                let joined = value.replacen(',', "", 1);
                format!("a number with a point and no other mark, such as {joined} or {with_point}")
            } else {
                format!("a number with a point, such as {with_point}")
            };
            return ParameterError::new("value", value, accepted);
        }
        error
    })
}

/// The measurements of a table, of this kind; what was clamped is counted.
pub(super) fn placed(
    table: Table<'_>,
    columns: &[String],
    kind: Kind,
    convert: impl FnMut(Option<&str>) -> Result<Placed, ParameterError>,
) -> Result<(Measurements, Reading), DataError> {
    let (mut below, mut above) = (0, 0);
    let count = |placed: Placed, times| {
        match placed.side {
            Side::Within => {}
            Side::Below => below += times,
            Side::Above => above += times,
        }
        placed.number
    };
    let (measurements, mut reading) = gathered(table, columns, kind, convert, count)?;
    reading.values_clamped_below = below;
    reading.values_clamped_above = above;
    Ok((measurements, reading))
}

/// The measurements of a table, of this kind: `convert` makes something of each value, and need not be
/// asked for one that occurred before; `number` makes an integer of that, for each value, row by row, and is
/// told how many rows the row stands for.
pub(super) fn gathered<T: Copy>(
    table: Table<'_>,
    columns: &[String],
    kind: Kind,
    convert: impl FnMut(Option<&str>) -> Result<T, ParameterError>,
    mut number: impl FnMut(T, u64) -> u128,
) -> Result<(Measurements, Reading), DataError> {
    let mut numbers = Vec::with_capacity(columns.len());
    if table.is_counted() {
        let mut tally = Tally::new(kind);
        let reading = table.read(columns, convert, |row, times| {
            numbers.clear();
            numbers.extend(row.iter().map(|value| number(*value, times)));
            tally.add(&numbers, times)
        })?;
        return Ok((tally.into_measurements()?, reading));
    }
    let mut measurements = Measurements::new(kind);
    let reading = table.read(columns, convert, |row, times| {
        row.iter()
            .for_each(|value| measurements.push(number(*value, times)));
        if measurements.bytes() <= MAX_DATA {
            return Ok(());
        }
        let rows = format!("{} rows", measurements.len());
        let accepted = format!(
            "at most {MAX_DATA} bytes of measurements, or --ideal or --counts, which keep one of those that \
             are the same: fewer rows, columns or bins"
        );
        Err(ParameterError::new("data", rows, accepted))
    })?;
    Ok((measurements, reading))
}
