//! Questions to clients whose measurements follow a law: there is no file.

use dp_calibration::Query;
use dp_exact::{ParameterError, Refusal, parse_integer};
use dp_planner::Job;
use dp_prio3::grid::Grid;
use dp_simulation::data::RowCounts;
use dp_simulation::{Shape, ValueDistribution};
use dp_task::{AggregatorNoise, PolicyName, Task, VdafType};

use super::{Question, as_asked, bound};
use crate::failure::Failure;
use crate::options::Options;

/// How many clients there are, where neither the options nor the task say it.
const CLIENTS: u64 = 10_000;

/// Whether clients draw by a law: it is asked for, or a task is given and no data.
pub(super) fn is_asked_for(options: &Options, task: Option<&Task>) -> bool {
    let data = &options.data;
    let is_named = data.synthetic.is_some() || data.query.is_some();
    is_named || task.is_some() && data.of_files().is_empty()
}

/// The measurements that the task or the options describe, by the law that is asked for or suits them.
pub(super) fn ask(
    options: &Options,
    policy: PolicyName,
    task: Option<&Task>,
    seed: u64,
) -> Result<Question, Failure> {
    if let Some((name, value)) = options.data.of_files().first() {
        let (place, change) = ("with synthetic data", "leave one of them out");
        return Err(Refusal::contradiction(name, value, place, change).into());
    }
    let of_options = options.data.grid()?;
    let query = match task {
        Some(task) => {
            if let Some(query) = &options.data.query {
                let (place, change) = ("with --task", "leave one of them out");
                return Err(Refusal::contradiction("type", query, place, change).into());
            }
            task.query().clone()
        }
        None => of_type(options, policy, of_options.as_ref())?,
    };
    let query = as_asked(policy, &query).ok_or_else(|| {
        let accepted = format!("what {} aggregates", policy.name);
        ParameterError::new("type", &query, accepted)
    })?;
    let shape = shape(&query);
    let law = match &options.data.synthetic {
        Some(law) => law.parse()?,
        None => ValueDistribution::suited_to(&shape),
    };
    let named = |error: ParameterError| match error.name() {
        "length" => error.renamed(if task.is_some() { "vdaf.length" } else { "type" }),
        _ => error,
    };
    let rows = law.measurements(&shape, seed).map_err(named)?;
    let grid = task.and_then(Task::grid).or(of_options.as_ref());
    let over = grid.map_or_else(|| shape.to_string(), |grid| over_grid(grid, &query));
    let synthetic = format!("{} over {over}", law.name());
    Ok(Question {
        words: format!("{} Synthetic data: {synthetic}.", words(&query)),
        labels: labels(&query),
        rows,
        reading: RowCounts::default(),
        bound: bound(&query),
        grid: of_options,
        synthetic: Some(synthetic),
        clients: Some(task.map_or(CLIENTS, clients)),
    })
}

/// The type that the options name or imply.
fn of_type(options: &Options, policy: PolicyName, grid: Option<&Grid>) -> Result<Query, Failure> {
    let named = |error: ParameterError| error.renamed("type");
    let max_measurement = match (&options.data.max_measurement, grid) {
        (Some(max), Some(_)) => {
            let (place, change) = ("with --grid", "leave one of them out");
            return Err(Refusal::contradiction("max-measurement", max, place, change).into());
        }
        (Some(max), None) => Some(parse_integer("max-measurement", max, 1..=u128::MAX >> 1)?),
        (None, grid) => grid.map(Grid::max_measurement),
    };
    match (&options.data.query, grid, max_measurement, policy.vdaf) {
        (Some(text), Some(grid), _, _) => Ok(Job::query_on(text, grid)?),
        (Some(text), None, None, _) => Ok(text.parse().map_err(named)?),
        (Some(_), None, Some(max), _) => {
            let (place, change) = ("with --type", "leave one of them out");
            Err(Refusal::contradiction("max-measurement", max, place, change).into())
        }
        (None, _, _, VdafType::Count) => Ok(Query::Count),
        (None, _, Some(max_measurement), VdafType::Sum) => Ok(Query::Sum { max_measurement }),
        (None, _, Some(max_measurement), VdafType::Average) => {
            Ok(Query::Average { max_measurement })
        }
        (None, _, _, _) => {
            let accepted = "how large synthetic data are, such as histogram:40, sumvec:8:255 or \
                            multihot:14:3, or --task FILE";
            Err(Refusal::missing("type", accepted).into())
        }
    }
}

const fn shape(query: &Query) -> Shape {
    match *query {
        Query::Count => Shape::Bit,
        Query::Sum { max_measurement: max } | Query::Average { max_measurement: max } => {
            Shape::Number { max }
        }
        Query::SumVec { length, max_measurement: max } => Shape::Numbers { length, max },
        Query::Histogram { length } => Shape::Bucket { length },
        Query::MultihotCountVec { length, max_weight: weight } => Shape::Bits { length, weight },
        Query::L1BoundSum { length, max_measurement: max } => Shape::BoundedSum { length, max },
    }
}

fn words(query: &Query) -> String {
    match query {
        Query::Count => "How many clients say yes?".to_owned(),
        Query::Sum { .. } => "What is the total of the clients' numbers?".to_owned(),
        Query::Average { .. } => "What is the mean of the clients' numbers?".to_owned(),
        Query::SumVec { length, .. } | Query::L1BoundSum { length, .. } => {
            format!("What are the totals of the {length} entries of the clients' vectors?")
        }
        Query::Histogram { length } => {
            format!("How many clients fall into each of {length} buckets?")
        }
        Query::MultihotCountVec { length, .. } => {
            format!("How many clients have each of {length} bits set?")
        }
    }
}

fn labels(query: &Query) -> Vec<String> {
    let numbered =
        |name: &str, length: usize| (0..length).map(|place| format!("{name} {place}")).collect();
    match query {
        Query::Count => vec!["yes".to_owned()],
        Query::Sum { .. } => vec!["total".to_owned()],
        Query::Average { .. } => vec!["mean".to_owned()],
        Query::SumVec { length, .. } | Query::L1BoundSum { length, .. } => {
            numbered("entry", *length)
        }
        Query::Histogram { length } => numbered("bucket", *length),
        Query::MultihotCountVec { length, .. } => numbered("bit", *length),
    }
}

fn over_grid(grid: &Grid, query: &Query) -> String {
    let (low, high, step) = (grid.low(), grid.high(), grid.granularity());
    let each = match query {
        Query::SumVec { length, .. } => format!(", for each of {length} entries"),
        _ => String::new(),
    };
    format!("a grid from {low} to {high} in steps of {step}{each}")
}

/// The clients that the task counts on, or so many as a batch of it may have.
fn clients(task: &Task) -> u64 {
    let document = task.document();
    let noise = document.aggregator_noise.as_ref();
    let malicious = noise.map_or(0, AggregatorNoise::assumed_malicious_clients);
    let honest = document.trust.honest_clients.unwrap_or(0);
    let wanted = task.min_reports().max(honest.saturating_add(malicious));
    let clients = if wanted > 1 { wanted } else { CLIENTS };
    clients.min(task.max_reports())
}
