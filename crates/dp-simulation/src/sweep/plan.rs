//! Everything about the cells that is known before they run: their tasks, and what these guarantee.

use std::collections::BTreeMap;
use std::ops::Range;

use dp_calibration::{Budget, TrustModel, zcdp};
use dp_exact::{ParameterError, Rational, Refusal, Rounding};
use dp_prio3::{Circumstances, Guarantee, PrivacyBound};
use dp_task::{AggregatorNoise, Task, VdafSize};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::sweep::SweepError;
use crate::sweep::data::{OpenFile, Question, Questions};
use crate::sweep::file::Sweep;
use crate::sweep::grid::{Cell, CellGrid};

/// Cells that can run: nothing is wrong with any of them.
#[derive(Debug)]
pub struct SweepPlan {
    pub(crate) sweep: Sweep,
    pub(crate) questions: Questions,
    pub(crate) cells: Vec<Planned>,
    pub(crate) threads: usize,
    pub(crate) pool: ThreadPool,
}

/// A cell, its task and what that guarantees.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) cell: Cell,
    pub(crate) task: Task,
    pub(crate) guarantees: [Stated; 3],
}

impl SweepPlan {
    /// Reads the data and builds the task of each of these cells of the grid, from 0, on so many threads (0:
    /// one for each processor), which also run them.
    ///
    /// # Errors
    /// If the data cannot be read; if the policy of a cell cannot be built, guarantees nothing that protects
    /// anybody although the sweep does not accept that, or is not for so many clients.
    pub fn new(
        sweep: &Sweep,
        grid: &CellGrid,
        cells: Range<usize>,
        open: OpenFile<'_>,
        threads: usize,
    ) -> Result<Self, SweepError> {
        let cells = grid.cells.get(cells.clone()).ok_or_else(|| {
            let accepted = format!("cells from 0 to {}", grid.cells.len());
            ParameterError::new("cells", format!("{cells:?}"), accepted)
        })?;
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| SweepError::Threads(error.into()))?;
        let needed = cells.iter().map(|cell| (cell.kind, cell.choice));
        let questions = Questions::read(sweep, needed, open)?;
        let planned = pool.install(|| planned(sweep, cells, &questions))?;
        Ok(Self { sweep: sweep.clone(), questions, cells: planned, threads, pool })
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

/// What the task of a cell and its guarantees depend on: all but the trials.
type Key<'a> = (&'a str, &'a dp_task::NoiseParameters, usize, u64);

fn key(cell: &Cell) -> Key<'_> {
    (cell.policy.name, &cell.parameters, cell.choice, cell.clients)
}

/// Each task is built once, and its guarantees are computed once.
fn planned(
    sweep: &Sweep,
    cells: &[Cell],
    questions: &Questions,
) -> Result<Vec<Planned>, SweepError> {
    let tasks: BTreeMap<_, _> = cells.iter().map(|cell| (key(cell), cell)).collect();
    let built = |cell: &Cell| {
        let question = questions.get(cell.kind, cell.choice)?;
        let task = task(cell, question)?;
        let guarantees = guarantees(sweep, cell, &task)?;
        Ok((task, guarantees))
    };
    let tasks = tasks.into_par_iter().map(|(key, cell)| {
        let built = built(cell).map_err(|error| of_cell(cell, error))?;
        Ok((key, built))
    });
    let tasks: BTreeMap<_, _> = tasks.collect::<Result<_, SweepError>>()?;
    let planned = cells.iter().map(|cell| {
        let (task, guarantees) = tasks.get(&key(cell)).cloned().ok_or_else(lost)?;
        Ok(Planned { cell: cell.clone(), task, guarantees })
    });
    planned.collect()
}

fn lost() -> SweepError {
    ParameterError::new("cells", "a cell without a task", "tasks for all").into()
}

/// An error of one cell.
pub(crate) fn of_cell(cell: &Cell, source: SweepError) -> SweepError {
    SweepError::Cell { number: cell.number, cell: cell.to_string(), source: Box::new(source) }
}

fn task(cell: &Cell, question: &Question) -> Result<Task, SweepError> {
    let size = VdafSize {
        length: question.length,
        max_measurement: question.max_measurement,
        max_weight: question.weight,
        grid: None,
    };
    let document = cell.policy.document(&cell.parameters, &size, cell.clients)?;
    Ok(Task::accepting_weak_guarantee(document)?)
}

/// What is guaranteed to so many clients, all of them honest but those that the policy assumes to be malicious.
fn guarantees(sweep: &Sweep, cell: &Cell, task: &Task) -> Result<[Stated; 3], SweepError> {
    let clients = cell.clients;
    let (least, most) = (task.min_reports(), task.max_reports());
    if !(least..=most).contains(&clients) {
        let accepted = format!("from {least} to {most}, the reports of a batch of this policy");
        return Err(ParameterError::new("clients", clients, accepted).into());
    }
    let noise = task.document().aggregator_noise.as_ref();
    let malicious = noise.map_or(0, AggregatorNoise::assumed_malicious_clients);
    let delta = cell.parameters.guarantee_delta()?;
    let circumstances = Circumstances::new(clients.saturating_sub(malicious), delta);
    let guarantees = stated(task, &circumstances)?;
    if !sweep.accept_weak_guarantee && !guarantees.iter().any(Stated::protects) {
        let accepted = "true, as every guarantee of this cell has an epsilon above 20 or a delta above 0.001: \
                        it protects nobody";
        return Err(Refusal::missing("accept_weak_guarantee", accepted).into());
    }
    Ok(guarantees)
}

/// Digits of an ε that is not exact, rounded up.
const DIGITS: usize = 12;

/// A guarantee in one trust model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stated {
    /// ε, as a decimal; empty if nothing is guaranteed.
    pub(crate) epsilon: String,
    /// δ, as a decimal; empty if nothing is guaranteed.
    pub(crate) delta: String,
    /// Why nothing is guaranteed, or what is to be known of it.
    pub(crate) reason: String,
    is_weak: bool,
}

impl Stated {
    /// Whether something is guaranteed that protects somebody.
    pub(crate) const fn protects(&self) -> bool {
        !self.is_weak && !self.epsilon.is_empty()
    }
}

/// What is guaranteed in the three trust models, from the strongest adversary to the weakest.
fn stated(task: &Task, circumstances: &Circumstances) -> Result<[Stated; 3], SweepError> {
    let mut all: [Stated; 3] = Default::default();
    for (stated, model) in all.iter_mut().zip(TrustModel::ALL) {
        let guarantee = task.policy().guarantee(model, circumstances);
        *stated = of(&guarantee, circumstances)?;
    }
    Ok(all)
}

fn of(guarantee: &Guarantee, circumstances: &Circumstances) -> Result<Stated, SweepError> {
    let weak = match guarantee.is_weak {
        true => "it protects nobody",
        false => "",
    };
    let kept = |epsilon: &Rational, delta: &Rational, note: String| {
        let notes = [weak.to_owned(), note].into_iter();
        let notes: Vec<String> = notes.filter(|note| !note.is_empty()).collect();
        Stated {
            epsilon: decimal(epsilon),
            delta: decimal(delta),
            reason: notes.join("; "),
            is_weak: guarantee.is_weak,
        }
    };
    let delta = circumstances.delta();
    let (zero, none) = (Rational::zero(), String::new());
    Ok(match &guarantee.bound {
        PrivacyBound::Absent { reason } => Stated { reason: reason.clone(), ..Stated::default() },
        PrivacyBound::TotalVariation { delta, .. } => kept(&zero, delta.value(), none),
        PrivacyBound::Proved(Budget::Pure { epsilon }) => kept(epsilon.value(), &zero, none),
        PrivacyBound::Proved(Budget::Approximate { epsilon, delta }) => {
            kept(epsilon.value(), delta.value(), none)
        }
        PrivacyBound::Proved(Budget::ZeroConcentrated { rho }) => {
            let epsilon = zcdp::epsilon(rho, delta)?;
            let note = format!("converted from rho {}", rho.value());
            kept(&epsilon, delta.value(), note)
        }
        PrivacyBound::Proved(other) => Stated {
            reason: format!("{other}, which is no pair of epsilon and delta"),
            ..Stated::default()
        },
    })
}

/// As it is, if that is short, else rounded up.
fn decimal(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Up).to_string()
}
