//! Everything about the cells that is known before they run: their tasks, and what these promise.

mod promises;

use std::collections::BTreeMap;
use std::ops::Range;

use dp_exact::{ParameterError, Refusal};
use dp_prio3::Circumstances;
use dp_task::{AggregatorNoise, Survey, Task};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::sweep::Error;
use crate::sweep::data::{Open, Question, Questions};
use crate::sweep::file::Sweep;
use crate::sweep::grid::{Cell, Grid};
use promises::{Stated, stated};

/// Cells that can run: nothing is wrong with any of them.
#[derive(Debug)]
pub struct Plan {
    pub(crate) sweep: Sweep,
    pub(crate) questions: Questions,
    pub(crate) cells: Vec<Planned>,
    pub(crate) threads: usize,
    pub(crate) pool: ThreadPool,
}

/// A cell, its task and what that promises.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) cell: Cell,
    pub(crate) task: Task,
    pub(crate) promises: [Stated; 3],
}

impl Plan {
    /// Reads the data and builds the task of each of these cells of the grid, from 0, on so many threads (0:
    /// one for each processor), which also run them.
    ///
    /// # Errors
    /// If the data cannot be read; if the policy of a cell cannot be built, promises nothing that protects
    /// anybody although the sweep does not accept that, or is not for so many clients.
    pub fn new(
        sweep: &Sweep,
        grid: &Grid,
        cells: Range<usize>,
        open: Open<'_>,
        threads: usize,
    ) -> Result<Self, Error> {
        let cells = grid.cells.get(cells.clone()).ok_or_else(|| {
            let accepted = format!("cells from 0 to {}", grid.cells.len());
            ParameterError::new("cells", format!("{cells:?}"), accepted)
        })?;
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::Threads(error.into()))?;
        let needed = cells.iter().map(|cell| (cell.kind, cell.choice));
        let questions = Questions::read(sweep, needed, open)?;
        let planned = pool.install(|| planned(sweep, cells, &questions))?;
        Ok(Self {
            sweep: sweep.clone(),
            questions,
            cells: planned,
            threads,
            pool,
        })
    }

    /// How many cells there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
}

/// What the task of a cell and its promises depend on: all but the trials.
type Key<'a> = (&'a str, &'a dp_task::Parameters, usize, u64);

fn key(cell: &Cell) -> Key<'_> {
    (
        cell.policy.name,
        &cell.parameters,
        cell.choice,
        cell.clients,
    )
}

/// Each task is built once, and its promises are computed once.
fn planned(sweep: &Sweep, cells: &[Cell], questions: &Questions) -> Result<Vec<Planned>, Error> {
    let tasks: BTreeMap<_, _> = cells.iter().map(|cell| (key(cell), cell)).collect();
    let built = |cell: &Cell| {
        let question = questions.get(cell.kind, cell.choice)?;
        let task = task(cell, question)?;
        let promises = promises(sweep, cell, &task)?;
        Ok((task, promises))
    };
    let tasks = tasks.into_par_iter().map(|(key, cell)| {
        let built = built(cell).map_err(|error| of_cell(cell, error))?;
        Ok((key, built))
    });
    let tasks: BTreeMap<_, _> = tasks.collect::<Result<_, Error>>()?;
    let planned = cells.iter().map(|cell| {
        let (task, promises) = tasks.get(&key(cell)).cloned().ok_or_else(lost)?;
        Ok(Planned {
            cell: cell.clone(),
            task,
            promises,
        })
    });
    planned.collect()
}

fn lost() -> Error {
    ParameterError::new("cells", "a cell without a task", "tasks for all").into()
}

/// An error of one cell.
pub(crate) fn of_cell(cell: &Cell, source: Error) -> Error {
    Error::Cell {
        number: cell.number,
        cell: cell.to_string(),
        source: Box::new(source),
    }
}

fn task(cell: &Cell, question: &Question) -> Result<Task, Error> {
    let survey = Survey {
        length: question.length,
        max_measurement: question.max_measurement,
        weight: question.weight,
        grid: None,
        clients: cell.clients,
    };
    let document = cell.policy.document(&cell.parameters, &survey)?;
    Ok(Task::of_any_strength(document)?)
}

/// What is promised to so many clients, all of them honest but those that the policy assumes to be malicious.
fn promises(sweep: &Sweep, cell: &Cell, task: &Task) -> Result<[Stated; 3], Error> {
    let clients = cell.clients;
    let (least, most) = (task.min_reports(), task.max_reports());
    if !(least..=most).contains(&clients) {
        let accepted = format!("from {least} to {most}, the reports of a batch of this policy");
        return Err(ParameterError::new("clients", clients, accepted).into());
    }
    let noise = task.document().aggregator_noise.as_ref();
    let malicious = noise.map_or(0, AggregatorNoise::assumed_malicious_clients);
    let delta = cell.parameters.stated_delta()?;
    let circumstances = Circumstances::new(clients.saturating_sub(malicious), delta);
    let promises = stated(task, &circumstances)?;
    if !sweep.accept_weak_promise && !promises.iter().any(Stated::protects) {
        let accepted = "true, as every promise of this cell has an epsilon above 20 or a delta above 0.001: \
                        it protects nobody";
        return Err(Refusal::missing("accept_weak_promise", accepted).into());
    }
    Ok(promises)
}
