//! Collections in a file.

use std::collections::{HashMap, HashSet};

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
        let values: Vec<&str> = line.split(',').collect();
        let read = match (values.as_slice(), has_submitted) {
            (&[batch, attempt, reports, truth, released], false) => {
                Self::of(batch, attempt, [reports, reports], truth, released)
            }
            (&[batch, attempt, reports, submitted, truth, released], true) => {
                Self::of(batch, attempt, [reports, submitted], truth, released)
            }
            _ => None,
        };
        read.ok_or_else(|| {
            let columns = if has_submitted { WITH_SUBMITTED } else { HEADER };
            let accepted = format!(
                "{columns}: a name, an attempt from 1, integers, of which no truth has more than 63 bits, and a number"
            );
            ParameterError::new(format!("line {number}"), line, accepted)
        })
    }

    fn of(
        batch: &'a str,
        attempt: &str,
        [reports, submitted]: [&str; 2],
        truth: &str,
        released: &str,
    ) -> Option<Self> {
        let line = Self {
            batch,
            attempt: attempt.parse().ok()?,
            reports: reports.parse().ok()?,
            submitted: submitted.parse().ok()?,
            truth: truth.parse().ok()?,
            released: released.parse().ok()?,
        };
        let is_one = !batch.trim().is_empty() && line.attempt > 0 && line.released.is_finite();
        is_one.then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(header: &str, lines: &str) -> String {
        let read = Collected::read(&format!("{header}\n{lines}"));
        read.expect_err(lines).to_string()
    }

    #[test]
    fn a_wrong_line_is_named() {
        assert!(refused("batch,truth", "").starts_with("line 1"));
        assert!(refused(HEADER, "").starts_with("line 2 is missing"));
        for line in [
            "a,1,5,2",
            "a,1,5,2,3,4",
            "a,0,5,2,3",
            "a,1,-5,2,3",
            "a,1,5,2.0,3",
            "a,1,5,2,inf",
            " ,1,5,2,3",
            "",
            "a,1,5,9223372036854775808,3",
            "a,1,18446744073709551616,2,3",
        ] {
            let line = refused(HEADER, &format!("b,1,5,2,3\n{line}\n"));
            assert!(line.starts_with("line 3"), "{line}");
        }
        assert!(refused(WITH_SUBMITTED, "a,1,5,2,3").starts_with("line 2"));
        let twice = "line 4 is \"batch a, attempt 1\": expected a batch and attempt whose";
        assert!(refused(HEADER, "a,1,5,2,3\nb,1,5,2,3\na,1,5,2,3\n").starts_with(twice));
        let others = "line 4 is \"batch a, attempt 2\": expected the truths";
        assert!(refused(HEADER, "a,1,5,2,3\na,1,5,2,3\na,2,5,1,3\n").starts_with(others));
    }

    #[test]
    fn answers_are_told_apart_by_batch_and_attempt() {
        let text =
            format!("{WITH_SUBMITTED}\na,1,5,7,2,3\na,1,5,7,2,4\na,2,5,7,2,3\na,2,5,7,2,4\n");
        let collections = Collected::read(&text).expect("collections");
        let of =
            |collected: &Collected| (collected.attempt, collected.reports, collected.submitted);
        assert_eq!(collections.iter().map(of).collect::<Vec<_>>(), [(1, 5, 7), (2, 5, 7)]);
    }
}
