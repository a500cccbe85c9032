//! The question to the data, and each person's measurement, for every VDAF.

mod synthetic;

use std::fmt::Write as _;

use dp_calibration::Query;
use dp_exact::{ParameterError, Refusal, grouped, shown};
use dp_files::Input;
use dp_prio3::grid::Grid;
use dp_simulation::Measurements;
use dp_simulation::data::{
    Bins, CsvTable, LabelledMeasurements, OutOfRange, RowCounts, SHIPPED, cells, indicators,
    integers, shipped,
};
use dp_task::{ClientNoiseType, MeasurementRange, PolicyName, Task, Vdaf, VdafType};

use crate::failure::Failure;
use crate::options::{LEAVE_OUT, Options, parse_integer};

/// A question in words, and a measurement for each row that is kept.
pub(crate) struct Question {
    pub(crate) words: String,
    /// What the coordinates of the aggregate are called.
    pub(crate) labels: Vec<String>,
    pub(crate) rows: Measurements,
    /// How many rows there are, and what was changed on the way.
    pub(crate) reading: RowCounts,
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
    fn new(words: String, data: LabelledMeasurements, bound: Option<u128>) -> Self {
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
        Self { rows: self.rows.single(), ..self }
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
            let columns = columns_of_grid(options, vdaf)?;
            refuse_foreign(options, vdaf)?;
            // As the task's clients do, it clamps.
            return on_grid(options, vdaf, &columns, (grid, OutOfRange::Clamp));
        }
        refuse_foreign(options, vdaf)?;
        if let Some(grid) = options.data.grid()? {
            let columns = columns_of_grid(options, vdaf)?;
            if let Some(max) = &options.data.max_measurement {
                let (place, change) = ("with --grid", "leave one of them out");
                return Err(Refusal::contradiction("max-measurement", max, place, change).into());
            }
            let question = on_grid(options, vdaf, &columns, (&grid, options.data.beyond()))?;
            return Ok(Self { bound: Some(grid.max_measurement()), grid: Some(grid), ..question });
        }
        let task = task.and_then(|task| largest(&task.document().vdaf));
        match vdaf {
            VdafType::Count => count(options),
            VdafType::Sum | VdafType::Average => number(options, vdaf, task),
            VdafType::Histogram => histogram(options),
            VdafType::MultihotCountVec => {
                let is_one_hot = policy.client_noise.is_some_and(is_one_hot);
                bits(options, is_one_hot)
            }
            VdafType::SumVec | VdafType::L1BoundSum => numbers(options, vdaf, task),
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
        Vdaf::L1BoundSum { max_measurement, .. } => Some(*max_measurement),
        other => other.range().map(MeasurementRange::max_measurement),
    }
}

/// The columns of the shipped data that say whether a condition was ever diagnosed.
const DIAGNOSES: &str = "asthma,bronch,tb,hf,hbp,pepticulcer,colitis,hepatitis,chroniccough,\
                         hayfever,diabetes,polio,tumor,nervousbreak";

/// The table, and the name of its file.
fn read(options: &Options) -> Result<(CsvTable<'static>, String), Failure> {
    let data = &options.data;
    let (delimiter, missing) = (data.delimiter()?, data.missing()?);
    if let (None, Some(column)) = (&data.counts, &data.count_column) {
        let place = "without --counts";
        return Err(Refusal::contradiction("count-column", column, place, LEAVE_OUT).into());
    }
    let path = match (&data.file, &data.counts) {
        (Some(_), Some(counts)) => {
            let (counts, change) = (counts.display(), "leave one of them out");
            return Err(Refusal::contradiction("counts", counts, "with --data", change).into());
        }
        (Some(path), None) | (None, Some(path)) => path,
        (None, None) => {
            if let Some(delimiter) = &data.delimiter {
                let place = "without --data";
                return Err(Refusal::contradiction("delimiter", delimiter, place, LEAVE_OUT).into());
            }
            let table = CsvTable::new(SHIPPED, shipped())?;
            return Ok((table.with_missing(missing), SHIPPED.to_owned()));
        }
    };
    let file = Input::open(path).map_err(Failure::other)?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let shown_path = path.display().to_string();
    let table = match delimiter {
        Some(delimiter) => CsvTable::delimited(shown_path, file, delimiter)?,
        None => CsvTable::new(shown_path, file)?,
    };
    let table = match (&data.counts, options.ideal) {
        (Some(_), _) => table.counted_by(data.count_column.as_deref().unwrap_or("count"))?,
        // Who is which row matters to nobody then.
        (None, true) => table.counted(),
        (None, false) => table,
    };
    Ok((table.with_missing(missing), shown(name)))
}

/// The columns of a vector.
fn columns(options: &Options) -> Vec<String> {
    split(options.data.columns.as_deref().unwrap_or(DIAGNOSES))
}

/// The names in a list with commas.
fn split(columns: &str) -> Vec<String> {
    let names = columns.split(',');
    names.map(|name| name.trim().to_owned()).collect()
}

/// The column, and its bins, that are counted if nothing else is asked for.
const HEIGHT: (&str, &str) = ("height_cm", "140..200/5");

/// The column in which yes is counted if nothing else is asked for.
const DIAGNOSIS: &str = "asthma";

/// A yes or no for each person.
fn count(options: &Options) -> Result<Question, Failure> {
    let (table, name) = read(options)?;
    let column = options.data.column.as_deref().unwrap_or(DIAGNOSIS);
    let (yes, no) = options.data.codes()?;
    let data = indicators(table, &[column.to_owned()], &yes, &no)?;
    let words = format!(
        "How many people of {name} have {} in {}? ({} count as no.)",
        options.data.yes_in_words(),
        data.labels.join(", "),
        options.data.no,
    );
    Ok(Question::new(words, data, None).of_one_column())
}

/// One bucket for each person.
fn histogram(options: &Options) -> Result<Question, Failure> {
    let (words, data) = buckets(options)?;
    Ok(Question::new(words, data, None))
}

/// A vector of bits for each person, and its largest weight.
fn bits(options: &Options, is_one_hot: bool) -> Result<Question, Failure> {
    let data = &options.data;
    if is_one_hot || data.column.is_some() || data.bins.is_some() {
        options.refuse(&[("columns", data.columns.as_ref())])?;
        let (words, mut buckets) = buckets(options)?;
        let length = buckets.labels.len();
        buckets.measurements = buckets.measurements.one_hot(length)?;
        let bound = weight(options, 1, length)?;
        return Ok(Question::new(words, buckets, Some(bound)));
    }
    options.refuse_switches(&[("clamp", data.clamp), ("overflow-bins", data.overflow_bins)])?;
    let (table, name) = read(options)?;
    let (yes, no) = data.codes()?;
    let data = indicators(table, &columns(options), &yes, &no)?;
    let words = indicator_question(&data.labels, &name, options);
    let length = data.labels.len();
    let bound = weight(options, length, length)?;
    Ok(Question::new(words, data, Some(bound)))
}

fn buckets(options: &Options) -> Result<(String, LabelledMeasurements), Failure> {
    let (table, name) = read(options)?;
    let column = options.data.column.as_deref().unwrap_or(HEIGHT.0);
    table.check_column(column)?;
    let bins = match (&options.data.bins, column == HEIGHT.0) {
        (Some(bins), _) => bins.as_str(),
        (None, true) => HEIGHT.1,
        (None, false) => {
            let accepted =
                "LOW..HIGH/WIDTH, values such as 0,1,2 or ios,android, or the word distinct";
            return Err(Refusal::missing("bins", accepted).into());
        }
    };
    let bins: Bins = bins.parse()?;
    let data = bins.apply(table, column, options.data.outside()?)?;
    let published = match bins {
        Bins::Distinct => " The bins are the values that occur: they are not protected.",
        Bins::Equal { .. } | Bins::Values(_) => "",
    };
    let question = format!(
        "How many people of {name} fall into each of {} bins of {column}?{published}",
        grouped(data.labels.len()),
    );
    Ok((question, data))
}

fn weight(options: &Options, default: usize, length: usize) -> Result<u128, ParameterError> {
    let weight = match &options.policy.max_weight {
        Some(weight) => parse_integer("max-weight", weight, 1..=length)?,
        None => default,
    };
    Ok(u128::try_from(weight).unwrap_or(u128::MAX))
}

fn indicator_question(columns: &[String], name: &str, options: &Options) -> String {
    format!(
        "How many people of {name} have {} in each of {} columns? ({} count as no.)",
        options.data.yes_in_words(),
        grouped(columns.len()),
        options.data.no,
    )
}

/// The column of integers, and the largest of them, that is summed if nothing else is asked for.
const CIGARETTES: (&str, u128) = ("cigarettes_per_day", 80);

/// The columns of real numbers: no others are asked for by default.
fn columns_of_grid(options: &Options, vdaf: VdafType) -> Result<Vec<String>, Refusal> {
    if vdaf == VdafType::SumVec {
        let columns = options.data.columns.as_deref();
        let accepted = "columns of numbers, separated by commas";
        return columns.map(split).ok_or_else(|| Refusal::missing("columns", accepted));
    }
    let column = options.data.column.clone();
    let column = column.ok_or_else(|| Refusal::missing("column", "a column of numbers"))?;
    Ok(vec![column])
}

/// A number, or a vector of numbers, for each person, each in its cell of a grid.
fn on_grid(
    options: &Options,
    vdaf: VdafType,
    columns: &[String],
    (grid, beyond): (&Grid, OutOfRange),
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
    Ok(if is_vector { question } else { question.of_one_column() })
}

/// An integer for each person.
fn number(options: &Options, vdaf: VdafType, task: Option<u128>) -> Result<Question, Failure> {
    let (table, name) = read(options)?;
    let column = options.data.column.as_deref().unwrap_or(CIGARETTES.0);
    table.check_column(column)?;
    let max = match (task, &options.data.max_measurement) {
        (Some(max), _) => max,
        (None, Some(max)) => parse_integer("max-measurement", max, 1..=u128::MAX >> 1)?,
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
fn numbers(options: &Options, vdaf: VdafType, task: Option<u128>) -> Result<Question, Failure> {
    let (table, name) = read(options)?;
    let columns = columns(options);
    let given = match &options.data.max_measurement {
        Some(max) => Some(parse_integer("max-measurement", max, 1..=u128::MAX >> 1)?),
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

/// What a policy has to aggregate to answer this; `None` if it aggregates something else. A bucket is also a vector of
/// bits of which one is set.
pub(crate) fn as_asked(policy: PolicyName, query: &Query) -> Option<Query> {
    let is_one_hot = policy.client_noise.is_some_and(is_one_hot);
    match (policy.vdaf, query) {
        (VdafType::Count, Query::Count)
        | (VdafType::Sum, Query::Sum { .. })
        | (VdafType::Average, Query::Average { .. })
        | (VdafType::SumVec, Query::SumVec { .. })
        | (VdafType::L1BoundSum, Query::L1BoundSum { .. })
        | (VdafType::Histogram, Query::Histogram { .. }) => Some(query.clone()),
        (VdafType::MultihotCountVec, Query::MultihotCountVec { max_weight, .. }) => {
            (!is_one_hot || *max_weight == 1).then(|| query.clone())
        }
        (VdafType::MultihotCountVec, Query::Histogram { length }) => {
            Some(Query::MultihotCountVec { length: *length, max_weight: 1 })
        }
        (VdafType::Histogram, Query::MultihotCountVec { length, max_weight: 1 }) => {
            Some(Query::Histogram { length: *length })
        }
        _ => None,
    }
}

/// The largest number, or of a vector of bits the most ones; `None` where a measurement is a bit or a bucket.
pub(crate) fn bound(query: &Query) -> Option<u128> {
    match query {
        Query::Count | Query::Histogram { .. } => None,
        Query::Sum { max_measurement }
        | Query::Average { max_measurement }
        | Query::SumVec { max_measurement, .. }
        | Query::L1BoundSum { max_measurement, .. } => Some(*max_measurement),
        Query::MultihotCountVec { max_weight, .. } => u128::try_from(*max_weight).ok(),
    }
}

/// How many entries a measurement has; 1 of what is no vector.
pub(crate) const fn length(query: &Query) -> usize {
    match query {
        Query::Count | Query::Sum { .. } | Query::Average { .. } => 1,
        Query::SumVec { length, .. }
        | Query::Histogram { length }
        | Query::MultihotCountVec { length, .. }
        | Query::L1BoundSum { length, .. } => *length,
    }
}

/// Whether a randomizer takes vectors with exactly one bit that is set.
pub(crate) const fn is_one_hot(randomizer: ClientNoiseType) -> bool {
    matches!(randomizer, ClientNoiseType::OneHotRappor | ClientNoiseType::BasicRappor)
}
