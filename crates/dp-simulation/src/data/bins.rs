//! Bins: which bucket of a histogram a value falls into.

mod placing;

use std::str::FromStr;

use dp_exact::{ParameterError, Rational};
use num_traits::ToPrimitive as _;

use super::code::listed;
use super::{Code, DataError, Labelled, Table};

/// The most bins that are made.
pub const MAX_BINS: usize = 1_000_000;

/// The most bits in what the labels of all bins say, of a number in its numerator and denominator and of
/// a text in its bytes: 2^26, so 67 for each of [`MAX_BINS`]. It bounds the labels' text and the time to
/// make them.
pub const MAX_LABEL_BITS: u64 = 1 << 26;

const ACCEPTED: &str = "LOW..HIGH/WIDTH such as 140..200/5, at least two values such as 0,1,2 or \
                        ios,android, or the word distinct";

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
            return Self::values(text);
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
    fn values(text: &str) -> Result<Self, ParameterError> {
        let codes = Code::list("bins", text)?;
        let bits = codes.iter().map(Code::bits).fold(0, u64::saturating_add);
        if codes.len() < 2 || codes.len() > MAX_BINS || bits > MAX_LABEL_BITS {
            return Err(ParameterError::new("bins", text, ACCEPTED));
        }
        Ok(Self::Values(codes))
    }

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
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        count.saturating_mul(bits) > MAX_LABEL_BITS
    }

    /// The bucket of every row of a column.
    ///
    /// # Errors
    /// If the file is no table, the column is not there, a value is not a number where the bins are
    /// intervals, falls into no bin and that is refused, or is a text that cannot be seen; if only one
    /// distinct value occurs, or more of them than [`MAX_BINS`] and [`MAX_LABEL_BITS`] allow; or if
    /// there is nothing `outside` of such bins.
    pub fn apply(
        &self,
        table: Table<'_>,
        column: &str,
        outside: Outside,
    ) -> Result<Labelled, DataError> {
        match (self, outside) {
            (Self::Equal { low, width, count }, _) => {
                placing::by_interval(table, column, (low, width, *count), outside)
            }
            (Self::Values(values), Outside::Refuse | Outside::Count) => {
                placing::by_value(table, column, values, outside)
            }
            (Self::Values(values), Outside::Clamp) => {
                let accepted = "LOW..HIGH/WIDTH: other bins have no nearest to clamp a value to";
                Err(ParameterError::new("bins", listed(values, ","), accepted).into())
            }
            (Self::Distinct, Outside::Refuse) => placing::distinct(table, column),
            (Self::Distinct, Outside::Clamp | Outside::Count) => {
                let accepted = "declared bins: no value falls outside of those that occur";
                Err(ParameterError::new("bins", "distinct", accepted).into())
            }
        }
    }
}
