//! The distribution of a run as a chart, its percentiles and ranges as tables.

use dp_exact::directed::index;
use dp_simulation::report::SimulationReport;
use dp_simulation::{BucketAxis, DistributionEstimate, DistributionSummary, PercentilesAndRanges};

use super::estimates::table;
use super::{held, observed};
use crate::figures::figure;
use crate::model::{Axis, Chart, Column, Mark, Series, Table};

/// The tables of percentiles and of ranges of the first trial, each only if the run asks for some;
/// with several trials also with statistics over all.
pub(super) fn tables(run: SimulationReport<'_>) -> Vec<Table> {
    let first = run.outcome.trials.first().and_then(|first| first.distribution.as_ref());
    let all = run.outcome.summary.distribution.as_ref();
    let (Some((question, axis)), Some(first), Some(all)) = (run.plan.axis(), first, all) else {
        return Vec::new();
    };
    let all = (run.outcome.summary.trials > 1).then_some(all);
    let asked = [!question.percentiles.is_empty(), !question.ranges.is_empty()];
    let percentiles = asked[0].then(|| percentiles(question, &axis, first, all));
    let ranges = asked[1].then(|| ranges(question, &axis, first, all));
    percentiles.into_iter().chain(ranges).collect()
}

/// Chart of the people in the first buckets, by bucket, in the first trial: estimate and truth.
/// `None` without percentiles and ranges.
pub(super) fn chart(run: SimulationReport<'_>) -> Option<Chart> {
    let (_, axis) = run.plan.axis()?;
    let found = run.outcome.trials.first()?.distribution.as_ref()?;
    let counts = found.counts.iter();
    let line = |value: fn(&_) -> f64| (1..).map(index).zip(counts.clone().map(value)).collect();
    // The last count is of all buckets but one.
    let labels: Vec<String> = (0..found.counts.len()).map(|last| axis.words(0, last)).collect();
    let margin = found.counts.iter().map(|count| count.margin_95).fold(0.0, f64::max);
    Some(Chart {
        id: "distribution-chart",
        title: "The people up to each bucket".to_owned(),
        description: format!(
            "In 95 of 100 runs or more, a count of the first buckets is off by at most {}.",
            crate::figures::margin(margin)
        ),
        x: Axis::linear("number of first buckets"),
        y: Axis::linear("people"),
        series: vec![
            Series::new("estimate", Mark::Line, line(|count| count.estimate)),
            Series::new("truth", Mark::Dashed, line(|count| count.truth)),
        ],
        table: table(&labels, &found.counts),
    })
}

/// Table of every percentile with the bucket of its estimate and its interval in the trial `found`;
/// with `all`, also over all trials how often the interval held the truth, and its mean width.
fn percentiles(
    question: &PercentilesAndRanges,
    axis: &BucketAxis<'_>,
    found: &DistributionEstimate,
    all: Option<&DistributionSummary>,
) -> Table {
    let columns = ["percentile", "truth", "estimate", "95 % interval"].map(Column::words);
    let mut table = Table::new("Percentiles", columns.to_vec());
    table.legend = String::from(
        "Percentile p is the bucket in which p % of the people are reached. Its interval is of whole buckets.",
    );
    for (percentile, one) in question.percentiles.iter().zip(&found.percentiles) {
        table.rows.push(vec![
            percentile.to_string(),
            axis.words(one.truth, one.truth),
            axis.words(one.estimate, one.estimate),
            axis.words(*one.interval.start(), *one.interval.end()),
        ]);
    }
    if let Some(all) = all {
        table.columns.extend(["held", "width"].map(Column::numbers));
        if !table.legend.is_empty() {
            table.legend.push(' ');
        }
        table.legend += "Over all trials: how often the interval held the truth, and the mean number of its buckets.";
        for (cells, all) in table.rows.iter_mut().zip(&all.percentiles) {
            cells.extend([held(all.coverage_95), figure(all.mean_width)]);
        }
    }
    table
}

/// Table of the number of people in every range, in the trial `found`; with `all`, also over all
/// trials the standard deviations, and how often the interval held the truth.
fn ranges(
    question: &PercentilesAndRanges,
    axis: &BucketAxis<'_>,
    found: &DistributionEstimate,
    all: Option<&DistributionSummary>,
) -> Table {
    let labels = question.ranges.iter().map(|range| axis.words(range.start, range.end - 1));
    let labels: Vec<String> = labels.collect();
    let mut table = table(&labels, &found.ranges);
    table.caption = "People in ranges".to_owned();
    if let Some(all) = all {
        table.columns.extend(["predicted", "observed", "held"].map(Column::numbers));
        table.legend += " Over all trials: predicted and observed standard deviation, and how often the interval held the truth.";
        for (cells, all) in table.rows.iter_mut().zip(&all.ranges) {
            cells.extend([figure(all.predicted_std), observed(&all.errors), held(all.coverage_95)]);
        }
    }
    table
}
