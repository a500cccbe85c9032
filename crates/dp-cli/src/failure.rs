//! Failures: one line that names the thing, its value and what is accepted; exit status 2.

use std::io;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use dp_exact::work::Refused;
use dp_exact::{ParameterError, Refusal};

/// Why a command did not do its work.
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
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl Failure {
    /// That of a command which is not one of this crate.
    pub fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Other(Box::new(error))
    }

    /// The first line of what clap says, without its hints; what is missing stands on further ones.
    pub(crate) fn usage(error: &clap::Error, commands: &clap::Command) -> Self {
        if error.kind() == ErrorKind::MissingRequiredArgument
            && let Some(ContextValue::Strings(names)) = error.get(ContextKind::InvalidArg)
        {
            return Self::Usage(format!("{} is missing: expected a value", names.join(", ")));
        }
        let text = error.to_string();
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let line = lines.next().and_then(|line| line.strip_prefix("error: "));
        Self::Usage(line.map_or_else(|| no_command(commands), str::to_owned))
    }
}

impl Refused for Failure {
    fn is_too_costly(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.is_too_costly(),
            Self::Calibration(error) | Self::Policy(dp_prio3::Error::Calibration(error)) => {
                error.is_too_costly()
            }
            _ => false,
        }
    }
}

fn no_command(commands: &clap::Command) -> String {
    let names: Vec<&str> = commands
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    match names.split_last() {
        Some((last, others)) => format!("no command: expected {} or {last}", others.join(", ")),
        None => "no command".to_owned(),
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
