//! `simulate`: a policy over real Prio3, on real data.

use std::borrow::Borrow;
use std::io::{self, IsTerminal, Write};

use dp_exact::Delta;
use dp_prio3::{Circumstances, DpPolicy};
use dp_simulation::data::Labelled;
use dp_simulation::report::{Document, Plan, Report};
use dp_simulation::{Population, Simulation, Tally};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::options::{Options, integer};
use crate::output::JsonFile;
use crate::policies::{self, Consumer};

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let seed = match &options.seed {
        Some(seed) => integer("seed", seed, 0..=u64::MAX)?,
        None => rand::random(),
    };
    let clients = match &options.clients {
        Some(clients) => Some(integer("clients", clients, 1..=u64::from(u32::MAX))?),
        None => None,
    };
    let threads = match &options.threads {
        Some(threads) => integer("threads", threads, 1..=1024)?,
        None => 0,
    };
    let run = Run {
        options,
        seed,
        clients,
        threads,
        delta: Options::parameter(options.delta.as_ref(), "1e-9")?,
        trials: integer("trials", &options.trials, 1..=1_000_000)?,
        json: options.json.as_deref().map(JsonFile::prepare).transpose()?,
    };
    policies::build(options, run)
}

/// A run that waits for its policy and its data.
struct Run<'a> {
    options: &'a Options,
    seed: u64,
    clients: Option<u64>,
    threads: usize,
    trials: u64,
    /// Where the policy has no δ of its own.
    delta: Delta,
    json: Option<JsonFile>,
}

impl Consumer for Run<'_> {
    fn take<P, T>(self, policy: P, question: String, data: Labelled<T>) -> Result<(), Failure>
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
        let name = &self.options.policy;
        let circumstances = Circumstances::new(population.clients(), self.delta);
        let labels = data.labels;
        let plan = Plan::new(
            name,
            &policy,
            question,
            clients,
            labels,
            &circumstances,
            self.seed,
        );
        let bar = progress_bar(population.clients().saturating_mul(self.trials));
        let simulation = Simulation::new(policy, population, self.trials, self.seed, self.threads)?;

        let mut stdout = io::stdout().lock();
        write!(stdout, "{plan}")?;
        stdout.flush()?;
        let outcome = simulation.run(&|clients| bar.inc(clients));
        bar.finish_and_clear();
        let outcome = outcome?;
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
