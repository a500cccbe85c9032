//! `policies`: every policy, its guarantee in each trust model, its error, the parties that must be
//! honest, and the guarantee that remains if they are not.

mod row;
mod text;

use std::path::PathBuf;

use clap::Args;
use dp_calibration::Query;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use dp_task::{NoiseParameters, POLICIES, PolicyName, Task, VdafSize, VdafType};
use serde::Serialize;

use self::row::{ExcludedPolicy, PolicyRow};
use crate::delivery::OutputOptions;
use crate::failure::Failure;
use crate::json::Inputs;
use crate::survey::{answering_query, largest_measurement};
use crate::tasks;
use crate::values::{MAX_CLIENTS, clients, integers};

/// The number of clients of a batch unless the options name one or the task needs more.
const CLIENTS: u64 = 10_000;

/// The first field of the JSON document.
const FORMAT: &str = "dp-cli policies";

/// The version of the JSON document.
const SCHEMA_VERSION: u32 = 2;

/// List every policy with its guarantees and its error
#[derive(Args, Debug)]
#[command(after_help = "\
Numbers are exact: 0.317, 1e-9 and 1/3 mean what they say.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  policies
  policies --type histogram:40 --epsilon 1 --clients 250000
  policies --type sum:80 --epsilon 1/2 --delta 1e-8 --aggregators 3 --json policies.json
  policies --task examples/tasks/histogram.toml --policy histogram-laplace

Run one with `simulate --policy NAME`.")]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Only policies for this query: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX,
    /// histogram:LENGTH, multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX
    #[arg(id = "type", long, alias = "query", value_name = "QUERY")]
    query: Option<Query>,
    /// Task file that gives the query, the aggregators and the budget, unless options do
    #[arg(long, value_name = "FILE", conflicts_with = "type")]
    task: Option<PathBuf>,
    /// Only this policy
    #[arg(long, value_parser = tasks::policy)]
    policy: Option<PolicyName>,
    /// Epsilon of one aggregator's noise, or of one client's answer [default: the task's, or 1]
    #[arg(long, aliases = ["eps"])]
    epsilon: Option<Epsilon>,
    /// Zero-concentrated budget of Gaussian noise, in place of --epsilon and --delta
    #[arg(long)]
    rho: Option<Rho>,
    /// Delta at which every epsilon holds, and of the budget of Gaussian noise [default: the
    /// task's, or 1e-9]
    #[arg(long)]
    delta: Option<Delta>,
    /// RAPPOR's parameter: the privacy loss of one bit [default: the task's, or 1]
    #[arg(long, aliases = ["eps0"])]
    epsilon0: Option<Epsilon>,
    /// Epsilon of one client's answer where aggregators add noise as well [default: epsilon]
    #[arg(long)]
    local_epsilon: Option<Epsilon>,
    /// Largest rate of valid reports that RAPPOR drops [default: next to nothing of --delta]
    #[arg(long, value_parser = rate)]
    false_positive_rate: Option<Rational>,
    /// Clients of a batch, all of them honest [default: 10000, or the task's least batch if that is
    /// larger]
    #[arg(long, aliases = ["n", "users", "num-clients"], value_parser = clients)]
    clients: Option<u64>,
    /// Number of aggregators, 2 to 254 [default: the task's, or 2]
    #[arg(long, aliases = ["servers"], value_parser = integers(2..=254_u64))]
    aggregators: Option<u64>,
    /// Entries of vectors and buckets of histograms, without --type [default: 10]
    #[arg(
        long,
        value_parser = integers(1..=1_usize << 20),
        conflicts_with_all = ["type", "task"]
    )]
    length: Option<usize>,
    /// Largest number, without --type [default: 10]
    #[arg(
        long,
        value_parser = integers(1..=u128::MAX >> 1),
        conflicts_with_all = ["type", "task"]
    )]
    max_measurement: Option<u128>,
    /// Largest weight of a vector of bits, without --type [default: 2]
    #[arg(
        long,
        value_parser = integers(1..=1_usize << 20),
        conflicts_with_all = ["type", "task"]
    )]
    max_weight: Option<usize>,
    /// Number of honest clients up to which compensated-rappor fills a batch [default: twice
    /// --clients]
    #[arg(long, alias = "wanted-honest-clients", value_parser = clients)]
    target_honest_clients: Option<u64>,
    #[command(flatten)]
    output: OutputOptions,
}

/// A parser for clap: a number above 0 and below 1.
fn rate(text: &str) -> Result<Rational, ParameterError> {
    let rate: Rational = text.parse()?;
    if rate.is_positive() && rate < 1 {
        return Ok(rate);
    }
    Err(ParameterError::new("false-positive-rate", text, "a number above 0 and below 1"))
}

/// Rows for the policies that answer the query, and the policies that its numbers exclude.
#[derive(Debug, Default, Serialize)]
struct PolicyList {
    policies: Vec<PolicyRow>,
    excluded: Vec<ExcludedPolicy>,
}

/// Computes all rows, then prints the list and writes the document.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let task = options.task.as_deref().map(tasks::read).transpose()?;
    let job = PolicyJob::of(options, task.as_ref())?;
    if let Some(policy) = options.policy
        && !job.is_answered_by(&policy)
    {
        let accepted = "a policy for this query; without --policy all of them are listed";
        return Err(ParameterError::new("policy", policy.name, accepted).into());
    }
    let mut delivery = options.output.prepare(FORMAT, [])?;
    let mut answer = PolicyList::default();
    let only = options.policy.map(|policy| policy.name);
    for policy in POLICIES {
        if job.is_answered_by(policy) && only.is_none_or(|only| only == policy.name) {
            match PolicyRow::new(policy, &job, only.is_some()) {
                Ok(row) => answer.policies.push(row),
                Err(excluded) => answer.excluded.push(excluded),
            }
        }
    }
    delivery.print(text::text(&answer, &job))?;
    Ok(delivery.finish(FORMAT, SCHEMA_VERSION, &options.inputs, answer)?)
}

/// The query, the sizes and the noise parameters with which every policy is computed.
struct PolicyJob {
    /// The query and the name of the task file, in words; `None` without a task file.
    of_task: Option<String>,
    /// `None` lists policies for every query.
    query: Option<Query>,
    parameters: NoiseParameters,
    size: VdafSize,
    /// Number of clients of a batch, all honest; each gives one report.
    clients: u64,
    /// The δ at which every ε of a guarantee holds.
    delta: Delta,
}

impl PolicyJob {
    /// The job of the options, which take precedence over the task.
    fn of(options: &Options, task: Option<&Task>) -> Result<Self, Failure> {
        let least = task.map_or(CLIENTS, |task| task.min_reports().max(CLIENTS));
        let clients = options.clients.unwrap_or(least);
        if let Some(task) = task {
            tasks::check_batch(task, clients)?;
        }
        let query = options.query.clone().or_else(|| task.map(|task| task.query().clone()));
        let length = options.length.unwrap_or(10);
        if let Some(weight) = options.max_weight.filter(|weight| *weight > length) {
            let accepted = format!("an integer from 1 to {length}");
            return Err(ParameterError::new("max-weight", weight, accepted).into());
        }
        let (length, max_measurement, weight) = match &query {
            None => {
                let weight = options.max_weight.unwrap_or(2).min(length);
                (length, options.max_measurement.unwrap_or(10), weight)
            }
            Some(query) => {
                let weight = match query {
                    Query::MultihotCountVec { max_weight, .. } => *max_weight,
                    _ => 1,
                };
                (query.totals(), largest_measurement(query).unwrap_or(1), weight)
            }
        };
        let parameters = parameters(options, task, clients);
        Ok(Self {
            of_task: task.map(|task| format!("{}, of the task {}", task.query(), task.name())),
            delta: parameters.guarantee_delta()?,
            parameters,
            size: VdafSize { length, max_measurement, max_weight: Some(weight), grid: None },
            clients,
            query,
        })
    }

    /// Whether the policy is listed for the query. For a histogram, no multihot policy without
    /// client noise is listed.
    fn is_answered_by(&self, policy: &PolicyName) -> bool {
        let is_histogram = matches!(self.query, Some(Query::Histogram { .. }));
        let are_bits = policy.vdaf == VdafType::MultihotCountVec;
        self.query.as_ref().is_none_or(|query| {
            answering_query(*policy, query).is_some()
                && !(is_histogram && are_bits && policy.client_noise.is_none())
                && (policy.vdaf != VdafType::Histogram || is_histogram)
        })
    }
}

/// Noise parameters as typed, else of the task, else 1 for every ε and twice the clients as the
/// target of compensation.
fn parameters(options: &Options, task: Option<&Task>, clients: u64) -> NoiseParameters {
    fn text(value: Option<&impl ToString>) -> Option<String> {
        value.map(ToString::to_string)
    }
    let of_task = task.map(tasks::parameters_of).unwrap_or_default();
    let epsilon = text(options.epsilon.as_ref()).or(of_task.epsilon);
    let epsilon = epsilon.unwrap_or_else(|| "1".to_owned());
    // The ρ of a task applies unless an ε is typed.
    let rho = of_task.rho.filter(|_| options.epsilon.is_none());
    let twice = MAX_CLIENTS.min(2 * clients);
    let local_epsilon = text(options.local_epsilon.as_ref()).or(of_task.local_epsilon);
    NoiseParameters {
        aggregators: text(options.aggregators.as_ref()).or(of_task.aggregators),
        delta: text(options.delta.as_ref()).or(of_task.delta),
        rho: text(options.rho.as_ref()).or(rho),
        epsilon0: text(options.epsilon0.as_ref())
            .or(of_task.epsilon0)
            .or_else(|| Some("1".to_owned())),
        local_epsilon: local_epsilon.or_else(|| Some(epsilon.clone())),
        epsilon: Some(epsilon),
        false_positive_rate: text(options.false_positive_rate.as_ref()),
        target_honest_clients: Some(options.target_honest_clients.unwrap_or(twice).to_string()),
        assumed_malicious_clients: None,
    }
}
