//! The options of `simulate`, as typed, and the values they stand for.

use std::fmt::Display;
use std::path::PathBuf;

use clap::Args;
use dp_calibration::Adjacency;
pub use dp_exact::parse_integer;
use dp_exact::{ParameterError, Refusal};
use dp_prio3::grid::Grid;
use dp_simulation::data::{Category, Delimiter, MissingRule, OutOfRange, OutsideBins};
use serde::{Deserialize, Serialize};

use crate::checkpoints::Checkpoints;
use crate::delivery::{Reports, Written};
use crate::json::Inputs;

/// Run clients, aggregators and a collector over real Prio3 and compare estimates with the truth
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) policy: Policy,
    #[command(flatten)]
    pub(crate) trust: Trust,
    #[command(flatten)]
    pub(crate) data: DataOptions,
    /// Draw the totals from their exact laws, without any report: what Prio3 computes of honest clients,
    /// up to 10^12 of them
    #[arg(long, help_heading = "Run")]
    pub(crate) ideal: bool,
    /// Clients, each a row drawn at random with replacement [default: one for each row; of synthetic data
    /// those that the task counts on, or 10000]
    #[arg(long, aliases = ["n", "users", "num-clients"], help_heading = "Run")]
    pub(crate) clients: Option<String>,
    /// Trials
    #[arg(long, default_value = "1", help_heading = "Run")]
    pub(crate) trials: String,
    /// Also move the estimates to the nearest that could be true: none negative, buckets that add up to
    /// the reports
    #[arg(long, visible_aliases = ["non-negative", "post-process"], help_heading = "Run")]
    pub(crate) consistent: bool,
    /// Seed that makes the estimates reproducible [default: from the operating system]
    #[arg(long, help_heading = "Run")]
    pub(crate) seed: Option<String>,
    /// Threads [default: one for each processor]
    #[arg(long, help_heading = "Run")]
    pub(crate) threads: Option<String>,
    #[command(flatten)]
    pub(crate) checkpoints: Checkpoints,
    #[command(flatten)]
    pub(crate) reports: Reports,
    #[command(flatten)]
    pub(crate) written: Written,
}

/// What is guaranteed, and by which policy.
#[derive(Args, Debug)]
#[command(next_help_heading = "Policy")]
pub(crate) struct Policy {
    /// A name that `policies` lists [default: histogram-laplace, with --rho
    /// histogram-gaussian]
    #[arg(id = "policy", long = "policy")]
    pub(crate) name: Option<String>,
    /// A file that says everything about the policy, in TOML or JSON; with --policy that policy does its job
    #[arg(long, value_name = "FILE")]
    pub(crate) task: Option<PathBuf>,
    /// What the noise of one aggregator guarantees [default: 0.906], or the answer of one client [default: 3]
    #[arg(long, alias = "eps")]
    pub(crate) epsilon: Option<String>,
    /// The delta at which epsilon is stated, and the budget's of Gaussian noise [default: 1e-9]
    #[arg(long)]
    pub(crate) delta: Option<String>,
    /// Zero-concentrated budget of Gaussian noise, in place of --epsilon and --delta
    #[arg(long)]
    pub(crate) rho: Option<String>,
    /// RAPPOR's parameter: privacy loss of one bit [default: 3]
    #[arg(long, alias = "eps0")]
    pub(crate) epsilon0: Option<String>,
    /// What the answer of one client guarantees where aggregators add noise as well [default: 3]
    #[arg(long)]
    pub(crate) local_epsilon: Option<String>,
    /// Largest weight of a measurement of multihot policies [default: all columns, or 1 with --bins]
    #[arg(long)]
    pub(crate) max_weight: Option<String>,
    /// Rate of honest reports that RAPPOR may drop [default: so low that it costs next to nothing of
    /// --delta]
    #[arg(long)]
    pub(crate) false_positive_rate: Option<String>,
    /// Honest clients that compensated-rappor makes a batch up to [default: 10000]
    #[arg(long, alias = "honest-clients-wanted")]
    pub(crate) wanted_honest_clients: Option<String>,
    /// Clients of a batch that compensated-rappor assumes to be malicious [default: 0]
    #[arg(long)]
    pub(crate) assumed_malicious_clients: Option<String>,
    /// Aggregators, 2 to 254 [default: 2]
    #[arg(long, alias = "servers")]
    pub(crate) aggregators: Option<String>,
}

/// On whom guarantees count.
#[derive(Args, Clone, Debug, Deserialize, Serialize)]
#[command(next_help_heading = "Trust")]
#[serde(deny_unknown_fields)]
pub(crate) struct Trust {
    /// Honest clients, on whom OAMC counts [default: the task's, or all]
    #[arg(long)]
    pub(crate) honest_clients: Option<String>,
    /// State what this many honest aggregators give as well, from 2 on [default: the task's, or 1]
    #[arg(long)]
    pub(crate) honest_aggregators: Option<String>,
    /// Run although no guarantee is stronger than epsilon 20 or delta 0.001: it protects nobody
    #[arg(long)]
    pub(crate) accept_weak_guarantee: bool,
}

/// Which data are measured, and how.
#[derive(Args, Debug)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataOptions {
    /// CSV file with a header line [default: the heights and diagnoses of 1629 people]
    #[arg(id = "data", long = "data", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// CSV file like --data of which each row stands for as many people as its column count says
    #[arg(long, value_name = "FILE")]
    pub(crate) counts: Option<PathBuf>,
    /// Column of --counts that says for how many people a row stands [default: count]
    #[arg(long)]
    pub(crate) count_column: Option<String>,
    /// Draw measurements by this law and read no file: uniform, zipf or normal [default with --task and no
    /// data: zipf for buckets and bits, normal for one number, else uniform]
    #[arg(long, value_name = "LAW")]
    pub(crate) synthetic: Option<String>,
    /// Of synthetic data without --task: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH,
    /// multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX; with --grid sum, average or sumvec:LENGTH
    #[arg(id = "type", long = "type", alias = "query", value_name = "TYPE")]
    pub(crate) query: Option<String>,
    /// What separates values: comma, semicolon, tab, bar, or the character [default: the only one that
    /// the header has]
    #[arg(long)]
    pub(crate) delimiter: Option<String>,
    /// Column to count in bins, to sum, or to count --yes in [default: height_cm, for sums
    /// cigarettes_per_day, for counts asthma]
    #[arg(long)]
    pub(crate) column: Option<String>,
    /// Columns of a vector, separated by commas [default: the 14 diagnoses]
    #[arg(long)]
    pub(crate) columns: Option<String>,
    /// LOW..HIGH/WIDTH, values such as 0,1,2 or ios,android, or the word distinct for those that occur, at
    /// most 1000000 [default for heights: 140..200/5]
    #[arg(long)]
    pub(crate) bins: Option<String>,
    /// Count values outside of --bins in bins of their own: below and above, or other
    #[arg(long, visible_aliases = ["overflow", "other"])]
    pub(crate) overflow_bins: bool,
    /// Sum integers from 0 to this [default: of --columns, count --yes instead]
    #[arg(long)]
    pub(crate) max_measurement: Option<String>,
    /// Sum real numbers, LOW..HIGH/STEP such as 40..140/0.1: each counts as the nearest step
    #[arg(long)]
    pub(crate) grid: Option<String>,
    /// Count a number beyond --bins, --max-measurement or --grid as the nearest that is not; a task's
    /// grid always does
    #[arg(long)]
    pub(crate) clamp: bool,
    /// The values in --columns that count as yes, separated by commas
    #[arg(long, default_value = "1")]
    pub(crate) yes: String,
    /// The values in --columns that count as no
    #[arg(long, default_value = "0,2")]
    pub(crate) no: String,
    /// What a missing value does: skip leaves its row out, zero counts it as 0, refuse ends the run
    #[arg(long, default_value = "refuse")]
    pub(crate) missing: String,
    /// Values that say that there is none, separated by commas, beside the empty one, NA, N/A, NaN and
    /// null
    #[arg(long)]
    pub(crate) missing_value: Option<String>,
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
    given.filter_map(|(name, value)| Some((name, value?.clone()))).collect()
}

impl Options {
    /// The options that say what the policy is, beside its name.
    pub(crate) fn of_policies(&self) -> [(&'static str, Option<&String>); 12] {
        let policy = &self.policy;
        [
            ("epsilon", policy.epsilon.as_ref()),
            ("delta", policy.delta.as_ref()),
            ("rho", policy.rho.as_ref()),
            ("epsilon0", policy.epsilon0.as_ref()),
            ("local-epsilon", policy.local_epsilon.as_ref()),
            ("max-weight", policy.max_weight.as_ref()),
            ("false-positive-rate", policy.false_positive_rate.as_ref()),
            ("max-measurement", self.data.max_measurement.as_ref()),
            ("grid", self.data.grid.as_ref()),
            ("wanted-honest-clients", policy.wanted_honest_clients.as_ref()),
            ("assumed-malicious-clients", policy.assumed_malicious_clients.as_ref()),
            ("aggregators", policy.aggregators.as_ref()),
        ]
    }

    /// Refuses options that go with neither the policy nor its data.
    pub(crate) fn refuse(&self, options: &[(&str, Option<&String>)]) -> Result<(), Refusal> {
        let given = options.iter().find_map(|(name, value)| Some((*name, (*value)?)));
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
        let chosen = match (&self.policy.task, &self.policy.name) {
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
        let number = parse_integer("clients", clients, 1..=MAX_IDEAL_CLIENTS)?;
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
    text.parse().map_err(|_| ParameterError::new("adjacency", text, accepted))
}

impl DataOptions {
    /// The options that say something of a file, as they were given.
    pub(crate) fn of_files(&self) -> Given {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let (file, counts) = (path(&self.file), path(&self.counts));
        let mut all = given([
            ("data", file.as_ref()),
            ("counts", counts.as_ref()),
            ("count-column", self.count_column.as_ref()),
            ("delimiter", self.delimiter.as_ref()),
            ("column", self.column.as_ref()),
            ("columns", self.columns.as_ref()),
            ("bins", self.bins.as_ref()),
            ("missing-value", self.missing_value.as_ref()),
        ]);
        for (name, is_given) in [("clamp", self.clamp), ("overflow-bins", self.overflow_bins)] {
            if is_given {
                all.push((name, "true".to_owned()));
            }
        }
        all
    }

    /// The codes that count as yes and as no.
    pub(crate) fn codes(&self) -> Result<(Vec<Category>, Vec<Category>), ParameterError> {
        let (yes, no) = (Category::list("yes", &self.yes)?, Category::list("no", &self.no)?);
        if yes.iter().any(|code| no.contains(code)) {
            return Err(ParameterError::new("yes", &self.yes, "a code that is not one of --no"));
        }
        Ok((yes, no))
    }

    /// The codes that count as yes, as they are asked for.
    pub(crate) fn yes_in_words(&self) -> String {
        let values = if self.yes.contains(',') { "a value of" } else { "the value" };
        format!("{values} {}", self.yes)
    }

    /// What becomes of a number beyond the range.
    pub(crate) const fn beyond(&self) -> OutOfRange {
        if self.clamp { OutOfRange::Clamp } else { OutOfRange::Refuse }
    }

    /// What becomes of a value outside of the bins.
    pub(crate) fn outside(&self) -> Result<OutsideBins, Refusal> {
        match (self.clamp, self.overflow_bins) {
            (false, false) => Ok(OutsideBins::Refuse),
            (true, false) => Ok(OutsideBins::Clamp),
            (false, true) => Ok(OutsideBins::Count),
            (true, true) => {
                let (place, change) = ("with --overflow-bins", "leave one of them out");
                Err(Refusal::contradiction("clamp", true, place, change))
            }
        }
    }

    /// What separates values, unless that is to be found.
    pub(crate) fn delimiter(&self) -> Result<Option<Delimiter>, ParameterError> {
        let delimiter = self.delimiter.as_ref();
        delimiter.map(|delimiter| delimiter.parse()).transpose()
    }

    /// Which values are missing, and what becomes of them.
    pub(crate) fn missing(&self) -> Result<MissingRule, ParameterError> {
        let codes = match &self.missing_value {
            Some(codes) => Category::list("missing-value", codes)?,
            None => Vec::new(),
        };
        Ok(MissingRule { values: self.missing.parse()?, codes })
    }

    /// The grid of real numbers.
    pub(crate) fn grid(&self) -> Result<Option<Grid>, ParameterError> {
        let Some(text) = &self.grid else {
            return Ok(None);
        };
        let grid = text.parse().map_err(|error: ParameterError| {
            if error.name() == "grid" {
                return error;
            }
            let accepted = format!("for its {} {}", error.name(), error.accepted());
            ParameterError::new("grid", text, accepted)
        })?;
        Ok(Some(grid))
    }
}
