//! `calibrate ledger`: a file of spent budgets that refuses releases beyond its limit.

mod state;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use dp_calibration::accounting::AccountedMechanism;
use dp_calibration::{Adjacency, BigInt, Budget, NoiseDistribution, Refusal, TrustModel, zcdp};
use dp_exact::{Delta, Epsilon, Rational, Rho};
use dp_ledger::{
    Head, Journal, Mechanism, Noise, Opening, Randomizer, Release, Rule, Snapshot, Terms,
};

use super::figures::Figures;
use super::ledger_entry::ListedEntry;
use super::mechanism::TypedMechanism;
use crate::failure::Failure;
use crate::json::Inputs;
use crate::values::{self, adjacency, budget_of, trust_model};

/// How long `record` waits for another process to close the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Keep a ledger of releases in a file: create it, record releases, show what is left
#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a ledger with a limit; the file must not exist. With --rho or a delta releases count
    /// by zero-concentrated privacy, else by the sum of their epsilon
    Create {
        /// The ledger's file
        file: PathBuf,
        #[command(flatten)]
        limit: BudgetOptions,
        #[command(flatten)]
        guarantee: GuaranteeOptions,
    },
    /// Record a release: one that exceeds the limit is refused, and a repeated entry counts once.
    /// Waits up to 5 s for another process to close the file
    Record {
        /// The ledger's file
        file: PathBuf,
        /// Name of the entry, which no other has, such as a date and a query
        #[arg(long)]
        name: String,
        #[command(flatten)]
        release: ReleaseOptions,
        /// Refuse a file that does not continue this state, as show printed it
        #[arg(long)]
        head: Option<Head>,
    },
    /// Show what was spent and what is left, also while another process writes
    Show {
        /// The ledger's file
        file: PathBuf,
        /// Also list every entry: its name, its release and its charge
        #[arg(long)]
        entries: bool,
        /// Refuse a file that does not continue this state, as show printed it
        #[arg(long)]
        head: Option<Head>,
    },
    /// Compute how many more of a release fit
    Left {
        /// The ledger's file
        file: PathBuf,
        #[command(flatten)]
        release: ReleaseOptions,
    },
}

/// The neighbours and the trust model of a guarantee.
#[derive(Args, Debug)]
struct GuaranteeOptions {
    /// Which batches are neighbours: replacement or deletion [default: as the ledger, replacement]
    #[arg(long, value_parser = adjacency)]
    adjacency: Option<Adjacency>,
    /// Adversary of the guarantee: all-aggregators (OC: only the client is honest), one-aggregator
    /// (OAOC: and one aggregator), collector (OAMC: and most clients), or with several honest
    /// aggregators, such as 2AOC [default: the ledger's; of a new ledger one-aggregator]
    #[arg(long, value_parser = trust_model)]
    trust_model: Option<TrustModel>,
}

/// A budget: (ε, δ) or ρ.
#[derive(Args, Debug)]
struct BudgetOptions {
    /// Privacy loss epsilon
    #[arg(long, alias = "eps")]
    epsilon: Option<Epsilon>,
    /// Delta, with --epsilon [default: 0]
    #[arg(long)]
    delta: Option<Delta>,
    /// Zero-concentrated budget, in place of --epsilon
    #[arg(long, conflicts_with_all = ["epsilon", "delta"])]
    rho: Option<Rho>,
}

/// A release as it is typed.
#[derive(Args, Debug)]
struct ReleaseOptions {
    #[command(flatten)]
    budget: BudgetOptions,
    #[command(flatten)]
    guarantee: GuaranteeOptions,
    /// Mechanism: gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY, response:EPSILON[:DELTA] or
    /// k-ary:ANSWERS:EPSILON, which need no --epsilon and no --rho, or other words
    #[arg(long)]
    mechanism: Option<String>,
}

impl BudgetOptions {
    fn budget(&self) -> Result<Budget, Refusal> {
        values::budget(&self.epsilon, &self.delta, &self.rho, true)
    }
}

pub(super) fn answer(options: &Options, inputs: &Inputs) -> Result<Figures, Failure> {
    match &options.action {
        Some(Action::Create { file, limit, guarantee }) => {
            let limit = limit.budget()?;
            let rule = match &limit {
                Budget::Pure { .. } => Rule::Basic,
                _ => Rule::zero_concentrated(&limit)?,
            };
            let default = TrustModel::OneAggregatorOneClient;
            let trust_model = guarantee.trust_model.unwrap_or(default);
            let adjacency = guarantee.adjacency.unwrap_or_default();
            let journal = Journal::create(file, Terms { limit, adjacency, trust_model, rule })?;
            state::figures(file, journal.ledger(), journal.head())
        }
        Some(Action::Record { file, name, release, head }) => {
            let opening = Opening { patience: PATIENCE, least: *head };
            let mut journal = Journal::open_with(file, &opening)?;
            let release = release.release(journal.ledger().terms(), inputs)?;
            let spent = journal.spend(name, &release, None);
            spent.map_err(|error| state::with_path(file, error))?;
            state::figures(file, journal.ledger(), journal.head())
        }
        Some(Action::Left { file, release }) => {
            let snapshot = Snapshot::read(file, None)?;
            let release = release.release(snapshot.ledger().terms(), inputs)?;
            state::room(file, snapshot.ledger(), &release)
        }
        Some(Action::Show { file, entries, head }) => {
            let snapshot = Snapshot::read(file, head.as_ref())?;
            let ledger = snapshot.ledger();
            let mut figures = state::figures(file, ledger, snapshot.head())?;
            figures.entries = entries.then(|| ListedEntry::all(ledger.entries()));
            Ok(figures)
        }
        None => {
            let line = "nothing to do with a ledger: expected create, record, show or left";
            Err(Failure::Usage(line.to_owned()))
        }
    }
}

impl ReleaseOptions {
    /// The release. A missing adjacency or trust model is the one in the ledger's `terms`.
    fn release(&self, terms: &Terms, inputs: &Inputs) -> Result<Release, Failure> {
        let adjacency = self.guarantee.adjacency.unwrap_or(terms.adjacency);
        let trust_model = self.guarantee.trust_model.unwrap_or(terms.trust_model);
        let typed = self.mechanism.as_ref().map(|text| typed_mechanism(text, adjacency));
        let (budget, mechanism) = match typed.transpose()? {
            Some((mechanism, Some(budget))) => {
                let context = "with a --mechanism that determines it";
                inputs.refuse(["epsilon", "delta", "rho"], context)?;
                (budget, Some(mechanism))
            }
            other => (self.budget.budget()?, other.map(|(mechanism, _)| mechanism)),
        };
        let release = Release::new(budget);
        let mechanism = mechanism.unwrap_or(release.mechanism);
        Ok(Release { adjacency, trust_model, mechanism, ..release })
    }
}

/// A mechanism, and its guarantee if that follows from its parameters.
fn typed_mechanism(
    text: &str,
    adjacency: Adjacency,
) -> Result<(Mechanism, Option<Budget>), Failure> {
    let other = || Mechanism::Other(text.to_owned());
    let read = ["gaussian:", "laplace:", "response:", "k-ary:"];
    if !read.iter().any(|name| text.starts_with(name)) {
        return Ok((other(), None));
    }
    Ok(match TypedMechanism::read(text, adjacency)?.release {
        AccountedMechanism::Noise { law, difference } => {
            let budget = match &law {
                NoiseDistribution::DiscreteGaussian { variance } => {
                    Budget::ZeroConcentrated { rho: zcdp::rho(variance, &difference.l2_squared())? }
                }
                NoiseDistribution::DiscreteLaplace { scale } => {
                    let norm = Rational::integer(BigInt::from(difference.l1()));
                    let epsilon = norm.checked_div(scale).unwrap_or_else(Rational::zero);
                    Budget::Pure { epsilon: Epsilon::new(epsilon)? }
                }
            };
            (Mechanism::Aggregators(Noise { distribution: law, difference }), Some(budget))
        }
        AccountedMechanism::RandomizedResponse { epsilon, delta } => {
            let randomizer = Randomizer::RandomizedResponse { epsilon: epsilon.clone() };
            let mechanism = match delta.value().is_zero() {
                true => Mechanism::Clients(randomizer),
                false => Mechanism::Other(format!("response:{epsilon}:{delta}")),
            };
            (mechanism, Some(budget_of(epsilon, delta)))
        }
        AccountedMechanism::KaryResponse { epsilon, answers } => {
            let randomizer =
                Randomizer::KaryRandomizedResponse { answers, epsilon: epsilon.clone() };
            (Mechanism::Clients(randomizer), Some(epsilon.into()))
        }
        _ => (other(), None),
    })
}
