//! Failures: one line that names the thing, its value and what is accepted, and an exit status.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use dp_exact::{ParameterError, Refusal, escaped, shown};
use dp_files::{FileError, Reason};

use crate::delivery::Undelivered;

/// The longest line that is reported, in characters. What is quoted in it is shorter.
const LONGEST: usize = 4000;

/// Why a command did not do its work, or not all of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each says what failed")]
pub enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("{0}{hint}", hint = way_out(.0))]
    File(#[from] FileError),
    #[error(transparent)]
    Parts(#[from] dp_simulation::checkpoints::CheckpointError),
    /// What a file of a run holds does not fit the run.
    #[error("{path}: {source}")]
    Part { path: String, source: Box<dp_simulation::Error> },
    /// What a folder says of its run is not what this program says.
    #[error("{path}: {reason}")]
    Run { path: String, reason: String },
    #[error(transparent)]
    Data(#[from] dp_simulation::data::DataError),
    #[error(transparent)]
    Policy(#[from] dp_prio3::Error),
    #[error(transparent)]
    Simulation(#[from] dp_simulation::Error),
    #[error(transparent)]
    Task(#[from] dp_task::Error),
    #[error("{path}: {source}")]
    TaskFile { path: String, source: Box<dp_task::Error> },
    #[error(transparent)]
    Plan(#[from] dp_planner::Error),
    #[error(transparent)]
    Statement(#[from] dp_report::statement::Error),
    #[error("{path}: {source}")]
    Deployment { path: String, source: Box<dp_report::statement::Error> },
    #[error("{path}: {source}")]
    Sweep { path: String, source: Box<dp_simulation::sweep::SweepError> },
    #[error(transparent)]
    Calibration(#[from] dp_calibration::Error),
    #[error(transparent)]
    Ledger(#[from] dp_ledger::LedgerError),
    #[error(transparent)]
    Rappor(#[from] dp_rappor::Error),
    #[error(transparent)]
    Sampler(#[from] dp_samplers::Error),
    #[error(transparent)]
    Audit(#[from] dp_audit::Error),
    /// An audit answered, and found a fault.
    #[error("{0}")]
    Fault(String),
    /// There is an answer, and not all of it was delivered.
    #[error(transparent)]
    Undelivered(#[from] Undelivered),
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl Failure {
    /// That of a command which is not one of this crate.
    pub fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Other(Box::new(error))
    }

    /// What clap says, on one line: its first, and its tip or the values that are possible.
    pub(crate) fn usage(mut error: clap::Error, program: &clap::Command) -> Self {
        if error.kind() == ErrorKind::MissingRequiredArgument
            && let Some(ContextValue::Strings(names)) = error.get(ContextKind::InvalidArg)
        {
            return Self::Usage(format!("{} is missing: expected a value", names.join(", ")));
        }
        make_visible(&mut error);
        let text = error.to_string();
        let mut lines = text.lines().map(str::trim);
        let Some(line) = lines.next().and_then(|line| line.strip_prefix("error: ")) else {
            let names = program.get_subcommands().map(clap::Command::get_name);
            let names = names.collect::<Vec<_>>().join(", ");
            return Self::Usage(format!("no command: expected {names}, see --help"));
        };
        let tip = lines.find_map(|line| match line.strip_prefix("tip: ") {
            None => line.strip_prefix('[')?.strip_suffix(']'),
            tip => tip,
        });
        Self::Usage(match tip {
            Some(tip) => format!("{line}: {tip}"),
            None => line.to_owned(),
        })
    }

    /// 1 if there is an answer that was not delivered in full, 2 if there is none, 3 if an audit found a fault.
    #[must_use]
    pub fn status(&self) -> u8 {
        match self {
            Self::Undelivered(_) => 1,
            Self::Fault(_) => 3,
            _ => 2,
        }
    }
}

/// Escapes and cuts what clap will quote of the command line, before it drops or breaks anything of it.
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

/// What to do about a file.
fn way_out(error: &FileError) -> &'static str {
    match error.reason() {
        Reason::Foreign { .. } => ": choose another name, or replace it with --force",
        Reason::Kept { .. } | Reason::Input => ", by --force neither: choose another name",
        _ => "",
    }
}

/// Says on one line of standard error what failed, and returns the exit status. A reader that closed
/// the pipe knows why.
pub(crate) fn report(failure: &Failure) -> ExitCode {
    let is_closed_pipe = matches!(failure, Failure::Undelivered(lost) if lost.is_closed_pipe());
    if !is_closed_pipe {
        let line = escaped(failure.to_string());
        let mut line: String = format!("error: {line}").chars().take(LONGEST).collect();
        line.push('\n');
        // Nobody is left to be told.
        let _ = io::stderr().write_all(line.as_bytes());
    }
    ExitCode::from(failure.status())
}
