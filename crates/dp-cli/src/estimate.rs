//! `estimate`: estimates from the noisy totals that a collector received.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::strategy_matrix::{Coverage, CumulativeEstimate};
use dp_exact::{ParameterError, Rational, Rounding, figure};
use dp_prio3::Collector;
use dp_report::model::{Column, Table};
use dp_report::text::split_table;
use dp_simulation::{BucketAxis, GridUnits, PercentilesAndRanges, range_value};
use dp_task::Task;
use serde::Serialize;

use crate::delivery::OutputOptions;
use crate::failure::Failure;
use crate::json::Inputs;
use crate::options::CumulativeOptions;
use crate::survey::asked_and_labels;
use crate::tasks;
use crate::text::{columns_of_tables, counted};
use crate::values::integers;

const FORMAT: &str = "dp-cli estimate";

/// The probability with which each interval holds the truth, or more.
const CONFIDENCE: f64 = 0.95;

/// Turn the noisy totals of a batch into estimates with intervals, as the task's collector does
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Task file
    #[arg(long, value_name = "FILE")]
    task: PathBuf,
    /// Number of reports in the batch
    #[arg(long, value_parser = integers(1..=u64::MAX))]
    reports: u64,
    /// The sum of the aggregators' noisy shares: integers, separated by commas. A negative total
    /// may also be an element of the field, near its modulus, as libprio returns it
    #[arg(long, value_name = "LIST")]
    totals: String,
    #[command(flatten)]
    cumulative: CumulativeOptions,
    #[command(flatten)]
    output: OutputOptions,
}

const AFTER_HELP: &str = "\
Estimates are unbiased and may be negative. An interval, the estimate ± the margin, holds the total
without noise in 95 of 100 batches or more. It says nothing about people who sent no report.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  estimate --task examples/tasks/count.toml --reports 1629 --totals 78
  estimate --task task.toml --reports 1500 --totals \"$(paste -sd, totals.txt)\" --json estimates.json
  estimate --task percentiles.toml --reports 1500 --totals 311041,-2051,7204 --median";

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut delivery = options.output.prepare(FORMAT, [])?;
    let task = tasks::read(&options.task)?;
    let labels = asked_and_labels(task.query()).1;
    let question = options.cumulative.question(&task.policy_name(), &labels)?;
    let answer = estimates(options, &task, &labels, question.as_ref())?;
    delivery.print(answer.text())?;
    Ok(delivery.finish(FORMAT, 1, &options.inputs, answer)?)
}

#[derive(Debug, Serialize)]
struct EstimateDocument {
    policy: &'static str,
    task_digest: String,
    reports: u64,
    rows: Vec<EstimateRow>,
    percentiles: Vec<PercentileRow>,
    ranges: Vec<EstimateRow>,
}

/// An estimate in the unit of the measurements, or of people.
#[derive(Debug, Serialize)]
struct EstimateRow {
    label: String,
    estimate: f64,
    standard_error: f64,
    margin_95: f64,
}

/// A percentile: the label of the bucket in which it lies, and of the ends of its interval.
#[derive(Debug, Serialize)]
struct PercentileRow {
    percentile: Rational,
    estimate: String,
    lowest: String,
    highest: String,
}

/// The estimates of the totals of `options`, and the answers to the question about them.
fn estimates(
    options: &Options,
    task: &Task,
    labels: &[String],
    question: Option<&PercentilesAndRanges>,
) -> Result<EstimateDocument, Failure> {
    let (policy, reports) = (task.policy(), options.reports);
    let modulus = policy.parts().vdaf.modulus();
    let totals = options.totals.split(',').map(|total| signed_total(total, modulus));
    let totals = totals.collect::<Result<Vec<_>, _>>()?;
    let collector = Collector::new(policy.clone(), b"")?;
    let (estimates, margins) = collector.estimates(&totals, reports).map_err(Failure::other)?;
    let units = GridUnits::of(task);
    let rows = labels.iter().zip(estimates).zip(margins);
    let rows = rows.map(|((label, estimate), margin)| {
        let (estimate, margin_95) = match units {
            None => (estimate, margin),
            Some(units) => units.convert(estimate, margin, reports),
        };
        EstimateRow {
            label: label.clone(),
            estimate: estimate.value,
            standard_error: estimate.standard_error,
            margin_95,
        }
    });
    let mut document = EstimateDocument {
        policy: task.policy_name().name,
        task_digest: task.digest().to_string(),
        reports,
        rows: rows.collect(),
        percentiles: Vec::new(),
        ranges: Vec::new(),
    };
    if let Some(question) = question
        && let Some(cumulative) = policy.cumulative(&totals, reports)
    {
        document.percentiles = percentiles(question, &cumulative, labels);
        let axis = BucketAxis::of(labels)?;
        let ranges = question.ranges.iter().filter_map(|range| {
            let error = policy.range_error(range.clone())?;
            Some(EstimateRow {
                label: axis.words(range.start, range.end - 1),
                estimate: range_value(range, &cumulative.values),
                standard_error: error.standard_error,
                margin_95: error.margin(CONFIDENCE),
            })
        });
        document.ranges = ranges.collect();
    }
    Ok(document)
}

/// The percentiles of a question about buckets with these labels.
fn percentiles(
    question: &PercentilesAndRanges,
    estimate: &CumulativeEstimate,
    labels: &[String],
) -> Vec<PercentileRow> {
    let margins = estimate.margins(CONFIDENCE, Coverage::Pointwise);
    let label = |bucket: usize| labels.get(bucket).cloned().unwrap_or_default();
    let rows = question.percentiles.iter().map(|percentile| {
        let found = estimate.percentile(percentile.to_f64() / 100.0, &margins);
        PercentileRow {
            percentile: percentile.clone(),
            estimate: label(found.bucket),
            lowest: label(found.lowest),
            highest: label(found.highest),
        }
    });
    rows.collect()
}

/// A signed total from an integer, or from the element of the field of `modulus` elements that
/// represents it.
fn signed_total(text: &str, modulus: u128) -> Result<i128, ParameterError> {
    let largest = modulus / 2;
    let accepted = || {
        format!("integers from -{largest} to {largest}, or elements of the field, below {modulus}")
    };
    let text = text.trim();
    let integer = text.parse::<i128>().ok().filter(|total| total.unsigned_abs() <= largest);
    let residue = text.parse::<u128>().ok().filter(|residue| *residue < modulus);
    let element = residue.map(|residue| match residue <= largest {
        true => residue.cast_signed(),
        false => -(modulus - residue).cast_signed(),
    });
    integer.or(element).ok_or_else(|| ParameterError::new("totals", text, accepted()))
}

impl EstimateDocument {
    fn text(&self) -> String {
        let digits = |value: f64, rounding| {
            Rational::from_f64(value)
                .map_or_else(|_| value.to_string(), |exact| figure(&exact, 6, rounding))
        };
        let columns = ["", "estimate", "± 95 %", "standard error"].map(Column::words);
        let mut table = Table::new("", columns.to_vec());
        for row in self.rows.iter().chain(&self.ranges) {
            table.rows.push(vec![
                row.label.clone(),
                digits(row.estimate, Rounding::Nearest),
                digits(row.margin_95, Rounding::Up),
                digits(row.standard_error, Rounding::Nearest),
            ]);
        }
        let reports = counted(self.reports, "report");
        let mut text = format!("{} over {reports}, task {}\n\n", self.policy, self.task_digest);
        text += &split_table(&table, columns_of_tables());
        for PercentileRow { percentile, estimate, lowest, highest } in &self.percentiles {
            text += &format!("percentile {percentile}: {estimate}, 95 %: {lowest} to {highest}\n");
        }
        text
    }
}
