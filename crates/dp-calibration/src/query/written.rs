//! A query as text: the name of its type, and the numbers that bound a measurement.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use dp_exact::{ParameterError, parse_integer};

use super::MAX_LENGTH;
use crate::Query;

/// The forms of a query as text, in an error.
const FORMS: &str = "count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH, \
    multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX";

/// ```
/// use dp_calibration::Query;
///
/// let query: Query = "sumvec:16:255".parse()?;
/// assert_eq!(query, Query::SumVec { length: 16, max_measurement: 255 });
/// assert_eq!(query.to_string(), "sumvec:16:255");
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
impl FromStr for Query {
    type Err = ParameterError;

    /// Reads `count`, `sum:MAX`, `average:MAX`, `sumvec:LENGTH:MAX`, `histogram:LENGTH`,
    /// `multihot:LENGTH:WEIGHT` or `l1boundsum:LENGTH:MAX`. Case, hyphens and underscores of a name
    /// do not count, nor does `Prio3` before it; `hist` is a histogram and `mean` an average. `Err`
    /// if the text has none of these forms, or a number in it is not accepted.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let mut words = text.trim().split(':');
        let name = words.next().expect("a text that is split has a first part");
        let numbers: Vec<&str> = words.collect();
        let max = |text| parse_integer("the largest measurement of a query", text, 1..=u128::MAX);
        let length = |text| parse_integer("the length of a query", text, 1..=MAX_LENGTH);
        let name = canonical(name);
        Ok(match (name.as_str(), numbers.as_slice()) {
            ("count", []) => Self::Count,
            ("sum", [largest]) => Self::Sum { max_measurement: max(largest)? },
            ("average", [largest]) => Self::Average { max_measurement: max(largest)? },
            ("sumvec", [entries, largest]) => {
                Self::SumVec { length: length(entries)?, max_measurement: max(largest)? }
            }
            ("histogram", [buckets]) => Self::Histogram { length: length(buckets)? },
            ("multihot", [bits, weight]) => {
                let length = length(bits)?;
                Self::MultihotCountVec {
                    length,
                    max_weight: parse_integer("the weight of a query", weight, 1..=length)?,
                }
            }
            ("l1boundsum", [entries, largest]) => {
                Self::L1BoundSum { length: length(entries)?, max_measurement: max(largest)? }
            }
            (name, _) => return Err(ParameterError::new("query", text, forms(name))),
        })
    }
}

/// The name of a type in one spelling: in lower case, without hyphens, `prio3` and synonyms.
fn canonical(name: &str) -> String {
    let letters = name.chars().filter(|letter| !matches!(letter, '-' | '_'));
    let name: String = letters.flat_map(char::to_lowercase).collect();
    let name = name.strip_prefix("prio3").unwrap_or(&name);
    match name {
        "hist" => "histogram",
        "mean" | "avg" => "average",
        "multihotcountvec" => "multihot",
        name => name,
    }
    .to_owned()
}

/// The accepted forms of a query, the form of `name` first.
fn forms(name: &str) -> String {
    let own = FORMS.split(", ").flat_map(|forms| forms.split(" or "));
    let own = own.filter(|form| form.split(':').next() == Some(name));
    match own.collect::<Vec<_>>().as_slice() {
        [own] => format!("{own}, or another of {FORMS}"),
        _ => FORMS.to_owned(),
    }
}

impl Display for Query {
    /// Writes the form that is read; `ranges:LENGTH:FAMILY` behind a strategy matrix.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count => formatter.write_str("count"),
            Self::Sum { max_measurement } => write!(formatter, "sum:{max_measurement}"),
            Self::Average { max_measurement } => write!(formatter, "average:{max_measurement}"),
            Self::SumVec { length, max_measurement } => {
                write!(formatter, "sumvec:{length}:{max_measurement}")
            }
            Self::Histogram { length } => write!(formatter, "histogram:{length}"),
            Self::HistogramRanges { length, family } => {
                write!(formatter, "ranges:{length}:{family}")
            }
            Self::MultihotCountVec { length, max_weight } => {
                write!(formatter, "multihot:{length}:{max_weight}")
            }
            Self::L1BoundSum { length, max_measurement } => {
                write!(formatter, "l1boundsum:{length}:{max_measurement}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read_as_people_write_them_and_written_in_one_form() {
        for (typed, written) in [
            ("Count", "count"),
            ("sum:80", "sum:80"),
            ("Mean:80", "average:80"),
            (
                "AVG:340282366920938463463374607431768211455",
                "average:340282366920938463463374607431768211455",
            ),
            ("sum-vec:16:255", "sumvec:16:255"),
            ("hist:1k", "histogram:1000"),
            ("Prio3Histogram:1e5", "histogram:100000"),
            ("Prio3MultihotCountVec:14:3", "multihot:14:3"),
            ("multi_hot:14:3", "multihot:14:3"),
            ("Prio3L1BoundSum:8:1_000", "l1boundsum:8:1000"),
        ] {
            let read = typed.parse::<Query>().expect(typed);
            assert_eq!(read.to_string(), written);
            assert_eq!(written.parse(), Ok(read));
        }
    }

    #[test]
    fn what_is_refused_names_the_number() {
        for (text, said) in [
            ("", "query is \"\": expected count, "),
            ("histogram", "query is histogram: expected histogram:LENGTH, or another of count, "),
            ("hist", "query is hist: expected histogram:LENGTH, or another of count, "),
            ("Mean", "query is Mean: expected average:MAX, or another of count, "),
            ("count:1", "query is count:1: expected count, or another of count, "),
            ("sumvec:3:4:5", "query is sumvec:3:4:5: "),
            ("sum:0", "the largest measurement of a query is 0: expected an integer from 1 to "),
            ("histogram:-1", "the length of a query is -1: "),
            (
                "histogram:1000001",
                "the length of a query is 1000001: expected an integer from 1 to 1000000",
            ),
            ("multihot:3:4", "the weight of a query is 4: expected an integer from 1 to 3"),
        ] {
            let refused = text.parse::<Query>().expect_err(text).to_string();
            assert!(refused.starts_with(said), "{refused}");
        }
    }
}
