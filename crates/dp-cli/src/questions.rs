//! The question to the data, and each person's measurement, for every VDAF.

mod codes;
mod numbers;
mod source;
mod synthetic;

use dp_prio3::grid::Grid;
use dp_simulation::Measurements;
use dp_simulation::data::{Labelled, Reading};
use dp_task::{PolicyName, Range, Task, Vdaf, VdafType};

use crate::failure::Failure;
use crate::options::Options;
use crate::queries;

/// A question in words, and a measurement for each row that is kept.
pub(crate) struct Question {
    pub(crate) words: String,
    /// What the coordinates of the aggregate are called.
    pub(crate) labels: Vec<String>,
    pub(crate) rows: Measurements,
    /// How many rows there are, and what was changed on the way.
    pub(crate) reading: Reading,
    /// The largest number, or of a vector of bits the most ones, that the options name or imply.
    pub(crate) bound: Option<u128>,
    /// The grid that the options name, of which the measurements are cells.
    pub(crate) grid: Option<Grid>,
    /// The law of synthetic data, in words.
    pub(crate) synthetic: Option<String>,
    /// How many clients draw by the law, unless the options say it.
    pub(crate) clients: Option<u64>,
}

impl Question {
    fn new(words: String, data: Labelled, bound: Option<u128>) -> Self {
        Self {
            words,
            labels: data.labels,
            rows: data.measurements,
            reading: data.reading,
            bound,
            grid: None,
            synthetic: None,
            clients: None,
        }
    }

    /// The same of columns of which there is one: a number for each row, and no vector.
    fn of_one_column(self) -> Self {
        Self {
            rows: self.rows.single(),
            ..self
        }
    }

    /// The most ones in a vector of bits.
    pub(crate) fn weight(&self) -> Option<usize> {
        self.bound.and_then(|bound| usize::try_from(bound).ok())
    }

    /// Reads the data that the options name, as the policy measures them: on the grid of the task,
    /// or up to its largest measurement, if it has one. Where they name none and there is a task, the seed
    /// makes synthetic data.
    pub(crate) fn ask(
        options: &Options,
        policy: PolicyName,
        task: Option<&Task>,
        seed: u64,
    ) -> Result<Self, Failure> {
        if synthetic::is_asked_for(options, task) {
            return synthetic::ask(options, policy, task, seed);
        }
        let vdaf = policy.vdaf;
        if let Some(grid) = task.and_then(Task::grid) {
            let columns = numbers::columns_of_grid(options, vdaf)?;
            refuse_foreign(options, vdaf)?;
            return numbers::on_grid_of_task(options, vdaf, &columns, grid);
        }
        refuse_foreign(options, vdaf)?;
        if let Some(grid) = options.data.grid()? {
            let columns = numbers::columns_of_grid(options, vdaf)?;
            return numbers::on_grid_of_options(options, vdaf, &columns, grid);
        }
        let task = task.and_then(|task| largest(&task.document().vdaf));
        match vdaf {
            VdafType::Count => codes::count(options),
            VdafType::Sum | VdafType::Average => numbers::number(options, vdaf, task),
            VdafType::Histogram => codes::histogram(options),
            VdafType::MultihotCountVec => {
                let is_one_hot = policy.client_noise.is_some_and(queries::is_one_hot);
                codes::bits(options, is_one_hot)
            }
            VdafType::SumVec | VdafType::L1BoundSum => numbers::numbers(options, vdaf, task),
        }
    }
}

/// Refuses the options of data that this VDAF does not measure.
fn refuse_foreign(options: &Options, vdaf: VdafType) -> Result<(), Failure> {
    let data = &options.data;
    let columns = ("columns", data.columns.as_ref());
    let column = ("column", data.column.as_ref());
    let bins = ("bins", data.bins.as_ref());
    let clamp = ("clamp", data.clamp);
    let overflow = ("overflow-bins", data.overflow_bins);
    match vdaf {
        VdafType::Count => {
            options.refuse(&[columns, bins])?;
            options.refuse_switches(&[clamp, overflow])?;
        }
        VdafType::Sum | VdafType::Average => {
            options.refuse(&[columns, bins])?;
            options.refuse_switches(&[overflow])?;
        }
        VdafType::Histogram => options.refuse(&[columns])?,
        VdafType::MultihotCountVec => {}
        VdafType::SumVec => {
            options.refuse(&[column, bins])?;
            options.refuse_switches(&[overflow])?;
        }
        // No vector is the nearest whose sum is in the range.
        VdafType::L1BoundSum => {
            options.refuse(&[column, bins])?;
            options.refuse_switches(&[clamp, overflow])?;
        }
    }
    Ok(())
}

/// The largest number that a task takes, or the largest sum of a vector.
fn largest(vdaf: &Vdaf) -> Option<u128> {
    match vdaf {
        Vdaf::L1BoundSum {
            max_measurement, ..
        } => Some(*max_measurement),
        other => other.range().map(Range::max_measurement),
    }
}
