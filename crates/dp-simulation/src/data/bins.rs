//! Bins: which bucket of a histogram a value falls into.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

use dp_exact::{ParameterError, Rational};
use dp_prio3::grid::Distortion;
use num_traits::ToPrimitive as _;

use super::code::listed;
use super::columns::{above, below, number};
use super::table::Placed;
use super::{Code, DataError, Labelled, Table, missing};
use crate::measurements::Kind;

/// The most bins that are made.
pub const MAX_BINS: usize = 1_000_000;

const ACCEPTED: &str = "LOW..HIGH/WIDTH such as 140..200/5, at least two values such as 0,1,2 or \
                        ios,android, or the word distinct";

/// The bin of all values that have none of their own.
const OTHER: &str = "other";

/// The buckets of a histogram over one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bins {
    /// `count` intervals of equal width, [low + i·width, low + (i+1)·width).
    Equal {
        /// The lower end of the first.
        low: Rational,
        /// The width of each.
        width: Rational,
        /// How many there are, at least two.
        count: usize,
    },
    /// One bucket for each of these values.
    Values(Vec<Code>),
    /// One bucket for each value that occurs. **The set of values that occur is then published
    /// without protection**; declare the values where that matters.
    Distinct,
}

/// What becomes of a value that falls into no bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outside {
    /// The data are refused, with the line.
    #[default]
    Refuse,
    /// A number counts in the first or the last interval, whichever is nearer, and is counted.
    Clamp,
    /// There are further buckets: below and above all intervals, or of all other values.
    Count,
}

impl FromStr for Bins {
    type Err = ParameterError;

    /// Reads `LOW..HIGH/WIDTH`, a list of values, or `distinct`.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let refused = || ParameterError::new("bins", text, ACCEPTED);
        let number = |text: &str| text.trim().parse::<Rational>().map_err(|_| refused());
        if text.trim() == "distinct" {
            return Ok(Self::Distinct);
        }
        let Some((low, rest)) = text.split_once("..") else {
            let codes = Code::list("bins", text)?;
            return match (2..=MAX_BINS).contains(&codes.len()) {
                true => Ok(Self::Values(codes)),
                false => Err(refused()),
            };
        };
        let (high, width) = rest.split_once('/').ok_or_else(refused)?;
        let (low, high, width) = (number(low)?, number(high)?, number(width)?);
        let count = (&high - &low).checked_div(&width).ok_or_else(refused)?;
        let count = count.is_integer().then(|| count.numerator().to_usize());
        match count.flatten() {
            Some(count) if (2..=MAX_BINS).contains(&count) && width.is_positive() => {
                Ok(Self::Equal { low, width, count })
            }
            _ => Err(refused()),
        }
    }
}

impl Bins {
    /// The bucket of every row of a column.
    ///
    /// # Errors
    /// If the file is no table, the column is not there, a value is not a number where the bins are
    /// intervals, falls into no bin and that is refused, or is a text that cannot be seen; if only one
    /// distinct value occurs, or more than [`MAX_BINS`]; or if there is nothing `outside` of such bins.
    pub fn apply(
        &self,
        table: Table<'_>,
        column: &str,
        outside: Outside,
    ) -> Result<Labelled, DataError> {
        match (self, outside) {
            (Self::Equal { low, width, count }, _) => {
                by_interval(table, column, (low, width, *count), outside)
            }
            (Self::Values(values), Outside::Refuse | Outside::Count) => {
                by_value(table, column, values, outside)
            }
            (Self::Values(values), Outside::Clamp) => {
                let accepted = "LOW..HIGH/WIDTH: other bins have no nearest to clamp a value to";
                Err(ParameterError::new("bins", listed(values, ","), accepted).into())
            }
            (Self::Distinct, Outside::Refuse) => distinct(table, column),
            (Self::Distinct, Outside::Clamp | Outside::Count) => {
                let accepted = "declared bins: no value falls outside of those that occur";
                Err(ParameterError::new("bins", "distinct", accepted).into())
            }
        }
    }
}

/// A bucket for each interval, and if asked for one below and one above all of them.
fn by_interval(
    table: Table<'_>,
    column: &str,
    (low, width, count): (&Rational, &Rational, usize),
    outside: Outside,
) -> Result<Labelled, DataError> {
    let end =
        |place: usize| low + &(width * &Rational::from(u64::try_from(place).unwrap_or(u64::MAX)));
    let high = end(count);
    let first = usize::from(outside == Outside::Count);
    let bucket = |text: Option<&str>| {
        let value = text.map_or_else(|| Ok(Rational::zero()), number)?;
        let place = (&value - low).checked_div(width);
        let place = place.and_then(|place| place.floor().to_usize());
        if let Some(place) = place.filter(|place| *place < count) {
            return Ok(bucket_of(place + first));
        }
        if text.is_none() && outside != Outside::Count {
            return Err(missing::no_zero());
        }
        let is_below = value < *low;
        match outside {
            Outside::Refuse => {
                let accepted = format!("a number from {low} up to but not including {high}");
                Err(ParameterError::new("value", &value, accepted))
            }
            Outside::Count if is_below => Ok(bucket_of(0)),
            Outside::Count => Ok(bucket_of(count + 1)),
            Outside::Clamp if is_below => Ok((0, below())),
            Outside::Clamp => Ok((bucket_of(count - 1).0, above())),
        }
    };
    let ends: Vec<String> = (0..=count).map(|place| end(place).to_string()).collect();
    let labels = ends.windows(2).map(|ends| ends.join(".."));
    let labels = match outside {
        Outside::Count => std::iter::once(format!("below {low}"))
            .chain(labels)
            .chain([format!("{high} and above")])
            .collect(),
        Outside::Refuse | Outside::Clamp => labels.collect(),
    };
    labelled(table, column, labels, bucket)
}

/// A bucket for each of the values, and if asked for one of all others.
fn by_value(
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
    let places: HashMap<&Code, usize> = values.iter().zip(0..).collect();
    let bucket = |text: Option<&str>| {
        let value = text.map_or_else(|| Code::Number(Rational::zero()), Code::of);
        match (places.get(&value), text) {
            (Some(place), _) => Ok(bucket_of(*place)),
            (None, None) => Err(missing::no_zero()),
            (None, Some(text)) if outside == Outside::Count && !missing::is_marker(text) => {
                Ok(bucket_of(values.len()))
            }
            (None, Some(text)) => {
                let accepted = format!("one of {}", listed(values, ", "));
                Err(ParameterError::new("value", text, accepted))
            }
        }
    };
    labelled(table, column, labels, bucket)
}

/// A bucket for each value that occurs: of numbers in ascending order, then of texts in that of their
/// characters.
fn distinct(table: Table<'_>, column: &str) -> Result<Labelled, DataError> {
    let mut seen: BTreeMap<Code, usize> = BTreeMap::new();
    let bucket = |text: Option<&str>| {
        let value = match text {
            Some(text) if missing::is_marker(text) => return Err(missing::refused(text)),
            Some(text) => Code::of(text),
            None => Code::Number(Rational::zero()),
        };
        if let Some(place) = seen.get(&value) {
            return Ok(bucket_of(*place));
        }
        let place = seen.len();
        if place == MAX_BINS {
            let accepted = format!("at most {MAX_BINS} distinct values");
            return Err(ParameterError::new("value", value, accepted));
        }
        seen.insert(value.visible()?, place);
        Ok(bucket_of(place))
    };
    let data = labelled(table, column, Vec::new(), bucket)?;
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
        measurements: data.measurements.renumbered(&places),
        reading: data.reading,
    })
}

/// The buckets of a column.
fn labelled(
    table: Table<'_>,
    column: &str,
    labels: Vec<String>,
    bucket: impl FnMut(Option<&str>) -> Result<Placed, ParameterError>,
) -> Result<Labelled, DataError> {
    let (measurements, reading, _) = table.read(&[column.to_owned()], Kind::Buckets, bucket)?;
    Ok(Labelled { labels, measurements, reading })
}

/// A value within the bins.
fn bucket_of(place: usize) -> Placed {
    (u128::try_from(place).unwrap_or(u128::MAX), Distortion::default())
}
