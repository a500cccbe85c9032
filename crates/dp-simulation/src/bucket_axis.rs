//! The order of buckets on a line, read from their labels.

use std::ops::Range;

use dp_exact::{ParameterError, Rational};

/// The most labels of buckets that are listed in an error.
const LISTED: usize = 6;

/// Buckets in ascending order, in the unit of the data.
///
/// ```
/// use dp_simulation::BucketAxis;
///
/// let labels = ["140..150", "150..160", "160..170"].map(str::to_owned);
/// let axis = BucketAxis::of(&labels)?;
/// assert_eq!(axis.range("150..170")?, 1..3);
/// assert_eq!(axis.words(0, 1), "140..160");
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BucketAxis<'a> {
    labels: &'a [String],
    positions: BucketPositions,
}

#[derive(Clone, Debug)]
enum BucketPositions {
    /// The ends of consecutive intervals, one more than buckets; `None` beyond the first or last
    /// end.
    Ends(Vec<Option<Rational>>),
    /// The value of each bucket, ascending.
    Values(Vec<Rational>),
}

impl<'a> BucketAxis<'a> {
    /// The order of buckets with these labels: consecutive intervals such as `140..145`, where the
    /// first may be `below 140` and the last `200 and above`; or ascending numbers, also behind the
    /// word `bucket`.
    ///
    /// # Errors
    /// If the labels are others: then percentiles and ranges have no meaning.
    pub fn of(labels: &'a [String]) -> Result<Self, ParameterError> {
        let ends = || Some(BucketPositions::Ends(ends(labels)?));
        let positions = ends().or_else(|| Some(BucketPositions::Values(values(labels)?)));
        let positions = positions.ok_or_else(|| {
            let more = if labels.len() > LISTED { ", …" } else { "" };
            let listed = labels[..labels.len().min(LISTED)].join(", ");
            let accepted =
                "for percentiles and ranges buckets in ascending order: LOW..HIGH/WIDTH or numbers";
            ParameterError::new("bins", format!("{listed}{more}"), accepted)
        })?;
        Ok(Self { labels, positions })
    }

    /// The buckets from LOW up to, but not including, HIGH, from `LOW..HIGH` in the unit of the
    /// data; a missing end is open.
    ///
    /// # Errors
    /// If it is no such range, an end is no end of an interval, or there is no bucket in it.
    pub fn range(&self, text: &str) -> Result<Range<usize>, ParameterError> {
        let accepted = || {
            let (ends, what): (Vec<&Rational>, _) = match &self.positions {
                BucketPositions::Ends(ends) => (ends.iter().flatten().collect(), "ends of bins"),
                BucketPositions::Values(values) => (values.iter().collect(), "buckets"),
            };
            let [first, last] = [ends.first(), ends.last()]
                .map(|end| end.map(ToString::to_string).unwrap_or_default());
            format!(
                "LOW..HIGH with {what} from {first} to {last}, LOW the smaller; HIGH does not count, \
                 and is left out for all from LOW on"
            )
        };
        let refused = || ParameterError::new("between", text, accepted());
        let (low, high) = text.split_once("..").ok_or_else(refused)?;
        let position = |end: &str, open: usize| {
            if end.trim().is_empty() {
                return Ok(open);
            }
            let end: Rational = end.trim().parse().map_err(|_| refused())?;
            let found = match &self.positions {
                BucketPositions::Ends(ends) => {
                    ends.iter().position(|one| one.as_ref() == Some(&end))
                }
                BucketPositions::Values(values) => {
                    // One beyond the last bucket, for all of them.
                    let beyond = values.last().map(|last| last + &Rational::one());
                    values.iter().chain(&beyond).position(|value| *value == end)
                }
            };
            found.ok_or_else(refused)
        };
        let range = position(low, 0)?..position(high, self.labels.len())?;
        if range.is_empty() { Err(refused()) } else { Ok(range) }
    }

    /// The buckets from `lowest` to `highest`, both included, in the unit of the data.
    #[must_use]
    pub fn words(&self, lowest: usize, highest: usize) -> String {
        let label = |bucket: usize| self.labels.get(bucket).map_or("", String::as_str);
        if lowest == highest {
            return label(lowest).to_owned();
        }
        let BucketPositions::Ends(ends) = &self.positions else {
            return format!("{} to {}", label(lowest), label(highest));
        };
        let end = |position: usize| ends.get(position).and_then(Option::as_ref);
        match (end(lowest), end(highest + 1)) {
            (Some(low), Some(high)) => format!("{low}..{high}"),
            (None, Some(high)) => format!("below {high}"),
            (Some(low), None) => format!("{low} and above"),
            (None, None) => "any value".to_owned(),
        }
    }

    /// Where the reports of the buckets up to `bucket` end on the axis, as a float: the upper end
    /// of its interval, or its value. An open interval ends one width of its neighbour beyond it.
    #[must_use]
    pub fn end(&self, bucket: usize) -> f64 {
        let at = |positions: &[Option<Rational>], position: usize| {
            positions.get(position).and_then(Option::as_ref).map(Rational::to_f64)
        };
        match &self.positions {
            BucketPositions::Values(values) => {
                values.get(bucket).map_or(f64::NAN, Rational::to_f64)
            }
            BucketPositions::Ends(ends) => match (at(ends, bucket + 1), at(ends, bucket)) {
                (Some(end), _) => end,
                (None, Some(last)) => {
                    let before = bucket.checked_sub(1).and_then(|before| at(ends, before));
                    last + before.map_or(1.0, |before| last - before)
                }
                (None, None) => f64::NAN,
            },
        }
    }
}

/// The ends of consecutive intervals; `None` for other labels.
fn ends(labels: &[String]) -> Option<Vec<Option<Rational>>> {
    let number = |text: &str| text.parse::<Rational>().ok();
    let interval = |label: &String| {
        if let Some((low, high)) = label.split_once("..") {
            return Some((Some(number(low)?), Some(number(high)?)));
        }
        match label.strip_prefix("below ") {
            Some(high) => Some((None, Some(number(high)?))),
            None => Some((Some(number(label.strip_suffix(" and above")?)?), None)),
        }
    };
    let intervals = labels.iter().map(interval).collect::<Option<Vec<_>>>()?;
    let ascend = |(low, high): &(Option<Rational>, Option<Rational>)| match (low, high) {
        (Some(low), Some(high)) => low < high,
        _ => true,
    };
    let are_adjacent =
        intervals.windows(2).all(|pair| pair[0].1.is_some() && pair[0].1 == pair[1].0);
    let are_consecutive = intervals.len() > 1 && are_adjacent && intervals.iter().all(ascend);
    let first = intervals.first()?.0.clone();
    let highs = intervals.into_iter().map(|(_, high)| high);
    are_consecutive.then(|| std::iter::once(first).chain(highs).collect())
}

/// The values of buckets whose labels are ascending numbers; `None` for other labels.
fn values(labels: &[String]) -> Option<Vec<Rational>> {
    let value = |label: &String| label.strip_prefix("bucket ").unwrap_or(label).parse().ok();
    let values = labels.iter().map(value).collect::<Option<Vec<Rational>>>()?;
    (values.len() > 1 && values.windows(2).all(|pair| pair[0] < pair[1])).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(labels: &[&str]) -> Vec<String> {
        labels.iter().map(|label| (*label).to_owned()).collect()
    }

    #[test]
    fn intervals_and_numbers_have_an_order_and_other_labels_have_none() {
        for ordered in [
            &["140..145", "145..150.5"][..],
            &["below 1/3", "1/3..2/3", "2/3..1", "1 and above"],
            &["0", "1", "2.5", "10"],
            &["bucket 0", "bucket 1"],
        ] {
            assert!(BucketAxis::of(&labels(ordered)).is_ok(), "{ordered:?}");
        }
        for other in [
            &["ios", "android"][..],
            &["1", "0"],
            &["0..1", "2..3"],
            &["0..1", "1..1"],
            &["0 and above", "1 and above"],
            &["0..1", "below 2"],
            &["7"],
        ] {
            let refused = BucketAxis::of(&labels(other)).expect_err("no order").to_string();
            assert!(refused.contains(&other.join(", ")), "{refused}");
        }
    }

    #[test]
    fn ranges_are_of_whole_buckets_in_the_unit_of_the_data() {
        let intervals = labels(&["below 140", "140..145", "145..150", "150 and above"]);
        let axis = BucketAxis::of(&intervals).expect("ordered");
        for (text, range) in [
            ("140..150", 1..3),
            ("140..", 1..4),
            ("..145", 0..2),
            (" 145 .. 150 ", 2..3),
            ("..", 0..4),
        ] {
            assert_eq!(axis.range(text), Ok(range), "{text}");
        }
        for wrong in ["140", "141..150", "150..140", "140..140", "a..b", "..140..", "150..150"] {
            let refused = axis.range(wrong).expect_err("no range").to_string();
            assert!(refused.contains("ends of bins from 140 to 150"), "{refused}");
        }
        let words =
            [(0, 0), (0, 2), (1, 2), (2, 3), (0, 3)].map(|(low, high)| axis.words(low, high));
        assert_eq!(words, ["below 140", "below 150", "140..150", "145 and above", "any value"]);
        assert_eq!([0, 1, 2, 3].map(|bucket| axis.end(bucket)), [140.0, 145.0, 150.0, 155.0]);

        let numbers = labels(&["0", "1", "5", "20"]);
        let axis = BucketAxis::of(&numbers).expect("ordered");
        assert_eq!([axis.range("1..20"), axis.range("1..21")], [Ok(1..3), Ok(1..4)]);
        assert!(["2..5", "1..22", "21.."].iter().all(|wrong| axis.range(wrong).is_err()));
        assert_eq!((axis.words(1, 3), axis.words(2, 2)), ("1 to 20".to_owned(), "5".to_owned()));
    }
}
