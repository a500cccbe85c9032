//! `ledger`: a file of spent budgets that refuses releases beyond its limit.

pub(crate) mod entry;
mod state;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use dp_calibration::accounting::{AccountedMechanism, compose};
use dp_calibration::{Adjacency, BigInt, Budget, NoiseDistribution, Refusal, TrustModel, zcdp};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, shown};
use dp_ledger::{
    Head, Journal, Mechanism, Noise, Opening, Randomizer, Release, Rule, Snapshot, Terms,
};
use dp_prio3::spending::{cost_of_a_release, schedule};
use dp_prio3::{Circumstances, EpsilonDelta};
use dp_task::Task;

use self::entry::ListedEntry;
use crate::calibrate::figures::Figures;
use crate::calibrate::mechanism::TypedMechanism;
use crate::delivery::OutputOptions;
use crate::failure::Failure;
use crate::json::Inputs;
use crate::tasks;
use crate::values::{BudgetOptions, adjacency, budget_of, integers, required, trust_model};

/// How long `record` waits for another process to close the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// The options, without dashes, that describe a release.
const RELEASE: [&str; 7] =
    ["epsilon", "delta", "rho", "mechanism", "task", "adjacency", "trust-model"];

/// Keep a ledger of releases in a file: create it, record releases, show what is left
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    output: OutputOptions,
}

const AFTER_HELP: &str = "\
Examples, after `dp-cli`:
  ledger create year.ledger --task examples/tasks/histogram.toml --releases 365
  ledger record year.ledger --name 2026-07-01 --task examples/tasks/histogram.toml
  ledger create visits.ledger --epsilon 1 --delta 1e-6
  ledger record visits.ledger --name monday --epsilon 0.1 --delta 1e-9
  ledger left visits.ledger --mechanism gaussian:9000:histogram:12 --delta 1e-9
  ledger show visits.ledger

Exit status of record: 75 if another process keeps the file open, 2 for any refusal.";

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a ledger with a limit; the file must not exist. With --task the limit is what the
    /// task guarantees over its releases, and no other release is taken
    Create {
        /// The ledger's file
        file: PathBuf,
        #[command(flatten)]
        limit: BudgetOptions,
        #[command(flatten)]
        guarantee: GuaranteeOptions,
        /// How releases add up: basic (sums of epsilon and delta, or of rho), concentrated (by
        /// zero-concentrated privacy, for many releases) or scheduled (a number of releases of
        /// --task) [default: scheduled with --task, concentrated with --rho, else basic]
        #[arg(long)]
        rule: Option<RuleName>,
        /// Task file, for a schedule
        #[arg(long, value_name = "FILE")]
        task: Vec<PathBuf>,
        /// Number of releases of the schedule [default: the task's]
        #[arg(long, value_parser = integers(1..=1_u32 << 20))]
        releases: Option<u32>,
    },
    /// Record a release: one that exceeds the limit is refused, and a repeated entry counts once.
    /// Waits up to 5 s for another process to close the file
    Record {
        /// The ledger's file
        file: PathBuf,
        /// Name of the entry, which no other has: such as the batch of `estimate --rows`, or its
        /// day
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

/// A rule by the name that is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RuleName {
    Basic,
    Concentrated,
    Scheduled,
}

/// The neighbours and the trust model of a guarantee.
#[derive(Args, Debug)]
struct GuaranteeOptions {
    /// Which batches are neighbours: replacement, deletion or one-coordinate [default: the
    /// ledger's; of a new one the task's, or replacement]
    #[arg(long, value_parser = adjacency)]
    adjacency: Option<Adjacency>,
    /// Adversary of the guarantee: all-aggregators (OC: only the client is honest), one-aggregator
    /// (OAOC: and one aggregator), collector (OAMC: and most clients), or with several honest
    /// aggregators, such as 2AOC [default: the ledger's; of a new one the task's, or
    /// one-aggregator]
    #[arg(long, value_parser = trust_model)]
    trust_model: Option<TrustModel>,
}

/// A release as it is typed.
#[derive(Args, Debug)]
struct ReleaseOptions {
    #[command(flatten)]
    budget: BudgetOptions,
    #[command(flatten)]
    guarantee: GuaranteeOptions,
    /// Mechanism: gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY, cube:SCALE:QUERY,
    /// response:EPSILON[:DELTA] or k-ary:ANSWERS:EPSILON, which need no --epsilon and no --rho (in
    /// a ledger that adds up epsilon, Gaussian noise needs --delta), or other words
    #[arg(long)]
    mechanism: Option<String>,
    /// Task file, for one release of the task; it needs no --epsilon and no --rho
    #[arg(long, value_name = "FILE", conflicts_with = "mechanism")]
    task: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let format = format!("dp-cli ledger {}", options.inputs.subcommands().join(" "));
    let mut delivery = options.output.prepare(&format, &options.inputs, [])?;
    let figures = answer(options.action.as_ref(), &options.inputs)?;
    delivery.print(figures.text())?;
    Ok(delivery.finish(&format, 1, &options.inputs, figures)?)
}

/// Does the action on the file of a ledger, and returns the figures of its state; for `left` how
/// many more of a release fit. `Err` without an action.
fn answer(action: Option<&Action>, inputs: &Inputs) -> Result<Figures, Failure> {
    match action {
        Some(Action::Create { file, limit, guarantee, rule, task, releases }) => {
            let is_schedule = rule.map_or(!task.is_empty(), |rule| rule == RuleName::Scheduled);
            let terms = if is_schedule {
                let context = match task.is_empty() {
                    false => "with --task, which determines the limit",
                    true => "with --rule scheduled: its --task determines the limit",
                };
                inputs.refuse(["epsilon", "rho"], context)?;
                if let [_, second, ..] = &task[..] {
                    let change = "create a ledger for each task and count both by `calibrate compose`; or plan the \
                                  tasks with `calibrate schedule --rho R`, for one ledger of --rho R";
                    let context = "beside another task in one schedule";
                    return Err(
                        Refusal::contradiction("task", shown(second), context, change).into()
                    );
                }
                let task = tasks::read(required("task", &task.first())?)?;
                guarantee.schedule(&task, *releases, limit.delta.as_ref())?
            } else {
                inputs.refuse(["task", "releases"], "without a schedule")?;
                guarantee.terms(limit.budget(true)?, *rule)?
            };
            let journal = Journal::create(file, terms)?;
            state::figures(file, journal.ledger(), journal.head(), None)
        }
        Some(Action::Record { file, name, release, head }) => {
            let opening = Opening { patience: PATIENCE, least: *head };
            let mut journal = Journal::open_with(file, &opening)?;
            let release = release.release(journal.ledger().terms(), inputs)?;
            let spending = journal.spend(name, &release, None);
            let spending = spending
                .map_err(|error| state::refused(file, journal.ledger(), &release, error))?;
            state::figures(file, journal.ledger(), journal.head(), Some((name, spending)))
        }
        Some(Action::Left { file, release }) => {
            let snapshot = Snapshot::read(file, None)?;
            let terms = snapshot.ledger().terms();
            let release = match (&terms.rule, inputs.first_of(RELEASE)) {
                (Rule::Scheduled { release, .. }, None) => Release::clone(release),
                _ => release.release(terms, inputs)?,
            };
            state::room(file, snapshot.ledger(), &release)
        }
        Some(Action::Show { file, entries, head }) => {
            let snapshot = Snapshot::read(file, head.as_ref())?;
            let ledger = snapshot.ledger();
            let mut figures = state::figures(file, ledger, snapshot.head(), None)?;
            figures.entries = entries.then(|| ListedEntry::all(ledger.entries()));
            Ok(figures)
        }
        None => {
            let line = "nothing to do with a ledger: expected create, record, show or left";
            Err(Failure::Usage(line.to_owned()))
        }
    }
}

impl GuaranteeOptions {
    /// The terms of a ledger with this limit. Without a rule ε and δ add up, so that releases fit
    /// whose ε and δ add up to the limit, and releases of any kind add up in a limit of ρ.
    fn terms(&self, limit: Budget, rule: Option<RuleName>) -> Result<Terms, Failure> {
        let is_rho = matches!(limit, Budget::ZeroConcentrated { .. });
        let is_basic = rule.map_or(!is_rho, |rule| rule == RuleName::Basic);
        let rule = if is_basic { Rule::Basic } else { Rule::zero_concentrated(&limit)? };
        let default = TrustModel::OneAggregatorOneClient;
        let trust_model = self.trust_model.unwrap_or(default);
        Ok(Terms { limit, adjacency: self.adjacency.unwrap_or_default(), trust_model, rule })
    }

    /// The terms of a ledger for a number of releases of a task. What is not typed is the task's:
    /// `releases`, `delta` and the trust model. `Err` if neither states the number of releases, or
    /// for more releases than the task's, if these are several.
    fn schedule(
        &self,
        task: &Task,
        releases: Option<u32>,
        delta: Option<&Delta>,
    ) -> Result<Terms, Failure> {
        let planned = task.releases();
        if let Some(typed) = releases
            && (2..typed).contains(&planned)
        {
            let accepted = format!("at most {planned}, the task's trust.releases");
            return Err(ParameterError::new("releases", typed, accepted).into());
        }
        let stated = task.document().trust.releases;
        let releases = *required("releases", &releases.or(stated))?;
        let circumstances = Circumstances {
            releases,
            adjacency: self.adjacency.unwrap_or(task.circumstances().adjacency),
            delta: delta.unwrap_or(&task.circumstances().delta).clone(),
            ..task.circumstances().clone()
        };
        let trust_model = self.trust_model.unwrap_or(task.trust_model());
        let digest = task.digest().to_string();
        Ok(schedule(task.policy(), trust_model, &circumstances, digest)?)
    }
}

impl ReleaseOptions {
    /// The budget that is typed, whose ε may be 0 where it has a δ.
    fn typed_budget(&self) -> Result<Budget, Failure> {
        match (&self.budget.epsilon, &self.budget.delta) {
            (Some(None), Some(delta)) if !delta.value().is_zero() => pure_delta(delta),
            _ => self.budget.budget(true),
        }
    }

    /// The typed release: of a task, of a mechanism that determines its budget, or of a typed
    /// budget. A missing adjacency or trust model is the one in the ledger's `terms`.
    fn release(&self, terms: &Terms, inputs: &Inputs) -> Result<Release, Failure> {
        let adjacency = self.guarantee.adjacency.unwrap_or(terms.adjacency);
        let trust_model = self.guarantee.trust_model.unwrap_or(terms.trust_model);
        if let Rule::Scheduled { .. } = &terms.rule {
            let own = (terms.adjacency, terms.trust_model);
            let is_other =
                [("adjacency", adjacency != own.0), ("trust-model", trust_model != own.1)];
            let others = is_other.into_iter().filter(|(_, is_other)| *is_other);
            let context =
                format!("as the ledger's schedule is for {} and {}", own.0, own.1.abbreviation());
            inputs.refuse(others.map(|(option, _)| option), context)?;
            if inputs.first_of(["epsilon", "rho", "mechanism"]).is_none() {
                required("task", &self.task)?;
            }
        }
        if inputs.first_of(["epsilon", "rho", "mechanism", "task"]).is_none() {
            let accepted = "the file of a task; or --mechanism, --epsilon or --rho";
            return Err(Refusal::missing("task", accepted).into());
        }
        if let Some(path) = &self.task {
            inputs.refuse(["epsilon", "delta", "rho"], "with a --task that determines it")?;
            let task = tasks::read(path)?;
            let digest = Some(task.digest().to_string());
            if let Rule::Scheduled { release, .. } = &terms.rule {
                // The ledger refuses the digest of another task.
                return Ok(Release { task: digest, ..Release::clone(release) });
            }
            let circumstances = task.circumstances().clone().over(1).with_adjacency(adjacency);
            let cost = cost_of_a_release(task.policy(), trust_model, &circumstances)?;
            let (delta, reports) = (&circumstances.delta, circumstances.reports_per_client);
            let budget = in_kind_of(terms, &cost, delta, reports)?;
            return Ok(Release { task: digest, budget, ..cost });
        }
        let typed = self.mechanism.as_ref().map(|text| typed_mechanism(text, adjacency));
        let (budget, mechanism) = match typed.transpose()? {
            Some((mechanism, Some(budget))) => {
                let is_rho = matches!(budget, Budget::ZeroConcentrated { .. });
                let own = if is_rho && counts_epsilon(terms) { "epsilon" } else { "delta" };
                let context = "with a --mechanism that determines it";
                inputs.refuse(["epsilon", own, "rho"], context)?;
                (budget, Some(mechanism))
            }
            other => (self.typed_budget()?, other.map(|(mechanism, _)| mechanism)),
        };
        let release = Release::new(budget);
        let mechanism = mechanism.unwrap_or(release.mechanism);
        let release = Release { adjacency, trust_model, mechanism, ..release };
        Ok(match &self.budget.delta {
            Some(delta) => Release { budget: in_kind_of(terms, &release, delta, 1)?, ..release },
            None => release,
        })
    }
}

/// Whether a ledger by these terms adds up ε by basic composition.
fn counts_epsilon(terms: &Terms) -> bool {
    terms.rule == Rule::Basic && !matches!(terms.limit, Budget::ZeroConcentrated { .. })
}

/// The budget of a release in which a person has up to `reports` reports, in a ledger by `terms`:
/// where that adds up ε and the budget is a ρ, an ε that is certified at δ. For noise on one
/// report, whose worst difference is known, it is the least one; else the one that ρ implies.
pub(crate) fn in_kind_of(
    terms: &Terms,
    release: &Release,
    delta: &Delta,
    reports: u32,
) -> Result<Budget, Failure> {
    let epsilon = match (&release.budget, &release.mechanism) {
        (Budget::ZeroConcentrated { rho }, mechanism) if counts_epsilon(terms) => match mechanism {
            // Of several reports the recorded difference has the largest norm, on which ρ depends
            // alone: another one may be worse for the discrete Gaussian.
            Mechanism::Aggregators(noise) if reports == 1 => {
                let (law, difference) = (noise.distribution.clone(), noise.difference.clone());
                let one = (AccountedMechanism::Noise { law, difference }, 1);
                compose(&[one], delta)?.upper
            }
            _ => zcdp::epsilon(rho, delta)?,
        },
        (budget, _) => return Ok(budget.clone()),
    };
    Ok(EpsilonDelta::new(epsilon, delta.clone())?.budget())
}

/// The budget (0, δ) of a release, where an ε of 0 counts as 1e-9.
fn pure_delta(delta: &Delta) -> Result<Budget, Failure> {
    Ok(EpsilonDelta::new(Rational::zero(), delta.clone())?.budget())
}

/// A mechanism from its text, and its guarantee for one release, if that follows from its
/// parameters; any text without such parameters is a mechanism in words, with `None`.
fn typed_mechanism(
    text: &str,
    adjacency: Adjacency,
) -> Result<(Mechanism, Option<Budget>), Failure> {
    let other = || Mechanism::Other(text.to_owned());
    let Some((
        "gaussian"
        | "laplace"
        | "cube"
        | "response"
        | "k-ary"
        | "randomized-response"
        | "keep"
        | "replace"
        | "bits"
        | "rappor-two-step",
        _,
    )) = text.split_once(':')
    else {
        return Ok((other(), None));
    };
    let TypedMechanism { release, of_answer, .. } = TypedMechanism::read(text, adjacency)?;
    Ok(match release {
        AccountedMechanism::Noise { law, difference } => {
            let budget = match &law {
                NoiseDistribution::DiscreteGaussian { variance } => {
                    Budget::ZeroConcentrated { rho: zcdp::rho(variance, &difference.l2_squared())? }
                }
                NoiseDistribution::DiscreteLaplace { scale } => {
                    let norm = Rational::integer(BigInt::from(difference.l1()));
                    let epsilon = norm.checked_div(scale).expect("a scale is above 0");
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
        AccountedMechanism::PureDelta { delta } => (other(), Some(pure_delta(&delta)?)),
        _ => (other(), of_answer.map(Into::into)),
    })
}
