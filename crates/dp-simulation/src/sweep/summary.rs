//! The summary of a sweep: the best policy of each job, and cells whose errors are not as
//! predicted.

use std::collections::BTreeMap;

use dp_task::VdafType;
use serde::Serialize;

use crate::sweep::cells::{Cell, CellGrid, in_words};
use crate::sweep::file::Sweep;
use crate::sweep::rows::{SweepRow, digest};

/// The fewest errors (totals times trials) from which a standard deviation is judged.
const FEWEST_ERRORS: u64 = 100;

/// The most standard errors by which the observed error and the mean error may be off.
pub const TOLERANCE: f64 = 5.0;

/// The results of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepResults {
    /// The sweep.
    pub sweep: Sweep,
    /// All cells; some may not have run.
    pub grid: CellGrid,
    /// A row for each cell that ran, by number.
    pub rows: Vec<SweepRow>,
    /// The summary of the rows.
    pub summary: SweepSummary,
}

impl SweepResults {
    /// The results with these rows, which are of cells of this grid.
    #[must_use]
    pub fn new(sweep: Sweep, grid: CellGrid, rows: Vec<SweepRow>) -> Self {
        let summary = SweepSummary::of(&sweep, &grid, &rows);
        Self { sweep, grid, rows, summary }
    }
}

/// The summary of all rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepSummary {
    /// The number of cells that ran.
    pub cells: u64,
    /// Each job with the policies that did it.
    pub jobs: Vec<SweepJob>,
    /// The number of cells that are judged: those with at least 100 errors.
    pub judged: u64,
    /// The cells whose errors are not as predicted.
    pub disagreements: Vec<Disagreement>,
    /// SHA-256 over the rows without their times.
    pub results_digest: String,
    /// The sum of the cells' wall times, in seconds.
    pub seconds: f64,
}

/// Policies that estimate the same quantities over the same clients with one budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepJob {
    /// The estimated quantity: a count, buckets, a sum, a mean, sums or bounded sums.
    pub estimates: &'static str,
    /// The entry of `budgets`.
    pub budget: String,
    /// The place of the entry, from 0.
    #[serde(skip)]
    pub entry: usize,
    /// The length of the vectors, or the bins.
    pub size: String,
    /// The aggregators.
    pub aggregators: String,
    /// The clients.
    pub clients: u64,
    /// The trials.
    pub trials: u64,
    /// The policies by predicted error, best first.
    pub policies: Vec<RankedPolicy>,
}

/// A policy of a job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedPolicy {
    /// The cell.
    pub cell: u64,
    /// The policy.
    pub policy: String,
    /// The error that the policy predicts (standard deviation): of an estimate, or with percentiles
    /// of a cumulative count.
    pub predicted_std: f64,
    /// The observed error divided by the predicted one; `None` if no error is predicted.
    pub observed_over_predicted: Option<f64>,
    /// The fraction of 95 % intervals that hold the truth, or with percentiles of bands that hold
    /// the distribution function.
    pub coverage_95: f64,
}

/// A cell whose errors are not as predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// The cell.
    pub cell: u64,
    /// Its parameters.
    pub parameters: String,
    /// The figure that is off: `observed_std`, `bias` or `cumulative_observed_std`.
    pub what: &'static str,
    /// The number of standard errors by which it is off.
    pub standard_errors: f64,
}

impl SweepSummary {
    fn of(sweep: &Sweep, grid: &CellGrid, rows: &[SweepRow]) -> Self {
        let cell = |row: &SweepRow| {
            let place = usize::try_from(row.cell).ok()?.checked_sub(1)?;
            grid.cells.get(place)
        };
        let rows_of: Vec<(&Cell, &SweepRow)> =
            rows.iter().filter_map(|row| Some((cell(row)?, row))).collect();
        let judged = rows.iter().filter(|row| is_judged(row));
        let disagreements = rows_of.iter().flat_map(|(cell, row)| disagreements(cell, row));
        Self {
            cells: count(rows.len()),
            jobs: jobs(sweep, &rows_of),
            judged: count(judged.count()),
            disagreements: disagreements.collect(),
            results_digest: digest(rows),
            seconds: rows.iter().map(|row| row.seconds).sum(),
        }
    }
}

fn count(things: usize) -> u64 {
    u64::try_from(things).unwrap_or(u64::MAX)
}

/// The jobs in the order of their first cells, budget by budget.
fn jobs(sweep: &Sweep, rows: &[(&Cell, &SweepRow)]) -> Vec<SweepJob> {
    let mut jobs: Vec<SweepJob> = Vec::new();
    let mut places = BTreeMap::new();
    for (number, budget) in sweep.budgets.iter().enumerate() {
        for (cell, row) in rows {
            if cell.budget != number {
                continue;
            }
            let what = estimates(cell.policy.vdaf);
            let size = match what {
                "buckets" | "sums" | "bounded sums" => {
                    cell.size.clone().unwrap_or_else(|| format!("length {}", row.length))
                }
                _ => String::new(),
            };
            let aggregators = row.aggregators.clone();
            let key = (number, what, size.clone(), aggregators.clone(), cell.clients, cell.trials);
            let place = *places.entry(key).or_insert_with(|| {
                jobs.push(SweepJob {
                    estimates: what,
                    budget: in_words(budget),
                    entry: number,
                    size,
                    aggregators,
                    clients: cell.clients,
                    trials: cell.trials,
                    policies: Vec::new(),
                });
                jobs.len() - 1
            });
            jobs[place].policies.push(contender(row));
        }
    }
    for job in &mut jobs {
        job.policies.sort_by(|one, other| one.predicted_std.total_cmp(&other.predicted_std));
    }
    jobs
}

fn contender(row: &SweepRow) -> RankedPolicy {
    let predicted_std = row.cumulative_predicted_std.unwrap_or(row.predicted_std);
    let observed_std = row.cumulative_observed_std.unwrap_or(row.observed_std);
    RankedPolicy {
        cell: row.cell,
        policy: row.policy.clone(),
        predicted_std,
        observed_over_predicted: (predicted_std > 0.0).then(|| observed_std / predicted_std),
        coverage_95: row.band_coverage_95.unwrap_or(row.coverage_95),
    }
}

/// The estimated quantity: policies that estimate the same one are compared.
const fn estimates(vdaf: VdafType) -> &'static str {
    match vdaf {
        VdafType::Count => "a count",
        VdafType::Sum => "a sum",
        VdafType::Average => "a mean",
        VdafType::Histogram | VdafType::MultihotCountVec => "buckets",
        VdafType::SumVec => "sums",
        VdafType::L1BoundSum => "bounded sums",
    }
}

fn is_judged(row: &SweepRow) -> bool {
    row.length.saturating_mul(row.trials) >= FEWEST_ERRORS
}

fn disagreements(cell: &Cell, row: &SweepRow) -> Vec<Disagreement> {
    if !is_judged(row) {
        return Vec::new();
    }
    // Each trial is one observation of cumulative counts.
    let cumulative = row.cumulative_observed_std.zip(row.cumulative_predicted_std);
    let cumulative = cumulative.filter(|_| row.trials >= FEWEST_ERRORS);
    let cumulative = cumulative.map_or(0.0, |(observed, predicted)| observed - predicted);
    let off = [
        ("observed_std", row.observed_std - row.predicted_std, row.observed_std_error),
        ("bias", row.bias, row.bias_error),
        ("cumulative_observed_std", cumulative, row.cumulative_observed_std_error),
    ];
    let off = off.into_iter().filter_map(|(what, off, error)| {
        let standard_errors = off.abs() / error.filter(|error| *error > 0.0)?;
        (standard_errors > TOLERANCE).then(|| Disagreement {
            cell: cell.number,
            parameters: cell.to_string(),
            what,
            standard_errors,
        })
    });
    off.collect()
}
