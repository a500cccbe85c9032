//! `calibrate ledger`: a file of what was spent, which refuses to be overdrawn.

mod create;
mod mechanism;
mod record;
mod shown;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::{Delta, ParameterError};
use dp_ledger::Snapshot;

use self::create::Create;
use self::record::{Left, Record};
pub(super) use self::shown::Listed;
use self::shown::shown;
use super::answer::Answer;
use crate::failure::Failure;
use crate::typed;

/// How long `record` waits for another process to close the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Keep a ledger of releases in a file: create it, record what is spent, show what is left
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Begin a ledger with a limit; the file must not exist
    Create(Box<Create>),
    /// Spend from it; what does not fit is refused, and the same entry is recorded once. Waits up
    /// to 5 s for another process to close the file
    Record(Box<Record>),
    /// Show what was spent and what is left, also while another process writes
    Show {
        /// The file
        file: PathBuf,
        /// Also list every entry: its name, what was released, what was counted of it
        #[arg(long)]
        entries: bool,
        /// The slack at which epsilon is shown [default: that of the limit]
        #[arg(long)]
        delta: Option<String>,
        /// Refuse a file that does not continue this state, as show printed it
        #[arg(long)]
        head: Option<String>,
    },
    /// How many more of a release fit
    Left(Box<Left>),
}

/// What a ledger counts.
#[derive(Args, Debug)]
struct Counted {
    /// Which batches are neighbours: replacement or deletion [default: replacement]
    #[arg(long)]
    adjacency: Option<String>,
    /// Whom guarantees hold against: all-aggregators (OC), one-aggregator (OAOC), collector (OAMC), or with
    /// several honest aggregators, such as 2AOC [default: one-aggregator]
    #[arg(long)]
    trust_model: Option<String>,
}

impl Counted {
    fn parsed(&self) -> Result<(Option<Adjacency>, Option<TrustModel>), ParameterError> {
        let adjacency = self.adjacency.as_ref();
        Ok((
            adjacency.map(|text| typed::adjacency(text)).transpose()?,
            typed::trust_model(self.trust_model.as_ref())?,
        ))
    }
}

/// An amount of privacy: (epsilon, delta) or rho.
#[derive(Args, Debug)]
struct Amount {
    /// Privacy loss
    #[arg(long, aliases = ["eps"])]
    epsilon: Option<String>,
    /// Slack, with --epsilon
    #[arg(long)]
    delta: Option<String>,
    /// Zero-concentrated privacy, in place of --epsilon
    #[arg(long)]
    rho: Option<String>,
}

impl Amount {
    /// Whether anything of it is typed.
    const fn is_given(&self) -> bool {
        self.epsilon.is_some() || self.delta.is_some() || self.rho.is_some()
    }

    fn budget(&self) -> Result<Budget, Failure> {
        typed::budget(self.epsilon.as_ref(), self.delta.as_ref(), self.rho.as_ref(), true)
    }
}

impl Options {
    /// The ledger that is read or written.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self.action.as_ref()? {
            Action::Create(options) => Some(&options.file),
            Action::Record(options) => Some(&options.file),
            Action::Left(options) => Some(&options.file),
            Action::Show { file, .. } => Some(file),
        }
    }
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    match &options.action {
        Some(Action::Create(options)) => create::answer(options),
        Some(Action::Record(options)) => record::answer(options),
        Some(Action::Left(options)) => record::left(options),
        Some(Action::Show { file, entries, delta, head }) => {
            let delta = typed::optional::<Delta>("delta", delta.as_ref())?;
            let snapshot = match typed::optional("head", head.as_ref())? {
                None => Snapshot::read(file),
                Some(head) => Snapshot::read_at_least(file, &head),
            }?;
            let answer = shown(file, snapshot.ledger(), snapshot.head(), delta)?;
            Ok(match entries {
                true => answer.with_entries(Listed::all(snapshot.ledger().entries())?),
                false => answer,
            })
        }
        None => {
            let line = "nothing to do with a ledger: expected create, record, show or left";
            Err(Failure::Usage(line.to_owned()))
        }
    }
}
