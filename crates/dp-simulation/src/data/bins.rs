//! Bins: the bucket of a histogram for each value.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::str::FromStr;

use dp_exact::{ParameterError, Rational};
use num_traits::ToPrimitive as _;

use super::category::{is_marker, listed};
use super::columns::number;
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
    /// The label of each bin; with [`OutOfRange::Count`] also the labels of the bins for values
    /// outside.
    ///
    /// # Errors
    /// If one of the values has the label of the bin of all others.
    pub fn labels(&self, outside: OutOfRange) -> Result<Vec<String>, ParameterError> {
        let has_more = outside == OutOfRange::Count;
        match self {
            Self::Equal { low, width, count } => {
                let end = |place: usize| low + &(width * &Rational::from(as_u64(place)));
                let ends: Vec<String> = (0..=*count).map(|place| end(place).to_string()).collect();
                let mut labels: Vec<String> = ends.windows(2).map(|ends| ends.join("..")).collect();
                if has_more {
                    labels.insert(0, format!("below {low}"));
                    labels.push(format!("{} and above", end(*count)));
                }
                Ok(labels)
            }
            Self::Values(values) => {
                let mut labels: Vec<String> = values.iter().map(Category::to_string).collect();
                if has_more && labels.iter().any(|label| label == OTHER) {
                    let accepted =
                        "values of which none is called other, as the bin of all others is";
                    return Err(ParameterError::new("bins", OTHER, accepted));
                }
                labels.extend(has_more.then(|| OTHER.to_owned()));
                Ok(labels)
            }
        }
    }

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
        let labels = self.labels(outside)?;
        let data = match (self, outside) {
            (Self::Equal { low, width, count }, _) => {
                by_interval(table, column, (low, width, *count), outside)?
            }
            (Self::Values(values), OutOfRange::Clamp) => {
                let accepted = "LOW..HIGH/WIDTH: other bins have no nearest to clamp a value to";
                return Err(ParameterError::new("bins", listed(values, ","), accepted).into());
            }
            (Self::Values(values), _) => by_value(table, column, values, outside)?,
        };
        Ok(LabelledMeasurements { labels, ..data })
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
    let high = low + &(width * &Rational::from(as_u64(count)));
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
    table.read(&[column.to_owned()], true, bucket)
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
    let places: HashMap<&Category, u128> = values.iter().zip(0..).collect();
    let bucket = |text: &str| match places.get(&Category::of(text)) {
        Some(place) => Ok((*place, Ordering::Equal)),
        None if outside == OutOfRange::Count && !is_marker(text) => {
            Ok((as_u64(values.len()).into(), Ordering::Equal))
        }
        None => {
            let are_numbers = values.iter().all(|one| matches!(one, Category::Number(_)));
            let intervals = if are_numbers { ", or intervals: LOW..HIGH/WIDTH" } else { "" };
            let accepted = format!("one of {}{intervals}", listed(values, ", "));
            Err(ParameterError::new("value", text, accepted))
        }
    };
    table.read(&[column.to_owned()], true, bucket)
}
