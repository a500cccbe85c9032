//! The best policy of each job.

use dp_exact::grouped;
use dp_simulation::sweep::{Contender, Job, Results};

use crate::model::{Column, Table};
use crate::simulation::numbers::figure;

const LEGEND: &str = "Best is the policy of the least predicted error. std is the standard deviation of an \
                      estimate, with the noise of all aggregators and clients; observed is that of the errors, over the predicted one; coverage is how many \
                      95 % intervals hold the truth; next is the second best policy, and how many times larger \
                      its error is. Policies of one budget may promise different things, as those that take its \
                      epsilon0 and those that take its epsilon: the rows and reports say what.";

/// A table of so many jobs at most.
pub(super) fn table(results: &Results, most: usize) -> Table {
    let jobs = &results.summary.jobs;
    let said = |of: &dyn Fn(&Job) -> &str| jobs.iter().any(|job| !of(job).is_empty());
    let differ = |of: &dyn Fn(&Job) -> String| {
        let first = jobs.first().map(of);
        jobs.iter().any(|job| Some(of(job)) != first)
    };
    let has_size = said(&|job| &job.size);
    let has_aggregators = differ(&|job| job.aggregators.clone());
    let has_trials = differ(&|job| job.trials.to_string());
    let has_estimates = differ(&|job| job.estimates.to_owned());
    let mut columns = vec![Column::words("budget")];
    let optional = [
        (has_estimates, Column::words("estimates")),
        (has_size, Column::words("size")),
        (has_aggregators, Column::numbers("aggregators")),
        (true, Column::numbers("clients")),
        (has_trials, Column::numbers("trials")),
    ];
    let shown = optional.into_iter().filter(|(is_shown, _)| *is_shown);
    columns.extend(shown.map(|(_, column)| column));
    columns.push(Column::words("best"));
    columns.extend(["std", "observed", "coverage"].map(Column::numbers));
    columns.push(Column::words("next"));
    let row = |job: &Job| {
        let best = job.policies.first()?;
        let mut cells = vec![job.budget.clone()];
        let optional = [
            (has_estimates, job.estimates.to_owned()),
            (has_size, job.size.clone()),
            (has_aggregators, job.aggregators.clone()),
            (true, grouped(job.clients)),
            (has_trials, grouped(job.trials)),
        ];
        let shown = optional.into_iter().filter(|(is_shown, _)| *is_shown);
        cells.extend(shown.map(|(_, cell)| cell));
        cells.extend([
            best.policy.clone(),
            figure(best.predicted_std),
            observed(best),
            format!("{} %", figure(100.0 * best.coverage_95)),
            next(job).unwrap_or_default(),
        ]);
        Some(cells)
    };
    let more = match jobs.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" {more} more jobs are not shown: --csv writes a row for each cell."),
    };
    Table {
        rows: jobs.iter().take(most).filter_map(row).collect(),
        legend: format!("{LEGEND}{more}"),
        ..Table::new("The best policy of each job", columns)
    }
}

/// The observed error over the predicted one.
pub(super) fn observed(contender: &Contender) -> String {
    let ratio = contender.observed_over_predicted;
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}"))
}

/// The second best policy, and how many times larger its error is.
fn next(job: &Job) -> Option<String> {
    let (best, next) = (job.policies.first()?, job.policies.get(1)?);
    let ratio = next.predicted_std / best.predicted_std;
    Some(format!("{} ({ratio:.2} times)", next.policy))
}
