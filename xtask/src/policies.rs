//! The policies by name, each built from the options and the data that suit it.

use std::borrow::Borrow;
use std::path::Path;

use dp_exact::{Epsilon, ParameterError};
use dp_prio3::mechanisms::EpsilonDelta;
use dp_prio3::types::{Histogram, SumVec};
use dp_prio3::{DpPolicy, HistogramGaussian, HistogramLaplace, MultihotRappor, SumVecLaplace};
use dp_simulation::Tally;
use dp_simulation::data::{Bins, Labelled, Table, indicators, integers};

use crate::failure::Failure;
use crate::options::{Options, integer};

/// The column, and its bins, that are counted if nothing else is asked for.
const HEIGHT: (&str, &str) = ("height_cm", "140..200/5");

/// The columns of the shipped data that say whether a condition was ever diagnosed.
const DIAGNOSES: &str = "asthma,bronch,tb,hf,hbp,pepticulcer,colitis,hepatitis,chroniccough,\
                         hayfever,diabetes,polio,tumor,nervousbreak";

const NAMES: &str = "histogram-gaussian, histogram-laplace, sumvec-laplace or multihot-rappor";

/// What is done with a policy once it is built, whichever it is.
pub(crate) trait Consumer {
    /// Takes the policy, the question in words, and a measurement for each row.
    fn take<P, T>(self, policy: P, question: String, data: Labelled<T>) -> Result<(), Failure>
    where
        P: DpPolicy<Measurement: Tally>,
        T: Borrow<P::Measurement> + Sync;
}

/// Reads the data, builds the policy that the options name, and hands both over.
pub(crate) fn build(options: &Options, consumer: impl Consumer) -> Result<(), Failure> {
    let aggregators = integer("aggregators", &options.aggregators, 2..=254)?;
    let local = [
        ("epsilon0", options.epsilon0.as_ref()),
        ("max-weight", options.max_weight.as_ref()),
        ("false-positive-rate", options.false_positive_rate.as_ref()),
    ];
    let delta = ("delta", options.delta.as_ref());
    let vector = [
        ("columns", options.columns.as_ref()),
        ("max-measurement", options.max_measurement.as_ref()),
    ];
    match options.policy.as_str() {
        "histogram-gaussian" => {
            options.refuse(&local)?;
            options.refuse(&vector)?;
            let epsilon = Options::parameter(options.epsilon.as_ref(), "0.906")?;
            let delta = Options::parameter(options.delta.as_ref(), "1e-9")?;
            let (question, data) = histogram(options)?;
            let buckets = Histogram::new(aggregators, data.labels.len())?;
            let policy = HistogramGaussian::new(buckets, EpsilonDelta { epsilon, delta })?;
            consumer.take(policy, question, data)
        }
        "histogram-laplace" => {
            options.refuse(&local)?;
            options.refuse(&vector)?;
            options.refuse(&[delta])?;
            let epsilon: Epsilon = Options::parameter(options.epsilon.as_ref(), "1")?;
            let (question, data) = histogram(options)?;
            let buckets = Histogram::new(aggregators, data.labels.len())?;
            consumer.take(HistogramLaplace::new(buckets, epsilon)?, question, data)
        }
        "sumvec-laplace" => {
            options.refuse(&local)?;
            options.refuse(&[
                delta,
                ("column", options.column.as_ref()),
                ("bins", options.bins.as_ref()),
            ])?;
            let epsilon: Epsilon = Options::parameter(options.epsilon.as_ref(), "1")?;
            let (question, data, max) = sums(options)?;
            let entries = SumVec::new(aggregators, data.labels.len(), max)?;
            consumer.take(SumVecLaplace::new(entries, epsilon)?, question, data)
        }
        "multihot-rappor" => {
            let [_, max_measurement] = vector;
            options.refuse(&[
                ("epsilon", options.epsilon.as_ref()),
                delta,
                max_measurement,
            ])?;
            let epsilon0 = Options::parameter(options.epsilon0.as_ref(), "3")
                .map_err(|error: ParameterError| error.renamed("epsilon0"))?;
            let rate = Options::parameter(options.false_positive_rate.as_ref(), "1e-9")
                .map_err(|error: ParameterError| error.renamed("false-positive-rate"))?;
            let (question, data, weight) = bits(options)?;
            let length = data.labels.len();
            let policy = MultihotRappor::vectors(aggregators, length, weight, epsilon0, &rate)?;
            consumer.take(policy, question, data)
        }
        other => Err(ParameterError::new("policy", other, NAMES).into()),
    }
}

/// One bucket for each person.
fn histogram(options: &Options) -> Result<(String, Labelled<usize>), Failure> {
    let (table, name) = read(options)?;
    let column = options.column.as_deref().unwrap_or(HEIGHT.0);
    table.check_column(column)?;
    let bins = match (&options.bins, column == HEIGHT.0) {
        (Some(bins), _) => bins.as_str(),
        (None, true) => HEIGHT.1,
        (None, false) => {
            let accepted = "LOW..HIGH/WIDTH, values such as 0,1,2, or the word distinct";
            return Err(ParameterError::new("bins", "missing", accepted).into());
        }
    };
    let bins: Bins = bins.parse()?;
    let data = bins.apply(&table, column)?;
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

/// A vector of integers for each person, and the largest that is allowed.
fn sums(options: &Options) -> Result<(String, Labelled<Vec<u128>>, u128), Failure> {
    let (table, name) = read(options)?;
    let columns = columns(options);
    if let Some(max) = &options.max_measurement {
        let max = integer("max-measurement", max, 1..=u128::MAX >> 1)?;
        let data = integers(&table, &columns, max)?;
        let count = data.labels.len();
        let question = format!(
            "What are the totals of {count} columns of {name}, with values from 0 to {max}?"
        );
        return Ok((question, data, max));
    }
    let (yes, no) = options.codes()?;
    let marked = indicators(&table, &columns, &yes, &no)?;
    let question = indicator_question(&marked.labels, &name, options);
    let widen = |row: Vec<bool>| row.into_iter().map(u128::from).collect();
    let data = Labelled {
        labels: marked.labels,
        rows: marked.rows.into_iter().map(widen).collect(),
    };
    Ok((question, data, 1))
}

/// A vector of bits for each person, and its largest weight.
fn bits(options: &Options) -> Result<(String, Labelled<Vec<bool>>, usize), Failure> {
    if options.column.is_some() || options.bins.is_some() {
        options.refuse(&[("columns", options.columns.as_ref())])?;
        let (question, buckets) = histogram(options)?;
        let length = buckets.labels.len();
        let one_hot = |bucket| (0..length).map(|place| place == bucket).collect();
        let data = Labelled {
            rows: buckets.rows.into_iter().map(one_hot).collect(),
            labels: buckets.labels,
        };
        return Ok((question, data, weight(options, 1, length)?));
    }
    let (table, name) = read(options)?;
    let (yes, no) = options.codes()?;
    let data = indicators(&table, &columns(options), &yes, &no)?;
    let question = indicator_question(&data.labels, &name, options);
    let length = data.labels.len();
    Ok((question, data, weight(options, length, length)?))
}

fn weight(options: &Options, default: usize, length: usize) -> Result<usize, ParameterError> {
    match &options.max_weight {
        Some(weight) => integer("max-weight", weight, 1..=length),
        None => Ok(default),
    }
}

fn columns(options: &Options) -> Vec<String> {
    let columns = options.columns.as_deref().unwrap_or(DIAGNOSES);
    columns
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect()
}

fn indicator_question(columns: &[String], name: &str, options: &Options) -> String {
    format!(
        "How many people of {name} have the value {} in each of {} columns? ({} count as no.)",
        options.yes,
        columns.len(),
        options.no,
    )
}

/// The table, and the name of its file.
fn read(options: &Options) -> Result<(Table, String), Failure> {
    let shipped = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/data/nhefs.csv"
    ));
    let path = options.data.as_deref().unwrap_or(shipped);
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok((Table::read(path)?, name.to_string_lossy().into_owned()))
}
