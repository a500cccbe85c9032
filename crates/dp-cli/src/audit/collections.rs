//! Whether a deployment conforms, from what it released.

use std::path::Path;
use std::time::Duration;

use dp_audit::{
    Collected, Conformance, ConformanceResult, Deployment, Error, ExpectedRelease, FaultStatus,
    Program, Submissions,
};
use dp_exact::{Refusal, parse_integer, shown};
use dp_files::read_limited;
use indicatif::ProgressBar;
use serde::Serialize;

use super::{Options, Shown};
use crate::failure::Failure;
use crate::progress::bar;
use crate::text::counted;

/// The longest file, in bytes.
const MAX_BYTES: u64 = 1 << 26;

/// The answer about a deployment.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    collections: u64,
    error: f64,
    conforms: bool,
    is_explained: bool,
    verdicts: Vec<Row>,
}

/// What is known of a fault.
#[derive(Debug, Serialize)]
struct Row {
    fault: String,
    of: &'static str,
    outcome: &'static str,
    evidence: f64,
}

/// Reads the file and tests it.
pub(super) fn of_file(options: &Options, path: &Path) -> Result<(super::Answer, Shown), Failure> {
    if options.task.is_none() {
        let accepted = "the task whose deployment released the collections";
        return Err(Refusal::missing("task", accepted).into());
    }
    let tasks = options.tasks()?;
    let bytes = read_limited(path, MAX_BYTES)?;
    let of_file = |error: &dyn std::fmt::Display| Failure::Run {
        path: shown(path),
        reason: error.to_string(),
    };
    let text = String::from_utf8(bytes).map_err(|error| of_file(&error))?;
    let collections = Collected::read(&text).map_err(|error| of_file(&error))?;
    let error = options.error()?;
    let mut result = None;
    for task in tasks {
        let reports = collections.first().map_or(1, |first| first.reports);
        let expected = ExpectedRelease::of_task(&task, reports)?;
        let mut test = Conformance::new(expected, error)?;
        // Each total has a line of its own, below the header.
        let mut line = 2;
        for collected in &collections {
            let (batch, attempt) = (shown(&collected.batch), collected.attempt);
            let of_line = |error| format!("line {line}, batch {batch}, attempt {attempt}: {error}");
            let tested = test.observe(collected).map_err(of_line);
            tested.map_err(|error| of_file(&error))?;
            line += collected.truths.len();
        }
        result = Some(test.result());
    }
    let result = result.ok_or_else(|| Refusal::missing("task", "a file"))?;
    let has_later = collections.iter().any(|collected| collected.attempt > 1);
    Ok(shown_of(&result, has_later))
}

/// Runs the program until everything is decided, or as often as is allowed.
pub(super) fn of_command(
    options: &Options,
    command: &str,
) -> Result<(super::Answer, Shown), Failure> {
    if options.task.is_none() {
        let accepted = "the task whose deployment the command collects from";
        return Err(Refusal::missing("task", accepted).into());
    }
    let clients = options.clients.as_ref();
    let clients = clients.map(|clients| options.number("clients", clients, 1));
    let clients = clients.transpose()?;
    let seconds = parse_integer("time-limit", &options.time_limit, 1..=86_400_u64)?;
    let most = options.number("most-collections", &options.most_collections, 1)?;
    let error = options.error()?;
    let name = format!("audit {:016x}", rand::random::<u64>());
    let mut result = None;
    for task in options.tasks()? {
        let submissions = Submissions::of_task(&task, clients)?;
        let expected = ExpectedRelease::of_task(&task, submissions.clients())?;
        let limit = Duration::from_secs(seconds);
        let program = Program::new(command, submissions, limit, &name)?;
        let mut watched = Watched {
            program,
            progress: bar(
                ProgressBar::new_spinner(),
                "{spinner} {human_pos} collections, {elapsed}",
            ),
            has_later: false,
        };
        let tested = Conformance::of(&mut watched, expected, error, most)?;
        watched.progress.finish_and_clear();
        result = Some(shown_of(&tested, watched.has_later));
    }
    Ok(result.ok_or_else(|| Refusal::missing("task", "a file"))?)
}

/// A program whose collections are counted on a terminal.
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

/// What a test found, for programs and for people.
fn shown_of(result: &ConformanceResult, has_later: bool) -> (super::Answer, Shown) {
    let row = |verdict: &dp_audit::Verdict| Row {
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
    let answer = Answer {
        collections: result.collections,
        error: result.error,
        conforms: result.conforms(),
        is_explained: result.is_explained(),
        verdicts: result.verdicts.iter().map(row).collect(),
    };
    let found = answer.verdicts.first().filter(|row| row.outcome == "found");
    let faults = found.map(|found| {
        let how = match answer.is_explained {
            true => "the deployment has a fault",
            false => "the deployment has a fault, of which the likeliest explanation is",
        };
        format!("{how}: {} ({})", found.fault, found.of)
    });
    let otherwise = match (answer.conforms, has_later) {
        (true, true) => "The deployment conforms: every fault that would show is excluded.",
        (true, false) => {
            "The deployment conforms as far as first attempts to collect tell: every fault that would show in them \
             is excluded. No later attempt gave an answer."
        }
        (false, _) => {
            "Nothing is found, but more collections are needed to exclude the faults that are open."
        }
    };
    let cells = |row: &Row| vec![row.fault.clone(), row.of.to_owned(), row.outcome.to_owned()];
    let shown = Shown {
        title: "Whether a deployment conforms",
        question: format!(
            "{} of known measurements. A fault is found that is not there, or excluded that is there, with probability at \
             most {:e}.",
            counted(answer.collections, "collection"),
            answer.error
        ),
        table: "Faults",
        columns: vec!["fault", "of", "outcome"],
        numbers: 0..0,
        rows: answer.verdicts.iter().map(cells).collect(),
        legend: "",
        faults,
        otherwise: otherwise.to_owned(),
    };
    (super::Answer::Collections(answer), shown)
}
