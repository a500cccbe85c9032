//! `estimate`: estimates from the noisy totals that a collector received.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::strategy_matrix::{Coverage, CumulativeEstimate};
use dp_calibration::{BigInt, Query, Refusal};
use dp_exact::{ParameterError, Rational, Rounding, directed, figure, grouped, parse_integer};
use dp_prio3::{Collector, Estimate};
use dp_report::model::{Column, Table};
use dp_report::text::split_table;
use dp_simulation::{BucketAxis, Consistency, GridUnits, PercentilesAndRanges, range_value};
use dp_task::Task;
use serde::Serialize;

use crate::delivery::OutputOptions;
use crate::failure::Failure;
use crate::json::Inputs;
use crate::options::CumulativeOptions;
use crate::survey::asked_and_labels;
use crate::tasks;
use crate::text::{columns_of_tables, counted, wrapped};
use crate::values::{LEAVE_OUT, integers};

const FORMAT: &str = "dp-cli estimate";

/// An estimate of 0 without error.
const NOTHING: Estimate = Estimate { value: 0.0, standard_error: 0.0 };

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
    /// The sum of the aggregators' noisy shares: integers, separated by commas, in brackets or not.
    /// A negative total may also be an element of the field, near its modulus, as libprio has it
    #[arg(long, value_name = "LIST")]
    totals: String,
    /// Also adjust the estimates to possible ones nearby: none negative, buckets that add up
    #[arg(long)]
    consistent: bool,
    /// Do not correct the buckets of a histogram by the known number of reports
    #[arg(long)]
    raw_totals: bool,
    /// Divide estimates of people by the number of reports
    #[arg(long)]
    fractions: bool,
    #[command(flatten)]
    cumulative: CumulativeOptions,
    #[command(flatten)]
    output: OutputOptions,
}

const AFTER_HELP: &str = "\
Estimates are unbiased, up to a bias that is stated, and may be negative. An interval, the estimate ±
the margin, holds the total without noise in 95 of 100 batches or more. It says nothing about people
who sent no report.

Each report is in one bucket of a histogram, so the buckets add up to the number n of reports. Where
aggregators add noise, each of d buckets gets a d-th of what all noisy totals lack of n: the variance
is 1 − 1/d of what it is with --raw-totals.

With --fractions an estimate is a share of the reports, whose number n is public: one measurement that
is replaced changes it by at most 1/n, and noise, errors and margins are those of the total, divided
by n.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  estimate --task examples/tasks/count.toml --reports 1629 --totals 78
  estimate --task examples/tasks/count.toml --reports 1629 --totals 78 --fractions --consistent
  estimate --task task.toml --reports 1500 --totals \"$(paste -sd, totals.txt)\" --json estimates.json
  estimate --task percentiles.toml --reports 1500 --totals 311041,-2051,7204 --median";

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut delivery = options.output.prepare(FORMAT, &options.inputs, [])?;
    let task = tasks::with_totals(tasks::read(&options.task)?, options.raw_totals)?;
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
    /// The number to which the buckets were corrected to add up; `None` if they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    known_total: Option<u64>,
    /// The most that one replaced measurement changes a fraction; `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitivity: Option<Rational>,
    /// What `consistent` is, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    post_processing: Option<String>,
    /// Upper bound on the bias of an estimate, which each margin includes; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    bias_bound: Option<f64>,
    rows: Vec<EstimateRow>,
    percentiles: Vec<PercentileRow>,
    ranges: Vec<EstimateRow>,
}

/// An estimate in the unit of the measurements, of people, or a fraction of the reports.
#[derive(Debug, Serialize)]
struct EstimateRow {
    label: String,
    estimate: Answer,
    standard_error: f64,
    margin_95: f64,
    /// The nearest possible estimate, if it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    consistent: Option<f64>,
}

/// An estimate, with all its digits.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    /// A total, or a total corrected by the known sum: an integer by the number of buckets.
    Exact(Rational),
    Rounded(f64),
}

/// A percentile: the label of the bucket in which it lies, and of the ends of its interval.
#[derive(Debug, Serialize)]
struct PercentileRow {
    percentile: Rational,
    estimate: String,
    lowest: String,
    highest: String,
}

/// The answer of `estimate`: the estimates of the `--totals`, one for each label, in the unit that
/// the options ask for, and the answers to the question about percentiles and ranges, if any.
fn estimates(
    options: &Options,
    task: &Task,
    labels: &[String],
    question: Option<&PercentilesAndRanges>,
) -> Result<EstimateDocument, Failure> {
    let (policy, reports) = (task.policy(), options.reports);
    let modulus = policy.parts().vdaf.modulus();
    // As a document of JSON has them, or without brackets.
    let list = options.totals.trim();
    let list = list.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or(list);
    let totals = list.split(',').map(|total| signed_total(total, modulus));
    let totals = totals.collect::<Result<Vec<_>, _>>()?;
    let collector = Collector::new(policy.clone(), b"")?;
    let (estimates, margins) = collector.estimates(&totals, reports).map_err(Failure::other)?;
    let units =
        if options.fractions { Some(fraction(task, reports)?) } else { GridUnits::of(task) };
    let in_units = |estimate: Estimate, margin: f64| match units {
        None => (estimate, margin),
        Some(units) => units.convert(estimate, margin, reports),
    };
    let row = |label: String, estimate, margin, consistent: Option<f64>| {
        let (Estimate { value, standard_error }, margin_95) = in_units(estimate, margin);
        let consistent = consistent.map(|value| in_units(Estimate { value, standard_error }, 0.0));
        let consistent = consistent.map(|(estimate, _)| estimate.value);
        let estimate = Answer::Rounded(value);
        EstimateRow { label, estimate, standard_error, margin_95, consistent }
    };
    let consistency = options.consistent.then(|| Consistency::of_task(task));
    let mut consistent: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
    if let Some(consistency) = consistency {
        consistency.project(reports, &mut consistent);
    }
    let rows = labels.iter().zip(estimates).zip(margins).zip(consistent);
    let rows = rows.map(|(((label, estimate), margin), consistent)| {
        row(label.clone(), estimate, margin, options.consistent.then_some(consistent))
    });
    let mut rows: Vec<EstimateRow> = rows.collect();
    if let (None, Some(exact)) = (units, policy.exact_estimates(&totals, reports)) {
        let answers = rows.iter_mut().zip(exact);
        answers.for_each(|(row, exact)| row.estimate = Answer::Exact(exact));
    }
    let mut document = EstimateDocument {
        policy: task.policy_name().name,
        task_digest: task.digest().to_string(),
        reports,
        known_total: (policy.corrected_buckets() > 1).then_some(reports),
        sensitivity: options.fractions.then(|| Rational::new(1, reports)).transpose()?,
        post_processing: consistency.map(|consistency| consistency.to_string()),
        bias_bound: Some(policy.bias_bound(reports))
            .filter(|bias| *bias > 0.0)
            .map(|bias| in_units(NOTHING, bias).1),
        rows,
        percentiles: Vec::new(),
        ranges: Vec::new(),
    };
    if let Some(question) = question
        && let Some(cumulative) = policy.cumulative(&totals, reports)
    {
        document.percentiles = percentiles(question, &cumulative, labels);
        let axis = BucketAxis::of(labels)?;
        let monotone = options.consistent.then(|| cumulative.monotone());
        let ranges = question.ranges.iter().filter_map(|range| {
            let error = policy.range_error(range.clone())?;
            let value = range_value(range, &cumulative.values);
            let estimate = Estimate { value, standard_error: error.standard_error };
            let consistent = monotone.as_ref().map(|monotone| range_value(range, monotone));
            let label = axis.words(range.start, range.end - 1);
            Some(row(label, estimate, error.margin(CONFIDENCE), consistent))
        });
        document.ranges = ranges.collect();
    }
    Ok(document)
}

/// The unit in which an estimate of people is a fraction of `reports`. `Err` for sums and means of
/// numbers.
fn fraction(task: &Task, reports: u64) -> Result<GridUnits, Refusal> {
    let query = task.query();
    match query {
        Query::Count
        | Query::Histogram { .. }
        | Query::HistogramRanges { .. }
        | Query::MultihotCountVec { .. } => {
            let granularity = directed::count(reports).recip();
            // As of means, a fraction has no part that grows with the reports.
            Ok(GridUnits { low: 0.0, granularity, are_means: true })
        }
        _ => {
            let context = format!("with {query}, whose totals do not count people");
            Err(Refusal::contradiction("fractions", true, context, LEAVE_OUT))
        }
    }
}

/// Each percentile of the question as the label of its bucket, with the labels of both ends of its
/// 95 % interval; `labels` has the label of every bucket.
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

/// A signed total from an integer, which is the total itself or the element of the field of
/// `modulus` elements that represents it: elements above `modulus`/2 are negative totals. `Err`
/// below −`modulus`/2, and from `modulus` on.
fn signed_total(text: &str, modulus: u128) -> Result<i128, ParameterError> {
    let [half, modulus] = [modulus / 2, modulus].map(BigInt::from);
    let total = parse_integer("totals", text, -&half..=&modulus - 1)?;
    let total = if total > half { total - modulus } else { total };
    Ok(i128::try_from(total).expect("at most half of a modulus below 2^128"))
}

impl EstimateDocument {
    /// The estimates as text: a table of estimates and ranges, then percentiles and remarks.
    fn text(&self) -> String {
        let digits = |value: f64, rounding| {
            Rational::from_f64(value)
                .map_or_else(|_| value.to_string(), |exact| figure(&exact, 6, rounding))
        };
        let estimate = |answer: &Answer| match answer {
            Answer::Exact(exact) => figure(exact, 6, Rounding::Nearest),
            Answer::Rounded(value) => digits(*value, Rounding::Nearest),
        };
        let mut columns = ["", "estimate", "± 95 %", "standard error"].map(Column::words).to_vec();
        columns.extend(self.post_processing.as_ref().map(|_| Column::words("consistent")));
        let mut table = Table::new("", columns);
        for row in self.rows.iter().chain(&self.ranges) {
            let mut cells = vec![
                row.label.clone(),
                estimate(&row.estimate),
                digits(row.margin_95, Rounding::Up),
                digits(row.standard_error, Rounding::Nearest),
            ];
            cells.extend(row.consistent.map(|value| digits(value, Rounding::Nearest)));
            table.rows.push(cells);
        }
        let reports = counted(self.reports, "report");
        let mut text = format!("{} over {reports}, task {}\n\n", self.policy, self.task_digest);
        text += &split_table(&table, columns_of_tables());
        if let Some(reports) = self.known_total {
            let reports = grouped(reports);
            text += &format!("Buckets are corrected to add up to the {reports} reports.\n");
        }
        if let Some(bias) = self.bias_bound {
            let bias = digits(bias, Rounding::Up);
            text += &format!(
                "Each margin includes {bias} for bias: reports of heavier vectors are dropped more often.\n"
            );
        }
        for PercentileRow { percentile, estimate, lowest, highest } in &self.percentiles {
            text += &format!("percentile {percentile}: {estimate}, 95 %: {lowest} to {highest}\n");
        }
        if let Some(sensitivity) = &self.sensitivity {
            text +=
                &format!("One replaced measurement changes a fraction by at most {sensitivity}.\n");
        }
        if let Some(words) = &self.post_processing {
            text += &wrapped("consistent: ", "  ", &format!("{words}."));
        }
        text
    }
}
