//! The text that the program `collect` of the DAP implementation Janus prints (0.7.20 to 0.7.135).
//!
//! ```text
//! Batch: hnBcFvT2W7k1bVdPZr0yQm8sLxJgAoUeRiNtYqCwDzE
//! Number of reports: 1200
//! Interval start: 2026-03-01 00:00:00 UTC
//! Interval end: 2026-03-02 00:00:00 UTC
//! Interval length: 86400s
//! Aggregation result: 10
//! ```
//!
//! The first line is there for batches of a fixed size; `collect poll-job` prints `State: Ready`
//! before it. The result is an integer, or a list of integers in brackets: elements of the field,
//! in which a negative total is near the modulus.

use std::str::FromStr;

use dp_exact::{ParameterError, shown};

/// A collected batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectedBatch {
    /// The identifier of a batch of a fixed size, in Base64url; `None` for a time interval.
    pub batch: Option<String>,
    /// The number of reports.
    pub reports: u64,
    /// The beginning of the earliest and the end of the latest report's time precision bucket, as
    /// in RFC 3339: `2026-03-01T00:00:00Z`.
    pub interval: [String; 2],
    /// The totals as elements of the field.
    pub totals: Vec<u128>,
}

/// Why a text holds no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoResult {
    /// The collection job is not ready.
    #[error("the collection job is not ready: collect it later")]
    NotReady,
    /// The aggregators refuse the batch for its number of reports.
    #[error("the batch has no report, or fewer than the aggregators release")]
    TooFewReports,
    /// A job was created by its own, without a result.
    #[error("a collection job was created and not collected: poll it")]
    JobCreated,
    /// The program failed, with this line.
    #[error("collect failed: {0}")]
    Failed(String),
    /// A line is not as it should be: the text is cut, of another version, or something else.
    #[error(transparent)]
    Malformed(#[from] ParameterError),
}

impl CollectedBatch {
    /// The batches in a text of one or several results, one behind the other. Each `Err` stands for
    /// a batch without a result; a malformed line is the last one that is read. Indented lines, of
    /// a log or of the causes of an error, are passed over.
    ///
    /// ```
    /// let text = "Number of reports: 310\nInterval start: 2026-03-01 00:00:00 UTC\n\
    ///             Interval end: 2026-03-01 08:00:00 UTC\nInterval length: 28800s\n\
    ///             Aggregation result: [9, 340282366920938462946865773367900766205]\n";
    /// for batch in dp_prio3::CollectedBatch::read_all(text) {
    ///     assert_eq!(batch?.totals[0], 9);
    /// }
    /// # Ok::<(), dp_prio3::NoResult>(())
    /// ```
    pub fn read_all(text: &str) -> Vec<Result<Self, NoResult>> {
        let all = (1..).zip(text.split_inclusive('\n'));
        let all = all.filter(|(_, line)| !line.starts_with(char::is_whitespace)).collect();
        let mut lines = Lines { all, read: 0 };
        let mut batches = vec![Self::read(&mut lines)];
        let is_cut = |batches: &[_]| matches!(batches, [.., Err(NoResult::Malformed(_))]);
        while lines.read < lines.all.len() && !is_cut(&batches) {
            batches.push(Self::read(&mut lines));
        }
        batches
    }

    /// The batch in the next lines.
    fn read(lines: &mut Lines<'_>) -> Result<Self, NoResult> {
        if let Some(state) = lines.value_if("State").filter(|state| *state != "Ready") {
            lines.check(state == "Not ready", state, "Ready or Not ready")?;
            lines.value_if("Retry after");
            return Err(NoResult::NotReady);
        }
        if lines.value_if("Job ID").is_some() {
            return Err(NoResult::JobCreated);
        }
        if let Some(reason) = lines.value_if("Error") {
            let is_small = reason.contains("number of reports included in the batch is invalid");
            return Err(match is_small {
                true => NoResult::TooFewReports,
                false => NoResult::Failed(shown(reason)),
            });
        }
        let batch = lines.value_if("Batch").map(str::to_owned);
        if let Some(batch) = &batch {
            let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte);
            let is_identifier = !batch.is_empty() && batch.bytes().all(is_base64);
            lines.check(is_identifier, batch, "an identifier in Base64url")?;
        }
        let reports = lines.value("Number of reports")?;
        let reports = lines.integer(reports, "a number of reports")?;
        let start = lines.time("Interval start")?;
        let end = lines.time("Interval end")?;
        lines.check(start <= end, &end, "a time that is not before the start")?;
        let length = lines.value("Interval length")?;
        let seconds = length.strip_suffix('s').unwrap_or_default();
        lines.integer::<u64>(seconds, "a number of seconds, such as 28800s")?;
        let result = lines.value("Aggregation result")?;
        let list = result.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
        // A digit may be missing behind an integer whose line has no end.
        let is_whole = list.is_some() || lines.last().1.ends_with('\n');
        lines.check(is_whole, result, "an integer and a line end, or a list in brackets")?;
        let totals = list.unwrap_or(result).split(',').map(str::trim);
        let totals = totals.map(|total| lines.integer(total, "an integer from 0, below 2^128"));
        let totals = totals.collect::<Result<_, _>>()?;
        Ok(Self { batch, reports, interval: [start, end], totals })
    }
}

/// The lines of a text, without empty ones and indented ones.
struct Lines<'a> {
    /// The number of each line, from 1, and the line with its line end.
    all: Vec<(usize, &'a str)>,
    /// How many of them are read.
    read: usize,
}

impl<'a> Lines<'a> {
    /// The number and the text of the line that was read last.
    fn last(&self) -> (usize, &'a str) {
        self.read.checked_sub(1).map_or((0, ""), |last| self.all[last])
    }

    /// The value in the next line, if that is `name: value`; else `None`, and the line is not read.
    fn value_if(&mut self, name: &str) -> Option<&'a str> {
        let (_, line) = self.all.get(self.read)?;
        let value = line.trim().strip_prefix(name)?.strip_prefix(": ")?;
        self.read += 1;
        Some(value)
    }

    /// The value in the next line, which has to be `name: value`.
    fn value(&mut self, name: &str) -> Result<&'a str, ParameterError> {
        if let Some(value) = self.value_if(name) {
            return Ok(value);
        }
        let (number, line) = *self.all.get(self.read).unwrap_or(&(self.last().0 + 1, ""));
        let empty = ": collect printed nothing, and its error on standard error";
        let empty = if self.all.is_empty() { empty } else { "" };
        Err(ParameterError::new(format!("line {number}"), line, format!("{name}: VALUE{empty}")))
    }

    /// The time in the next line, `name: YYYY-MM-DD hh:mm:ss UTC`, as in RFC 3339.
    fn time(&mut self, name: &str) -> Result<String, ParameterError> {
        let value = self.value(name)?;
        let shape = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte };
        let is_time = value.bytes().map(shape).eq(*b"0000-00-00 00:00:00 UTC");
        self.check(is_time, value, "a time such as 2026-03-01 00:00:00 UTC")?;
        Ok(value.replacen(' ', "T", 1).replace(" UTC", "Z"))
    }

    /// The integer of these digits alone in the line that was read last.
    fn integer<T: FromStr>(&self, digits: &str, accepted: &str) -> Result<T, ParameterError> {
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| is_plain);
        number.ok_or_else(|| self.refused(digits, accepted))
    }

    /// `Err` about the `value` in the line that was read last, unless it `is_accepted`.
    fn check(&self, is_accepted: bool, value: &str, accepted: &str) -> Result<(), ParameterError> {
        if is_accepted { Ok(()) } else { Err(self.refused(value, accepted)) }
    }

    /// The refusal of a `value` in the line that was read last.
    fn refused(&self, value: &str, accepted: &str) -> ParameterError {
        ParameterError::new(format!("line {}", self.last().0), value, accepted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Batch: hnBcFv_T2-k\nNumber of reports: 46\nInterval start: 2026-11-28 08:00:00 UTC\n\
                        Interval end: 2026-11-28 16:00:00 UTC\nInterval length: 28800s\n\
                        Aggregation result: [49, 340282366920938462946865773367900766205]\n";

    #[test]
    fn results_are_read_one_behind_the_other_and_a_text_that_is_cut_anywhere_is_refused() {
        let (_, of_interval) = TEXT.split_once('\n').expect("lines");
        let both = format!("{TEXT}\n\n{of_interval}").replace('\n', "\r\n");
        let both: Vec<_> = CollectedBatch::read_all(&both).into_iter().flatten().collect();
        assert_eq!(both[1], CollectedBatch { batch: None, ..both[0].clone() });
        let failed =
            "State: Not ready\nError: number of reports included in the batch is invalid.\n";
        let ready = format!("{failed}\n    400\n  1970 INFO log\nState: Ready\n{TEXT}");
        let results = [Err(NoResult::NotReady), Err(NoResult::TooFewReports), Ok(both[0].clone())];
        assert_eq!(CollectedBatch::read_all(&ready), results);
        let number = format!("{}9000\n", &TEXT[..TEXT.rfind("[49").expect("a list")]);
        for (text, whole) in [(TEXT, TEXT.len() - 1), (&number, number.len())] {
            assert!(CollectedBatch::read_all(&text[..whole])[0].is_ok());
            for length in 0..whole {
                let refused = &CollectedBatch::read_all(&text[..length])[..];
                assert!(matches!(refused, [Err(NoResult::Malformed(_))]), "{}", &text[..length]);
            }
        }
        for (from, to, line) in [
            ("46", "4k", 2),
            ("16:00", "07:00", 4),
            ("28800s", "8h", 5),
            ("49", "-49", 6),
            ("205", "2055", 6),
        ] {
            let read = CollectedBatch::read_all(&TEXT.replacen(from, to, 1));
            let refused = read[0].as_ref().expect_err(to);
            assert!(refused.to_string().starts_with(&format!("line {line} is ")), "{refused}");
        }
    }
}
