//! `calibrate ledger`: a file of spent budgets that refuses releases beyond its limit.

mod create;
mod record;
mod state;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use dp_calibration::{
    Adjacency, BigInt, Budget, NoiseDistribution, TrustModel, WorstCaseDifference, zcdp,
};
use dp_exact::{Delta, Epsilon, Rational, Refusal, Rho};
use dp_ledger::{Head, Mechanism, Noise, Randomizer, Snapshot};

use self::create::CreateOptions;
use self::record::{RecordOptions, RoomOptions};
pub(super) use self::state::ListedEntry;
use super::figures::Figures;
use super::mechanism::MechanismForm;
use crate::failure::Failure;
use crate::values::{self, adjacency, budget_of, trust_model};

/// Keep a ledger of releases in a file: create it, record releases, show what is left
#[derive(Args, Debug)]
pub(super) struct Options {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a ledger with a limit; the file must not exist
    Create(Box<CreateOptions>),
    /// Record a release: one that exceeds the limit is refused, and a repeated entry counts once. Waits
    /// up to 5 s for another process to close the file
    Record(Box<RecordOptions>),
    /// Show what was spent and what is left, also while another process writes
    Show {
        /// The ledger's file
        file: PathBuf,
        /// Also list every entry: its name, its release and its charge
        #[arg(long)]
        entries: bool,
        /// Delta at which epsilon is shown [default: the limit's]
        #[arg(long)]
        delta: Option<Delta>,
        /// Refuse a file that does not continue this state, as show printed it
        #[arg(long)]
        head: Option<Head>,
    },
    /// Compute how many more of a release fit
    Left(Box<RoomOptions>),
}

/// The neighbours and the trust model of a guarantee.
#[derive(Args, Debug)]
struct GuaranteeOptions {
    /// Which batches are neighbours: replacement or deletion [default: the ledger's; of a new ledger
    /// replacement]
    #[arg(long, value_parser = adjacency)]
    adjacency: Option<Adjacency>,
    /// Adversary of the guarantee: all-aggregators (OC: only the client is honest), one-aggregator (OAOC:
    /// and one aggregator), collector (OAMC: and most clients), or with several honest aggregators, such as
    /// 2AOC [default: the ledger's; of a new ledger one-aggregator]
    #[arg(long, value_parser = trust_model)]
    trust_model: Option<TrustModel>,
}

/// A budget: (ε, δ) or ρ.
#[derive(Args, Debug)]
struct BudgetOptions {
    /// Privacy loss epsilon
    #[arg(long, aliases = ["eps"])]
    epsilon: Option<Epsilon>,
    /// Delta, with --epsilon [default: 0]
    #[arg(long)]
    delta: Option<Delta>,
    /// Zero-concentrated budget, in place of --epsilon
    #[arg(long)]
    rho: Option<Rho>,
}

impl BudgetOptions {
    const fn is_given(&self) -> bool {
        self.epsilon.is_some() || self.delta.is_some() || self.rho.is_some()
    }

    fn budget(&self) -> Result<Budget, Refusal> {
        values::budget(&self.epsilon, &self.delta, &self.rho, true)
    }
}

pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    match &options.action {
        Some(Action::Create(options)) => create::answer(options),
        Some(Action::Record(options)) => record::answer(options),
        Some(Action::Left(options)) => record::room(options),
        Some(Action::Show { file, entries, delta, head }) => {
            let snapshot = Snapshot::read_at_least(file, head.as_ref())?;
            let ledger = snapshot.ledger();
            let figures = state::figures(file, ledger, snapshot.head(), delta.as_ref())?;
            Ok(match entries {
                true => figures.with_entries(ListedEntry::all(ledger.entries())?),
                false => figures,
            })
        }
        None => {
            let line = "nothing to do with a ledger: expected create, record, show or left";
            Err(Failure::Usage(line.to_owned()))
        }
    }
}

/// A mechanism whose guarantee follows from its parameters, and that guarantee.
type ExactMechanism = (Mechanism, Result<Budget, Failure>);

/// The mechanism of `gaussian:VARIANCE:QUERY`, `laplace:SCALE:QUERY` or `response:EPSILON[:DELTA]`, and
/// its guarantee: ρ of Gaussian noise, ε = Δ₁/scale of Laplace noise. `None` for other words.
fn exact_mechanism(text: &str, adjacency: Adjacency) -> Result<Option<ExactMechanism>, Failure> {
    let name = text.split_once(':').map(|(name, _)| name);
    if !matches!(name, Some("gaussian" | "laplace" | "response")) {
        return Ok(None);
    }
    Ok(match text.parse()? {
        MechanismForm::Noise { distribution, query } => {
            let difference = query.worst_difference(adjacency)?;
            let budget = budget_of_noise(&distribution, &difference);
            Some((Mechanism::Aggregators(Noise { distribution, difference }), budget))
        }
        MechanismForm::Response { epsilon, delta } => {
            let mechanism = match delta.value().is_zero() {
                true => {
                    Mechanism::Clients(Randomizer::RandomizedResponse { epsilon: epsilon.clone() })
                }
                false => Mechanism::Other(format!("response:{epsilon}:{delta}")),
            };
            Some((mechanism, Ok(budget_of(epsilon, delta))))
        }
        _ => None,
    })
}

fn budget_of_noise(
    noise: &NoiseDistribution,
    difference: &WorstCaseDifference,
) -> Result<Budget, Failure> {
    Ok(match noise {
        NoiseDistribution::DiscreteGaussian { variance } => {
            Budget::ZeroConcentrated { rho: zcdp::rho(variance, &difference.l2_squared())? }
        }
        NoiseDistribution::DiscreteLaplace { scale } => {
            let norm = Rational::integer(BigInt::from(difference.l1()));
            let epsilon = norm.checked_div(scale).unwrap_or_else(Rational::zero);
            Budget::Pure { epsilon: Epsilon::new(epsilon)? }
        }
    })
}
