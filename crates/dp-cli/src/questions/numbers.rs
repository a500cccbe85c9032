//! Questions about sums and means: integers up to a bound, or real numbers on a grid.

use std::fmt::Write as _;

use dp_exact::{Refusal, grouped};
use dp_prio3::grid::Grid;
use dp_simulation::data::{Beyond, cells, indicators, integers};
use dp_task::VdafType;

use super::Question;
use super::codes::indicator_question;
use super::source::{columns, read, split};
use crate::failure::Failure;
use crate::options::{Options, integer};

/// The column of integers, and the largest of them, that is summed if nothing else is asked for.
const CIGARETTES: (&str, u128) = ("cigarettes_per_day", 80);

/// The columns of real numbers: no others are asked for by default.
pub(super) fn columns_of_grid(options: &Options, vdaf: VdafType) -> Result<Vec<String>, Refusal> {
    if vdaf == VdafType::SumVec {
        let columns = options.data.columns.as_deref();
        let accepted = "columns of numbers, separated by commas";
        return columns
            .map(split)
            .ok_or_else(|| Refusal::missing("columns", accepted));
    }
    let column = options.data.column.clone();
    let column = column.ok_or_else(|| Refusal::missing("column", "a column of numbers"))?;
    Ok(vec![column])
}

/// A number, or a vector of numbers, for each person, each in its cell of the task's grid: as the
/// task's clients do, it clamps.
pub(super) fn on_grid_of_task(
    options: &Options,
    vdaf: VdafType,
    columns: &[String],
    grid: &Grid,
) -> Result<Question, Failure> {
    on_grid(options, vdaf, columns, (grid, Beyond::Clamp))
}

/// The same on a grid that the options name.
pub(super) fn on_grid_of_options(
    options: &Options,
    vdaf: VdafType,
    columns: &[String],
    grid: Grid,
) -> Result<Question, Failure> {
    if let Some(max) = &options.data.max_measurement {
        let (place, change) = ("with --grid", "leave one of them out");
        return Err(Refusal::contradiction("max-measurement", max, place, change).into());
    }
    let question = on_grid(options, vdaf, columns, (&grid, options.data.beyond()))?;
    Ok(Question {
        bound: Some(grid.max_measurement()),
        grid: Some(grid),
        ..question
    })
}

fn on_grid(
    options: &Options,
    vdaf: VdafType,
    columns: &[String],
    (grid, beyond): (&Grid, Beyond),
) -> Result<Question, Failure> {
    let is_vector = vdaf == VdafType::SumVec;
    let (table, name) = read(options)?;
    let (data, distortion) = cells(table, columns, grid, beyond)?;
    let mut words = format!(
        "What is the {} of {} of {name}, on a grid from {} to {} in steps of {}?",
        total_or_mean(vdaf),
        data.labels.join(", "),
        grouped(grid.low()),
        grouped(grid.high()),
        grouped(grid.granularity()),
    );
    if let Some(moved) = distortion.of_the_mean().filter(|_| !is_vector) {
        let _ = write!(words, " The grid moves the mean by {moved:.4}.");
    }
    let question = Question::new(words, data, None);
    Ok(if is_vector {
        question
    } else {
        question.of_one_column()
    })
}

/// An integer for each person.
pub(super) fn number(
    options: &Options,
    vdaf: VdafType,
    task: Option<u128>,
) -> Result<Question, Failure> {
    let (table, name) = read(options)?;
    let column = options.data.column.as_deref().unwrap_or(CIGARETTES.0);
    table.check_column(column)?;
    let max = match (task, &options.data.max_measurement) {
        (Some(max), _) => max,
        (None, Some(max)) => integer("max-measurement", max, 1..=u128::MAX >> 1)?,
        (None, None) if column == CIGARETTES.0 => CIGARETTES.1,
        (None, None) => {
            let accepted = "the largest number that is not refused, an integer of at least 1, or \
                            --grid LOW..HIGH/STEP for real numbers";
            return Err(Refusal::missing("max-measurement", accepted).into());
        }
    };
    let data = integers(table, &[column.to_owned()], max, options.data.beyond())?;
    let what = total_or_mean(vdaf);
    let words = format!(
        "What is the {what} of {column} of {name}, with values from 0 to {}?",
        grouped(max)
    );
    Ok(Question::new(words, data, Some(max)).of_one_column())
}

/// A vector of integers for each person, and the largest that is allowed: of Prio3L1BoundSum the
/// largest sum.
pub(super) fn numbers(
    options: &Options,
    vdaf: VdafType,
    task: Option<u128>,
) -> Result<Question, Failure> {
    let (table, name) = read(options)?;
    let columns = columns(options);
    let given = match &options.data.max_measurement {
        Some(max) => Some(integer("max-measurement", max, 1..=u128::MAX >> 1)?),
        None => task,
    };
    if let Some(max) = given {
        let data = integers(table, &columns, max, options.data.beyond())?;
        let words = format!(
            "What are the totals of {} columns of {name}, with values from 0 to {}?",
            grouped(data.labels.len()),
            grouped(max),
        );
        return Ok(Question::new(words, data, Some(max)));
    }
    options.refuse_switches(&[("clamp", options.data.clamp)])?;
    let (yes, no) = options.data.codes()?;
    let mut data = indicators(table, &columns, &yes, &no)?;
    let words = indicator_question(&data.labels, &name, options);
    let max = match vdaf {
        VdafType::L1BoundSum => u128::try_from(columns.len()).unwrap_or(u128::MAX),
        _ => 1,
    };
    data.measurements = data.measurements.as_integers();
    Ok(Question::new(words, data, Some(max)))
}

const fn total_or_mean(vdaf: VdafType) -> &'static str {
    match vdaf {
        VdafType::Average => "mean",
        _ => "total",
    }
}
