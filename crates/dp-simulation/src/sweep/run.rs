//! Cells that run, on all threads.

mod command;
mod filled;

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use crate::report::Functionality;
use crate::{Outcome, Population, Simulation};
use dp_prio3::DpPolicy;
use dp_task::{Measured, PolicyVisitor};
use rayon::prelude::*;

use crate::sweep::Error;
use crate::sweep::data::Question;
use crate::sweep::plan::{Plan, Planned, of_cell};
use crate::sweep::row::Row;

/// A cell of fewer reports than this runs on one thread, beside others: to share it would cost more.
const FEW_REPORTS: u64 = 5_000;

/// Told each row as soon as there is one, from any thread.
pub type Progress<'a> = &'a (dyn Fn(&Row) + Sync);

impl Plan {
    /// Runs all cells. The rows are in the order of the cells, and but for their times the same on any number
    /// of threads.
    ///
    /// # Errors
    /// The first cell whose simulation fails.
    pub fn run(&self, progress: Progress<'_>) -> Result<Vec<Row>, Error> {
        self.run_some(0..self.cells.len(), progress)
    }

    /// The same of some of the cells, by their places in this plan.
    ///
    /// # Errors
    /// The first cell whose simulation fails.
    pub fn run_some(&self, cells: Range<usize>, progress: Progress<'_>) -> Result<Vec<Row>, Error> {
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
            rows.map(|planned| run(planned, 1))
                .collect::<Result<Vec<_>, Error>>()
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

    fn row(&self, planned: &Planned, threads: usize) -> Result<Row, Error> {
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
        Ok(filled::row(
            &self.sweep,
            planned,
            question,
            &outcome.summary,
            seconds,
        ))
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
    type Output = Result<Outcome, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: Measured> + 'static,
    {
        let cell = &self.planned.cell;
        let rows = self.question.rows.clone();
        let population =
            Population::bootstrap(rows, cell.clients, cell.seed).map_err(crate::Error::from)?;
        let policy = Arc::new(policy);
        let simulation = Simulation::new(policy, population, cell.trials, cell.seed, self.threads)?;
        Ok(match self.functionality {
            Functionality::Ideal => simulation.run_ideal(&|_| ())?,
            Functionality::Prio3 => simulation.run(&|_| ())?,
        })
    }
}
