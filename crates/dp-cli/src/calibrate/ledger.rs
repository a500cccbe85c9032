//! `calibrate ledger`: a file of what was spent, which refuses to be overdrawn.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use dp_calibration::{Adjacency, Budget, TrustModel};
use dp_exact::{ParameterError, Rho};
use dp_ledger::{
    Head, Journal, Ledger, LedgerError, Mechanism, Opening, Release, SharesDigest, Snapshot, Terms,
};

use super::answer::Answer;
use super::typed;
use crate::failure::Failure;
use crate::options::integer;

/// How long `record` and `upgrade` wait for another process to close the file.
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
    Create {
        /// The file
        file: PathBuf,
        #[command(flatten)]
        limit: Amount,
        #[command(flatten)]
        counted: Counted,
    },
    /// Spend from it; what does not fit is refused, and the same entry is recorded once. Waits up
    /// to 5 s for another process to close the file
    Record(Box<Record>),
    /// Show what was spent and what is left, also while another process writes
    Show {
        /// The file
        file: PathBuf,
        /// Refuse a file that does not continue this state, as show printed it
        #[arg(long)]
        head: Option<String>,
    },
    /// Write a ledger of format version 1 into a new file
    Upgrade {
        /// The old file; it stays as it is
        old: PathBuf,
        /// The new file, which must not exist
        new: PathBuf,
        #[command(flatten)]
        counted: Counted,
    },
}

#[derive(Args, Debug)]
struct Record {
    /// The file
    file: PathBuf,
    /// A name that no other release has, such as a date and a query
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    spent: Amount,
    /// Which batches are neighbours: replacement or deletion; by default what the ledger counts
    #[arg(long)]
    adjacency: Option<String>,
    /// Who must be honest: OC, OAOC, OAMC, 2AOC, …; by default what the ledger counts
    #[arg(long)]
    trust_model: Option<String>,
    /// What made the noise, in words
    #[arg(long)]
    mechanism: Option<String>,
    /// The fewest reports of a batch of which this holds
    #[arg(long)]
    minimum_batch: Option<String>,
    /// A digest of what was released, 64 hexadecimal digits: the name stands for it from now on
    #[arg(long)]
    shares: Option<String>,
    /// Refuse a file that does not continue this state, as show printed it
    #[arg(long)]
    head: Option<String>,
}

/// What a ledger counts.
#[derive(Args, Debug)]
struct Counted {
    /// Which batches are neighbours: replacement or deletion
    #[arg(long, default_value = "replacement")]
    adjacency: String,
    /// Who must be honest: OC, OAOC, OAMC, or several aggregators, such as 2AOC
    #[arg(long, default_value = "OAOC")]
    trust_model: String,
}

impl Counted {
    fn parsed(&self) -> Result<(Adjacency, TrustModel), ParameterError> {
        Ok((
            typed::adjacency(&self.adjacency)?,
            typed::number("trust-model", &self.trust_model)?,
        ))
    }
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
    fn budget(&self) -> Result<Budget, Failure> {
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
        Some(Action::Create {
            file,
            limit,
            counted,
        }) => {
            let (adjacency, trust_model) = counted.parsed()?;
            let terms = Terms::new(limit.budget()?)
                .with_adjacency(adjacency)
                .with_trust_model(trust_model);
            let journal = Journal::create(file, terms)?;
            shown(file, journal.ledger(), journal.head())
        }
        Some(Action::Record(options)) => record(options),
        Some(Action::Show { file, head }) => {
            let snapshot = match typed::optional("head", head.as_ref())? {
                None => Snapshot::read(file),
                Some(head) => Snapshot::read_at_least(file, &head),
            }?;
            shown(file, snapshot.ledger(), snapshot.head())
        }
        Some(Action::Upgrade { old, new, counted }) => {
            let (adjacency, trust_model) = counted.parsed()?;
            let journal = Journal::upgrade(old, new, adjacency, trust_model)?;
            shown(new, journal.ledger(), journal.head())
        }
        None => {
            let line = "nothing to do with a ledger: expected create, record, show or upgrade";
            Err(Failure::Usage(line.to_owned()))
        }
    }
}

fn record(options: &Record) -> Result<Answer, Failure> {
    let accepted = "a name for the entry, such as 2026-07-01/visits";
    let name = typed::required("name", options.name.as_ref(), accepted)?;
    let spent = Release::new(options.spent.budget()?);
    let shares = typed::optional::<SharesDigest>("shares", options.shares.as_ref())?;
    let mut opening = Opening::new().waiting(PATIENCE);
    if let Some(head) = typed::optional::<Head>("head", options.head.as_ref())? {
        opening = opening.at_least(head);
    }
    let mut journal = Journal::open_with(&options.file, &opening)?;
    let release = described(spent, options, journal.ledger().terms())?;
    journal
        .spend(name, &release, shares)
        .map_err(|error| about(&options.file, error))?;
    shown(&options.file, journal.ledger(), journal.head())
}

/// The release with what is typed of it, and otherwise as the ledger counts.
fn described(release: Release, options: &Record, terms: &Terms) -> Result<Release, Failure> {
    let adjacency = options.adjacency.as_ref();
    let adjacency = adjacency.map(|text| typed::adjacency(text)).transpose()?;
    let trust_model = typed::optional("trust-model", options.trust_model.as_ref())?;
    let mut release = release
        .with_adjacency(adjacency.unwrap_or_else(|| terms.adjacency()))
        .with_trust_model(trust_model.unwrap_or_else(|| terms.trust_model()));
    if let Some(text) = &options.mechanism {
        release = release.with_mechanism(Mechanism::Other(text.clone()));
    }
    if let Some(text) = &options.minimum_batch {
        release = release.with_minimum_batch(integer("minimum-batch", text, 1..=u64::MAX)?);
    }
    Ok(release)
}

/// What a ledger refuses names the ledger; what its file or a parameter is refused for names those
/// already.
fn about(path: &Path, error: LedgerError) -> Failure {
    match error {
        LedgerError::Overspend { .. }
        | LedgerError::Conflict { .. }
        | LedgerError::OtherShares { .. }
        | LedgerError::Adjacency { .. }
        | LedgerError::TrustModel { .. }
        | LedgerError::Kind(_) => Failure::Usage(format!("{}: {error}", dp_exact::shown(path))),
        other => other.into(),
    }
}

fn shown(path: &Path, ledger: &Ledger, head: Head) -> Result<Answer, Failure> {
    let mut answer = Answer::to(format!("Ledger {}", dp_exact::shown(path)));
    let terms = ledger.terms();
    answer.budget("limit", Some(terms.limit().clone()));
    answer.figure("adjacency", terms.adjacency(), "");
    answer.figure("trust_model", terms.trust_model().abbreviation(), "");
    let (spent, left) = (ledger.spent()?, ledger.left()?);
    answer.budget("spent", spent.clone());
    answer.budget("left", left.clone());
    answer.figure("entries", ledger.entries().len(), "");
    answer.figure(
        "head",
        head,
        "keep it, and an older copy of the file is told by --head",
    );
    let mut promised = vec![terms.limit().clone()];
    promised.extend(spent.into_iter().chain(left));
    if let Some(last) = ledger.entries().last() {
        answer.figure("last_entry", last.name(), "");
        answer.budget("last_promise", Some(last.release().budget().clone()));
        let charge = last.charge()?;
        answer.budget("last_spent", Some(charge.clone()));
        promised.extend([last.release().budget().clone(), charge]);
    }
    let answer = promised.iter().fold(answer, Answer::about);
    Ok(answer.because(
        "What is spent is rounded up to 30 digits, the limit down, and the sums are exact: of epsilon \
         and delta, or of rho. Every entry promises privacy for the neighbours and in the trust model \
         that are shown, or was converted to them. Every entry that is shown is on the disk; one that \
         would exceed the limit is refused and leaves no trace.",
    ))
}
