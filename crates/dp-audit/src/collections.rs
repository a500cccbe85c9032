//! Collections in a file.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use dp_exact::ParameterError;

use crate::Error;
use crate::conformance::Collected;

/// The first line of the file.
const HEADER: &str = "batch,attempt,reports,truth,released";

/// That of a file which says how many measurements were submitted.
const WITH_SUBMITTED: &str = "batch,attempt,reports,submitted,truth,released";

impl Collected {
    /// Reads collections from CSV without quotes, whose first line is `batch,attempt,reports,truth,released`. Each further
    /// line is a total, those of one answer in their order and one below the other:
    ///
    /// ```
    /// use dp_audit::Collected;
    ///
    /// let collections = Collected::read("\
    /// batch,attempt,reports,truth,released
    /// monday,1,5,2,4.0
    /// monday,1,5,3,1.0
    /// tuesday,1,5,2,-1.0
    /// tuesday,1,5,3,2.0
    /// ")?;
    /// assert_eq!(collections.len(), 2);
    /// assert_eq!(collections[1].truths, [2, 3]);
    /// assert_eq!(collections[1].released, [-1.0, 2.0]);
    /// # Ok::<(), dp_audit::Error>(())
    /// ```
    ///
    /// Where reports are dropped for their weight, a column `submitted` after `reports` says how many measurements there
    /// were, whose totals the truths are.
    ///
    /// # Errors
    /// The first line that is none of these, by its number; where a batch and attempt begin that stand above already, or
    /// another attempt of a batch with other truths; no line at all after the first.
    pub fn read(text: &str) -> Result<Vec<Self>, Error> {
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default();
        let has_submitted = header == WITH_SUBMITTED;
        if header != HEADER && !has_submitted {
            return Err(ParameterError::new("line 1", header, HEADER).into());
        }
        let mut collections: Vec<Self> = Vec::new();
        for (number, line) in (2..).zip(lines) {
            let of_line = Line::read(number, line, has_submitted)?;
            let fits = |last: &&mut Self| {
                last.batch == of_line.batch
                    && last.attempt == of_line.attempt
                    && last.reports == of_line.reports
                    && last.submitted == of_line.submitted
            };
            match collections.last_mut().filter(fits) {
                Some(last) => {
                    last.truths.push(of_line.truth);
                    last.released.push(of_line.released);
                }
                None => collections.push(Self {
                    batch: of_line.batch.to_owned(),
                    attempt: of_line.attempt,
                    reports: of_line.reports,
                    submitted: of_line.submitted,
                    truths: vec![of_line.truth],
                    released: vec![of_line.released],
                }),
            }
        }
        check(&collections)?;
        Ok(collections)
    }
}

/// That there is one, and that those of a batch are attempts to collect the same measurements.
fn check(collections: &[Collected]) -> Result<(), ParameterError> {
    if collections.is_empty() {
        return Err(ParameterError::new("line 2", "missing", "a total"));
    }
    let mut first_of: HashMap<&str, &Collected> = HashMap::new();
    let mut attempts = HashSet::new();
    let mut line = 2;
    for collected in collections {
        let wrong = |accepted| {
            let of = format!("batch {}, attempt {}", collected.batch, collected.attempt);
            ParameterError::new(format!("line {line}"), of, accepted)
        };
        if !attempts.insert((collected.batch.as_str(), collected.attempt)) {
            return Err(wrong("a batch and attempt whose totals do not stand above"));
        }
        let first = *first_of.entry(&collected.batch).or_insert(collected);
        let measured = |of: &Collected| (of.submitted, of.truths.clone());
        if measured(first) != measured(collected) {
            return Err(wrong("the truths of the batch's first attempt above"));
        }
        line += collected.truths.len();
    }
    Ok(())
}

/// A total.
struct Line<'a> {
    batch: &'a str,
    attempt: u32,
    reports: u64,
    submitted: u64,
    truth: i64,
    released: f64,
}

impl<'a> Line<'a> {
    fn read(number: u64, line: &'a str, has_submitted: bool) -> Result<Self, ParameterError> {
        let wrong =
            |accepted: &'static str| ParameterError::new(format!("line {number}"), line, accepted);
        let values: Vec<&str> = line.split(',').collect();
        let (batch, attempt, reports, submitted, truth, released) =
            match (&values[..], has_submitted) {
                (&[batch, attempt, reports, truth, released], false) => {
                    (batch, attempt, reports, reports, truth, released)
                }
                (&[batch, attempt, reports, submitted, truth, released], true) => {
                    (batch, attempt, reports, submitted, truth, released)
                }
                (_, false) => return Err(wrong("five values")),
                (_, true) => return Err(wrong("six values")),
            };
        if batch.trim().is_empty() {
            return Err(wrong("a batch that has a name"));
        }
        let released: Option<f64> = parsed(released).filter(|value: &f64| value.is_finite());
        Ok(Self {
            batch,
            attempt: parsed(attempt)
                .filter(|attempt| *attempt > 0)
                .ok_or_else(|| wrong("an attempt, an integer from 1 to 4294967295"))?,
            reports: parsed(reports)
                .ok_or_else(|| wrong("a number of reports, an integer below 2^64"))?,
            submitted: parsed(submitted)
                .ok_or_else(|| wrong("a number of measurements, an integer below 2^64"))?,
            truth: parsed(truth)
                .ok_or_else(|| wrong("a true total, an integer of at most 63 bits"))?,
            released: released.ok_or_else(|| wrong("a released value, a number"))?,
        })
    }
}

fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_line_is_named() {
        let refused = |text: &str| Collected::read(text).expect_err("refused").to_string();
        assert!(refused("").starts_with("line 1"));
        assert!(refused("batch,truth\n").starts_with("line 1"));
        for line in [
            "a,1,5,2",
            "a,1,5,2,3,4",
            "a,0,5,2,3",
            "a,1,-5,2,3",
            "a,1,5,x,3",
            "a,1,5,2.0,3",
            "a,1,5,1e1,3",
            "a,1,5,9223372036854775808,3",
            "a,1,18446744073709551616,2,3",
            "a,4294967296,5,2,3",
            "a,1,5.0,2,3",
            "a,1,5,2,inf",
            "a,1,5,2,NaN",
            "a,1,5,2,1e999",
            ",1,5,2,3",
            " ,1,5,2,3",
            "",
        ] {
            let text = format!("{HEADER}\nb,1,5,2,3\n{line}\n");
            assert!(
                refused(&text).starts_with("line 3"),
                "{line}: {}",
                refused(&text)
            );
        }
    }

    #[test]
    fn submitted_measurements_have_a_column_of_their_own() {
        let text = format!("{WITH_SUBMITTED}\na,1,5,7,2,3\na,1,5,7,2,4\n");
        let collections = Collected::read(&text).expect("collections");
        assert_eq!(collections.len(), 1);
        assert_eq!((collections[0].reports, collections[0].submitted), (5, 7));
        for line in ["a,1,5,2,3", "a,1,5,x,2,3"] {
            let refused = Collected::read(&format!("{WITH_SUBMITTED}\n{line}\n"));
            let refused = refused.expect_err("refused").to_string();
            assert!(refused.starts_with("line 2"), "{refused}");
        }
    }

    #[test]
    fn a_collection_stands_there_once() {
        let refused = |lines: &str| {
            let text = format!("{HEADER}\n{lines}");
            Collected::read(&text).expect_err("refused").to_string()
        };
        assert!(refused("").starts_with("line 2 is missing"));
        let twice = "line 4 is \"batch a, attempt 1\": expected a batch and attempt whose";
        let told = refused("a,1,5,2,3\nb,1,5,2,3\na,1,5,2,3\n");
        assert!(told.starts_with(twice), "{told}");
        assert!(refused("a,1,5,2,3\nb,1,5,2,3\na,1,6,2,3\n").starts_with(twice));
        let others = "line 4 is \"batch a, attempt 2\": expected the truths";
        assert!(refused("a,1,5,2,3\na,1,5,2,3\na,2,5,2,3\na,2,5,1,3\n").starts_with(others));
    }

    #[test]
    fn answers_are_told_apart_by_batch_and_attempt() {
        let text = format!("{HEADER}\na,1,5,2,3\na,1,5,2,4\na,2,5,2,3\na,2,5,2,4\n");
        let collections = Collected::read(&text).expect("collections");
        let attempts: Vec<u32> = collections
            .iter()
            .map(|collected| collected.attempt)
            .collect();
        assert_eq!(attempts, [1, 2]);
    }
}
