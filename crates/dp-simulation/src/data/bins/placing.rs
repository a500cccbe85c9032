//! The bucket of each row.

use std::collections::BTreeMap;

use dp_exact::{ParameterError, Rational};
use num_traits::ToPrimitive as _;

use super::super::code::listed;
use super::super::decimal::Lattice;
use super::super::missing;
use super::super::placed::{Placed, Side, number, placed};
use super::{MAX_BINS, MAX_LABEL_BITS, Outside, TOO_LONG};
use crate::data::{Code, DataError, Labelled, Table};
use crate::measurements::Kind;

/// Intervals from `low` on, so many of this width.
type Intervals<'a> = (&'a Rational, &'a Rational, usize);

/// A bucket for each interval, and if asked for one below and one above all of them.
pub(super) fn by_interval(
    table: Table<'_>,
    column: &str,
    intervals: Intervals<'_>,
    outside: Outside,
) -> Result<Labelled, DataError> {
    let (low, width, count) = intervals;
    let high = end(intervals, count);
    let lattice = Lattice::new(low, width);
    let bucket = |text: Option<&str>| {
        let quick = text
            .zip(lattice)
            .and_then(|(text, lattice)| lattice.interval(text, count));
        if let Some(place) = quick {
            return Ok(shifted(place, outside));
        }
        let value = text.map_or_else(|| Ok(Rational::zero()), number)?;
        let place = (&value - low).checked_div(width);
        let place = place.and_then(|place| place.floor().to_usize());
        let side = match place {
            Some(place) if place < count => return Ok(shifted(place, outside)),
            _ if value < *low => Side::Below,
            _ => Side::Above,
        };
        if text.is_none() && outside != Outside::Count {
            return Err(missing::no_zero());
        }
        let number = match (outside, side) {
            (Outside::Refuse, _) => {
                let accepted = format!("a number from {low} up to but not including {high}");
                return Err(ParameterError::new("value", &value, accepted));
            }
            (_, Side::Below) => 0,
            (Outside::Clamp, _) => count - 1,
            (Outside::Count, _) => count + 1,
        };
        let number = as_u128(number);
        Ok(match outside {
            Outside::Clamp => Placed { number, side },
            Outside::Refuse | Outside::Count => Placed::within(number),
        })
    };
    let columns = [column.to_owned()];
    let (measurements, reading) = placed(table, &columns, Kind::Buckets, bucket)?;
    let mut labels = interval_labels(intervals);
    if outside == Outside::Count {
        labels.insert(0, format!("below {low}"));
        labels.push(format!("{high} and above"));
    }
    Ok(Labelled {
        labels,
        measurements,
        reading,
    })
}

/// The bucket of an interval; below all of them may be another.
fn shifted(place: usize, outside: Outside) -> Placed {
    Placed::within(as_u128(place) + u128::from(outside == Outside::Count))
}

/// The end of the first so many intervals.
fn end((low, width, _): Intervals<'_>, place: usize) -> Rational {
    let place = u64::try_from(place).unwrap_or(u64::MAX);
    low + &(width * &Rational::from(place))
}

/// Both ends of each interval.
fn interval_labels(intervals: Intervals<'_>) -> Vec<String> {
    let (low, _, count) = intervals;
    let mut begin = low.to_string();
    let label = |place| {
        let end = end(intervals, place).to_string();
        let label = format!("{begin}..{end}");
        begin = end;
        label
    };
    (1..=count).map(label).collect()
}

/// A bucket for each of the values, and if asked for one of all others.
pub(super) fn by_value(
    table: Table<'_>,
    column: &str,
    values: &[Code],
    outside: Outside,
) -> Result<Labelled, DataError> {
    table.missing().check(values)?;
    let mut labels: Vec<String> = values.iter().map(Code::to_string).collect();
    if outside == Outside::Count {
        if labels.iter().any(|label| label == OTHER) {
            let accepted = "values of which none is called other, as the bin of all others is";
            return Err(ParameterError::new("bins", OTHER, accepted).into());
        }
        labels.push(OTHER.to_owned());
    }
    let mut order: Vec<(&Code, usize)> = values.iter().zip(0..).collect();
    order.sort_unstable();
    let bucket = |text: Option<&str>| {
        let value = text.map_or_else(|| Code::Number(Rational::zero()), Code::of);
        let found = order.binary_search_by(|(candidate, _)| (*candidate).cmp(&value));
        match (found, text) {
            (Ok(place), _) => Ok(Placed::within(as_u128(order[place].1))),
            (Err(_), None) => Err(missing::no_zero()),
            (Err(_), Some(text)) if outside == Outside::Count && !missing::is_marker(text) => {
                Ok(Placed::within(as_u128(values.len())))
            }
            (Err(_), Some(text)) => {
                let accepted = format!("one of {}", listed(values, ", "));
                Err(ParameterError::new("value", text, accepted))
            }
        }
    };
    let columns = [column.to_owned()];
    let (measurements, reading) = placed(table, &columns, Kind::Buckets, bucket)?;
    Ok(Labelled {
        labels,
        measurements,
        reading,
    })
}

/// The bin of all values that have none of their own.
const OTHER: &str = "other";

/// A bucket for each value that occurs: of numbers in ascending order, then of texts in that of their
/// characters.
pub(super) fn distinct(table: Table<'_>, column: &str) -> Result<Labelled, DataError> {
    let mut seen: BTreeMap<Code, usize> = BTreeMap::new();
    let mut bits = 0_u64;
    let columns = [column.to_owned()];
    let bucket = |text: Option<&str>| {
        let value = match text {
            Some(text) if missing::is_marker(text) => return Err(missing::refused(text)),
            Some(text) => Code::of(text),
            None => Code::Number(Rational::zero()),
        };
        if let Some(place) = seen.get(&value) {
            return Ok(Placed::within(as_u128(*place)));
        }
        let value = value.visible()?;
        let place = seen.len();
        bits = bits.saturating_add(value.bits());
        if place == MAX_BINS || bits > MAX_LABEL_BITS {
            let accepted = format!("at most {MAX_BINS} distinct values: {TOO_LONG}");
            return Err(ParameterError::new("value", value, accepted));
        }
        seen.insert(value, place);
        Ok(Placed::within(as_u128(place)))
    };
    let (measurements, reading) = placed(table, &columns, Kind::Buckets, bucket)?;
    if seen.len() < 2 {
        let accepted = format!("at least two distinct values in {column}");
        return Err(ParameterError::new("bins", "distinct", accepted).into());
    }
    let mut places = vec![0; seen.len()];
    for (rank, place) in (0..).zip(seen.values()) {
        places[*place] = rank;
    }
    Ok(Labelled {
        labels: seen.keys().map(Code::to_string).collect(),
        measurements: measurements.renumbered(&places),
        reading,
    })
}

fn as_u128(number: usize) -> u128 {
    u128::try_from(number).unwrap_or(u128::MAX)
}
