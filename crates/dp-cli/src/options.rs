//! The options of `simulate`, as typed, and the values they stand for.

use std::path::PathBuf;

use clap::Args;
pub use dp_exact::integer;
use dp_exact::{ParameterError, Rational, Refusal};

/// Run clients, aggregators and a collector over real Prio3 and compare estimates with the truth
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// A name that `policies` lists [default: histogram-laplace, with --rho
    /// histogram-gaussian]
    #[arg(long, help_heading = "Policy")]
    pub(crate) policy: Option<String>,
    /// A file that says everything about the policy, in TOML or JSON
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub(crate) task: Option<PathBuf>,
    /// Privacy loss of the policies with aggregator noise [default: 0.906]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) epsilon: Option<String>,
    /// The delta at which epsilon is stated, and the budget's of Gaussian noise [default: 1e-9]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) delta: Option<String>,
    /// Zero-concentrated budget of Gaussian noise, in place of --epsilon and --delta
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) rho: Option<String>,
    /// Local parameter of multihot-rappor [default: 3]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) epsilon0: Option<String>,
    /// Largest weight of a measurement of multihot policies [default: all columns, or 1 with --bins]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) max_weight: Option<String>,
    /// Rate of honest reports that RAPPOR may drop [default: so low that it costs next to nothing of
    /// --delta]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) false_positive_rate: Option<String>,
    /// Honest clients that compensated-rappor makes a batch up to [default: 10000]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) wanted_honest_clients: Option<String>,
    /// Clients of a batch that compensated-rappor assumes to be malicious [default: 0]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) assumed_malicious_clients: Option<String>,
    /// Aggregators, 2 to 254 [default: 2]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
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

    /// CSV file with a header line [default: the heights and diagnoses of 1629 people]
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub(crate) data: Option<PathBuf>,
    /// Column to count in bins, to sum, or to count --yes in [default: height_cm, for sums
    /// cigarettes_per_day, for counts asthma]
    #[arg(long, help_heading = "Data")]
    pub(crate) column: Option<String>,
    /// Columns of a vector, separated by commas [default: the 14 diagnoses]
    #[arg(long, help_heading = "Data")]
    pub(crate) columns: Option<String>,
    /// LOW..HIGH/WIDTH, values such as 0,1,2, or the word distinct [default for heights: 140..200/5]
    #[arg(long, allow_hyphen_values = true, help_heading = "Data")]
    pub(crate) bins: Option<String>,
    /// Sum integers from 0 to this [default: of --columns, count --yes instead]
    #[arg(long, allow_hyphen_values = true, help_heading = "Data")]
    pub(crate) max_measurement: Option<String>,
    /// The code in --columns that counts as yes
    #[arg(
        long,
        default_value = "1",
        allow_hyphen_values = true,
        help_heading = "Data"
    )]
    pub(crate) yes: String,
    /// The codes in --columns that count as no
    #[arg(
        long,
        default_value = "0,2",
        allow_hyphen_values = true,
        help_heading = "Data"
    )]
    pub(crate) no: String,

    /// Clients, each a row drawn at random with replacement [default: one for each row]
    #[arg(long, allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) clients: Option<String>,
    /// Trials
    #[arg(
        long,
        default_value = "1",
        allow_hyphen_values = true,
        help_heading = "Run"
    )]
    pub(crate) trials: String,
    /// Seed that makes the estimates reproducible [default: from the operating system]
    #[arg(long, allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) seed: Option<String>,
    /// Threads [default: one for each processor]
    #[arg(long, allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) threads: Option<String>,
    /// Also write the report to this file, as JSON; - prints it in place of the text
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub(crate) json: Option<PathBuf>,
    /// Replace the file of --json also if this program did not write it
    #[arg(long, requires = "json", help_heading = "Run")]
    pub(crate) force: bool,
}

/// What to do about an option that says nothing beside another one.
pub(crate) const LEAVE_OUT: &str = "leave it out";

const AFTER_HELP: &str = "\
Numbers are exact: 0.317, 1e-9 and 1/3 mean what they say.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  simulate
  simulate --policy multihot-rappor --epsilon0 5 --clients 20000
  simulate --task examples/tasks/average.toml --column years_smoking
  simulate --policy sumvec-laplace --columns cigarettes_per_day,years_smoking \\
      --max-measurement 80 --trials 20 --json out.json";

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
    /// What makes it costly to plan a run.
    pub(crate) fn costly(&self) -> Given {
        let mut all = given(self.of_policies());
        all.extend(given([
            ("honest-clients", self.honest_clients.as_ref()),
            ("honest-aggregators", self.honest_aggregators.as_ref()),
            ("clients", self.clients.as_ref()),
        ]));
        if let Some(task) = &self.task {
            all.push(("task", task.display().to_string()));
        }
        all
    }

    /// The options that say what the policy is, beside its name.
    pub(crate) fn of_policies(&self) -> [(&'static str, Option<&String>); 10] {
        [
            ("epsilon", self.epsilon.as_ref()),
            ("delta", self.delta.as_ref()),
            ("rho", self.rho.as_ref()),
            ("epsilon0", self.epsilon0.as_ref()),
            ("max-weight", self.max_weight.as_ref()),
            ("false-positive-rate", self.false_positive_rate.as_ref()),
            ("max-measurement", self.max_measurement.as_ref()),
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
            Some((name, value)) => {
                let chosen = match (&self.task, &self.policy) {
                    (Some(_), _) => "--task".to_owned(),
                    (None, Some(policy)) => format!("--policy {policy}"),
                    (None, None) => "this policy".to_owned(),
                };
                let place = format!("with {chosen}");
                Err(Refusal::contradiction(name, value, place, LEAVE_OUT))
            }
        }
    }

    /// The clients of a run, if they are not those of the data.
    pub(crate) fn clients(&self) -> Result<Option<u64>, ParameterError> {
        let clients = self.clients.as_ref();
        clients
            .map(|clients| integer("clients", clients, 1..=u64::from(u32::MAX)))
            .transpose()
    }

    /// The codes that count as yes and as no.
    pub(crate) fn codes(&self) -> Result<(Rational, Vec<Rational>), ParameterError> {
        let yes: Rational = self
            .yes
            .parse()
            .map_err(|error: ParameterError| error.renamed("yes"))?;
        let no = self
            .no
            .split(',')
            .map(|code| code.trim().parse::<Rational>())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.renamed("no"))?;
        if no.contains(&yes) {
            return Err(ParameterError::new(
                "yes",
                &self.yes,
                "a code that is not one of --no",
            ));
        }
        Ok((yes, no))
    }
}
