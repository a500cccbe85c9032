//! Bins: which bucket of a histogram a value falls into.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use dp_exact::{ParameterError, Rational};
use num_traits::ToPrimitive as _;

use super::columns::gathered;
use super::{DataError, Labelled, Table};
use crate::Measurements;
use crate::measurements::Kind;

/// The most bins that are made.
pub const MAX_BINS: usize = 1_000_000;

/// The most bits in the numerators and denominators of what the labels of all bins say: 2^26, so 67
/// for each of [`MAX_BINS`]. It bounds the labels' text and the time to make them.
pub const MAX_LABEL_BITS: u64 = 1 << 26;

const ACCEPTED: &str =
    "LOW..HIGH/WIDTH such as 140..200/5, at least two values such as 0,1,2, or the word distinct";

const TOO_LONG: &str = "their labels take at most 2^26 bits in all";

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
    Values(Vec<Rational>),
    /// One bucket for each value that occurs. **The set of values that occur is then published
    /// without protection**; declare the values where that matters.
    Distinct,
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
            let values = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
            let different = values.iter().collect::<BTreeSet<_>>().len();
            if values.len() < 2 || values.len() > MAX_BINS || different < values.len() {
                return Err(refused());
            }
            return Ok(Self::Values(values));
        };
        let (high, width) = rest.split_once('/').ok_or_else(refused)?;
        let (low, high, width) = (number(low)?, number(high)?, number(width)?);
        let bins = Self::equal(&low, &high, &width).ok_or_else(refused)?;
        let size = low.bits().max(high.bits()).saturating_add(width.bits());
        if bins.is_too_long(size) {
            let accepted = format!("fewer bins or shorter numbers: {TOO_LONG}");
            return Err(ParameterError::new("bins", text, accepted));
        }
        Ok(bins)
    }
}

impl Bins {
    /// Bins from `low` to `high`; `None` unless the width divides the range into two or more, and
    /// at most [`MAX_BINS`].
    fn equal(low: &Rational, high: &Rational, width: &Rational) -> Option<Self> {
        if !width.is_positive() {
            return None;
        }
        let count = (high - low).checked_div(width)?;
        let whole = count.is_integer().then(|| count.numerator().to_usize())??;
        (2..=MAX_BINS).contains(&whole).then(|| Self::Equal {
            low: low.clone(),
            width: width.clone(),
            count: whole,
        })
    }

    /// Whether the labels are too much text, if each has a number of so many bits.
    fn is_too_long(&self, bits: u64) -> bool {
        let count = match self {
            Self::Equal { count, .. } => *count,
            Self::Values(_) | Self::Distinct => 0,
        };
        as_u64(count).saturating_mul(bits) > MAX_LABEL_BITS
    }

    /// The bucket of every row of a column.
    ///
    /// # Errors
    /// If the file is no table, the column is not there, a value is not a number or falls into no bin,
    /// only one distinct value occurs, or more of them than [`MAX_BINS`] and [`MAX_LABEL_BITS`] allow.
    pub fn apply(&self, table: Table<'_>, column: &str) -> Result<Labelled, DataError> {
        match self {
            Self::Equal { low, width, count } => {
                let labels = equal_labels(low, width, *count);
                let bin = |value: &Rational| equal_bin(value, low, width, *count);
                let measurements = buckets(table, column, bin)?;
                Ok(Labelled {
                    labels,
                    measurements,
                })
            }
            Self::Values(values) => by_value(table, column, values),
            Self::Distinct => distinct(table, column),
        }
    }
}

/// Both ends of each bin.
fn equal_labels(low: &Rational, width: &Rational, count: usize) -> Vec<String> {
    let mut begin = low.to_string();
    let label = |place| {
        let end = (low + &(width * &Rational::from(as_u64(place)))).to_string();
        let label = format!("{begin}..{end}");
        begin = end;
        label
    };
    (1..=count).map(label).collect()
}

/// The bucket of each row.
fn buckets(
    table: Table<'_>,
    column: &str,
    bin: impl FnMut(&Rational) -> Result<usize, ParameterError>,
) -> Result<Measurements, DataError> {
    let columns = [column.to_owned()];
    let number = |bin| u128::try_from(bin).unwrap_or(u128::MAX);
    gathered(table, &columns, Kind::Buckets, bin, number)
}

fn equal_bin(
    value: &Rational,
    low: &Rational,
    width: &Rational,
    count: usize,
) -> Result<usize, ParameterError> {
    let place = (value - low).checked_div(width);
    let bin = place.and_then(|place| place.floor().to_usize());
    bin.filter(|bin| *bin < count).ok_or_else(|| {
        let high = low + &(width * &Rational::from(as_u64(count)));
        let accepted = format!("a number from {low} up to but not including {high}");
        ParameterError::new("value", value, accepted)
    })
}

fn by_value(table: Table<'_>, column: &str, values: &[Rational]) -> Result<Labelled, DataError> {
    let labels: Vec<String> = values.iter().map(Rational::to_string).collect();
    let mut order: Vec<(&Rational, usize)> = values.iter().zip(0..).collect();
    order.sort_unstable();
    let bin = |value: &Rational| {
        let found = order.binary_search_by(|(candidate, _)| (*candidate).cmp(value));
        found.map(|place| order[place].1).map_err(|_| {
            let listed: Vec<&str> = labels.iter().take(20).map(String::as_str).collect();
            ParameterError::new("value", value, format!("one of {}", listed.join(", ")))
        })
    };
    let measurements = buckets(table, column, bin)?;
    Ok(Labelled {
        labels,
        measurements,
    })
}

/// A bucket for each value that occurs, in ascending order.
fn distinct(table: Table<'_>, column: &str) -> Result<Labelled, DataError> {
    let mut seen: BTreeMap<Rational, usize> = BTreeMap::new();
    let mut bits = 0_u64;
    let measurements = buckets(table, column, |value| {
        if let Some(place) = seen.get(value) {
            return Ok(*place);
        }
        let place = seen.len();
        bits = bits.saturating_add(value.bits());
        if place == MAX_BINS || bits > MAX_LABEL_BITS {
            let accepted = format!("at most {MAX_BINS} distinct values: {TOO_LONG}");
            return Err(ParameterError::new("value", value, accepted));
        }
        seen.insert(value.clone(), place);
        Ok(place)
    })?;
    if seen.len() < 2 {
        let accepted = format!("at least two distinct values in {column}");
        return Err(ParameterError::new("bins", "distinct", accepted).into());
    }
    let mut places = vec![0; seen.len()];
    for (rank, place) in (0..).zip(seen.values()) {
        places[*place] = rank;
    }
    Ok(Labelled {
        labels: seen.keys().map(Rational::to_string).collect(),
        measurements: measurements.renumbered(&places),
    })
}

fn as_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
