//! Failures: one line with the parameter, its value and the accepted range, and an exit status.

use std::error::Error as _;
use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use dp_calibration::Refusal;
use dp_exact::{ParameterError, PrecisionError, escaped, shown};
use dp_files::FileError;
use dp_ledger::LedgerError;
use dp_prio3::NoResult;

use crate::has_colours;

/// What to do about a batch below the smallest one of its task.
pub(crate) const SMALL: &str = "collect more reports in one batch, and give the aggregators this smallest batch, as \
                                a smaller one is not to be released";

/// The most characters of a reported line. Quoted values are cut to fewer.
const LONGEST: usize = 4000;

/// The reason why a command gave no answer, or not all of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each says what failed")]
pub enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    File(#[from] FileError),
    /// A file cannot be used.
    #[error("{path}: {source}")]
    Content { path: String, source: Box<dyn std::error::Error + Send + Sync> },
    /// The text of a collector's program has no result.
    #[error("{path}: {reason}")]
    NoResult { path: String, reason: NoResult },
    /// A batch is smaller than the task's smallest one.
    #[error(
        "{path}: {reports} reports: expected at least {least}, batch.min_reports of {task}: {SMALL}"
    )]
    SmallBatch { path: String, reports: u64, least: u64, task: String },
    /// The audit gave its answer: it found a fault.
    #[error("{0}")]
    Fault(String),
    /// The plan gave its answer: no policy does the job.
    #[error("no policy does this job; the answer has the reason for each")]
    NoPolicy,
    /// The answer was computed, but not delivered in full.
    #[error(transparent)]
    Undelivered(#[from] Undelivered),
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

/// A part of the answer is lost: the first error of standard output and the first error of a file.
#[derive(Debug, Default)]
pub struct Undelivered {
    pub(crate) stdout: Option<io::Error>,
    pub(crate) file: Option<FileError>,
}

impl Undelivered {
    /// Whether a pipe that its reader closed, as `head` does, is the only error.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.file.is_none() && self.stdout.as_ref().is_some_and(is_closed_pipe)
    }
}

/// Whether this is the error of writing to a pipe whose reader has gone.
fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

impl From<io::Error> for Undelivered {
    fn from(error: io::Error) -> Self {
        Self { stdout: Some(error), file: None }
    }
}

impl Display for Undelivered {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match (&self.stdout, &self.file) {
            (Some(stdout), Some(file)) if !is_closed_pipe(stdout) => {
                write!(formatter, "standard output: {stdout}; {file}")
            }
            (_, Some(file)) => file.fmt(formatter),
            (Some(stdout), None) => write!(formatter, "standard output: {stdout}"),
            (None, None) => Ok(()),
        }
    }
}

impl std::error::Error for Undelivered {}

/// Each of these errors is a failure by its own words.
macro_rules! failures {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::other(error)
            }
        })*
    };
}

failures!(
    ParameterError,
    PrecisionError,
    Refusal,
    dp_audit::Error,
    dp_calibration::Error,
    LedgerError,
    dp_planner::Error,
    dp_prio3::Error,
    dp_prio3::spending::SpendingError,
    dp_report::statement::Error,
    dp_samplers::Error,
    dp_simulation::Error,
    dp_simulation::data::DataError,
    dp_task::Error,
);

impl Failure {
    /// Wraps an error of a command outside of this crate.
    pub fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Other(Box::new(error))
    }

    /// A failure that names a file, and says the reason.
    pub(crate) fn content(
        path: impl AsRef<OsStr>,
        reason: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Content { path: shown(path), source: reason.into() }
    }

    /// Clap's message on one line. An error about a value has the option's name and its own text.
    pub(crate) fn usage(mut error: clap::Error) -> Self {
        let option = |name: &str| {
            let word = name.split(' ').next().unwrap_or_default();
            let word = word.trim_end_matches("...").trim_matches(['<', '>', '[', ']']);
            word.trim_start_matches("--").to_owned()
        };
        match (error.kind(), error.get(ContextKind::InvalidArg)) {
            (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(names))) => {
                let name = names.first().map(|name| option(name)).unwrap_or_default();
                let accepted = accepted(&name);
                return Refusal::missing(name, accepted).into();
            }
            (ErrorKind::ValueValidation, Some(ContextValue::String(name))) => {
                let name = option(name);
                if let Some(source) = error.source() {
                    return match source.downcast_ref::<ParameterError>() {
                        Some(refused) => refused.clone().renamed(name).into(),
                        None => Self::Usage(source.to_string()),
                    };
                }
            }
            _ => {}
        }
        make_visible(&mut error);
        let text = error.to_string();
        let mut lines = text.lines().map(str::trim);
        let line = lines.next().unwrap_or_default();
        let line = line.strip_prefix("error: ").unwrap_or(line);
        // Clap lists the options of a conflict on lines of their own.
        let others: Vec<&str> = lines
            .clone()
            .take_while(|line| line.starts_with("--") || line.starts_with('<'))
            .collect();
        let tip = lines.find_map(|line| match line.strip_prefix("tip: ") {
            None => line.strip_prefix('[')?.strip_suffix(']'),
            tip => tip,
        });
        let line = format!("{line} {}", others.join(", "));
        Self::Usage(match tip {
            Some(tip) => format!("{}: {tip}", line.trim_end()),
            None => line.trim_end().to_owned(),
        })
    }

    /// The sentence of the failure, on one line.
    #[must_use]
    pub fn sentence(&self) -> String {
        escaped(self.to_string()).chars().take(LONGEST).collect()
    }

    /// Exit status: 1 if a part was not delivered, 2 if there is no answer or no policy for a job,
    /// 3 for a found fault; 75 if a file is in use by another process or the job of a collector's
    /// text is not ready, as the collector itself has it, and 66 for a batch of too few reports.
    #[must_use]
    pub fn status(&self) -> u8 {
        let is_busy = |error: &io::Error| error.kind() == io::ErrorKind::ResourceBusy;
        let is_locked = |error: &LedgerError| matches!(error, LedgerError::InUse { .. });
        match self {
            Self::Undelivered(_) => 1,
            Self::Fault(_) => 3,
            Self::NoResult { reason: NoResult::NotReady, .. } => 75,
            Self::Content { source, .. } if source.downcast_ref().is_some_and(is_busy) => 75,
            Self::Other(error) if error.downcast_ref().is_some_and(is_locked) => 75,
            Self::NoResult { reason: NoResult::TooFewReports, .. } | Self::SmallBatch { .. } => 66,
            _ => 2,
        }
    }
}

/// Escapes and shortens, in the error, every text of a user that clap quotes, before clap drops or
/// breaks it.
fn make_visible(error: &mut clap::Error) {
    let typed = |(kind, value): (ContextKind, &ContextValue)| match value {
        ContextValue::String(typed) => Some((kind, shown(typed))),
        _ => None,
    };
    let visible: Vec<_> = error.context().filter_map(typed).collect();
    for (kind, text) in visible {
        error.insert(kind, ContextValue::String(text));
    }
}

/// The values that a required option accepts, in words, for the message that the option is missing;
/// `a value` for an unknown option.
pub(crate) fn accepted(option: &str) -> &'static str {
    match option {
        "epsilon" | "epsilon0" => "a number greater than 0, such as 0.317 or 1/3",
        "delta" => "a number from 0 to below 1, such as 1e-9",
        "clients" => "an integer from 1 to 10000000000",
        "answers" => "an integer from 2 to 4294967295",
        "length" => "an integer from 1 to 1048576",
        "false-positive-rate" => "a number from 0 to 1/2",
        "mechanism" => {
            "symmetric-rappor:LENGTH[:WEIGHT]:EPSILON0, basic-rappor:EPSILON, \
             randomized-response:EPSILON, bits:P:Q, rappor-two-step:F:P:Q:HASHES, k-ary:ANSWERS:EPSILON, keep:P:ANSWERS, replace:F:ANSWERS or \
             coin-flip"
        }
        "FILE" => "the name of a file",
        "SHELL" => "bash, zsh, fish, elvish or powershell; --man DIR writes manual pages",
        "name" => "a name for the entry, such as 2026-07-01/visits",
        "task" => "the file of a task, such as examples/tasks/histogram.toml",
        "deployment" => {
            "a file with what only the deployer knows; --template writes one to fill in"
        }
        "collected" => {
            "a text as Janus's `collect` prints it, with Number of reports, Interval start, Interval end, Interval length and \
             Aggregation result on a line each, from which rows have their batch"
        }
        "reports" => "an integer of at least 1, the number of reports in the batch",
        "rows" => "json or csv",
        "totals" => "integers, separated by commas, one for each total of the task",
        "releases" => "the number of releases in which one person takes part, such as 12",
        _ => "a value",
    }
}

/// Prints a warning as a line on standard error.
pub(crate) fn warn(sentence: &str) {
    let line = format!("warning: {}\n", escaped(sentence));
    // If standard error is closed, there is no way to report it.
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Prints the failure, except a closed pipe, as a line on standard error; returns its exit status.
pub(crate) fn report(failure: &Failure) -> ExitCode {
    let is_closed_pipe = matches!(failure, Failure::Undelivered(lost) if lost.is_closed_pipe());
    if !is_closed_pipe {
        // Bold and red.
        let error = match has_colours(&io::stderr()) {
            true => "\x1b[1;31merror:\x1b[0m",
            false => "error:",
        };
        let line = format!("{error} {}\n", failure.sentence());
        // If standard error is closed, there is no way to report it.
        let _ = io::stderr().write_all(line.as_bytes());
    }
    ExitCode::from(failure.status())
}
