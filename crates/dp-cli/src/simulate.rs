//! `simulate`: a policy over real Prio3, on real data.

use std::borrow::Borrow;
use std::convert::identity;
use std::io::{self, IsTerminal, Write};

use dp_exact::ParameterError;
use dp_prio3::{Circumstances, DpPolicy, Guarantee, TrustModel};
use dp_simulation::data::Labelled;
use dp_simulation::report::{Document, Plan, Report};
use dp_simulation::{Population, Simulation, Tally};
use dp_task::{PolicyVisitor, Task};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::options::{Options, integer};
use crate::output::JsonFile;
use crate::policies::{self, Planned};
use crate::questions::Data;

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let seed = match &options.seed {
        Some(seed) => integer("seed", seed, 0..=u64::MAX)?,
        None => rand::random(),
    };
    let clients = options.clients()?;
    let threads = match &options.threads {
        Some(threads) => integer("threads", threads, 1..=1024)?,
        None => 0,
    };
    let trials = integer("trials", &options.trials, 1..=1_000_000)?;
    let json = options.json.as_deref().map(JsonFile::prepare).transpose()?;
    let Planned {
        task,
        question,
        from_file,
    } = policies::plan(options)?;
    let words = question.words;
    let run = Run {
        options,
        task: &task,
        from_file,
        words,
        seed,
        clients,
        threads,
        trials,
        json,
    };
    let data = question.data;
    task.with_policy(Prepared { run, data })?
}

/// A run with its data, which waits for its policy.
struct Prepared<'a> {
    run: Run<'a>,
    data: Data,
}

/// A method for each kind of measurement, with the data that it takes.
macro_rules! visits {
    ($($method:ident $measurement:ty, $data:ident $convert:expr;)*) => {$(
        fn $method<P>(self, policy: P) -> Result<Self::Output, dp_task::Error>
        where
            P: DpPolicy<Measurement = $measurement> + 'static,
        {
            match self.data {
                Data::$data(data) => Ok(self.run.take(policy, $convert(data))),
                _ => Ok(Err(Failure::Usage("data of another kind than the policy's".to_owned()))),
            }
        }
    )*};
}

impl PolicyVisitor for Prepared<'_> {
    type Output = Result<(), Failure>;

    visits! {
        visit_bit bool, Bits identity;
        visit_u64 u64, Integers narrowed;
        visit_u128 u128, Integers identity;
        visit_bucket usize, Buckets identity;
        visit_bits [bool], BitVectors identity;
        visit_integers [u128], IntegerVectors identity;
    }
}

/// Integers of no more than the largest measurement, which fits.
fn narrowed(data: Labelled<u128>) -> Labelled<u64> {
    let narrow = |row: u128| u64::try_from(row).unwrap_or(u64::MAX);
    Labelled {
        labels: data.labels,
        rows: data.rows.into_iter().map(narrow).collect(),
    }
}

/// How to run a policy, whichever it is.
struct Run<'a> {
    options: &'a Options,
    task: &'a Task,
    from_file: bool,
    words: String,
    seed: u64,
    clients: Option<u64>,
    threads: usize,
    trials: u64,
    json: Option<JsonFile>,
}

impl Run<'_> {
    fn take<P, T>(self, policy: P, data: Labelled<T>) -> Result<(), Failure>
    where
        P: DpPolicy<Measurement: Tally>,
        T: Borrow<P::Measurement> + Sync,
    {
        let rows = data.rows.len();
        let (population, clients) = match self.clients {
            None => (
                Population::each_once(data.rows)?,
                format!("{rows} clients, one for each row."),
            ),
            Some(clients) => (
                Population::bootstrap(data.rows, clients, self.seed)?,
                format!("{clients} clients, each a row of {rows} at random (a bootstrap)."),
            ),
        };
        let (reports, least) = (population.clients(), self.task.min_reports());
        if reports < least {
            let accepted = format!("at least {least}, the task's batch.min_reports");
            return Err(ParameterError::new("clients", reports, accepted).into());
        }
        let circumstances = self.circumstances(reports)?;
        let models = self.trust_models()?;
        let guarantees: Vec<Guarantee> = models
            .iter()
            .map(|model| policy.guarantee(*model, &circumstances))
            .collect();
        self.check_strength(&guarantees)?;
        let mut plan = Plan::new(
            self.task.policy_name().name,
            &policy,
            self.words.clone(),
            clients,
            data.labels,
            guarantees,
            self.seed,
        );
        if self.from_file {
            let task = self.task;
            let digest = task.digest().to_string();
            plan.parameters.push(("task", task.name().to_owned()));
            plan.parameters.push(("task_digest", digest));
        }
        let grid = self.task.grid();
        if let Some(grid) = grid {
            plan.parameters.push(("grid_low", grid.low().to_string()));
            plan.parameters.push(("grid_high", grid.high().to_string()));
            let granularity = grid.granularity().to_string();
            plan.parameters.push(("grid_granularity", granularity));
        }
        let are_means = policy.divisor(reports) == reports;
        let bar = progress_bar(reports.saturating_mul(self.trials));
        let simulation = Simulation::new(policy, population, self.trials, self.seed, self.threads)?;

        let mut stdout = io::stdout().lock();
        write!(stdout, "{plan}")?;
        stdout.flush()?;
        let outcome = simulation.run(&|clients| bar.inc(clients));
        bar.finish_and_clear();
        let mut outcome = outcome?;
        if let Some(grid) = grid {
            let (low, granularity) = (grid.low().to_f64(), grid.granularity().to_f64());
            outcome = outcome.in_units(low, granularity, are_means);
        }
        let report = Report {
            plan: &plan,
            outcome: &outcome,
        };
        if let Some(json) = &self.json {
            json.write(&Document::from(report))?;
        }
        write!(stdout, "{report}")?;
        Ok(())
    }

    /// The three trust models, and those that count on more honest aggregators, if the options or
    /// the task name some.
    fn trust_models(&self) -> Result<Vec<TrustModel>, Failure> {
        let aggregators = self.task.document().vdaf.aggregators.unwrap_or(2);
        let honest = match &self.options.honest_aggregators {
            Some(honest) => integer("honest-aggregators", honest, 1..=aggregators)?,
            None => usize::from(self.task.trust_model().honest_aggregators()),
        };
        Ok(TrustModel::with_honest_aggregators(honest)?)
    }

    /// Refuses a run of which no promise protects anybody, unless that is accepted.
    fn check_strength(&self, guarantees: &[Guarantee]) -> Result<(), ParameterError> {
        let protects = |guarantee: &Guarantee| guarantee.budget().is_some() && !guarantee.is_weak;
        let accepted = if self.from_file {
            self.task.accepts_weak_promise()
        } else {
            self.options.accept_weak_promise
        };
        if accepted || guarantees.iter().any(protects) {
            return Ok(());
        }
        let accepted = "this option, as every promise has an epsilon above 20 or a delta above \
                        0.001: it protects nobody";
        Err(ParameterError::new(
            "accept-weak-promise",
            "missing",
            accepted,
        ))
    }

    /// Which clients are honest: by the options, else by the task, else every client that the policy
    /// does not assume to be malicious.
    fn circumstances(&self, clients: u64) -> Result<Circumstances, Failure> {
        let of_task = self.task.circumstances();
        let noise = self.task.document().aggregator_noise.as_ref();
        let malicious = noise.and_then(|noise| noise.assumed_malicious_clients);
        let most = clients.saturating_sub(malicious.unwrap_or(0));
        let honest_clients = match &self.options.honest_clients {
            Some(honest) => integer("honest-clients", honest, 1..=most)?,
            None => self.task.document().trust.honest_clients.unwrap_or(most),
        };
        let delta = if self.from_file {
            of_task.delta().clone()
        } else {
            policies::delta(self.options)?
        };
        Ok(Circumstances::new(honest_clients, delta))
    }
}

/// A bar on a terminal, nothing where output is piped.
fn progress_bar(clients: u64) -> ProgressBar {
    if !io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = "{wide_bar} {human_pos} of {human_len} reports, {eta} left";
    match ProgressStyle::with_template(style) {
        Ok(style) => ProgressBar::new(clients).with_style(style),
        Err(_) => ProgressBar::new(clients),
    }
}
