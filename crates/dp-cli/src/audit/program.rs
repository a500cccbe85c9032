//! Whether a deployment conforms to which a program of the user's submits known measurements.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use dp_audit::{Collected, Conformance, Deployment, Error, Expected, Program, Submissions};
use dp_exact::{Refusal, integer};
use indicatif::{ProgressBar, ProgressStyle};

use super::Options;
use super::collections::Answer;
use crate::failure::Failure;

/// Runs the program until everything is decided, or as often as is allowed.
pub(super) fn answer(options: &Options, command: &str) -> Result<Answer, Failure> {
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
            progress: progress(),
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

/// A line on a terminal, nothing where output is piped.
fn progress() -> ProgressBar {
    if !io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {human_pos} collections, {elapsed}");
    match style {
        Ok(style) => ProgressBar::new_spinner().with_style(style),
        Err(_) => ProgressBar::new_spinner(),
    }
}
