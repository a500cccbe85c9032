//! The tasks of the cells and their guarantees, before anything runs.

use std::ops::Range;

use dp_calibration::{Budget, TrustModel, zcdp};
use dp_exact::{ParameterError, Rational, Refusal, Rounding};
use dp_prio3::{Circumstances, Guarantee, PrivacyBound};
use dp_task::Task;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::sweep::SweepError;
use crate::sweep::cells::{Cell, CellGrid};
use crate::sweep::data::{OpenFile, SweepData};
use crate::sweep::file::Sweep;
use crate::workers::pool;

/// The most significant digits of an ε or a δ, which are rounded up.
const DIGITS: usize = 12;

/// Cells that can run: all of them have data and a task.
#[derive(Debug)]
pub struct SweepPlan {
    pub(crate) sweep: Sweep,
    pub(crate) data: SweepData,
    pub(crate) cells: Vec<PlannedCell>,
    pub(crate) pool: ThreadPool,
}

/// A cell, its task, and the task's guarantees in OC, OAOC and OAMC.
#[derive(Clone, Debug)]
pub(crate) struct PlannedCell {
    pub(crate) cell: Cell,
    pub(crate) task: Task,
    pub(crate) guarantees: [CellGuarantee; 3],
}

/// A guarantee in one trust model, as it stands in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellGuarantee {
    /// An upper bound on ε as a decimal; empty without a guarantee.
    pub(crate) epsilon: String,
    /// An upper bound on δ as a decimal; empty without a guarantee.
    pub(crate) delta: String,
    /// Why there is no guarantee, or a note on the guarantee.
    pub(crate) reason: String,
    is_weak: bool,
}

impl SweepPlan {
    /// Reads the data and builds the task of each cell in this range of the grid, from 0. `threads`
    /// threads (0: one for each processor) build the tasks and run the cells.
    ///
    /// # Errors
    /// If the data cannot be read; if the policy of a cell cannot be built, is not for this number
    /// of clients, or protects nobody although the sweep does not accept that.
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
        let pool = pool(threads, Ok)?;
        let data = SweepData::read(sweep, cells, open)?;
        let planned = |cell: &Cell| {
            let size = &data.of(cell)?.size;
            let document = cell.policy.document(&cell.parameters, size, cell.clients)?;
            let task = Task::accepting_weak_guarantee(document)?;
            let guarantees = guarantees(sweep, cell, &task)?;
            Ok(PlannedCell { cell: cell.clone(), task, guarantees })
        };
        let cells = pool.install(|| {
            let cells = cells.par_iter();
            let cells = cells.map(|cell| planned(cell).map_err(|error| of_cell(cell, error)));
            cells.collect::<Result<_, SweepError>>()
        })?;
        Ok(Self { sweep: sweep.clone(), data, cells, pool })
    }

    /// The number of cells.
    pub const fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are no cells.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
}

pub(crate) fn of_cell(cell: &Cell, source: SweepError) -> SweepError {
    SweepError::Cell { number: cell.number, cell: cell.to_string(), source: Box::new(source) }
}

/// The guarantees in the trust models of [`TrustModel::ALL`], to clients who are all honest but for
/// those that the policy assumes to be malicious. `Err` if the policy releases no batch of this
/// size, or if all guarantees are weak and the sweep does not accept that.
fn guarantees(sweep: &Sweep, cell: &Cell, task: &Task) -> Result<[CellGuarantee; 3], SweepError> {
    let clients = cell.clients;
    let (least, most) = (task.policy().min_reports(), task.policy().max_reports());
    if !(least..=most).contains(&clients) {
        let accepted = format!("from {least} to {most}, the reports of a batch of this policy");
        return Err(ParameterError::new("clients", clients, accepted).into());
    }
    let honest = clients.saturating_sub(task.document().assumed_malicious_clients());
    let circumstances = Circumstances::new(honest, cell.parameters.guarantee_delta()?);
    let mut guarantees: [CellGuarantee; 3] = Default::default();
    for (guarantee, model) in guarantees.iter_mut().zip(TrustModel::ALL) {
        *guarantee =
            CellGuarantee::of(&task.policy().guarantee(model, &circumstances), &circumstances)?;
    }
    let protects = |one: &CellGuarantee| !one.is_weak && !one.epsilon.is_empty();
    if !sweep.accept_weak_guarantee && !guarantees.iter().any(protects) {
        let accepted = "true, as every guarantee of this cell has an epsilon above 20 or a delta above 0.001: \
                        it protects nobody";
        return Err(Refusal::missing("accept_weak_guarantee", accepted).into());
    }
    Ok(guarantees)
}

impl CellGuarantee {
    /// ε and δ of a guarantee as decimals of at most 12 significant digits, rounded up. Both are
    /// empty if it has no such pair. For ρ they are an ε at the δ of `circumstances`, and this δ.
    fn of(guarantee: &Guarantee, circumstances: &Circumstances) -> Result<Self, SweepError> {
        let (epsilon, delta, note) = match &guarantee.bound {
            PrivacyBound::Proved(Budget::Pure { epsilon }) => {
                (epsilon.value().clone(), Rational::zero(), None)
            }
            PrivacyBound::Proved(Budget::Approximate { epsilon, delta }) => {
                (epsilon.value().clone(), delta.value().clone(), None)
            }
            PrivacyBound::Proved(Budget::ZeroConcentrated { rho }) => {
                let delta = &circumstances.delta;
                let note = format!("converted from rho {}", rho.value());
                (zcdp::epsilon(rho, delta)?, delta.value().clone(), Some(note))
            }
            PrivacyBound::Proved(other) => {
                let reason = format!("{other}, which is no pair of epsilon and delta");
                return Ok(Self { reason, ..Self::default() });
            }
            PrivacyBound::Absent { reason } => {
                return Ok(Self { reason: reason.to_string(), ..Self::default() });
            }
        };
        let weak = guarantee.is_weak.then(|| "it protects nobody".to_owned());
        let notes: Vec<String> = weak.into_iter().chain(note).collect();
        let decimal = |value: Rational| value.round_to_digits(DIGITS, Rounding::Up).to_string();
        Ok(Self {
            epsilon: decimal(epsilon),
            delta: decimal(delta),
            reason: notes.join("; "),
            is_weak: guarantee.is_weak,
        })
    }
}
