//! Failures: one line that names the thing, its value and what is accepted; exit status 2.

use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use dp_exact::ParameterError;

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    Data(#[from] dp_simulation::data::DataError),
    #[error(transparent)]
    Policy(#[from] dp_prio3::Error),
    #[error(transparent)]
    Simulation(#[from] dp_simulation::Error),
    #[error(transparent)]
    Task(#[from] dp_task::Error),
    #[error(transparent)]
    Calibration(#[from] dp_calibration::Error),
    #[error(transparent)]
    Ledger(#[from] dp_ledger::LedgerError),
    #[error(transparent)]
    Rappor(#[from] dp_rappor::Error),
    #[error(transparent)]
    Sampler(#[from] dp_samplers::Error),
    #[error(transparent)]
    Measurement(#[from] dp_measure::Error),
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

impl From<clap::Error> for Failure {
    /// The first line of what clap says, without its hints; what is missing stands on further ones.
    fn from(error: clap::Error) -> Self {
        if error.kind() == ErrorKind::MissingRequiredArgument
            && let Some(ContextValue::Strings(names)) = error.get(ContextKind::InvalidArg)
        {
            return Self::Usage(format!("{} is missing: expected a value", names.join(", ")));
        }
        let text = error.to_string();
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let first = lines.next().unwrap_or("no command");
        let line = first.strip_prefix("error: ");
        Self::Usage(
            line.unwrap_or(
                "no command: expected simulate, policies, calibrate, tables, speed, timing or vectors",
            )
            .to_owned(),
        )
    }
}

/// Prints the failure and returns the exit status. A reader that closed the pipe is no failure.
pub(crate) fn report(failure: &Failure) -> ExitCode {
    if let Failure::Output(error) = failure
        && error.kind() == io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    eprintln!("error: {}", failure.to_string().replace('\n', " "));
    ExitCode::from(2)
}
