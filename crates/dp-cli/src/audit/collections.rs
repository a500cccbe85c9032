//! The conformance of a deployment, from its releases for known measurements.

use std::path::Path;
use std::time::Duration;

use dp_audit::{
    Collected, Conformance, ConformanceResult, Deployment, Error, ExpectedRelease, FaultStatus,
    Program, Submissions,
};
use dp_exact::{Refusal, shown};
use dp_files::read_limited;
use indicatif::ProgressBar;
use serde::Serialize;

use super::{AuditDocument, AuditReport, Options};
use crate::failure::Failure;
use crate::progress::bar;
use crate::text::counted;
use crate::values::accepted;

/// The largest file, in bytes.
const MAX_BYTES: u64 = 1 << 26;

/// The verdicts, for programs.
#[derive(Debug, Serialize)]
pub(super) struct ConformanceDocument {
    collections: u64,
    error: f64,
    conforms: bool,
    is_explained: bool,
    verdicts: Vec<VerdictRow>,
}

/// The verdict about one fault.
#[derive(Debug, Serialize)]
struct VerdictRow {
    fault: String,
    of: &'static str,
    outcome: &'static str,
    evidence: f64,
}

/// Reads the file and tests it.
pub(super) fn of_file(
    options: &Options,
    path: &Path,
) -> Result<(AuditDocument, AuditReport), Failure> {
    let tasks = options.subject.tasks()?;
    let bytes = read_limited(path, MAX_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|error| Failure::content(path, error))?;
    let collections = Collected::read(&text).map_err(|error| Failure::content(path, error))?;
    let error = options.method.error.to_f64();
    let mut result = None;
    for task in tasks {
        let reports = collections.first().map_or(1, |first| first.reports);
        let expected = ExpectedRelease::of(task.policy(), reports)?;
        let mut test = Conformance::new(expected, error)?;
        // Each total has its own line, below the header.
        let mut line = 2;
        for collected in &collections {
            let (batch, attempt) = (shown(&collected.batch), collected.attempt);
            let of_line = |error| format!("line {line}, batch {batch}, attempt {attempt}: {error}");
            let tested = test.observe(collected).map_err(of_line);
            tested.map_err(|error| Failure::content(path, error))?;
            line += collected.truths.len();
        }
        result = Some(test.result());
    }
    let result = result.ok_or_else(|| Refusal::missing("task", accepted("task")))?;
    let has_later = collections.iter().any(|collected| collected.attempt > 1);
    Ok(findings(&result, has_later))
}

/// Runs the program until every fault is decided, or --most-collections times.
pub(super) fn of_command(
    options: &Options,
    command: &str,
) -> Result<(AuditDocument, AuditReport), Failure> {
    let error = options.method.error.to_f64();
    let limit = Duration::from_secs(options.method.time_limit);
    let name = format!("audit {:016x}", rand::random::<u64>());
    let mut result = None;
    for task in options.subject.tasks()? {
        let submissions = Submissions::of_task(&task, options.method.clients)?;
        let expected = ExpectedRelease::of(task.policy(), submissions.clients())?;
        let program = Program::new(command, submissions, limit, &name)?;
        let mut watched = Watched {
            program,
            progress: bar(
                ProgressBar::new_spinner(),
                "{spinner} {human_pos} collections, {elapsed}",
            ),
            has_later: false,
        };
        let tested =
            Conformance::of(&mut watched, expected, error, options.method.most_collections)?;
        watched.progress.finish_and_clear();
        result = Some(findings(&tested, watched.has_later));
    }
    Ok(result.ok_or_else(|| Refusal::missing("task", accepted("task")))?)
}

/// A program with a count of its collections on a terminal.
struct Watched {
    program: Program,
    progress: ProgressBar,
    /// Whether a later attempt gave an answer.
    has_later: bool,
}

impl Deployment for Watched {
    fn collect(&mut self) -> Result<Collected, Error> {
        let collected = self.program.collect()?;
        self.progress.inc(1);
        self.has_later |= collected.attempt > 1;
        Ok(collected)
    }
}

/// The result of a test, for programs and for people.
fn findings(result: &ConformanceResult, has_later: bool) -> (AuditDocument, AuditReport) {
    let row = |verdict: &dp_audit::Verdict| VerdictRow {
        fault: verdict.fault.to_string(),
        of: match verdict.is_of_later_attempts {
            true => "later attempts",
            false => "first attempts",
        },
        outcome: match verdict.outcome {
            FaultStatus::Found => "found",
            FaultStatus::Excluded => "excluded",
            FaultStatus::Invisible => "does not show in these measurements",
            FaultStatus::Open => "open",
        },
        evidence: verdict.evidence,
    };
    let document = ConformanceDocument {
        collections: result.collections,
        error: result.error,
        conforms: result.conforms(),
        is_explained: result.is_explained(),
        verdicts: result.verdicts.iter().map(row).collect(),
    };
    let found = document.verdicts.first().filter(|row| row.outcome == "found");
    let faults = found.map(|found| {
        let how = match document.is_explained {
            true => "the deployment has a fault",
            false => "the deployment has a fault; the likeliest explanation is",
        };
        format!("{how}: {} ({})", found.fault, found.of)
    });
    let otherwise = match (document.conforms, has_later) {
        (true, true) => "The deployment conforms: every fault that would show is excluded.",
        (true, false) => {
            "The deployment conforms in first attempts to collect: every fault that would show in them \
             is excluded. No later attempt gave an answer."
        }
        (false, _) => {
            "No fault is found, but more collections are needed to exclude the open faults, and at least \
             100 of first attempts, and of later ones if there are any."
        }
    };
    let cells =
        |row: &VerdictRow| vec![row.fault.clone(), row.of.to_owned(), row.outcome.to_owned()];
    let report = AuditReport {
        title: "Conformance of a deployment",
        question: format!(
            "{} of known measurements. With probability at most {:e}, a fault is found that does not \
             exist, or an existing one is excluded.",
            counted(document.collections, "collection"),
            document.error
        ),
        table: "Faults",
        columns: vec!["fault", "of", "outcome"],
        numbers: 0..0,
        rows: document.verdicts.iter().map(cells).collect(),
        legend: "",
        faults,
        otherwise: otherwise.to_owned(),
    };
    (AuditDocument::Collections(document), report)
}
