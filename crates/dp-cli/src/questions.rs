//! The question to the data, and each person's measurement, for every VDAF.

use std::fmt::Write as _;

use dp_exact::{ParameterError, Refusal, shown};
use dp_files::Input;
use dp_grid::{Distortion, Grid};
use dp_simulation::Measurements;
use dp_simulation::data::{Bins, Labelled, SHIPPED, Table, cells, indicators, integers, shipped};
use dp_task::{PolicyName, Randomizer, Range, Task, Vdaf, VdafType};

use crate::failure::Failure;
use crate::options::{Options, integer};

/// The column, and its bins, that are counted if nothing else is asked for.
const HEIGHT: (&str, &str) = ("height_cm", "140..200/5");

/// The column of integers, and the largest of them, that is summed if nothing else is asked for.
const CIGARETTES: (&str, u128) = ("cigarettes_per_day", 80);

/// The columns of the shipped data that say whether a condition was ever diagnosed.
const DIAGNOSES: &str = "asthma,bronch,tb,hf,hbp,pepticulcer,colitis,hepatitis,chroniccough,\
                         hayfever,diabetes,polio,tumor,nervousbreak";

/// The first of them.
const DIAGNOSIS: &str = "asthma";

/// A question in words, and a measurement for each row.
pub(crate) struct Question {
    pub(crate) words: String,
    /// What the coordinates of the aggregate are called.
    pub(crate) labels: Vec<String>,
    pub(crate) rows: Measurements,
    /// The largest number, or of a vector of bits the most ones, that the options name or imply.
    pub(crate) bound: Option<u128>,
}

impl Question {
    fn new(words: String, data: Labelled, bound: Option<u128>) -> Self {
        Self {
            words,
            labels: data.labels,
            rows: data.measurements,
            bound,
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
    /// or up to its largest measurement, if it has one.
    pub(crate) fn ask(
        options: &Options,
        policy: PolicyName,
        task: Option<&Task>,
    ) -> Result<Self, Failure> {
        if let Some(grid) = task.and_then(Task::grid) {
            return on_grid(options, policy.vdaf, grid);
        }
        let task = task.and_then(|task| largest(&task.document().vdaf));
        let vdaf = policy.vdaf;
        let columns = ("columns", options.data.columns.as_ref());
        let column = ("column", options.data.column.as_ref());
        let bins = ("bins", options.data.bins.as_ref());
        match vdaf {
            VdafType::Count => {
                options.refuse(&[columns, bins])?;
                count(options)
            }
            VdafType::Sum | VdafType::Average => {
                options.refuse(&[columns, bins])?;
                number(options, vdaf, task)
            }
            VdafType::Histogram => {
                options.refuse(&[columns])?;
                let (words, data) = histogram(options)?;
                Ok(Self::new(words, data, None))
            }
            VdafType::MultihotCountVec => {
                let is_one_hot = policy.client_noise.is_some_and(is_one_hot);
                if is_one_hot {
                    options.refuse(&[columns])?;
                }
                bits(options, is_one_hot)
            }
            VdafType::SumVec | VdafType::L1BoundSum => {
                options.refuse(&[column, bins])?;
                numbers(options, vdaf, task)
            }
        }
    }
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

/// A yes or no for each person.
fn count(options: &Options) -> Result<Question, Failure> {
    let (table, name) = read(options)?;
    let column = options
        .data
        .column
        .as_deref()
        .unwrap_or(DIAGNOSIS)
        .to_owned();
    let (yes, no) = options.data.codes()?;
    let data = indicators(table, &[column], &yes, &no)?;
    let words = format!(
        "How many people of {name} have the value {} in {}? ({} count as no.)",
        options.data.yes,
        data.labels.join(", "),
        options.data.no,
    );
    Ok(Question::new(words, data, None).of_one_column())
}

/// A number, or a vector of numbers, for each person, each in its cell of a grid.
fn on_grid(options: &Options, vdaf: VdafType, grid: &Grid) -> Result<Question, Failure> {
    options.refuse(&[("bins", options.data.bins.as_ref())])?;
    let is_vector = vdaf == VdafType::SumVec;
    let (foreign, columns) = match (&options.data.column, &options.data.columns) {
        (column, Some(columns)) if is_vector => (("column", column.as_ref()), columns.as_str()),
        (Some(column), columns) if !is_vector => (("columns", columns.as_ref()), column.as_str()),
        _ => {
            let (name, accepted) = if is_vector {
                ("columns", "columns of numbers, separated by commas")
            } else {
                ("column", "a column of numbers")
            };
            return Err(Refusal::missing(name, accepted).into());
        }
    };
    options.refuse(&[foreign])?;
    let (table, name) = read(options)?;
    let columns: Vec<String> = columns
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect();
    let mut distortion = Distortion::default();
    let convert = |value: &_| (grid.cell(value), Distortion::of(grid, [value]));
    let data = cells(table, &columns, convert, |(cell, of_one)| {
        distortion += of_one;
        cell
    })?;
    let what = match vdaf {
        VdafType::Average => "mean",
        _ => "total",
    };
    let mut words = format!(
        "What is the {what} of {} of {name}, on a grid from {} to {} in steps of {}? {} values lie \
         below it and {} above: they count as its ends.",
        data.labels.join(", "),
        grid.low(),
        grid.high(),
        grid.granularity(),
        distortion.below,
        distortion.above,
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
fn number(options: &Options, vdaf: VdafType, task: Option<u128>) -> Result<Question, Failure> {
    let (table, name) = read(options)?;
    let column = options.data.column.as_deref().unwrap_or(CIGARETTES.0);
    table.check_column(column)?;
    let max = match (task, &options.data.max_measurement) {
        (Some(max), _) => max,
        (None, Some(max)) => integer("max-measurement", max, 1..=u128::MAX >> 1)?,
        (None, None) if column == CIGARETTES.0 => CIGARETTES.1,
        (None, None) => {
            let accepted = "the largest number that is not refused, an integer of at least 1";
            return Err(Refusal::missing("max-measurement", accepted).into());
        }
    };
    let data = integers(table, &[column.to_owned()], max)?;
    let what = match vdaf {
        VdafType::Average => "mean",
        _ => "total",
    };
    let words = format!("What is the {what} of {column} of {name}, with values from 0 to {max}?");
    Ok(Question::new(words, data, Some(max)).of_one_column())
}

/// One bucket for each person.
fn histogram(options: &Options) -> Result<(String, Labelled), Failure> {
    let (table, name) = read(options)?;
    let column = options.data.column.as_deref().unwrap_or(HEIGHT.0);
    table.check_column(column)?;
    let bins = match (&options.data.bins, column == HEIGHT.0) {
        (Some(bins), _) => bins.as_str(),
        (None, true) => HEIGHT.1,
        (None, false) => {
            let accepted = "LOW..HIGH/WIDTH, values such as 0,1,2, or the word distinct";
            return Err(Refusal::missing("bins", accepted).into());
        }
    };
    let bins: Bins = bins.parse()?;
    let data = bins.apply(table, column)?;
    let published = match bins {
        Bins::Distinct => " The bins are the values that occur: they are not protected.",
        Bins::Equal { .. } | Bins::Values(_) => "",
    };
    let question = format!(
        "How many people of {name} fall into each of {} bins of {column}?{published}",
        data.labels.len(),
    );
    Ok((question, data))
}

/// A vector of integers for each person, and the largest that is allowed: of Prio3L1BoundSum the
/// largest sum.
fn numbers(options: &Options, vdaf: VdafType, task: Option<u128>) -> Result<Question, Failure> {
    let (table, name) = read(options)?;
    let columns = columns(options);
    let given = match &options.data.max_measurement {
        Some(max) => Some(integer("max-measurement", max, 1..=u128::MAX >> 1)?),
        None => task,
    };
    if let Some(max) = given {
        let data = integers(table, &columns, max)?;
        let words = format!(
            "What are the totals of {} columns of {name}, with values from 0 to {max}?",
            data.labels.len(),
        );
        return Ok(Question::new(words, data, Some(max)));
    }
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

/// A vector of bits for each person, and its largest weight.
fn bits(options: &Options, is_one_hot: bool) -> Result<Question, Failure> {
    if is_one_hot || options.data.column.is_some() || options.data.bins.is_some() {
        options.refuse(&[("columns", options.data.columns.as_ref())])?;
        let (words, mut buckets) = histogram(options)?;
        let length = buckets.labels.len();
        buckets.measurements = buckets.measurements.one_hot(length)?;
        let bound = weight(options, 1, length)?;
        return Ok(Question::new(words, buckets, Some(bound)));
    }
    let (table, name) = read(options)?;
    let (yes, no) = options.data.codes()?;
    let data = indicators(table, &columns(options), &yes, &no)?;
    let words = indicator_question(&data.labels, &name, options);
    let length = data.labels.len();
    let bound = weight(options, length, length)?;
    Ok(Question::new(words, data, Some(bound)))
}

fn weight(options: &Options, default: usize, length: usize) -> Result<u128, ParameterError> {
    let weight = match &options.max_weight {
        Some(weight) => integer("max-weight", weight, 1..=length)?,
        None => default,
    };
    Ok(u128::try_from(weight).unwrap_or(u128::MAX))
}

fn columns(options: &Options) -> Vec<String> {
    let columns = options.data.columns.as_deref().unwrap_or(DIAGNOSES);
    columns
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect()
}

fn indicator_question(columns: &[String], name: &str, options: &Options) -> String {
    format!(
        "How many people of {name} have the value {} in each of {} columns? ({} count as no.)",
        options.data.yes,
        columns.len(),
        options.data.no,
    )
}

/// The table, and the name of its file.
fn read(options: &Options) -> Result<(Table<'static>, String), Failure> {
    let Some(path) = &options.data.file else {
        return Ok((Table::new(SHIPPED, shipped())?, SHIPPED.to_owned()));
    };
    let file = Input::open(path).map_err(Failure::other)?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let table = Table::new(path.display().to_string(), file)?;
    Ok((table, shown(name)))
}

/// Whether measurements are vectors of which exactly one bit is set.
const fn is_one_hot(randomizer: Randomizer) -> bool {
    matches!(
        randomizer,
        Randomizer::OneHotRappor | Randomizer::BasicRappor
    )
}
