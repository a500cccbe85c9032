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
    /// Where the buckets begin, and where the last one ends; `None` beyond the first or last end.
    ends: Vec<Option<Rational>>,
    /// Whether buckets are intervals between these ends, not the values at which they begin.
    are_intervals: bool,
}

impl<'a> BucketAxis<'a> {
    /// The order of buckets with these labels: consecutive intervals such as `140..145`, where the
    /// first may be `below 140` and the last `200 and above`; or ascending numbers, also behind the
    /// word `bucket`.
    ///
    /// # Errors
    /// If the labels are others: then percentiles and ranges have no meaning.
    pub fn of(labels: &'a [String]) -> Result<Self, ParameterError> {
        let intervals = intervals(labels);
        let are_intervals = intervals.is_some();
        let ends = intervals.or_else(|| values(labels)).ok_or_else(|| {
            let more = if labels.len() > LISTED { ", …" } else { "" };
            let listed = labels[..labels.len().min(LISTED)].join(", ");
            let accepted =
                "for percentiles and ranges buckets in ascending order: LOW..HIGH/WIDTH or numbers";
            ParameterError::new("bins", format!("{listed}{more}"), accepted)
        })?;
        Ok(Self { labels, ends, are_intervals })
    }

    /// The buckets from LOW up to, but not including, HIGH, from `LOW..HIGH` in the unit of the
    /// data; a missing end is open.
    ///
    /// # Errors
    /// If it is no such range, an end is no end of an interval, or there is no bucket in it.
    pub fn range(&self, text: &str) -> Result<Range<usize>, ParameterError> {
        let refused = || {
            let what = if self.are_intervals { "ends of bins" } else { "buckets" };
            let mut ends = self.ends.iter().flatten().map(Rational::to_string);
            let (first, last) =
                (ends.next().unwrap_or_default(), ends.next_back().unwrap_or_default());
            let accepted = format!(
                "LOW..HIGH with {what} from {first} to {last}, LOW the smaller; HIGH does not count, \
                 and is left out for all from LOW on"
            );
            ParameterError::new("between", text, accepted)
        };
        let (low, high) = text.split_once("..").ok_or_else(refused)?;
        let position = |end: &str, open: usize| {
            if end.trim().is_empty() {
                return Ok(open);
            }
            let end = end.trim().parse().map_err(|_| refused())?;
            self.ends.iter().position(|one| one.as_ref() == Some(&end)).ok_or_else(refused)
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
        if !self.are_intervals {
            return format!("{} to {}", label(lowest), label(highest));
        }
        match (self.place(lowest), self.place(highest + 1)) {
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
        let at = |position| self.place(position).map(Rational::to_f64);
        match (at(bucket + usize::from(self.are_intervals)), at(bucket)) {
            (Some(end), _) => end,
            (None, Some(last)) => {
                let before = bucket.checked_sub(1).and_then(at);
                last + before.map_or(1.0, |before| last - before)
            }
            (None, None) => f64::NAN,
        }
    }

    /// The end at this position; `None` if it is open or there is none.
    fn place(&self, position: usize) -> Option<&Rational> {
        self.ends.get(position)?.as_ref()
    }
}

/// The ends of consecutive intervals, one more than labels, where an open end is `None`. `None` in
/// place of all if labels have another form, or there is only one.
fn intervals(labels: &[String]) -> Option<Vec<Option<Rational>>> {
    let number = |text: &str| text.parse::<Rational>().ok();
    let mut ends: Vec<Option<Rational>> = Vec::new();
    for label in labels {
        let (low, high) = match (label.split_once(".."), label.strip_prefix("below ")) {
            (Some((low, high)), _) => (Some(number(low)?), Some(number(high)?)),
            (None, Some(high)) => (None, Some(number(high)?)),
            (None, None) => (Some(number(label.strip_suffix(" and above")?)?), None),
        };
        if low.is_some() && high.is_some() && low >= high {
            return None;
        }
        match ends.last() {
            None => ends.push(low),
            Some(end) if low.is_some() && *end == low => {}
            Some(_) => return None,
        }
        ends.push(high);
    }
    (labels.len() > 1).then_some(ends)
}

/// The values of buckets whose labels are ascending numbers, and the last plus 1, all of them
/// `Some`. `None` in place of all if labels have another form, or there is only one.
fn values(labels: &[String]) -> Option<Vec<Option<Rational>>> {
    let value = |label: &String| label.strip_prefix("bucket ").unwrap_or(label).parse().ok();
    let mut values = labels.iter().map(value).collect::<Option<Vec<Rational>>>()?;
    let ascend = values.len() > 1 && values.windows(2).all(|pair| pair[0] < pair[1]);
    values.push(values.last()? + &Rational::one());
    ascend.then(|| values.into_iter().map(Some).collect())
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
        assert_eq!((axis.words(1, 3), axis.words(2, 2)), ("1 to 20".to_owned(), "5".to_owned()));
    }
}
