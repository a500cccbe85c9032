//! `calibrate ledger record` and `left`: a release that is recorded, and the room for more of it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use dp_calibration::Adjacency;
use dp_exact::ParameterError;
use dp_ledger::{
    Head, Journal, MAX_TIMES, Mechanism, Opening, Release, SharesDigest, Snapshot, Terms,
};

use super::{BudgetOptions, ExactMechanism, GuaranteeOptions, state};
use crate::calibrate::figures::Figures;
use crate::failure::Failure;
use crate::values::integers;

/// How long `record` waits for another process to close the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// A release as it is typed.
#[derive(Args, Debug)]
struct ReleaseOptions {
    #[command(flatten)]
    budget: BudgetOptions,
    #[command(flatten)]
    guarantee: GuaranteeOptions,
    /// Mechanism: gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY or response:EPSILON[:DELTA], which need
    /// no --epsilon and no --rho, or other words
    #[arg(long)]
    mechanism: Option<String>,
    /// Fewest reports of a batch for which the guarantee holds
    #[arg(long, value_parser = integers(1..=u64::MAX))]
    minimum_batch: Option<u64>,
}

#[derive(Args, Debug)]
pub(super) struct RecordOptions {
    /// The ledger's file
    pub(super) file: PathBuf,
    /// Name of the entry, which no other has, such as a date and a query
    #[arg(long)]
    name: String,
    #[command(flatten)]
    release: ReleaseOptions,
    /// Number of releases, up to 1048576, named with 1, 2, … behind the name: all are recorded or none
    #[arg(long, value_parser = integers(1..=MAX_TIMES), conflicts_with = "shares")]
    times: Option<u64>,
    /// Digest of what was released, 64 hexadecimal digits: the entry is for this release alone
    #[arg(long)]
    shares: Option<SharesDigest>,
    /// Refuse a file that does not continue this state, as show printed it
    #[arg(long)]
    head: Option<Head>,
}

#[derive(Args, Debug)]
pub(super) struct RoomOptions {
    /// The ledger's file
    pub(super) file: PathBuf,
    #[command(flatten)]
    release: ReleaseOptions,
}

pub(super) fn answer(options: &RecordOptions) -> Result<Figures, Failure> {
    let RecordOptions { file, name, release, times, shares, head } = options;
    release.check()?;
    let opening = Opening { patience: PATIENCE, least: *head };
    let mut journal = Journal::open_with(file, &opening)?;
    let release = release.release(journal.ledger().terms())?;
    let failed = |error| state::with_path(file, error);
    match *times {
        None => drop(journal.spend(name, &release, *shares).map_err(failed)?),
        Some(times) => {
            let is_new =
                |number: &u64| journal.ledger().entry(&format!("{name} {number}")).is_none();
            let new = (1..=times).filter(is_new).count() as u64;
            let fit = journal.ledger().room_for(&release).map_err(failed)?;
            if fit < new {
                let accepted = format!("at most {fit} more, which fit");
                return Err(ParameterError::new("times", new, accepted).into());
            }
            journal.spend_times(name, times, &release).map_err(failed)?;
        }
    }
    state::figures(file, journal.ledger(), journal.head(), None)
}

/// The figure of how many further releases fit into the limit.
pub(super) fn room(options: &RoomOptions) -> Result<Figures, Failure> {
    options.release.check()?;
    let snapshot = Snapshot::read(&options.file)?;
    let release = options.release.release(snapshot.ledger().terms())?;
    state::room(&options.file, snapshot.ledger(), &release)
}

impl ReleaseOptions {
    /// Refuses what no ledger accepts, before the file is opened.
    fn check(&self) -> Result<(), Failure> {
        let exact = self.exact_mechanism(Adjacency::Replacement)?;
        if exact.is_none() || self.budget.is_given() {
            self.budget.budget()?;
        }
        Ok(())
    }

    fn exact_mechanism(&self, adjacency: Adjacency) -> Result<Option<ExactMechanism>, Failure> {
        let exact = self.mechanism.as_ref().map(|text| super::exact_mechanism(text, adjacency));
        Ok(exact.transpose()?.flatten())
    }

    /// The release. The ledger's terms stand for options that are missing.
    fn release(&self, terms: &Terms) -> Result<Release, Failure> {
        let adjacency = self.guarantee.adjacency.unwrap_or(terms.adjacency);
        let trust_model = self.guarantee.trust_model.unwrap_or(terms.trust_model);
        let (mechanism, budget) = match self.exact_mechanism(adjacency)? {
            Some((mechanism, budget)) => (Some(mechanism), Some(budget)),
            None => (self.mechanism.clone().map(Mechanism::Other), None),
        };
        let budget = match budget {
            Some(budget) if !self.budget.is_given() => budget?,
            _ => self.budget.budget()?,
        };
        let mut release =
            Release::new(budget).with_adjacency(adjacency).with_trust_model(trust_model);
        if let Some(mechanism) = mechanism {
            release = release.with_mechanism(mechanism);
        }
        if let Some(fewest) = self.minimum_batch {
            release = release.with_minimum_batch(fewest);
        }
        Ok(release)
    }
}
