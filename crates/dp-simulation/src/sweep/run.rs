//! Cells that run, on all threads.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use crate::report::Functionality;
use crate::{Outcome, Population, Simulation, Summary};
use dp_prio3::DpPolicy;
use dp_task::{FromMeasurement, PolicyVisitor};
use rayon::prelude::*;

use crate::sweep::SweepError;
use crate::sweep::data::{DataSource, Question};
use crate::sweep::file::Sweep;
use crate::sweep::grid::Cell;
use crate::sweep::plan::{Planned, SweepPlan, of_cell};
use crate::sweep::row::SweepRow;

/// A cell of fewer reports than this runs on one thread, beside others: to share it would cost more.
const FEW_REPORTS: u64 = 5_000;

/// Told each row as soon as there is one, from any thread.
pub type Progress<'a> = &'a (dyn Fn(&SweepRow) + Sync);

impl SweepPlan {
    /// Runs all cells. The rows are in the order of the cells, and but for their times the same on any number
    /// of threads.
    ///
    /// # Errors
    /// The first cell whose simulation fails.
    pub fn run(&self, progress: Progress<'_>) -> Result<Vec<SweepRow>, SweepError> {
        self.run_some(0..self.cells.len(), progress)
    }

    /// The same of some of the cells, by their places in this plan.
    ///
    /// # Errors
    /// The first cell whose simulation fails.
    pub fn run_some(
        &self,
        cells: Range<usize>,
        progress: Progress<'_>,
    ) -> Result<Vec<SweepRow>, SweepError> {
        let cells = self.cells.get(cells).unwrap_or_default();
        let (wide, narrow): (Vec<&Planned>, Vec<&Planned>) =
            cells.iter().partition(|planned| self.is_wide(planned));
        let run = |planned: &&Planned, threads| {
            let row = self.row(planned, threads);
            let row = row.map_err(|error| of_cell(&planned.cell, error))?;
            progress(&row);
            Ok(row)
        };
        // One at a time: cells differ much in what they cost.
        let narrow = self.pool.install(|| {
            let rows = narrow.par_iter().with_max_len(1);
            rows.map(|planned| run(planned, 1)).collect::<Result<Vec<_>, SweepError>>()
        });
        let mut rows = narrow?;
        for planned in &wide {
            rows.push(run(planned, self.threads)?);
        }
        rows.sort_by_key(|row| row.cell);
        Ok(rows)
    }

    /// Whether a cell has work for all threads.
    fn is_wide(&self, planned: &Planned) -> bool {
        self.sweep.functionality == Functionality::Prio3 && planned.cell.clients >= FEW_REPORTS
    }

    fn row(&self, planned: &Planned, threads: usize) -> Result<SweepRow, SweepError> {
        let cell = &planned.cell;
        let question = self.questions.get(cell.kind, cell.choice)?;
        let start = Instant::now();
        let outcome = planned.task.with_policy(Run {
            planned,
            question,
            functionality: self.sweep.functionality,
            threads,
        })?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(filled(&self.sweep, planned, question, &outcome.summary, seconds))
    }
}

/// A run that waits for its policy.
struct Run<'a> {
    planned: &'a Planned,
    question: &'a Question,
    functionality: Functionality,
    threads: usize,
}

impl PolicyVisitor for Run<'_> {
    type Output = Result<Outcome, SweepError>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let cell = &self.planned.cell;
        let rows = self.question.rows.clone();
        let population =
            Population::bootstrap(rows, cell.clients, cell.seed).map_err(crate::Error::from)?;
        let policy = Arc::new(policy);
        let simulation = Simulation::new(policy, population, cell.trials, cell.seed, self.threads)?;
        let simulation = match self.functionality {
            Functionality::Ideal => simulation.ideal()?,
            Functionality::Prio3 => simulation,
        };
        Ok(simulation.run(&|_| ())?)
    }
}

/// The row of a cell that has run.
fn filled(
    sweep: &Sweep,
    planned: &Planned,
    question: &Question,
    summary: &Summary,
    seconds: f64,
) -> SweepRow {
    let Planned { cell, task, guarantees } = planned;
    let [oc, oaoc, oamc] = guarantees.clone();
    let said = |name: &str| {
        let given = cell.parameters.given();
        let found = given.iter().find(|(given, _)| *given == name);
        found.map_or_else(String::new, |(_, value)| (*value).to_owned())
    };
    // What follows from other parameters.
    let built = |name: &str| {
        let found = task.parameters().iter().find(|(own, _)| *own == name);
        found.map_or_else(String::new, |(_, value)| value.clone())
    };
    let bins = match &sweep.data {
        DataSource::Table(table) if cell.size.is_some() => table.bins.get(cell.choice).cloned(),
        _ => None,
    };
    SweepRow {
        cell: cell.number,
        policy: cell.policy.name.to_owned(),
        functionality: sweep.functionality.name().to_owned(),
        data: sweep.data.name().to_owned(),
        bins: bins.unwrap_or_default(),
        length: u64::try_from(question.length).unwrap_or(u64::MAX),
        clients: cell.clients,
        trials: cell.trials,
        aggregators: said("aggregators"),
        epsilon: said("epsilon"),
        delta: cell
            .parameters
            .guarantee_delta()
            .map_or_else(|_| String::new(), |delta| delta.value().to_string()),
        rho: said("rho"),
        epsilon0: said("epsilon0"),
        local_epsilon: said("local_epsilon"),
        false_positive_rate: built("false_positive_rate"),
        wanted_honest_clients: built("wanted_honest_clients"),
        assumed_malicious_clients: built("assumed_malicious_clients"),
        max_measurement: built("max_measurement"),
        max_weight: built("max_weight"),
        seed: cell.seed,
        noise: noise(task.parameters()),
        predicted_std: summary.predicted_std,
        observed_std: summary.observed_std,
        observed_std_error: summary.observed_std_error,
        bias: summary.bias,
        bias_error: summary.bias_error,
        coverage_95: summary.coverage_95,
        dropped: summary.dropped,
        rejected: summary.rejected.saturating_sub(summary.dropped),
        oc_epsilon: oc.epsilon,
        oc_delta: oc.delta,
        oc_reason: oc.reason,
        oaoc_epsilon: oaoc.epsilon,
        oaoc_delta: oaoc.delta,
        oaoc_reason: oaoc.reason,
        oamc_epsilon: oamc.epsilon,
        oamc_delta: oamc.delta,
        oamc_reason: oamc.reason,
        seconds,
        command: command(sweep, cell),
    }
}

/// The parameter of the aggregators' noise, else that of the clients.
fn noise(parameters: &[(&'static str, String)]) -> String {
    let names = ["scale", "variance", "epsilon0", "epsilon", "ratio"];
    let found = names.iter().find_map(|name| {
        let mut parameters = parameters.iter();
        parameters.find(|(own, _)| own == name)
    });
    found.map_or_else(String::new, |(name, value)| format!("{name} {value}"))
}

/// What to type to run a cell alone. The name of the file stands in quotes if a shell needs them.
fn command(sweep: &Sweep, cell: &Cell) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./,:=+%@".contains(character);
    let name = match sweep.name.chars().all(is_plain) && !sweep.name.is_empty() {
        true => sweep.name.clone(),
        false => format!("'{}'", sweep.name.replace('\'', "'\\''")),
    };
    let seed = sweep.seed.unwrap_or_default();
    format!("sweep {name} --seed {seed} --cell {}", cell.number)
}
