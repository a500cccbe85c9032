//! `estimate`: estimates from the noisy totals that a collector received.

mod released;
mod rows;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use dp_calibration::strategy_matrix::CumulativeEstimate;
use dp_calibration::{Query, Refusal};
use dp_exact::{ParameterError, Rational, Rounding, directed, figure, grouped, shown};
use dp_ledger::{Entry, Snapshot};
use dp_prio3::{Collector, EpsilonDelta, Estimate};
use dp_report::model::{Column, Table};
use dp_report::text::split_table;
use dp_simulation::data::{Bins, OutOfRange};
use dp_simulation::{BucketAxis, Consistency, GridUnits, PercentilesAndRanges, range_value};
use dp_task::Task;
use serde::Serialize;

use self::released::{Released, released};
use self::rows::{Format, Row};
use crate::delivery::OutputOptions;
use crate::failure::{Failure, report, warn};
use crate::json::Inputs;
use crate::options::CumulativeOptions;
use crate::survey::labels_of_estimates;
use crate::tasks;
use crate::text::{columns_of_tables, counted, wrapped};
use crate::values::{LEAVE_OUT, integers};

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
    #[arg(long, value_parser = integers(1..=u64::MAX), required_unless_present = "collected")]
    reports: Option<u64>,
    /// The sum of the aggregators' noisy shares: integers, separated by commas, in brackets or not,
    /// or JSON, an object with the field totals. 1,234, which may be one number, needs brackets or
    /// a space. A negative total may also be an element of the field, near its modulus, as libprio
    /// has it
    #[arg(long, value_name = "LIST", required_unless_present = "collected")]
    totals: Option<String>,
    /// File with what Janus's `collect` printed, in place of --reports and --totals, - for standard
    /// input; may be repeated, and have the results of several batches
    #[arg(long, value_name = "FILE", conflicts_with_all = ["reports", "totals"])]
    collected: Vec<PathBuf>,
    /// Print a row for each estimate of collected batches, for data warehouses, in place of the
    /// text: json, with an object in each line, or csv, with a header line
    #[arg(long, value_name = "FORMAT", requires = "collected", conflicts_with_all = ["fractions", "consistent"])]
    rows: Option<rows::Format>,
    /// Append the rows to this file instead. Rows that it has are left out; the same batch and
    /// entry with other numbers are an error
    #[arg(long, value_name = "FILE", requires = "rows")]
    rows_file: Option<PathBuf>,
    /// Ledger in which the releases of the task so far are recorded, for the rows: each batch under
    /// its name in the rows, such as 2026-12-01T00:00:00Z/2026-12-02T00:00:00Z, or its day
    #[arg(long, value_name = "FILE", requires = "rows")]
    ledger: Option<PathBuf>,
    /// Also adjust the estimates to possible ones nearby: none negative, buckets that add up
    #[arg(long)]
    consistent: bool,
    /// Do not correct single buckets of a histogram by the known number of reports, as percentiles
    /// and ranges are
    #[arg(long)]
    raw_totals: bool,
    /// Divide estimates of people by the number of reports
    #[arg(long)]
    fractions: bool,
    /// Bins of a histogram, or of bits, as in `simulate`: labels of the estimates, and ends of
    /// --between
    #[arg(long, conflicts_with = "columns")]
    bins: Option<Bins>,
    /// Further bins for values outside of --bins, as in `simulate`
    #[arg(long, requires = "bins")]
    overflow_bins: bool,
    /// Names of the entries of a vector, separated by commas: labels of the estimates
    #[arg(long)]
    columns: Option<String>,
    #[command(flatten)]
    output: OutputOptions,
    #[command(flatten)]
    cumulative: CumulativeOptions,
}

const AFTER_HELP: &str = "\
Estimates are unbiased, up to a bias that is stated, and may be negative. An interval, the estimate
± the margin, holds the total without noise in 95 of 100 batches or more. It says nothing about
people who sent no report.

Each report is in one bucket of a histogram, so the buckets add up to the number n of reports. Where
aggregators add noise, each of d buckets gets a d-th of what all noisy totals lack of n: the
variance is 1 − 1/d of what it is with --raw-totals.

With --fractions an estimate is a share of the reports, whose number n is public: one measurement
that is replaced changes it by at most 1/n, and noise, errors and margins are those of the total,
divided by n.

Examples, after `dp-cli`:
  estimate --task examples/tasks/count.toml --reports 1629 --totals 78
  estimate --task examples/tasks/count.toml --reports 1629 --totals 78 --fractions --consistent
  estimate --task task.toml --reports 1500 --totals \"[$(paste -sd, totals.txt)]\" --json estimates.json
  estimate --task percentiles.toml --reports 1500 --totals 311041,-2051,7204 --median
  collect … | dp-cli estimate --task task.toml --collected -
  estimate --task task.toml --collected monday.txt --rows json --rows-file estimates.jsonl

Exit status with --collected: 75 if the collection job is not ready or another process has the file
of rows open, 66 if the batch has too few reports or none, 2 for any other text without a result. Of
batches that are not ready or too small the others are answered; several failures have the status of
the last one.

In a row, epsilon and delta are of one release; low and high bound what one person adds to an
estimate.";

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut delivery = options.output.prepare(FORMAT, &options.inputs, [])?;
    let task = tasks::with_totals(tasks::read(&options.task)?, options.raw_totals)?;
    let outside = if options.overflow_bins { OutOfRange::Count } else { OutOfRange::Refuse };
    let names = (options.bins.as_ref(), options.columns.as_deref());
    let labels = labels_of_estimates(&options.inputs, names, outside, &task)?;
    let odd = labels.iter().find(|label| label.contains([',', '"', '\\']));
    if options.rows.is_some()
        && let Some(label) = odd
    {
        let accepted = "with --rows labels without commas, quotation marks and backslashes";
        return Err(ParameterError::new("label", label, accepted).into());
    }
    let question = options.cumulative.question(&task.policy_name(), &labels)?;
    let (batches, mut failures) = released(options, &task)?;
    // The last failure ends the command; its status says that a batch is left out.
    let last = failures.pop();
    for failure in &failures {
        let _ = report(failure);
    }
    if batches.is_empty() {
        return last.map_or(Ok(()), Err);
    }
    let recorded =
        options.ledger.as_ref().map(|path| recorded(path, &task, &batches)).transpose()?;
    let answer = |batch| estimates(options, &task, &labels, question.as_ref(), batch);
    let answers = batches.into_iter().map(answer).collect::<Result<Vec<_>, _>>()?;
    let text = answers.iter().map(EstimateDocument::text).collect::<Vec<_>>().join("\n");
    let rows = answers.iter().map(|answer| answer.warehouse_rows(recorded, &task));
    if options.rows_file.is_none() && odd.is_none() {
        let firsts: Vec<Row> = rows.clone().filter_map(|mut rows| rows.next()).collect();
        rows::warn_of_overlap("this call", &Format::Csv.lines(&firsts).collect::<Vec<_>>(), "");
    }
    delivery.print(match options.rows {
        None => text,
        Some(format) => {
            let rows: Vec<Row> = rows.flatten().collect();
            match &options.rows_file {
                None => format.text(&rows),
                Some(path) => {
                    let (all, added) = (grouped(rows.len()), format.append(path, &rows)?);
                    format!("{text}\nNew rows in {}: {} of {all}.\n", shown(path), grouped(added))
                }
            }
        }
    })?;
    match <[EstimateDocument; 1]>::try_from(answers) {
        Ok([answer]) => delivery.finish(FORMAT, 1, &options.inputs, answer)?,
        Err(several) => {
            let several = BTreeMap::from([("batches", several)]);
            delivery.finish(FORMAT, 1, &options.inputs, several)?;
        }
    }
    last.map_or(Ok(()), Err)
}

/// The number of releases of the task in the ledger at `path`. Warns if more of the `batches` have
/// one name or day than entries begin with it.
fn recorded(path: &Path, task: &Task, batches: &[Released]) -> Result<usize, Failure> {
    let (snapshot, digest) = (Snapshot::read(path, None)?, task.digest().to_string());
    let of_task = |entry: &&Entry| entry.release().task.as_ref() == Some(&digest);
    let entries: Vec<_> = snapshot.ledger().entries().iter().filter(of_task).collect();
    if entries.is_empty() {
        let accepted = format!("a ledger with a release of the task {digest}");
        return Err(ParameterError::new("ledger", path.display(), accepted).into());
    }
    // The first ten characters are the day of an interval, or an identifier's.
    let beginnings = batches
        .iter()
        .map(|batch| batch.batch.as_ref().map_or("", |name| name.get(..10).unwrap_or(name)));
    let is_missing = |beginning: &str| {
        let batches = beginnings.clone().filter(|other| *other == beginning).count();
        let entries = entries.iter().filter(|entry| entry.name().starts_with(beginning)).count();
        entries < batches
    };
    if beginnings.clone().any(is_missing) {
        let [path, entries] = [shown(path), grouped(entries.len())];
        let words = "record each under its name in the rows, or its day";
        warn(&format!("{path}: its {entries} entries of this task lack a batch: {words}"));
    }
    Ok(entries.len())
}

#[derive(Debug, Serialize)]
struct EstimateDocument {
    policy: &'static str,
    task_digest: String,
    /// The batch of a collector's text: its identifier, or its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<String>,
    /// The beginning and the end of the reports of a collector's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[String; 2]>,
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
    estimate: EstimateValue,
    standard_error: f64,
    margin_95: f64,
    /// The nearest possible estimate, if it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    consistent: Option<f64>,
}

/// The value of an estimate, with all its digits.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum EstimateValue {
    /// A total; of buckets that add up to the known number of reports, an integer divided by the
    /// number of buckets.
    Exact(Rational),
    /// The nearest float of any other estimate.
    Rounded(f64),
}

impl EstimateValue {
    /// This value as a fraction; `None` if it is not finite.
    fn exact(&self) -> Option<Rational> {
        match self {
            Self::Exact(exact) => Some(exact.clone()),
            Self::Rounded(value) => Rational::from_f64(*value).ok(),
        }
    }
}

/// A percentile: the label of the bucket in which it lies, and of the ends of its interval.
#[derive(Debug, Serialize)]
struct PercentileRow {
    percentile: Rational,
    estimate: String,
    lowest: String,
    highest: String,
}

/// The answer of `estimate`: the estimates of the batch, one for each label, in the unit that the
/// options ask for, and the answers to the question about percentiles and ranges, if any.
fn estimates(
    options: &Options,
    task: &Task,
    labels: &[String],
    question: Option<&PercentilesAndRanges>,
    released: Released,
) -> Result<EstimateDocument, Failure> {
    let Released { batch, interval, reports, totals } = released;
    let policy = task.policy();
    let collector = Collector::new(policy.clone(), b"")?;
    let of_task = |error| Failure::content(&options.task, error);
    let (estimates, margins) = collector.estimates(&totals, reports).map_err(of_task)?;
    let units =
        if options.fractions { Some(fraction(task, reports)?) } else { GridUnits::of(task) };
    let in_units = |estimate: Estimate, margin: f64| match units {
        None => (estimate, margin),
        Some(units) => units.convert(estimate, margin, reports),
    };
    let row = |label: String, estimate, margin, nearest: Option<f64>| {
        let (Estimate { value, standard_error }, margin_95) = in_units(estimate, margin);
        let in_units = |value| in_units(Estimate { value, standard_error }, 0.0).0.value;
        let consistent = nearest.map(in_units);
        let estimate = EstimateValue::Rounded(value);
        EstimateRow { label, estimate, standard_error, margin_95, consistent }
    };
    let consistency = options.consistent.then(|| Consistency::of_task(task));
    let mut possible: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
    if let Some(consistency) = consistency {
        consistency.project(reports, &mut possible);
    }
    let rows = labels.iter().zip(estimates).zip(margins).zip(possible);
    let rows = rows.map(|(((label, estimate), margin), nearest)| {
        row(label.clone(), estimate, margin, options.consistent.then_some(nearest))
    });
    let mut rows: Vec<EstimateRow> = rows.collect();
    if let (None, Some(exact)) = (units, policy.exact_estimates(&totals, reports)) {
        let answers = rows.iter_mut().zip(exact);
        answers.for_each(|(row, exact)| row.estimate = EstimateValue::Exact(exact));
    }
    let mut document = EstimateDocument {
        policy: task.policy_name().name,
        task_digest: task.digest().to_string(),
        batch,
        interval,
        reports,
        known_total: (policy.corrected_buckets() > 1).then_some(reports),
        sensitivity: options.fractions.then(|| Rational::new(1, reports)).transpose()?,
        post_processing: consistency.map(|consistency| consistency.to_string()),
        bias_bound: Some(policy.bias_bound(reports))
            .filter(|bias| *bias > 0.0)
            .map(|bias| in_units(Estimate { value: 0.0, standard_error: 0.0 }, bias).1),
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
            let estimate = Estimate { value, standard_error: error.standard_error() };
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
        | Query::MultihotCountVec { .. }
        | Query::SumVec { max_measurement: 1, .. }
            if task.grid().is_none() =>
        {
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
    let margins = estimate.margins(CONFIDENCE);
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

impl EstimateDocument {
    /// The rows of the collected batch, one for each estimate; `recorded` is the number of releases
    /// of the task in the ledger.
    fn warehouse_rows(&self, recorded: Option<usize>, task: &Task) -> impl Iterator<Item = Row> {
        let model = task.trust_model();
        let pair = task.policy().pair(model, &task.circumstances().clone().over(1)).ok();
        let values =
            |pair: EpsilonDelta| (pair.epsilon.value().clone(), pair.delta.value().clone());
        let (epsilon, delta) = pair.map(values).unzip();
        let planned = task.document().trust.releases.filter(|planned| *planned > 1);
        // What one person contributes to an entry that is no bucket.
        let [low, high] = match (task.grid(), task.query()) {
            (Some(grid), _) => [grid.low(), grid.high()].map(|end| Some(end.clone())),
            (None, Query::Histogram { .. } | Query::HistogramRanges { .. }) => [None, None],
            (None, query) => [Some(Rational::zero()), Some(Rational::integer(query.max_entry()))],
        };
        let [start, end] = self.interval.clone().unwrap_or_default();
        let float = |value: f64| Rational::from_f64(value).ok();
        self.rows.iter().enumerate().map(move |(entry, row)| {
            let (estimate, margin) = (row.estimate.exact(), float(row.margin_95));
            let ends = estimate.as_ref().zip(margin);
            let ends = ends.map(|(estimate, margin)| (estimate - &margin, estimate + &margin));
            let (lower, upper) = ends.unzip();
            [
                rows::text(&self.task_digest),
                rows::text(self.batch.clone().unwrap_or_default()),
                rows::number(Some(Rational::integer(entry))),
                rows::text(&row.label),
                rows::text(&start),
                rows::text(&end),
                rows::number(Some(Rational::from(self.reports))),
                rows::number(low.clone()),
                rows::number(high.clone()),
                rows::number(estimate),
                rows::number(float(row.standard_error)),
                rows::number(lower),
                rows::number(upper),
                rows::number(epsilon.clone()),
                rows::number(delta.clone()),
                rows::text(model.abbreviation()),
                rows::number(planned.map(Rational::integer)),
                rows::number(recorded.map(Rational::integer)),
            ]
        })
    }

    /// The estimates as text: a table of estimates and ranges, then percentiles and remarks.
    fn text(&self) -> String {
        let digits = |value: f64, rounding| {
            Rational::from_f64(value)
                .map_or_else(|_| value.to_string(), |exact| figure(&exact, 6, rounding))
        };
        let mut columns = ["", "estimate", "± 95 %", "standard error"].map(Column::words).to_vec();
        columns.extend(self.post_processing.as_ref().map(|_| Column::words("consistent")));
        let mut table = Table::new("", columns);
        for row in self.rows.iter().chain(&self.ranges) {
            let mut cells = vec![
                row.label.clone(),
                row.estimate.exact().map_or_else(
                    || "none".to_owned(),
                    |exact| figure(&exact, 6, Rounding::Nearest),
                ),
                // Less the room for the rounding of floats, which no digit shows.
                digits(row.margin_95 * (1.0 - 1e-12), Rounding::Up),
                digits(row.standard_error, Rounding::Nearest),
            ];
            cells.extend(row.consistent.map(|value| digits(value, Rounding::Nearest)));
            table.rows.push(cells);
        }
        let reports = counted(self.reports, "report");
        let mut text = format!("{} over {reports}, task {}\n", self.policy, self.task_digest);
        if let (Some(batch), Some([start, end])) = (&self.batch, &self.interval) {
            text += &format!("batch {batch}, from {start} to {end}\n");
        }
        text += "\n";
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
