//! `calibrate ledger record` and `left`: a release, spent or asked about.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::Adjacency;
use dp_exact::ParameterError;
use dp_ledger::{
    Head, Journal, MAX_TIMES, Mechanism, Opening, Release, SharesDigest, Snapshot, Terms,
};

use super::mechanism::Exact;
use super::shown::{about, room, shown};
use super::{Amount, PATIENCE};
use crate::calibrate::answer::Answer;
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed;

/// A release as it is typed.
#[derive(Args, Debug)]
pub(super) struct Typed {
    #[command(flatten)]
    spent: Amount,
    /// Which batches are neighbours: replacement or deletion; by default what the ledger counts
    #[arg(long)]
    adjacency: Option<String>,
    /// Whom it holds against: all-aggregators (OC), one-aggregator (OAOC), collector (OAMC), or with several
    /// honest aggregators, such as 2AOC; by default what the ledger counts
    #[arg(long)]
    trust_model: Option<String>,
    /// What made the noise: gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY or response:EPSILON[:DELTA], which
    /// need no --epsilon and no --rho, or other words
    #[arg(long)]
    mechanism: Option<String>,
    /// The fewest reports of a batch of which this holds
    #[arg(long)]
    minimum_batch: Option<String>,
}

#[derive(Args, Debug)]
pub(super) struct Record {
    /// The file
    pub(super) file: PathBuf,
    /// A name that no other release has, such as a date and a query
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    release: Typed,
    /// So many releases, up to 1048576, under the name with 1, 2, … after it: all of them are recorded or none
    #[arg(long)]
    times: Option<String>,
    /// A digest of what was released, 64 hexadecimal digits: the name stands for it from now on
    #[arg(long)]
    shares: Option<String>,
    /// Refuse a file that does not continue this state, as show printed it
    #[arg(long)]
    head: Option<String>,
}

#[derive(Args, Debug)]
pub(super) struct Left {
    /// The file
    pub(super) file: PathBuf,
    #[command(flatten)]
    release: Typed,
}

pub(super) fn answer(options: &Record) -> Result<Answer, Failure> {
    let accepted = "a name for the entry, such as 2026-07-01/visits";
    let name = typed::required("name", options.name.as_ref(), accepted)?;
    let times = options.times.as_ref();
    let times = times.map(|times| parse_integer::<u64>("times", times, 1..=MAX_TIMES));
    let times = times.transpose()?;
    if times.is_some() {
        let place = "with --times: each release has its own";
        typed::refuse("shares", options.shares.as_ref(), place)?;
    }
    let shares = typed::optional::<SharesDigest>("shares", options.shares.as_ref())?;
    options.release.check()?;
    let mut opening = Opening::new().waiting(PATIENCE);
    if let Some(head) = typed::optional::<Head>("head", options.head.as_ref())? {
        opening = opening.at_least(head);
    }
    let mut journal = Journal::open_with(&options.file, &opening)?;
    let release = options.release.release(journal.ledger().terms())?;
    let failed = |error| about(&options.file, error);
    match times {
        None => drop(journal.spend(name, &release, shares).map_err(failed)?),
        Some(times) => {
            let new = (1..=times).filter(|number| {
                let name = format!("{name} {number}");
                journal.ledger().entry(&name).is_none()
            });
            let new = new.count() as u64;
            let fit = journal.ledger().room_for(&release).map_err(failed)?;
            if fit < new {
                let accepted = format!("at most {fit} more: so many fit");
                return Err(ParameterError::new("times", new, accepted).into());
            }
            journal.spend_times(name, times, &release).map_err(failed)?;
        }
    }
    shown(&options.file, journal.ledger(), journal.head(), None)
}

pub(super) fn left(options: &Left) -> Result<Answer, Failure> {
    options.release.check()?;
    let snapshot = Snapshot::read(&options.file)?;
    let release = options.release.release(snapshot.ledger().terms())?;
    room(&options.file, snapshot.ledger(), &release)
}

impl Typed {
    /// Refuses what no ledger makes right.
    fn check(&self) -> Result<(), Failure> {
        let is_exact = self.exact(Adjacency::Replacement)?.is_some();
        if !is_exact || self.spent.is_given() {
            self.spent.budget()?;
        }
        Ok(())
    }

    fn exact(&self, adjacency: Adjacency) -> Result<Option<Exact>, Failure> {
        let mechanism = self.mechanism.as_ref();
        Ok(mechanism.map(|text| Exact::typed(text, adjacency)).transpose()?.flatten())
    }

    /// The release with what is typed of it, and otherwise as the ledger counts.
    fn release(&self, terms: &Terms) -> Result<Release, Failure> {
        let adjacency = self.adjacency.as_ref();
        let adjacency = adjacency.map(|text| typed::adjacency(text)).transpose()?;
        let adjacency = adjacency.unwrap_or_else(|| terms.adjacency());
        let trust_model = typed::trust_model(self.trust_model.as_ref())?;
        let trust_model = trust_model.unwrap_or_else(|| terms.trust_model());
        let exact = self.exact(adjacency)?;
        let budget = match &exact {
            Some(exact) if !self.spent.is_given() => exact.budget()?,
            _ => self.spent.budget()?,
        };
        let mut release =
            Release::new(budget).with_adjacency(adjacency).with_trust_model(trust_model);
        if let Some(exact) = exact {
            release = release.with_mechanism(exact.recorded());
        } else if let Some(text) = &self.mechanism {
            release = release.with_mechanism(Mechanism::Other(text.clone()));
        }
        if let Some(text) = &self.minimum_batch {
            release =
                release.with_minimum_batch(parse_integer("minimum-batch", text, 1..=u64::MAX)?);
        }
        Ok(release)
    }
}
