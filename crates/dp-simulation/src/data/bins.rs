//! Bins: the bucket of a histogram for each value.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::str::FromStr;

use dp_exact::{ParameterError, Rational};
use num_traits::ToPrimitive as _;

use super::category::{is_marker, listed};
use super::columns::number;
use super::rows::Converted;
use super::{Category, CsvTable, DataError, LabelledMeasurements, OutOfRange};
use crate::outcome::as_u64;

/// The most bins.
pub const MAX_BINS: usize = 1_000_000;

const ACCEPTED: &str =
    "LOW..HIGH/WIDTH such as 140..200/5, or at least two values such as 0,1,2 or ios,android";

/// The label of the bin of all other values.
const OTHER: &str = "other";

/// The buckets of a histogram over one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bins {
    /// `count` intervals of equal width, [low + i·width, low + (i+1)·width).
    Equal {
        /// The lower end of the first interval.
        low: Rational,
        /// The width of each interval.
        width: Rational,
        /// The number of intervals, at least two.
        count: usize,
    },
    /// One bucket for each of these values.
    Values(Vec<Category>),
}

impl FromStr for Bins {
    type Err = ParameterError;

    /// Reads `LOW..HIGH/WIDTH`, or a list of values.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let refused = |accepted: &'static str| ParameterError::new("bins", text, accepted);
        let number = |text: &str| text.trim().parse::<Rational>().map_err(|_| refused(ACCEPTED));
        let Some((low, rest)) = text.split_once("..") else {
            let codes = Category::list("bins", text)?;
            return match (2..=MAX_BINS).contains(&codes.len()) {
                true => Ok(Self::Values(codes)),
                false => Err(refused(ACCEPTED)),
            };
        };
        let (high, width) = rest.split_once('/').ok_or_else(|| refused(ACCEPTED))?;
        let (low, high, width) = (number(low)?, number(high)?, number(width)?);
        let count = (&high - &low).checked_div(&width).filter(|_| width.is_positive());
        let count = count.ok_or_else(|| refused("LOW..HIGH/WIDTH with a WIDTH above 0"))?;
        if !count.is_integer() {
            return Err(refused("LOW..HIGH/WIDTH with HIGH − LOW a multiple of WIDTH"));
        }
        let count = count.numerator().to_usize().filter(|count| (2..=MAX_BINS).contains(count));
        let count = count
            .ok_or_else(|| refused("LOW..HIGH/WIDTH with 2 to 1000000 bins, LOW below HIGH"))?;
        Ok(Self::Equal { low, width, count })
    }
}

impl Bins {
    /// The bucket of every row of a column.
    ///
    /// # Errors
    /// If the file is no table or has no such column, a value falls into no bin and that is
    /// refused, or `outside` has no meaning for such bins.
    pub fn apply(
        &self,
        table: CsvTable<'_>,
        column: &str,
        outside: OutOfRange,
    ) -> Result<LabelledMeasurements, DataError> {
        match (self, outside) {
            (Self::Equal { low, width, count }, _) => {
                by_interval(table, column, (low, width, *count), outside)
            }
            (Self::Values(values), OutOfRange::Clamp) => {
                let accepted = "LOW..HIGH/WIDTH: other bins have no nearest to clamp a value to";
                Err(ParameterError::new("bins", listed(values, ","), accepted).into())
            }
            (Self::Values(values), _) => by_value(table, column, values, outside),
        }
    }
}

/// Reads a column into a bucket for each of `count` intervals from `low` on; with
/// [`OutOfRange::Count`] also one below all of them and one above.
fn by_interval(
    table: CsvTable<'_>,
    column: &str,
    (low, width, count): (&Rational, &Rational, usize),
    outside: OutOfRange,
) -> Result<LabelledMeasurements, DataError> {
    let end = |place: usize| low + &(width * &Rational::from(as_u64(place)));
    let high = end(count);
    let first = usize::from(outside == OutOfRange::Count);
    let bucket = |text: &str| {
        let value = number(text)?;
        let place = (&value - low).checked_div(width);
        let place = place.and_then(|place| place.floor().to_usize());
        if let Some(place) = place.filter(|place| *place < count) {
            return Ok((as_u64(place + first).into(), Ordering::Equal));
        }
        let is_below = value < *low;
        match outside {
            OutOfRange::Refuse => {
                let accepted = format!("a number from {low} up to but not including {high}");
                Err(ParameterError::new("value", &value, accepted))
            }
            OutOfRange::Count if is_below => Ok((0, Ordering::Equal)),
            OutOfRange::Count => Ok((as_u64(count + 1).into(), Ordering::Equal)),
            OutOfRange::Clamp if is_below => Ok((0, Ordering::Less)),
            OutOfRange::Clamp => Ok((as_u64(count - 1).into(), Ordering::Greater)),
        }
    };
    let ends: Vec<String> = (0..=count).map(|place| end(place).to_string()).collect();
    let mut labels: Vec<String> = ends.windows(2).map(|ends| ends.join("..")).collect();
    if outside == OutOfRange::Count {
        labels.insert(0, format!("below {low}"));
        labels.push(format!("{high} and above"));
    }
    labelled(table, column, labels, bucket)
}

/// Reads a column into a bucket for each of the values; with [`OutOfRange::Count`] also one for all
/// other values but markers of missing ones. Otherwise other values are refused.
fn by_value(
    table: CsvTable<'_>,
    column: &str,
    values: &[Category],
    outside: OutOfRange,
) -> Result<LabelledMeasurements, DataError> {
    table.missing.check(values, "bins")?;
    let mut labels: Vec<String> = values.iter().map(Category::to_string).collect();
    if outside == OutOfRange::Count {
        if labels.iter().any(|label| label == OTHER) {
            let accepted = "values of which none is called other, as the bin of all others is";
            return Err(ParameterError::new("bins", OTHER, accepted).into());
        }
        labels.push(OTHER.to_owned());
    }
    let places: HashMap<&Category, u128> = values.iter().zip(0..).collect();
    let bucket = |text: &str| match places.get(&Category::of(text)) {
        Some(place) => Ok((*place, Ordering::Equal)),
        None if outside == OutOfRange::Count && !is_marker(text) => {
            Ok((as_u64(values.len()).into(), Ordering::Equal))
        }
        None => {
            let accepted = format!("one of {}", listed(values, ", "));
            Err(ParameterError::new("value", text, accepted))
        }
    };
    labelled(table, column, labels, bucket)
}

/// Reads a column of buckets with these `labels`. `bucket` returns the bucket of a value, or why
/// there is none.
fn labelled(
    table: CsvTable<'_>,
    column: &str,
    labels: Vec<String>,
    bucket: impl Fn(&str) -> Result<Converted, ParameterError>,
) -> Result<LabelledMeasurements, DataError> {
    let data = table.read(&[column.to_owned()], true, bucket)?;
    Ok(LabelledMeasurements { labels, ..data })
}
