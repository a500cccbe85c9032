//! Percentiles and ranges of a run as tables.

use dp_simulation::report::SimulationReport;
use dp_simulation::{BucketAxis, CountSummary, DistributionEstimate};

use super::estimates::table;
use crate::figures::{figure, with_error};
use crate::model::{Block, Column, Table};

/// Percentiles and ranges beside the truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CumulativeText {
    /// A row for each percentile of the first trial, in the unit of the data.
    pub percentiles: Option<Table>,
    /// A row for each range of the first trial.
    pub ranges: Option<Table>,
}

impl CumulativeText {
    pub(super) fn of(run: SimulationReport<'_>) -> Option<Self> {
        let (question, axis) = run.plan.axis()?;
        let found = run.outcome.trials.first()?.distribution.as_ref()?;
        Some(Self {
            percentiles: (!question.percentiles.is_empty())
                .then(|| percentiles(run, &axis, found))
                .flatten(),
            ranges: (!question.ranges.is_empty()).then(|| ranges(run, &axis, found)).flatten(),
        })
    }

    pub(super) fn blocks(&self) -> Vec<Block> {
        self.percentiles.iter().chain(&self.ranges).cloned().map(Block::Table).collect()
    }
}

/// Table of every percentile with its interval; `None` if the run has no cumulative counts.
fn percentiles(
    run: SimulationReport<'_>,
    axis: &BucketAxis<'_>,
    found: &DistributionEstimate,
) -> Option<Table> {
    let (question, summary) = (run.plan.percentiles.as_ref()?, &run.outcome.summary);
    let has_several = summary.trials > 1;
    let mut columns =
        ["percentile", "truth", "estimate", "95 % interval"].map(Column::words).to_vec();
    if has_several {
        columns.extend(["held", "width"].map(Column::numbers));
    }
    let of_all = &summary.distribution.as_ref()?.percentiles;
    let rows = question.percentiles.iter().zip(&found.percentiles).zip(of_all);
    let rows = rows.map(|((percentile, one), all)| {
        let mut cells = vec![
            percentile.to_string(),
            axis.words(one.truth, one.truth),
            axis.words(one.estimate, one.estimate),
            axis.words(*one.interval.start(), *one.interval.end()),
        ];
        if has_several {
            cells
                .extend([format!("{} %", figure(100.0 * all.coverage_95)), figure(all.mean_width)]);
        }
        cells
    });
    let legend = "Percentile p is the bucket in which p % of the people are reached. Its interval is of whole buckets.";
    let more = " Over all trials: how often the interval held the truth, and the mean number of its buckets.";
    Some(Table {
        rows: rows.collect(),
        legend: format!("{legend}{}", if has_several { more } else { "" }),
        ..Table::new("Percentiles", columns)
    })
}

/// Table of the number of people in every range; `None` if the run has no cumulative counts.
fn ranges(
    run: SimulationReport<'_>,
    axis: &BucketAxis<'_>,
    found: &DistributionEstimate,
) -> Option<Table> {
    let (question, summary) = (run.plan.percentiles.as_ref()?, &run.outcome.summary);
    let labels = question.ranges.iter().map(|range| axis.words(range.start, range.end - 1));
    let labels: Vec<String> = labels.collect();
    let mut table =
        Table { caption: "People in ranges".to_owned(), ..table(&labels, &found.ranges) };
    if summary.trials > 1 {
        table.columns.extend(["predicted", "observed", "held"].map(Column::numbers));
        table.legend = "Over all trials: predicted and observed standard deviation, and how often the interval held the truth."
            .to_owned();
        for (cells, all) in table.rows.iter_mut().zip(&summary.distribution.as_ref()?.ranges) {
            let CountSummary { predicted_std, errors, coverage_95, .. } = all;
            cells.extend([
                figure(*predicted_std),
                with_error(errors.observed_std, errors.observed_std_error),
                format!("{} %", figure(100.0 * coverage_95)),
            ]);
        }
    }
    Some(table)
}
