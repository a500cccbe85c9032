//! The cells of a sweep, run on all threads.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use dp_prio3::DpPolicy;
use dp_task::{FromMeasurement, PolicyVisitor};
use rayon::prelude::*;

use crate::report::Functionality;
use crate::sweep::SweepError;
use crate::sweep::cells::Cell;
use crate::sweep::data::CellData;
use crate::sweep::file::{DataSource, Sweep};
use crate::sweep::plan::{PlannedCell, SweepPlan, of_cell};
use crate::sweep::rows::SweepRow;
use crate::{CountSummary, ErrorStatistics, Outcome, Population, Simulation, Summary};

impl SweepPlan {
    /// Runs all cells, and hands each row to `progress` when its cell has run, from any thread. The
    /// rows are in the order of the cells. Only their times depend on the number of threads.
    ///
    /// # Errors
    /// The first cell whose simulation fails.
    pub fn run(&self, progress: &(dyn Fn(&SweepRow) + Sync)) -> Result<Vec<SweepRow>, SweepError> {
        self.run_some(0..self.cells.len(), progress)
    }

    /// Runs some of the cells, by their places in this plan, as [`run`](Self::run).
    ///
    /// # Errors
    /// The first cell whose simulation fails.
    pub fn run_some(
        &self,
        cells: Range<usize>,
        progress: &(dyn Fn(&SweepRow) + Sync),
    ) -> Result<Vec<SweepRow>, SweepError> {
        let cells = self.cells.get(cells).unwrap_or_default();
        let run = |planned: &PlannedCell, threads| {
            let row = self.row(planned, threads);
            let row = row.map_err(|error| of_cell(&planned.cell, error))?;
            progress(&row);
            Ok(row)
        };
        match self.sweep.functionality {
            // One at a time: the costs of cells differ much.
            Functionality::Ideal => self.pool.install(|| {
                let rows = cells.par_iter().with_max_len(1);
                rows.map(|planned| run(planned, 1)).collect()
            }),
            Functionality::Prio3 => {
                cells.iter().map(|planned| run(planned, self.pool.current_num_threads())).collect()
            }
        }
    }

    fn row(&self, planned: &PlannedCell, threads: usize) -> Result<SweepRow, SweepError> {
        let data = self.data.of(&planned.cell)?;
        let start = Instant::now();
        let run = CellRun { sweep: &self.sweep, cell: &planned.cell, data, threads };
        let outcome = planned.task.with_policy(run)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(filled(&self.sweep, planned, data, &outcome.summary, seconds))
    }
}

struct CellRun<'a> {
    sweep: &'a Sweep,
    cell: &'a Cell,
    data: &'a CellData,
    threads: usize,
}

impl PolicyVisitor for CellRun<'_> {
    type Output = Result<Outcome, SweepError>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let Self { sweep, cell, data, threads } = self;
        let population = Population::bootstrap(data.rows.clone(), cell.clients, cell.seed)
            .map_err(crate::Error::from)?;
        let mut simulation =
            Simulation::new(Arc::new(policy), population, cell.trials, cell.seed, threads)?;
        if sweep.functionality == Functionality::Ideal {
            simulation = simulation.ideal()?;
        }
        if let Some(question) = &sweep.percentiles {
            simulation = simulation.percentiles_and_ranges(question.clone())?;
        }
        Ok(simulation.run(&|_| ())?)
    }
}

fn filled(
    sweep: &Sweep,
    planned: &PlannedCell,
    data: &CellData,
    summary: &Summary,
    seconds: f64,
) -> SweepRow {
    let PlannedCell { cell, task, guarantees } = planned;
    let [oc, oaoc, oamc] = guarantees.clone();
    let CountSummary { predicted_std, errors, coverage_95, .. } = summary.estimates;
    let ErrorStatistics { observed_std, observed_std_error, bias, bias_error } = errors;
    let named = |parameters: &[(&str, &str)], name: &str| {
        let found = parameters.iter().find(|(own, _)| *own == name);
        found.map_or_else(String::new, |(_, value)| (*value).to_owned())
    };
    let given = |name| named(&cell.parameters.given(), name);
    // With the parameters that follow from others.
    let all: Vec<(&str, &str)> =
        task.parameters().iter().map(|(name, value)| (*name, value.as_str())).collect();
    let built = |name| named(&all, name);
    // The parameter of the aggregators' noise, else of the clients' noise.
    let noise =
        ["scale", "variance", "epsilon0", "epsilon", "ratio"].map(|name| (name, built(name)));
    let noise = noise.iter().find(|(_, value)| !value.is_empty());
    let bins = match &sweep.data {
        DataSource::Csv(table) if cell.size.is_some() => table.bins.get(cell.choice).cloned(),
        _ => None,
    };
    let delta = cell.parameters.guarantee_delta();
    let cumulative = summary.distribution.as_ref();
    let counts = cumulative.map(|cumulative| &cumulative.counts);
    let percentiles = cumulative.map(|cumulative| cumulative.percentiles.iter());
    let widths = percentiles.clone().map(|all| all.map(|one| one.mean_width));
    SweepRow {
        cell: cell.number,
        policy: cell.policy.name.to_owned(),
        functionality: sweep.functionality.name().to_owned(),
        data: sweep.data.name().to_owned(),
        bins: bins.unwrap_or_default(),
        length: u64::try_from(data.size.length).unwrap_or(u64::MAX),
        clients: cell.clients,
        trials: cell.trials,
        aggregators: given("aggregators"),
        epsilon: given("epsilon"),
        delta: delta.map_or_else(|_| String::new(), |delta| delta.value().to_string()),
        rho: given("rho"),
        epsilon0: given("epsilon0"),
        local_epsilon: given("local_epsilon"),
        false_positive_rate: built("false_positive_rate"),
        target_honest_clients: built("target_honest_clients"),
        assumed_malicious_clients: built("assumed_malicious_clients"),
        max_measurement: built("max_measurement"),
        max_weight: built("max_weight"),
        seed: cell.seed,
        noise: noise.map_or_else(String::new, |(name, value)| format!("{name} {value}")),
        predicted_std,
        observed_std,
        observed_std_error,
        bias,
        bias_error,
        coverage_95,
        cumulative_predicted_std: counts.map(|counts| counts.predicted_std),
        cumulative_observed_std: counts.map(|counts| counts.errors.observed_std),
        cumulative_observed_std_error: counts.and_then(|counts| counts.errors.observed_std_error),
        band_coverage_95: counts.map(|counts| counts.coverage_95),
        percentile_coverage_95: percentiles
            .map(|all| all.map(|one| one.coverage_95).fold(1.0, f64::min)),
        percentile_width: widths.map(|all| all.fold(1.0, f64::max)),
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
    }
}
