//! The conformance of a deployment, from its releases for known measurements.

use std::path::Path;
use std::time::Duration;

use dp_audit::{
    CollectionRequest, Conformance, ConformanceResult, ExpectedRelease, Fault, FaultStatus,
    Program, Submissions,
};
use dp_exact::shown;
use dp_files::read_limited;
use dp_report::model::{Column, Table};
use serde::Serialize;

use super::{AuditReport, MethodOptions, Options, collected_csv};
use crate::failure::Failure;
use crate::progress::ProgressLine;
use crate::tasks;
use crate::text::counted;
use crate::values::required;

/// The largest accepted file of collections, in bytes.
const MAX_BYTES: u64 = 1 << 26;

#[derive(Debug, Serialize)]
pub(super) struct ConformanceDocument {
    collections: u64,
    error: f64,
    conforms: bool,
    is_explained: bool,
    verdicts: Vec<VerdictRow>,
}

#[derive(Debug, Serialize)]
struct VerdictRow {
    fault: String,
    of: &'static str,
    outcome: &'static str,
    evidence: f64,
}

/// Reads the file of collections at `path`, and tests the deployment of `--task` that released
/// them.
pub(super) fn of_file(
    options: &Options,
    path: &Path,
) -> Result<(ConformanceDocument, AuditReport), Failure> {
    let task = tasks::read(required("task", &options.subject.task)?)?;
    let bytes = read_limited(path, MAX_BYTES)?;
    let collections = collected_csv::read(&path.display().to_string(), &bytes)?;
    let expected = ExpectedRelease::of_task(&task)?;
    let mut test = Conformance::new(expected, options.method.error.to_f64())?;
    for (line, collected) in &collections {
        let (batch, attempt) = (shown(&collected.batch), collected.attempt);
        let of_line = |error| format!("line {line}, batch {batch}, attempt {attempt}: {error}");
        let tested = test.observe(collected).map_err(of_line);
        tested.map_err(|error| Failure::content(path, error))?;
    }
    Ok(findings(&test.result()))
}

/// Runs the program of `command` until every fault is decided, or `--most-collections` times, and
/// tests the deployment by its answers.
pub(super) fn of_command(
    options: &Options,
    command: &str,
) -> Result<(ConformanceDocument, AuditReport), Failure> {
    let MethodOptions { error, time_limit, clients, most_collections, .. } = &options.method;
    let limit = Duration::from_secs(*time_limit);
    let name = format!("audit {:016x}", rand::random::<u64>());
    let task = tasks::read(required("task", &options.subject.task)?)?;
    let submissions = Submissions::of_task(&name, &task, *clients)?;
    let expected = ExpectedRelease::of_task(&task)?;
    let program = Program::new(command, limit)?;
    let progress = ProgressLine::new(None, "collections");
    let mut collect = |request: &CollectionRequest| {
        let answers = program.answers(request)?;
        progress.add(answers.len() as u64);
        Ok(answers)
    };
    let tested =
        Conformance::of(&mut collect, &submissions, expected, error.to_f64(), *most_collections)?;
    progress.finish();
    Ok(findings(&tested))
}

/// The result of a conformance test as a document for programs and a report for people; the first
/// verdict is the fault that is named, if it is found.
fn findings(result: &ConformanceResult) -> (ConformanceDocument, AuditReport) {
    let row = |verdict: &dp_audit::Verdict| VerdictRow {
        fault: verdict.fault.to_string(),
        of: if verdict.is_of_later_attempts { "later attempts" } else { "first attempts" },
        outcome: match verdict.outcome {
            FaultStatus::Found => "found",
            FaultStatus::Secondary => "secondary",
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
        let how = if document.is_explained { "" } else { "; the likeliest explanation is" };
        format!("the deployment has a fault{how}: {} ({})", found.fault, found.of)
    });
    let is_unnamed = |verdict: &dp_audit::Verdict| verdict.fault == Fault::MoreReleases;
    let has_later = result.verdicts.iter().any(|verdict| verdict.is_of_later_attempts);
    let otherwise = match (document.conforms, has_later) {
        (true, true) => {
            "The deployment conforms: each fault is excluded, not found or not visible."
        }
        (true, false) => {
            "The deployment conforms in first attempts to collect: each fault is excluded in them, not \
             found or not visible. No later attempt gave another answer."
        }
        (false, _) if result.verdicts.iter().any(is_unnamed) => {
            "No fault is found, but there are more releases than the task plans for a person, and \
             nothing says whether the same people are in them: name the people of each batch in a \
             column `people`."
        }
        (false, _) => {
            "No fault is found, but more collections are needed to exclude the open faults, and at least \
             100 of first attempts, and of later ones if there are any."
        }
    };
    let columns = ["fault", "of", "outcome"].map(Column::words);
    let mut findings = Table::new("", columns.to_vec());
    for verdict in &result.verdicts {
        let VerdictRow { fault, of, outcome, .. } = row(verdict);
        let outcome = match verdict.outcome {
            FaultStatus::Open if !verdict.fault.has_distribution() => "not found",
            // Longer cells would not fit into one table.
            FaultStatus::Invisible => "not visible",
            _ => outcome,
        };
        findings.rows.push([&*fault, of, outcome].map(str::to_owned).to_vec());
    }
    let report = AuditReport {
        question: format!(
            "{} of known measurements. In a deployment without faults one is found with probability \
             at most {error:e}; the only fault of a deployment is excluded with probability at most \
             {error:e}.",
            counted(document.collections, "collection"),
            error = document.error
        ),
        findings,
        faults,
        otherwise: otherwise.to_owned(),
    };
    (document, report)
}
