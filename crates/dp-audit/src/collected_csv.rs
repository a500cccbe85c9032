//! Collections in a CSV file.

use std::collections::{HashMap, HashSet};

use dp_exact::ParameterError;

use crate::Error;
use crate::conformance::Collected;
use crate::submissions::StatedTerms;

/// The first line of the file.
const HEADER: &str = "batch,attempt,reports,truth,released";

/// The first line of a file with the number of submitted measurements.
const WITH_SUBMITTED: &str = "batch,attempt,reports,submitted,truth,released";

impl Collected {
    /// Reads collections from CSV without quotes, whose first line is
    /// `batch,attempt,reports,truth,released`. Each further line is one total; the totals of an
    /// answer stand one below the other:
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
    /// If clients drop heavy reports, a column `submitted` after `reports` is the number of
    /// measurements, whose totals are the truths. After `released`, columns may have the names of
    /// fields of [`StatedTerms`].
    ///
    /// # Errors
    /// The first line that does not have this form, that repeats a batch and attempt, or whose
    /// attempt has other truths than the batch's first one; an empty file.
    pub fn read(text: &str) -> Result<Vec<Self>, Error> {
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let base = [WITH_SUBMITTED, HEADER].into_iter().find(|base| first.starts_with(base));
        let header = base.ok_or_else(|| ParameterError::new("line 1", first, HEADER))?;
        let stated: Vec<&str> = first[header.len()..].split(',').skip(1).collect();
        if stated.iter().any(|name| StatedTerms::default().set(name, "").is_none()) {
            let accepted =
                format!("{header}, and people, reports_of_a_person, aggregators or digest");
            return Err(ParameterError::new("line 1", first, accepted).into());
        }
        let mut collections: Vec<Self> = Vec::new();
        for (number, line) in (2..).zip(lines) {
            let total = Self::read_total(line, header == WITH_SUBMITTED, &stated).ok_or_else(|| {
                let accepted = format!(
                    "{first}: a name, an attempt from 1, integers, of which no truth has more than 63 bits, and a number"
                );
                ParameterError::new(format!("line {number}"), line, accepted)
            })?;
            let key = |one: &Self| {
                let Self { attempt, reports, submitted, .. } = *one;
                (one.batch.clone(), attempt, reports, submitted, one.stated.clone())
            };
            match collections.last_mut().filter(|last| key(last) == key(&total)) {
                Some(last) => {
                    last.truths.extend(total.truths);
                    last.released.extend(total.released);
                }
                None => collections.push(total),
            }
        }
        check(&collections)?;
        Ok(collections)
    }

    /// The collection with one total that a line of the file describes; `None` if the line has
    /// another form, an empty name, an attempt 0 or an infinite value. The last cells are those of
    /// the columns `names`.
    fn read_total(line: &str, has_submitted: bool, names: &[&str]) -> Option<Self> {
        let mut values: Vec<&str> = line.split(',').collect();
        let mut stated = StatedTerms::default();
        let cells = values.split_off(values.len().checked_sub(names.len())?);
        names.iter().zip(cells).try_for_each(|(name, cell)| stated.set(name, cell))?;
        if !has_submitted {
            let reports = *values.get(2)?;
            values.insert(3, reports);
        }
        let [batch, attempt, reports, submitted, truth, released] = values[..] else {
            return None;
        };
        let collected = Self {
            batch: batch.to_owned(),
            attempt: attempt.parse().ok()?,
            reports: reports.parse().ok()?,
            submitted: submitted.parse().ok()?,
            truths: vec![truth.parse().ok()?],
            released: vec![released.parse().ok()?],
            stated,
        };
        let is_valid =
            !batch.trim().is_empty() && collected.attempt > 0 && collected.released[0].is_finite();
        is_valid.then_some(collected)
    }
}

/// Checks that there is a collection, that no attempt is repeated, and that all attempts of a batch
/// have equal truths.
fn check(collections: &[Collected]) -> Result<(), ParameterError> {
    if collections.is_empty() {
        return Err(ParameterError::new("line 2", "missing", "a total"));
    }
    let mut batches: HashMap<&str, (&Collected, HashSet<u32>)> = HashMap::new();
    let mut line = 2;
    for collected in collections {
        let wrong = |accepted| {
            let of = format!("batch {}, attempt {}", collected.batch, collected.attempt);
            ParameterError::new(format!("line {line}"), of, accepted)
        };
        let (first, attempts) =
            batches.entry(&collected.batch).or_insert((collected, HashSet::new()));
        if !attempts.insert(collected.attempt) {
            return Err(wrong("a batch and attempt whose totals do not stand above"));
        }
        if (first.submitted, &first.truths) != (collected.submitted, &collected.truths) {
            return Err(wrong("the truths of the batch's first attempt above"));
        }
        line += collected.truths.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_line_is_named() {
        let refused = |header: &str, lines: &str| {
            let read = Collected::read(&format!("{header}\n{lines}"));
            read.expect_err(lines).to_string()
        };
        assert!(refused("batch,truth", "").starts_with("line 1"));
        assert!(refused(HEADER, "").starts_with("line 2 is missing"));
        for line in [
            "a,1,5,2",
            "a,1,5,2,3,4",
            "a,0,5,2,3",
            "a,1,-5,2,3",
            "a,1,5,2,inf",
            " ,1,5,2,3",
            "",
            "a,1,5,9223372036854775808,3",
        ] {
            let line = refused(HEADER, &format!("b,1,5,2,3\n{line}\n"));
            assert!(line.starts_with("line 3"), "{line}");
        }
        assert!(refused(WITH_SUBMITTED, "a,1,5,2,3").starts_with("line 2"));
        let twice = "line 4 is \"batch a, attempt 1\": expected a batch and attempt whose";
        assert!(refused(HEADER, "a,1,5,2,3\nb,1,5,2,3\na,1,5,2,3\n").starts_with(twice));
        let others = "line 4 is \"batch a, attempt 2\": expected the truths";
        assert!(refused(HEADER, "a,1,5,2,3\na,1,5,2,3\na,2,5,1,3\n").starts_with(others));
        assert!(refused(&format!("{HEADER},operators"), "").starts_with("line 1"));
        assert!(refused(&format!("{HEADER},aggregators"), "a,1,5,2,3,two").starts_with("line 2"));
        let text =
            format!("{WITH_SUBMITTED}\na,1,5,7,2,3\na,1,5,7,2,4\na,2,5,7,2,3\na,2,5,7,2,4\n");
        let collections = Collected::read(&text).expect("collections");
        let of = |one: &Collected| (one.attempt, one.reports, one.submitted, one.truths.len());
        assert_eq!(collections.iter().map(of).collect::<Vec<_>>(), [(1, 5, 7, 2), (2, 5, 7, 2)]);
    }
}
