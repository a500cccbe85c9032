//! `policies`: every policy, its guarantee in each trust model, its error, the parties that must be
//! honest, and the guarantee that remains if they are not.

mod row;
mod text;

use std::path::{Path, PathBuf};

use clap::Args;
use dp_calibration::Query;
use dp_exact::{Delta, Epsilon, ParameterError, Rho};
use dp_task::{NoiseParameters, POLICIES, PolicyName, VdafSize, VdafType};
use serde::Serialize;

use self::row::{ExcludedPolicy, PolicyRow};
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

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
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
    /// Clients of a batch, all of them honest
    #[arg(long, alias = "n", default_value = "10000", value_parser = integers(1..=MAX_CLIENTS))]
    clients: u64,
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
    let job = PolicyJob::of(options)?;
    if let Some(policy) = options.policy
        && !job.lists(&policy)
    {
        let accepted = "a policy for this query; without --policy all of them are listed";
        return Err(ParameterError::new("policy", policy.name, accepted).into());
    }
    let mut delivery = options.output.prepare(FORMAT, &options.inputs, [])?;
    let mut answer = PolicyList::default();
    let only = options.policy.map(|policy| policy.name);
    for policy in POLICIES {
        if job.lists(policy) && only.is_none_or(|only| only == policy.name) {
            match PolicyRow::new(policy, &job, only.is_some()) {
                Ok(row) => answer.policies.push(row),
                Err(excluded) => answer.excluded.push(excluded),
            }
        }
    }
    delivery.print(text::text(&answer, job.clients))?;
    Ok(delivery.finish(FORMAT, 2, &options.inputs, answer)?)
}

/// Lists only the policy of the task file at `path`: its guarantees in the circumstances of the
/// task, over all of its releases, and its errors for `--clients`.
fn run_task(path: &Path, options: &Options) -> Result<(), Failure> {
    let task = tasks::read(path)?;
    let mut delivery = options.output.prepare(FORMAT, &options.inputs, [])?;
    let mut circumstances = task.circumstances().clone().over(task.releases());
    if let Some(delta) = &options.delta {
        circumstances.delta = delta.clone();
    }
    let row = PolicyRow::of(&task, options.clients, &circumstances, true);
    let answer = PolicyList { policies: vec![row], excluded: Vec::new() };
    delivery.print(text::text(&answer, circumstances.honest_clients))?;
    Ok(delivery.finish(FORMAT, 2, &options.inputs, answer)?)
}

/// The query, the sizes and the noise parameters with which every policy is computed.
struct PolicyJob {
    /// `None` lists policies for every query.
    query: Option<Query>,
    parameters: NoiseParameters,
    size: VdafSize,
    /// Number of clients of a batch, all honest; each gives one report.
    clients: u64,
    delta: Delta,
}

impl PolicyJob {
    /// The query, sizes and noise of the options. Without a query vectors have 10 entries of at
    /// most 10, and bits a weight of at most 2.
    fn of(options: &Options) -> Result<Self, Failure> {
        let size = match &options.query {
            None => (10, 10, 2),
            Some(query) => {
                let weight = match query {
                    Query::MultihotCountVec { max_weight, .. } => *max_weight,
                    _ => 1,
                };
                (query.totals(), largest_measurement(query).unwrap_or(1), weight)
            }
        };
        let (length, max_measurement, weight) = size;
        let parameters = NoiseParameters {
            aggregators: Some(options.aggregators),
            delta: options.delta.clone(),
            rho: options.rho.clone(),
            epsilon: Some(options.epsilon.clone()),
            epsilon0: Some(options.epsilon0.clone()),
            local_epsilon: Some(options.epsilon.clone()),
            target_honest_clients: Some(MAX_CLIENTS.min(2 * options.clients)),
            ..NoiseParameters::default()
        };
        Ok(Self {
            delta: parameters.guarantee_delta(),
            parameters,
            size: VdafSize { length, max_measurement, max_weight: Some(weight), grid: None },
            clients: options.clients,
            query: options.query.clone(),
        })
    }

    /// Whether the policy is listed: each without a query, else those that answer it. Left out are
    /// multihot policies without client noise for a histogram, and histogram policies for a query
    /// of another type.
    fn lists(&self, policy: &PolicyName) -> bool {
        let is_histogram = matches!(self.query, Some(Query::Histogram { .. }));
        let are_bits = policy.vdaf == VdafType::MultihotCountVec;
        self.query.as_ref().is_none_or(|query| {
            answering_query(*policy, query).is_some()
                && !(is_histogram && are_bits && policy.client_noise.is_none())
                && (policy.vdaf != VdafType::Histogram || is_histogram)
        })
    }
}
