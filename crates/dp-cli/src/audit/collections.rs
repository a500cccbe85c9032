//! Whether a deployment conforms, from what it released.

use std::path::Path;
use std::time::Duration;

use dp_audit::{
    Collected, Conformance, Conformity, Deployment, Error, Expected, Outcome, Program, Submissions,
};
use dp_exact::{Refusal, integer, shown};
use dp_files::read_limited;
use dp_report::model::{Column, Table};
use indicatif::ProgressBar;
use serde::Serialize;

use super::Options;
use crate::failure::Failure;
use crate::progress::bar;
use crate::text::{counted, table_or_lines, wrapped};

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
    /// Whether a later attempt gave an answer.
    #[serde(skip)]
    has_later: bool,
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
pub(super) fn answer(options: &Options, path: &Path) -> Result<Answer, Failure> {
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
        let expected = Expected::of_task(&task, reports).map_err(Failure::of_audit)?;
        let mut test = Conformance::new(expected, error).map_err(Failure::of_audit)?;
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
    Ok(Answer::of(&result, has_later))
}

/// Runs the program until everything is decided, or as often as is allowed.
pub(super) fn of_command(options: &Options, command: &str) -> Result<Answer, Failure> {
    if options.task.is_none() {
        let accepted = "the task whose deployment the command collects from";
        return Err(Refusal::missing("task", accepted).into());
    }
    let clients = options.clients.as_ref();
    let clients = clients.map(|clients| options.number("clients", clients, 1));
    let clients = clients.transpose()?;
    let seconds = integer("time-limit", &options.time_limit, 1..=86_400_u64)?;
    let most = options.number("most-collections", &options.most_collections, 1)?;
    let error = options.error()?;
    let name = format!("audit {:016x}", rand::random::<u64>());
    let mut result = None;
    for task in options.tasks()? {
        let of_audit = Failure::of_audit;
        let submissions = Submissions::of_task(&task, clients).map_err(of_audit)?;
        let expected = Expected::of_task(&task, submissions.clients()).map_err(of_audit)?;
        let limit = Duration::from_secs(seconds);
        let program = Program::new(command, submissions, limit, &name).map_err(of_audit)?;
        let mut watched = Watched {
            program,
            progress: bar(
                ProgressBar::new_spinner(),
                "{spinner} {human_pos} collections, {elapsed}",
            ),
            has_later: false,
        };
        let tested = Conformance::of(&mut watched, expected, error, most).map_err(of_audit)?;
        watched.progress.finish_and_clear();
        result = Some(Answer::of(&tested, watched.has_later));
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

impl Answer {
    pub(super) fn of(result: &Conformity, has_later: bool) -> Self {
        let row = |verdict: &dp_audit::Verdict| Row {
            fault: verdict.fault.to_string(),
            of: if verdict.is_of_later_attempts {
                "later attempts"
            } else {
                "first attempts"
            },
            outcome: match verdict.outcome {
                Outcome::Found => "found",
                Outcome::Excluded => "excluded",
                Outcome::Invisible => "does not show in these measurements",
                Outcome::Open => "open",
            },
            evidence: verdict.evidence,
        };
        Self {
            collections: result.collections,
            error: result.error,
            conforms: result.conforms(),
            is_explained: result.is_explained(),
            verdicts: result.verdicts.iter().map(row).collect(),
            has_later,
        }
    }

    pub(super) fn question(&self) -> String {
        format!(
            "{} of known measurements. A fault is found that is not there, or excluded that is there, with probability at \
             most {:e}.",
            counted(self.collections, "collection"),
            self.error
        )
    }

    /// In a sentence.
    pub(super) fn conclusion(&self) -> String {
        if let Some(faults) = self.faults() {
            return faults;
        }
        match self.conforms {
            true if self.has_later => "The deployment conforms: every fault that would show is excluded.".to_owned(),
            true => "The deployment conforms as far as first attempts to collect tell: every fault that would show in them \
                     is excluded. No later attempt gave an answer."
                .to_owned(),
            false => "Nothing is found, but more collections are needed to exclude the faults that are open.".to_owned(),
        }
    }

    pub(super) fn text(&self) -> String {
        let mut rows = vec![["fault", "of", "outcome"].map(str::to_owned)];
        rows.extend(self.verdicts.iter().map(Row::cells));
        let table = table_or_lines(&rows);
        let (words, conclusion) = (self.question(), self.conclusion());
        format!(
            "{}\n{table}\n{}",
            wrapped("", "", &words),
            wrapped("", "", &conclusion)
        )
    }

    pub(super) fn table(&self) -> Table {
        let columns = ["fault", "of", "outcome"].map(Column::words).to_vec();
        let mut table = Table::new("Faults", columns);
        table.rows = self
            .verdicts
            .iter()
            .map(|row| row.cells().to_vec())
            .collect();
        table
    }

    pub(super) fn faults(&self) -> Option<String> {
        let found = self.verdicts.first().filter(|row| row.outcome == "found")?;
        let how = match self.is_explained {
            true => "the deployment has a fault",
            false => "the deployment has a fault, of which the likeliest explanation is",
        };
        Some(format!("{how}: {} ({})", found.fault, found.of))
    }
}

impl Row {
    fn cells(&self) -> [String; 3] {
        [
            self.fault.clone(),
            self.of.to_owned(),
            self.outcome.to_owned(),
        ]
    }
}
