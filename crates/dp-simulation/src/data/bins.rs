//! Bins: which bucket of a histogram a value falls into.

use std::collections::BTreeSet;
use std::str::FromStr;

use dp_exact::{ParameterError, Rational};
use num_traits::ToPrimitive as _;

use super::{DataError, Labelled, Table};

/// The most bins that are made.
pub const MAX_BINS: usize = 1_000_000;

const ACCEPTED: &str =
    "LOW..HIGH/WIDTH such as 140..200/5, at least two values such as 0,1,2, or the word distinct";

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
        Self::equal(&number(low)?, &number(high)?, &number(width)?).ok_or_else(refused)
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

    /// The bucket of every row of a column.
    ///
    /// # Errors
    /// If the column is not there, a value is not a number or falls into no bin, or only one
    /// distinct value occurs.
    pub fn apply(&self, table: &Table, column: &str) -> Result<Labelled<usize>, DataError> {
        match self {
            Self::Equal { low, width, count } => {
                let rows = table.numbers(column, |value| equal_bin(value, low, width, *count))?;
                let end = |i: usize| low + &(width * &Rational::from(as_u64(i)));
                let label = |i| format!("{}..{}", end(i), end(i + 1));
                let labels = (0..*count).map(label).collect();
                Ok(Labelled { labels, rows })
            }
            Self::Values(values) => by_value(table, column, values),
            Self::Distinct => {
                let values: BTreeSet<Rational> = table
                    .numbers(column, |value| Ok(value.clone()))?
                    .into_iter()
                    .collect();
                if values.len() < 2 {
                    let few = ParameterError::new(
                        "bins",
                        "distinct",
                        format!("at least two distinct values in {column}"),
                    );
                    return Err(few.into());
                }
                by_value(table, column, &values.into_iter().collect::<Vec<_>>())
            }
        }
    }
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

fn by_value(
    table: &Table,
    column: &str,
    values: &[Rational],
) -> Result<Labelled<usize>, DataError> {
    let mut order: Vec<(&Rational, usize)> = values.iter().zip(0..).collect();
    order.sort_unstable();
    let rows = table.numbers(column, |value| {
        let found = order.binary_search_by(|(candidate, _)| candidate.cmp(&value));
        found.map(|place| order[place].1).map_err(|_| {
            let listed: Vec<String> = values.iter().take(20).map(Rational::to_string).collect();
            ParameterError::new("value", value, format!("one of {}", listed.join(", ")))
        })
    })?;
    Ok(Labelled {
        labels: values.iter().map(Rational::to_string).collect(),
        rows,
    })
}

fn as_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
