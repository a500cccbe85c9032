//! Questions about categories: a yes or no, one of several bins, several yeses or noes.

use dp_exact::{ParameterError, Refusal, grouped};
use dp_simulation::data::{Bins, Labelled, indicators};

use super::Question;
use super::source::{columns, read};
use crate::failure::Failure;
use crate::options::{Options, integer};

/// The column, and its bins, that are counted if nothing else is asked for.
const HEIGHT: (&str, &str) = ("height_cm", "140..200/5");

/// The column in which yes is counted if nothing else is asked for.
const DIAGNOSIS: &str = "asthma";

/// A yes or no for each person.
pub(super) fn count(options: &Options) -> Result<Question, Failure> {
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
pub(super) fn histogram(options: &Options) -> Result<Question, Failure> {
    let (words, data) = buckets(options)?;
    Ok(Question::new(words, data, None))
}

/// A vector of bits for each person, and its largest weight.
pub(super) fn bits(options: &Options, is_one_hot: bool) -> Result<Question, Failure> {
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

fn buckets(options: &Options) -> Result<(String, Labelled), Failure> {
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
    let weight = match &options.max_weight {
        Some(weight) => integer("max-weight", weight, 1..=length)?,
        None => default,
    };
    Ok(u128::try_from(weight).unwrap_or(u128::MAX))
}

pub(super) fn indicator_question(columns: &[String], name: &str, options: &Options) -> String {
    format!(
        "How many people of {name} have {} in each of {} columns? ({} count as no.)",
        options.data.yes_in_words(),
        grouped(columns.len()),
        options.data.no,
    )
}
