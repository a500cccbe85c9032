//! `policies`: every policy, its guarantee in each trust model, its error, the parties that must be
//! honest, and the guarantee that remains if they are not.

mod row;
mod text;

use std::path::{Path, PathBuf};

use clap::Args;
use dp_calibration::Query;
use dp_exact::{Delta, Epsilon, ParameterError, Rho};
use dp_planner::ExcludedPolicy;
use dp_prio3::Circumstances;
use dp_task::{NoiseParameters, POLICIES, PolicyName, Task, VdafSize, VdafType};
use serde::Serialize;

use self::row::PolicyRow;
use crate::delivery::OutputOptions;
use crate::failure::Failure;
use crate::json::Inputs;
use crate::survey::{answering_query, largest_measurement};
use crate::tasks;
use crate::values::{MAX_CLIENTS, integers};

const FORMAT: &str = "dp-cli policies";

/// List every policy with its guarantees and its error
#[derive(Args, Debug)]
#[command(after_help = "\
Numbers are exact: 0.317, 1e-9 and 1/3 mean what they say.

Examples, after `dp-cli`:
  policies
  policies --type histogram:40 --epsilon 1 --clients 250000
  policies --type sum:80 --epsilon 1/2 --delta 1e-8 --aggregators 3 --json policies.json
  policies --type histogram:12 --policy histogram-laplace
  policies --task examples/tasks/histogram.toml

Run one with `simulate --policy NAME`.")]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Only policies for this query: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX,
    /// histogram:LENGTH, multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX
    #[arg(id = "type", long, value_name = "QUERY")]
    query: Option<Query>,
    /// Only the policy of this task file, at the task's delta and over all of its releases
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["type", "policy", "epsilon", "rho", "epsilon0", "aggregators"]
    )]
    task: Option<PathBuf>,
    /// Only this policy
    #[arg(long, value_parser = tasks::policy)]
    policy: Option<PolicyName>,
    /// Epsilon of one aggregator's noise, or of one client's answer
    #[arg(long, alias = "eps", default_value = "1")]
    epsilon: Epsilon,
    /// Zero-concentrated budget of Gaussian noise, in place of --epsilon and --delta
    #[arg(long)]
    rho: Option<Rho>,
    /// Delta at which every epsilon holds, and of the budget of Gaussian noise [default: 1e-9]
    #[arg(long)]
    delta: Option<Delta>,
    /// RAPPOR's parameter: the privacy loss of one bit
    #[arg(long, default_value = "1")]
    epsilon0: Epsilon,
    /// Clients of a batch, all of them honest [default: 10000; with --task its smallest batch, of
    /// whose clients the task says how many are honest]
    #[arg(long, alias = "n", value_parser = integers(1..=MAX_CLIENTS))]
    clients: Option<u64>,
    /// Number of aggregators, 2 to 254
    #[arg(long, default_value = "2", value_parser = integers(2..=254_usize))]
    aggregators: usize,
    #[command(flatten)]
    output: OutputOptions,
}

/// Rows for the policies that answer the query, and the policies that its numbers exclude.
#[derive(Debug, Default, Serialize)]
struct PolicyList {
    policies: Vec<PolicyRow>,
    excluded: Vec<ExcludedPolicy>,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if let Some(path) = &options.task {
        return run_task(path, options);
    }
    if let Some(policy) = options.policy
        && !is_listed(&policy, options.query.as_ref())
    {
        let accepted = "a policy for this query; without --policy all of them are listed";
        return Err(ParameterError::new("policy", policy.name, accepted).into());
    }
    if let Some(policy) = options.policy.filter(|policy| !policy.parameters().contains(&"rho")) {
        options.inputs.refuse(["rho"], format!("with --policy {}", policy.name))?;
    }
    let clients = options.clients.unwrap_or(10_000);
    let (parameters, size) = (parameters(options, clients), size(options.query.as_ref()));
    let circumstances = Circumstances::new(clients, parameters.guarantee_delta());
    let mut delivery = options.output.prepare(FORMAT, &options.inputs, [])?;
    let mut answer = PolicyList::default();
    for policy in POLICIES {
        let is_asked = options.policy.is_none_or(|only| only == *policy);
        if !is_asked || !is_listed(policy, options.query.as_ref()) {
            continue;
        }
        let document = policy.document(&parameters, &size, clients);
        match document.and_then(Task::accepting_weak_guarantee) {
            // What other clients add takes up to a second for one policy.
            Ok(task) => {
                let with_clients = options.policy.is_some();
                let row = PolicyRow::of(&task, clients, &circumstances, with_clients);
                answer.policies.push(row);
            }
            Err(error) => {
                let reason = error.to_string();
                answer.excluded.push(ExcludedPolicy { policy: *policy, reason });
            }
        }
    }
    delivery.print(text::text(&answer, clients, &circumstances))?;
    Ok(delivery.finish(FORMAT, 2, &options.inputs, answer)?)
}

/// Lists only the policy of the task file at `path`: its guarantees in the circumstances of the
/// task, over all of its releases, and its errors in its smallest batch or for `--clients`.
fn run_task(path: &Path, options: &Options) -> Result<(), Failure> {
    let task = tasks::read(path)?;
    let clients = options.clients.unwrap_or_else(|| task.policy().min_reports());
    tasks::check_batch(&task, clients)?;
    let mut delivery = options.output.prepare(FORMAT, &options.inputs, [])?;
    let mut circumstances = task.circumstances().clone().over(task.releases());
    if let Some(delta) = &options.delta {
        circumstances.delta = delta.clone();
    }
    let row = PolicyRow::of(&task, clients, &circumstances, true);
    let answer = PolicyList { policies: vec![row], excluded: Vec::new() };
    delivery.print(text::text(&answer, clients, &circumstances))?;
    Ok(delivery.finish(FORMAT, 2, &options.inputs, answer)?)
}

/// The noise of the options; compensation fills batches of up to twice as many clients.
fn parameters(options: &Options, clients: u64) -> NoiseParameters {
    NoiseParameters {
        aggregators: Some(options.aggregators),
        delta: options.delta.clone(),
        rho: options.rho.clone(),
        epsilon: Some(options.epsilon.clone()),
        epsilon0: Some(options.epsilon0.clone()),
        local_epsilon: Some(options.epsilon.clone()),
        target_honest_clients: Some(MAX_CLIENTS.min(2 * clients)),
        ..NoiseParameters::default()
    }
}

/// The size of measurements for the query. Without a query vectors have 10 entries of at most 10,
/// and bits a weight of at most 2.
fn size(query: Option<&Query>) -> VdafSize {
    let (length, max_measurement, weight) = match query {
        None => (10, 10, 2),
        Some(Query::MultihotCountVec { length, max_weight }) => (*length, 1, *max_weight),
        Some(query) => (query.totals(), largest_measurement(query).unwrap_or(1), 1),
    };
    VdafSize { length, max_measurement, max_weight: Some(weight), grid: None }
}

/// Whether the policy is listed: each without a query, else those that answer it. Left out are
/// multihot policies without client noise for a histogram, and histogram policies for a query of
/// another type.
fn is_listed(policy: &PolicyName, query: Option<&Query>) -> bool {
    let is_histogram = matches!(query, Some(Query::Histogram { .. }));
    let are_bits = policy.vdaf == VdafType::MultihotCountVec;
    query.is_none_or(|query| {
        answering_query(*policy, query).is_some()
            && !(is_histogram && are_bits && policy.client_noise.is_none())
            && (policy.vdaf != VdafType::Histogram || is_histogram)
    })
}
