//! The options of `simulate`, as typed, and the values they stand for.

mod data;

use std::fmt::Display;
use std::path::PathBuf;

use clap::Args;
use dp_calibration::Adjacency;
pub use dp_exact::integer;
use dp_exact::{ParameterError, Refusal};

pub(crate) use data::DataOptions;

use crate::checkpoints::Checkpoints;
use crate::json::Inputs;
use crate::reports::Reports;

/// Run clients, aggregators and a collector over real Prio3 and compare estimates with the truth
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// A name that `policies` lists [default: histogram-laplace, with --rho
    /// histogram-gaussian]
    #[arg(long, help_heading = "Policy")]
    pub(crate) policy: Option<String>,
    /// A file that says everything about the policy, in TOML or JSON; with --policy that policy does its job
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub(crate) task: Option<PathBuf>,
    /// What the noise of one aggregator promises [default: 0.906], or the answer of one client [default: 3]
    #[arg(long, aliases = ["eps"], allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) epsilon: Option<String>,
    /// The delta at which epsilon is stated, and the budget's of Gaussian noise [default: 1e-9]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) delta: Option<String>,
    /// Zero-concentrated budget of Gaussian noise, in place of --epsilon and --delta
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) rho: Option<String>,
    /// RAPPOR's parameter: privacy loss of one bit [default: 3]
    #[arg(long, aliases = ["eps0"], allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) epsilon0: Option<String>,
    /// What the answer of one client promises where aggregators add noise as well [default: 3]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) local_epsilon: Option<String>,
    /// Largest weight of a measurement of multihot policies [default: all columns, or 1 with --bins]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) max_weight: Option<String>,
    /// Rate of honest reports that RAPPOR may drop [default: so low that it costs next to nothing of
    /// --delta]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) false_positive_rate: Option<String>,
    /// Honest clients that compensated-rappor makes a batch up to [default: 10000]
    #[arg(
        long,
        alias = "honest-clients-wanted",
        allow_hyphen_values = true,
        help_heading = "Policy"
    )]
    pub(crate) wanted_honest_clients: Option<String>,
    /// Clients of a batch that compensated-rappor assumes to be malicious [default: 0]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) assumed_malicious_clients: Option<String>,
    /// Aggregators, 2 to 254 [default: 2]
    #[arg(long, aliases = ["servers"], allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) aggregators: Option<String>,

    /// Honest clients, on whom OAMC counts [default: the task's, or all]
    #[arg(long, allow_hyphen_values = true, help_heading = "Trust")]
    pub(crate) honest_clients: Option<String>,
    /// State what this many honest aggregators give as well, from 2 on [default: the task's, or 1]
    #[arg(long, allow_hyphen_values = true, help_heading = "Trust")]
    pub(crate) honest_aggregators: Option<String>,
    /// Run although no promise is stronger than epsilon 20 or delta 0.001: it protects nobody
    #[arg(long, help_heading = "Trust")]
    pub(crate) accept_weak_promise: bool,

    #[command(flatten)]
    pub(crate) data: DataOptions,

    /// Draw the totals from their exact laws, without any report: what Prio3 computes of honest clients,
    /// up to 10^12 of them
    #[arg(long, help_heading = "Run")]
    pub(crate) ideal: bool,
    /// Clients, each a row drawn at random with replacement [default: one for each row; of synthetic data
    /// those that the task counts on, or 10000]
    #[arg(long, aliases = ["n", "users", "num-clients"], allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) clients: Option<String>,
    /// Trials
    #[arg(
        long,
        default_value = "1",
        allow_hyphen_values = true,
        help_heading = "Run"
    )]
    pub(crate) trials: String,
    /// Also move the estimates to the nearest that could be true: none negative, buckets that add up to
    /// the reports
    #[arg(long, visible_aliases = ["non-negative", "post-process"], help_heading = "Run")]
    pub(crate) consistent: bool,
    /// Seed that makes the estimates reproducible [default: from the operating system]
    #[arg(long, allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) seed: Option<String>,
    /// Threads [default: one for each processor]
    #[arg(long, allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) threads: Option<String>,
    /// Also write the report to this file, as JSON; - or no FILE prints it in place of the text
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "-",
        help_heading = "Run"
    )]
    pub(crate) json: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) checkpoints: Checkpoints,
    #[command(flatten)]
    pub(crate) reports: Reports,
    /// Replace files also if this command did not write them
    #[arg(long, help_heading = "Run")]
    pub(crate) force: bool,
}

/// The most clients of whom each makes a report.
const MAX_CLIENTS: u64 = u32::MAX as u64;

/// The most clients of whom none does.
const MAX_IDEAL_CLIENTS: u64 = 1_000_000_000_000;

/// What to do about an option that says nothing beside another one.
pub(crate) const LEAVE_OUT: &str = "leave it out";

const AFTER_HELP: &str = "\
Numbers are exact: 0.317, 1e-9 and 1/3 mean what they say.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  simulate
  simulate --policy multihot-rappor --epsilon0 5 --clients 20000
  simulate --policy multihot-rappor --clients 1e9 --trials 200 --ideal
  simulate --clients 1e7 --checkpoints run --resume
  simulate --task examples/tasks/average.toml --column years_smoking
  simulate --task examples/tasks/average.toml
  simulate --policy histogram-laplace --type histogram:40 --synthetic zipf --clients 250000
  simulate --policy sumvec-laplace --columns cigarettes_per_day,years_smoking \\
      --max-measurement 80 --trials 20 --json out.json
  simulate --data people.csv --column age --bins 20..80/10 --overflow-bins --consistent
  simulate --data people.csv --column platform --bins ios,android --missing skip
  simulate --policy average-laplace --data people.csv --column weight_kg --grid 40..140/0.1 --clamp";

/// Options as typed, by their names.
pub(crate) type Given = Vec<(&'static str, String)>;

/// Those options that were given.
pub(crate) fn given<const N: usize>(options: [(&'static str, Option<&String>); N]) -> Given {
    let given = options.into_iter();
    given
        .filter_map(|(name, value)| Some((name, value?.clone())))
        .collect()
}

impl Options {
    /// The options that say what the policy is, beside its name.
    pub(crate) fn of_policies(&self) -> [(&'static str, Option<&String>); 12] {
        [
            ("epsilon", self.epsilon.as_ref()),
            ("delta", self.delta.as_ref()),
            ("rho", self.rho.as_ref()),
            ("epsilon0", self.epsilon0.as_ref()),
            ("local-epsilon", self.local_epsilon.as_ref()),
            ("max-weight", self.max_weight.as_ref()),
            ("false-positive-rate", self.false_positive_rate.as_ref()),
            ("max-measurement", self.data.max_measurement.as_ref()),
            ("grid", self.data.grid.as_ref()),
            ("wanted-honest-clients", self.wanted_honest_clients.as_ref()),
            (
                "assumed-malicious-clients",
                self.assumed_malicious_clients.as_ref(),
            ),
            ("aggregators", self.aggregators.as_ref()),
        ]
    }

    /// Refuses options that go with neither the policy nor its data.
    pub(crate) fn refuse(&self, options: &[(&str, Option<&String>)]) -> Result<(), Refusal> {
        let given = options
            .iter()
            .find_map(|(name, value)| Some((*name, (*value)?)));
        match given {
            None => Ok(()),
            Some((name, value)) => Err(self.contradiction(name, value)),
        }
    }

    /// Refuses switches that go with neither the policy nor its data.
    pub(crate) fn refuse_switches(&self, switches: &[(&str, bool)]) -> Result<(), Refusal> {
        let given = switches.iter().find(|(_, is_given)| *is_given);
        given.map_or(Ok(()), |(name, _)| Err(self.contradiction(name, "true")))
    }

    fn contradiction(&self, name: &str, value: &str) -> Refusal {
        let chosen = match (&self.task, &self.policy) {
            (Some(_), None) => "--task".to_owned(),
            (_, Some(policy)) => format!("--policy {policy}"),
            (None, None) => "this policy".to_owned(),
        };
        let place = format!("with {chosen}");
        Refusal::contradiction(name, value, place, LEAVE_OUT)
    }

    /// The clients of a run, if they are not those of the data.
    pub(crate) fn clients(&self) -> Result<Option<u64>, ParameterError> {
        let Some(clients) = &self.clients else {
            return Ok(None);
        };
        let number = integer("clients", clients, 1..=MAX_IDEAL_CLIENTS)?;
        self.check_clients(number, clients)?;
        Ok(Some(number))
    }

    /// Refuses more clients than can report one by one, unless none does.
    pub(crate) fn check_clients(
        &self,
        clients: u64,
        given: impl Display,
    ) -> Result<(), ParameterError> {
        if self.ideal || clients <= MAX_CLIENTS {
            return Ok(());
        }
        let accepted =
            format!("an integer from 1 to {MAX_CLIENTS}, or --ideal, where no reports are made");
        Err(ParameterError::new("clients", given, accepted))
    }
}

/// The option --adjacency.
pub(crate) fn adjacency(text: &str) -> Result<Adjacency, ParameterError> {
    let accepted =
        "replacement or deletion (bounded: one report is another; unbounded: one is left out)";
    text.parse()
        .map_err(|_| ParameterError::new("adjacency", text, accepted))
}
