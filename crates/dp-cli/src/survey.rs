//! A survey: the question in words, and each person's measurement, for every Prio3 type.

mod fitting;
mod synthetic;

use dp_calibration::{Query, Refusal};
use dp_exact::{ParameterError, grouped, parse_integer, shown};
use dp_files::Input;
use dp_planner::vdaf_of;
use dp_prio3::grid::Grid;
use dp_simulation::Measurements;
use dp_simulation::data::{
    Bins, Category, CsvTable, LabelledMeasurements, MissingRule, OutOfRange, RowCounts, SHIPPED,
    grid_cells, indicators, integers, names, shipped,
};
use dp_simulation::report::Question;
use dp_task::{ClientNoiseType, MeasurementRange, PolicyName, Task, Vdaf, VdafType};

use self::synthetic::asked_and_labels;
use crate::failure::Failure;
use crate::json::Inputs;
use crate::options::SimulateOptions;

/// A question, and the measurement of every row that was kept.
pub(crate) struct Survey {
    pub(crate) question: Question,
    /// Names of the coordinates of the aggregate, such as bins; their number is its length.
    pub(crate) labels: Vec<String>,
    pub(crate) rows: Measurements,
    /// Numbers of rows kept and left out, and of values changed.
    pub(crate) reading: RowCounts,
    /// The largest entry, weight or sum of a measurement; `None` for a bit and a bucket.
    pub(crate) bound: Option<u128>,
    /// The distribution of synthetic data in words; `None` for data from a file.
    pub(crate) synthetic: Option<String>,
    /// Default number of clients of synthetic data; `None` for data from a file.
    pub(crate) clients: Option<u64>,
}

/// A question, and the answers of the people in a table.
type Answers = (Question, LabelledMeasurements);

impl Survey {
    /// Reads the data that the options name, as measurements of the policy's Prio3 type, within the
    /// task's grid or largest measurement. Draws synthetic data from `seed` instead if the options
    /// ask for them, or if there is a task and no option is about a file of data.
    pub(crate) fn read(
        options: &SimulateOptions,
        policy: PolicyName,
        task: Option<&Task>,
        seed: u64,
    ) -> Result<Self, Failure> {
        let data = &options.data;
        let is_of_a_file = options.inputs.first_of(synthetic::OF_FILES).is_some();
        if data.synthetic.is_some() || data.query.is_some() || task.is_some() && !is_of_a_file {
            return synthetic::survey(options, policy, task, seed);
        }
        let vdaf = policy.vdaf;
        options.refuse(foreign_data_options(vdaf).iter().copied())?;
        let is_one_hot = policy.client_noise.is_some_and(ClientNoiseType::is_one_hot);
        let ((question, data), bound) = match vdaf {
            VdafType::Count => {
                (yes_or_no(options, vec![single_column(options, DIAGNOSIS, false)?])?, None)
            }
            VdafType::Histogram => (buckets(options, task)?, None),
            VdafType::MultihotCountVec => bits(options, is_one_hot, task)?,
            VdafType::Sum | VdafType::Average | VdafType::SumVec | VdafType::L1BoundSum => {
                numbers(options, vdaf, task)?
            }
        };
        let LabelledMeasurements { labels, measurements: rows, reading, .. } = data;
        let is_binned = is_one_hot || options.data.column.is_some() || options.data.bins.is_some();
        let is_binned = is_binned || vdaf == VdafType::Histogram;
        check_length(task, if is_binned { "bins" } else { "columns" }, labels.len())?;
        Ok(Self { question, labels, rows, reading, bound, synthetic: None, clients: None })
    }
}

/// `Err`, about the option `name`, if there is a task whose aggregate has another length.
fn check_length(task: Option<&Task>, name: &str, length: usize) -> Result<(), ParameterError> {
    let Some(vdaf) = task.map(|task| &task.document().vdaf) else { return Ok(()) };
    if length == vdaf.length() {
        return Ok(());
    }
    let accepted = format!("{}, as the task's vdaf.length", vdaf.length());
    Err(ParameterError::new(name, length, accepted))
}

/// Names of options about data, without dashes, that have no meaning for this Prio3 type.
const fn foreign_data_options(vdaf: VdafType) -> &'static [&'static str] {
    match vdaf {
        VdafType::Count => &["columns", "bins", "clamp", "overflow-bins"],
        VdafType::Sum | VdafType::Average => &["columns", "bins", "overflow-bins", "yes", "no"],
        VdafType::Histogram => &["columns", "yes", "no"],
        VdafType::MultihotCountVec => &[],
        VdafType::SumVec => &["column", "bins", "overflow-bins"],
        // There is no unique nearest vector whose sum is in range.
        VdafType::L1BoundSum => &["column", "bins", "clamp", "overflow-bins"],
    }
}

/// The label of each estimate of a task: of a bin of `--bins`, or of a column of `--columns`, else
/// a number. `Err` for another number of labels, and for an option that has no meaning for the
/// task.
pub(crate) fn labels_of_estimates(
    inputs: &Inputs,
    (bins, columns): (Option<&Bins>, Option<&str>),
    outside: OutOfRange,
    task: &Task,
) -> Result<Vec<String>, Failure> {
    let context = format!("with {}", task.policy_name().name);
    inputs.refuse(foreign_data_options(task.policy_name().vdaf).iter().copied(), context)?;
    let labels = match (bins, columns) {
        (Some(bins), _) => bins.labels(outside)?,
        (None, Some(columns)) => names("columns", columns)?,
        (None, None) => return Ok(asked_and_labels(task.query()).1),
    };
    check_length(Some(task), if bins.is_some() { "bins" } else { "columns" }, labels.len())?;
    Ok(labels)
}

/// Columns of the shipped data on diagnosed conditions: the default columns of a vector.
const DIAGNOSES: &str = "asthma,bronch,tb,hf,hbp,pepticulcer,colitis,hepatitis,chroniccough,\
                         hayfever,diabetes,polio,tumor,nervousbreak";

/// Default column of a count.
const DIAGNOSIS: &str = "asthma";

/// Default column of a histogram, and its bins.
const HEIGHT: (&str, &str) = ("height_cm", "140..200/5");

/// The number of these bins.
const HEIGHTS: usize = 12;

/// Default column of a sum, and its largest value.
const CIGARETTES: (&str, u128) = ("cigarettes_per_day", 80);

/// The table of `--data` or `--counts`, by default the shipped one, and the name of its file
/// without folders. Rows of `--counts` stand for many people.
fn read_table(options: &SimulateOptions) -> Result<(CsvTable<'static>, String), Failure> {
    let data = &options.data;
    let codes = data.missing_value.clone().unwrap_or_default();
    let missing = MissingRule { values: data.missing, codes };
    let Some(path) = data.file.as_ref().or(data.counts.as_ref()) else {
        options.inputs.refuse(["delimiter"], "without --data")?;
        let table = CsvTable::new(SHIPPED, shipped(), None)?;
        return Ok((table.with_missing(missing), SHIPPED.to_owned()));
    };
    let file = Input::open(path).map_err(Failure::other)?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let table = CsvTable::new(path.display().to_string(), file, data.delimiter)?;
    let table = match &data.counts {
        Some(_) => table.counted_by(data.count_column.as_deref().unwrap_or("count"))?,
        None => table,
    };
    Ok((table.with_missing(missing), shown(name)))
}

/// The column of `--column`; without it `default` in the shipped data, and in another file its only
/// column of integers, or with `is_real` in any data the only one of numbers. `Err` lists several.
fn single_column(
    options: &SimulateOptions,
    default: &str,
    is_real: bool,
) -> Result<String, Failure> {
    match &options.data.column {
        Some(typed) => Ok(typed.clone()),
        None if !options.data.has_file() && !is_real => Ok(default.to_owned()),
        None => Ok(fitting::columns(options, "column", Some(1), is_real)?.concat()),
    }
}

/// The columns of a vector: of `--columns`; without it the 14 diagnoses of the shipped data, and of
/// another file its columns of integers, or with `are_real` of any data its columns of numbers, if
/// the task has as many entries as there are such columns. `Err` lists the columns, or says that
/// another number of columns was typed.
fn vector_columns(
    options: &SimulateOptions,
    task: Option<&Task>,
    are_real: bool,
) -> Result<Vec<String>, Failure> {
    match &options.data.columns {
        Some(typed) => {
            let columns = names("columns", typed)?;
            check_length(task, "columns", columns.len())?;
            Ok(columns)
        }
        None if !options.data.has_file() && !are_real => Ok(names("columns", DIAGNOSES)?),
        None => {
            let length = task.map(|task| task.document().vdaf.length());
            fitting::columns(options, "columns", length, are_real)
        }
    }
}

/// The question about a vector of bits per person, the answers, and their largest weight: one bin
/// each if `is_one_hot` or if the options name a column or bins, else yes or no in every column.
/// The largest weight is by default 1 for bins, else the number of columns.
fn bits(
    options: &SimulateOptions,
    is_one_hot: bool,
    task: Option<&Task>,
) -> Result<(Answers, Option<u128>), Failure> {
    let weight = |default: usize, length: usize| -> Result<u128, ParameterError> {
        let weight = match &options.policy.max_weight {
            Some(weight) => parse_integer("max-weight", weight, 1..=length)?,
            None => default,
        };
        Ok(u128::try_from(weight).unwrap_or(u128::MAX))
    };
    if is_one_hot || options.data.column.is_some() || options.data.bins.is_some() {
        options.refuse(["columns", "yes", "no"])?;
        let (question, data) = buckets(options, task)?;
        let bound = weight(1, data.labels.len())?;
        return Ok(((question, data), Some(bound)));
    }
    options.refuse(["clamp", "overflow-bins"])?;
    let (question, data) = yes_or_no(options, vector_columns(options, task, false)?)?;
    let length = data.labels.len();
    Ok(((question, data), Some(weight(length, length)?)))
}

/// The question how many people have a code of `--yes` in each of these columns, and the answers:
/// rows of bits.
fn yes_or_no(options: &SimulateOptions, columns: Vec<String>) -> Result<Answers, Failure> {
    let (table, name) = read_table(options)?;
    let (yes, no) = options.data.codes()?;
    let data = indicators(table, &columns, &yes, &no)?;
    let [yes, no] =
        [yes, no].map(|codes| codes.iter().map(Category::to_string).collect::<Vec<_>>());
    let remark = format!("Cells with {} count as no (--no).", no.join(" or "));
    let value = if yes.len() > 1 { "a value of" } else { "the value" };
    let place = in_words(&data.labels);
    let asked = format!("How many people of {name} have {value} {} in {place}", yes.join(","));
    Ok((Question { asked, remark }, data))
}

/// The name of a single column, else "each of N columns".
fn in_words(columns: &[String]) -> String {
    match columns {
        [column] => column.clone(),
        columns => format!("each of {} columns", grouped(columns.len())),
    }
}

/// The question how many people fall into each bin of a column, and the bin of every row. Without
/// `--bins` they are those of heights, or as many as the task has, for integers. `Err` without
/// either.
fn buckets(options: &SimulateOptions, task: Option<&Task>) -> Result<Answers, Failure> {
    let column = single_column(options, HEIGHT.0, false)?;
    let column = column.as_str();
    let length = task.map(|task| task.document().vdaf.length());
    let (table, name) = read_table(options)?;
    table.column(column)?;
    let heights: Bins = HEIGHT.1.parse()?;
    let mut remark = String::new();
    let bins = match (&options.data.bins, length) {
        (Some(bins), _) => bins.clone(),
        (None, length) if column == HEIGHT.0 && length.is_none_or(|one| one == HEIGHTS) => heights,
        (None, Some(length)) => {
            let (bins, written) = fitting::bins(options, column, length)?;
            remark = format!("(The bins fit task and data: --bins {written}.)");
            bins
        }
        (None, None) => {
            let accepted = "LOW..HIGH/WIDTH, or values such as 0,1,2 or ios,android";
            return Err(Refusal::missing("bins", accepted).into());
        }
    };
    let data = bins.apply(table, column, options.data.out_of_range())?;
    let count = grouped(data.labels.len());
    let asked = format!("How many people of {name} fall into each of {count} bins of {column}");
    Ok((Question { asked, remark }, data))
}

/// The question about a number, or a vector of numbers, per person, the answers, and the largest
/// measurement: integers from 0 to it (for `Prio3L1BoundSum` the largest sum), or indices of cells
/// of a grid. The task's range takes precedence over the options; vectors without a range, or with
/// entries of at most 1 and codes for yes or no, count yes as 1 and no as 0.
fn numbers(
    options: &SimulateOptions,
    vdaf: VdafType,
    task: Option<&Task>,
) -> Result<(Answers, Option<u128>), Failure> {
    let typed = &options.data;
    let is_vector = matches!(vdaf, VdafType::SumVec | VdafType::L1BoundSum);
    let of_task = task.and_then(|task| match &task.document().vdaf {
        Vdaf::L1BoundSum { max_measurement, .. } => {
            Some(MeasurementRange::MaxMeasurement(*max_measurement))
        }
        other => other.range().cloned(),
    });
    let beyond = match &of_task {
        // As the task's clients do.
        Some(MeasurementRange::Grid(_)) => OutOfRange::Clamp,
        _ => typed.out_of_range(),
    };
    let is_default = |column: &String| column == CIGARETTES.0;
    let has_default = !is_vector && typed.column.as_ref().map_or(!typed.has_file(), is_default);
    let max = typed.max_measurement.or(has_default.then_some(CIGARETTES.1));
    let of_options = match &typed.grid {
        Some(grid) => Some(MeasurementRange::Grid(Box::new(grid.clone()))),
        None => max.map(MeasurementRange::MaxMeasurement),
    };
    let has_codes = typed.yes.is_some() || typed.no.is_some();
    let range = match of_task.or(of_options) {
        Some(MeasurementRange::MaxMeasurement(1)) if is_vector && has_codes => {
            return Ok((zeros_and_ones(options, task)?, Some(1)));
        }
        Some(range) => range,
        None if is_vector => {
            let answers = zeros_and_ones(options, task)?;
            let max = if vdaf == VdafType::L1BoundSum { answers.1.labels.len() } else { 1 };
            return Ok((answers, u128::try_from(max).ok()));
        }
        None => {
            let accepted = "the largest number that is not refused, an integer of at least 1, or \
                            --grid LOW..HIGH/STEP for real numbers";
            return Err(Refusal::missing("max-measurement", accepted).into());
        }
    };
    options.refuse(["yes", "no"])?;
    let are_real = matches!(range, MeasurementRange::Grid(_));
    let columns = match is_vector {
        true => vector_columns(options, task, are_real)?,
        false => vec![single_column(options, CIGARETTES.0, are_real)?],
    };
    let (table, name) = read_table(options)?;
    let (data, range_in_words) = match &range {
        MeasurementRange::MaxMeasurement(max) => {
            let words = format!("with values from 0 to {}", grouped(max));
            (integers(table, &columns, *max, beyond)?, words)
        }
        MeasurementRange::Grid(grid) => {
            (grid_cells(table, &columns, grid, beyond)?, format!("on {}", grid_in_words(grid)))
        }
    };
    let aggregate = if vdaf == VdafType::Average { "mean" } else { "total" };
    let place = in_words(&data.labels);
    let asked = format!("What is the {aggregate} of {place} of {name}, {range_in_words}");
    Ok(((Question { asked, remark: String::new() }, data), Some(range.max_measurement())))
}

/// The grid with its ends and its steps, in words.
fn grid_in_words(grid: &Grid) -> String {
    let [low, high, step] = [grid.low(), grid.high(), grid.granularity()].map(grouped);
    format!("a grid from {low} to {high} in steps of {step}")
}

/// The question about a vector of integers per person, 1 for yes and 0 for no in every column, and
/// the answers.
fn zeros_and_ones(options: &SimulateOptions, task: Option<&Task>) -> Result<Answers, Failure> {
    options.refuse(["clamp"])?;
    yes_or_no(options, vector_columns(options, task, false)?)
}

/// The query with which a policy answers `query`; `None` if it does not. A histogram and a vector
/// of bits with weight 1 answer each other, as a bucket is a vector of one bit.
pub(crate) fn answering_query(policy: PolicyName, query: &Query) -> Option<Query> {
    let query = match (policy.vdaf, query) {
        (
            VdafType::MultihotCountVec,
            Query::Histogram { length } | Query::HistogramRanges { length, .. },
        ) => Query::MultihotCountVec { length: *length, max_weight: 1 },
        (
            VdafType::Histogram,
            Query::HistogramRanges { length, .. }
            | Query::MultihotCountVec { length, max_weight: 1 },
        ) => Query::Histogram { length: *length },
        (_, query) => query.clone(),
    };
    let is_one_hot = policy.client_noise.is_some_and(ClientNoiseType::is_one_hot);
    let is_heavy = matches!(query, Query::MultihotCountVec { max_weight: 2.., .. });
    (vdaf_of(&query) == policy.vdaf && !(is_one_hot && is_heavy)).then_some(query)
}

/// The largest entry of a measurement, largest weight of a vector of bits, or largest sum; `None`
/// for a bit or a bucket.
pub(crate) fn largest_measurement(query: &Query) -> Option<u128> {
    match query {
        Query::Count | Query::Histogram { .. } | Query::HistogramRanges { .. } => None,
        Query::MultihotCountVec { max_weight, .. } => u128::try_from(*max_weight).ok(),
        _ => Some(query.max_entry()),
    }
}
