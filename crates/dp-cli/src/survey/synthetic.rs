//! Surveys with synthetic measurements, drawn from a distribution instead of read from a file.

use dp_calibration::{Query, Refusal};
use dp_exact::ParameterError;
use dp_planner::Job;
use dp_prio3::grid::Grid;
use dp_simulation::data::RowCounts;
use dp_simulation::report::Question;
use dp_simulation::{ValueDistribution, entries_in_words, values_in_words};
use dp_task::{PolicyName, Task, VdafType};

use super::{Survey, answering_query, grid_in_words, largest_measurement};
use crate::failure::Failure;
use crate::options::SimulateOptions;

/// Number of clients if neither the options nor the task give it.
const CLIENTS: u64 = 10_000;

/// Options about a file of data, without dashes.
pub(super) const OF_FILES: [&str; 12] = [
    "data",
    "counts",
    "count-column",
    "delimiter",
    "column",
    "columns",
    "bins",
    "missing-value",
    "clamp",
    "overflow-bins",
    "yes",
    "no",
];

/// A survey of the task's query or of `--type`, with measurements drawn from `seed`: by
/// `--synthetic`, else from the distribution that suits the query. Refuses options about a file.
pub(super) fn survey(
    options: &SimulateOptions,
    policy: PolicyName,
    task: Option<&Task>,
    seed: u64,
) -> Result<Survey, Failure> {
    options.inputs.refuse(OF_FILES, "with synthetic data")?;
    let typed_grid = options.data.grid.as_ref();
    let query = match task {
        Some(task) => task.query().clone(),
        None => typed_query(options, policy, typed_grid)?,
    };
    let query = answering_query(policy, &query).ok_or_else(|| {
        let accepted = format!("a type that {} aggregates", policy.name);
        ParameterError::new("type", &query, accepted)
    })?;
    let distribution =
        options.data.synthetic.unwrap_or_else(|| ValueDistribution::suited_to(&query));
    let rows = distribution.measurements(&query, seed).map_err(|error| match error.name() {
        "length" => error.renamed(if task.is_some() { "vdaf.length" } else { "type" }),
        _ => error,
    })?;
    let over = match (task.and_then(Task::grid).or(typed_grid), &query) {
        (Some(grid), Query::SumVec { length, .. }) => {
            format!("{}, for each of {}", grid_in_words(grid), entries_in_words(*length))
        }
        (Some(grid), _) => grid_in_words(grid),
        (None, query) => values_in_words(query),
    };
    let synthetic = format!("{} over {over}", distribution.name());
    let (asked, labels) = asked_and_labels(&query);
    Ok(Survey {
        question: Question { asked, remark: format!("Synthetic data: {synthetic}.") },
        labels,
        rows,
        reading: RowCounts::default(),
        bound: largest_measurement(&query),
        synthetic: Some(synthetic),
        clients: Some(task.map_or(CLIENTS, clients)),
    })
}

/// The query of `--type`, on `grid` if there is one; without it the policy's query of a count, a
/// sum or a mean, up to `--max-measurement` or the last cell of `grid`. `Err` for other policies.
fn typed_query(
    options: &SimulateOptions,
    policy: PolicyName,
    grid: Option<&Grid>,
) -> Result<Query, Failure> {
    let max_measurement = options.data.max_measurement.or(grid.map(Grid::max_measurement));
    Ok(match (&options.data.query, grid, max_measurement, policy.vdaf) {
        (Some(text), Some(grid), ..) => Job::query_on(text, grid)?,
        (Some(text), None, ..) => {
            text.parse().map_err(|error: ParameterError| error.renamed("type"))?
        }
        (None, _, _, VdafType::Count) => Query::Count,
        (None, _, Some(max_measurement), VdafType::Sum) => Query::Sum { max_measurement },
        (None, _, Some(max_measurement), VdafType::Average) => Query::Average { max_measurement },
        (None, ..) => {
            let accepted = "the size of synthetic data, such as histogram:40, sumvec:8:255 or \
                            multihot:14:3, or --task FILE";
            return Err(Refusal::missing("type", accepted).into());
        }
    })
}

/// The question without its question mark, and a name for each coordinate of the aggregate.
pub(super) fn asked_and_labels(query: &Query) -> (String, Vec<String>) {
    let numbered =
        |name: &str, length: usize| (0..length).map(|index| format!("{name} {index}")).collect();
    match *query {
        Query::Count => ("How many clients say yes".to_owned(), vec!["yes".to_owned()]),
        Query::Sum { .. } => {
            ("What is the total of the clients' numbers".to_owned(), vec!["total".to_owned()])
        }
        Query::Average { .. } => {
            ("What is the mean of the clients' numbers".to_owned(), vec!["mean".to_owned()])
        }
        Query::SumVec { length, .. } | Query::L1BoundSum { length, .. } => (
            format!(
                "What are the totals of the {} of the clients' vectors",
                entries_in_words(length)
            ),
            numbered("entry", length),
        ),
        Query::Histogram { length } | Query::HistogramRanges { length, .. } => (
            format!("How many clients fall into each of {length} buckets"),
            numbered("bucket", length),
        ),
        Query::MultihotCountVec { length, .. } => {
            (format!("How many clients have each of {length} bits set"), numbered("bit", length))
        }
    }
}

/// Number of clients that the task needs: its smallest batch, or its honest and assumed malicious
/// clients together, whichever is more; 10 000 if it needs one at most. Never more than its largest
/// batch.
fn clients(task: &Task) -> u64 {
    let document = task.document();
    let honest = document.trust.honest_clients.unwrap_or(0);
    let relied_on = honest.saturating_add(task.policy().assumed_malicious());
    let needed = task.policy().min_reports().max(relied_on);
    let clients = if needed > 1 { needed } else { CLIENTS };
    clients.min(task.policy().max_reports())
}
