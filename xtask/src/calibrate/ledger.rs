//! `calibrate ledger`: a file of what was spent, which refuses to be overdrawn.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use dp_calibration::Budget;
use dp_exact::{ParameterError, Rho};
use dp_ledger::{Journal, LedgerError};

use super::answer::Answer;
use super::typed;
use crate::failure::Failure;

/// The longest first line of a journal.
const LONGEST_LINE: u64 = 1 << 16;

/// Keep a ledger of releases in a file: create it, record what is spent, show what is left
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Begin a ledger with a limit; the file must not exist
    Create {
        /// The file
        file: PathBuf,
        #[command(flatten)]
        limit: Amount,
    },
    /// Spend from it; an entry that does not fit is refused, and one of the same name and amount is
    /// recorded once
    Record {
        /// The file
        file: PathBuf,
        /// A name that no other release has, such as a date and a query
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        spent: Amount,
    },
    /// Show what was spent and what is left
    Show {
        /// The file
        file: PathBuf,
    },
}

/// An amount of privacy: (epsilon, delta) or rho.
#[derive(Args, Debug)]
struct Amount {
    /// Privacy loss
    #[arg(long, allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// Slack, with --epsilon
    #[arg(long, allow_hyphen_values = true)]
    delta: Option<String>,
    /// Zero-concentrated privacy, in place of --epsilon
    #[arg(long, allow_hyphen_values = true)]
    rho: Option<String>,
}

impl Amount {
    fn budget(&self) -> Result<Budget, ParameterError> {
        if let Some(rho) = &self.rho {
            typed::refuse("epsilon", self.epsilon.as_ref(), "with --rho")?;
            typed::refuse("delta", self.delta.as_ref(), "with --rho")?;
            let rho: Rho = typed::number("rho", rho)?;
            return Ok(Budget::ZeroConcentrated { rho });
        }
        let epsilon = typed::epsilon(self.epsilon.as_ref())?;
        if self.delta.is_none() {
            return Ok(Budget::Pure { epsilon });
        }
        let delta = typed::delta(self.delta.as_ref())?;
        Ok(if delta.value().is_zero() {
            Budget::Pure { epsilon }
        } else {
            Budget::Approximate { epsilon, delta }
        })
    }
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    match &options.action {
        Some(Action::Create { file, limit }) => {
            let limit = limit.budget()?;
            begin(file)?;
            shown(file, &Journal::open(file, limit)?)
        }
        Some(Action::Record { file, name, spent }) => {
            let accepted = "a name for the entry, such as 2026-07-01/visits";
            let name = typed::required("name", name.as_ref(), accepted)?;
            let spent = spent.budget()?;
            let mut journal = reopened(file)?;
            journal.spend(name, spent)?;
            shown(file, &journal)
        }
        Some(Action::Show { file }) => shown(file, &reopened(file)?),
        None => {
            let line = "nothing to do with a ledger: expected create, record or show";
            Err(Failure::Usage(line.to_owned()))
        }
    }
}

/// A new empty file. One that is there already and empty is the trace of a beginning that was cut
/// short.
fn begin(path: &Path) -> Result<(), Failure> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if fs::metadata(path).map_err(file_error)?.len() == 0 {
                return Ok(());
            }
            let accepted = "a file that does not exist; record adds to one that does";
            Err(ParameterError::new("file", path.display(), accepted).into())
        }
        Err(error) => Err(file_error(error)),
    }
}

/// The journal in a file, with the limit that its first line states.
fn reopened(path: &Path) -> Result<Journal, Failure> {
    let accepted = "a ledger; create begins one";
    let refused = || ParameterError::new("file", path.display(), accepted);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(refused().into()),
        Err(error) => return Err(file_error(error)),
    };
    let mut line = String::new();
    let mut reader = BufReader::new(file.take(LONGEST_LINE));
    reader.read_line(&mut line).map_err(file_error)?;
    let limit = serde_json::from_str(&line)
        .ok()
        .filter(|_| line.ends_with('\n'));
    let limit: Budget = limit.ok_or_else(refused)?;
    Ok(Journal::open(path, limit)?)
}

fn file_error(error: std::io::Error) -> Failure {
    LedgerError::File(error).into()
}

fn shown(path: &Path, journal: &Journal) -> Result<Answer, Failure> {
    let ledger = journal.ledger();
    let mut answer = Answer::to(format!("Ledger {}", path.display()));
    let nothing = || "nothing".to_owned();
    let words = |budget: Option<Budget>| budget.map_or_else(nothing, |budget| budget.to_string());
    answer.figure("limit", ledger.limit(), "");
    answer.figure("spent", words(ledger.spent()?), "");
    answer.figure("left", words(ledger.left()?), "");
    answer.figure("entries", ledger.entries().len(), "");
    if let Some(last) = ledger.entries().last() {
        answer.figure("last_entry", &last.name, "");
        answer.figure("last_spent", &last.budget, "");
    }
    Ok(answer.because(
        "The entries add up exactly, as fractions: epsilon and delta by sums, or rho by sums. Every \
         entry that is shown here is on the disk; one that would exceed the limit is refused and \
         leaves no trace.",
    ))
}
