//! `policies`: every policy, what it guarantees in each trust model and how accurate it is, who must be
//! honest for that, and what remains if they are not.

mod job;
mod row;
mod text;

use std::path::PathBuf;

use clap::Args;
use dp_exact::ParameterError;
use dp_task::{POLICIES, PolicyName};
use serde::Serialize;

use self::job::Job;
use self::row::{Excluded, Row};
use crate::delivery::{Delivery, Output, Written};
use crate::failure::Failure;
use crate::json::{Inputs, JsonDocument};
use crate::policies;

/// What the document says in its first field.
const FORMAT: &str = "dp-cli policies";

/// The version of the document.
const SCHEMA_VERSION: u32 = 2;

/// List every policy, with what it guarantees to whom and how accurate it is
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
    /// Only policies that answer this: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH,
    /// multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX
    #[arg(id = "type", long, alias = "query", value_name = "QUERY")]
    query: Option<String>,
    /// A task that says the type, the aggregators and its budget, unless options do
    #[arg(long, value_name = "FILE", conflicts_with = "type")]
    task: Option<PathBuf>,
    /// Only this policy
    #[arg(long)]
    policy: Option<String>,
    /// What the noise of one aggregator guarantees, or the answer of one client [default: the task's, or 1]
    #[arg(long, aliases = ["eps"])]
    epsilon: Option<String>,
    /// Zero-concentrated privacy, in place of --epsilon and --delta for Gaussian noise
    #[arg(long)]
    rho: Option<String>,
    /// The delta at which epsilon is stated, and the budget's of Gaussian noise [default: the task's, or 1e-9]
    #[arg(long)]
    delta: Option<String>,
    /// RAPPOR's parameter: privacy loss of one bit [default: the task's, or 1]
    #[arg(long, aliases = ["eps0"])]
    epsilon0: Option<String>,
    /// What the answer of one client guarantees where aggregators add noise as well [default: epsilon]
    #[arg(long)]
    local_epsilon: Option<String>,
    /// How often a valid report of RAPPOR is dropped, at most [default: next to nothing of --delta]
    #[arg(long)]
    false_positive_rate: Option<String>,
    /// Clients of a batch, all honest
    #[arg(long, aliases = ["n", "users", "num-clients"], default_value = "10000")]
    clients: String,
    /// Aggregators, 2 to 254 [default: the task's, or 2]
    #[arg(long, aliases = ["servers"])]
    aggregators: Option<String>,
    /// Entries of vectors, buckets of histograms, without --type [default: 10]
    #[arg(long)]
    length: Option<String>,
    /// The largest number, without --type [default: 10]
    #[arg(long)]
    max_measurement: Option<String>,
    /// The most ones of a vector of bits, without --type [default: 2]
    #[arg(long)]
    max_weight: Option<String>,
    /// Honest clients that compensated-rappor makes a batch up to [default: twice --clients]
    #[arg(long)]
    wanted_honest_clients: Option<String>,
    #[command(flatten)]
    written: Written,
}

/// What can be done, and what cannot with these numbers.
#[derive(Debug, Default, Serialize)]
struct List {
    policies: Vec<Row>,
    excluded: Vec<Excluded>,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let task = options.task.as_deref().map(policies::read).transpose()?;
    let policy = options.policy.as_deref().map(policies::named).transpose()?;
    let job = Job::of(options, task.as_ref())?;
    if let Some(policy) = policy
        && !job.is_answered_by(&policy)
    {
        let accepted = "a policy that answers this type; without --policy all of them are listed";
        return Err(ParameterError::new("policy", policy.name, accepted).into());
    }
    let output = Output::json("json", options.written.json.as_ref(), FORMAT);
    let inputs = [options.task.as_deref()];
    let mut delivery = Delivery::prepare(options.written.force, &inputs, vec![output])?;
    let list = list(&job, policy);
    delivery.print(text::text(&list, &job))?;
    Ok(delivery.finish(&JsonDocument {
        format: FORMAT,
        schema_version: SCHEMA_VERSION,
        inputs: &options.inputs,
        answer: list,
    })?)
}

/// The policies that answer the question, or the one that is asked about.
fn list(job: &Job, only: Option<PolicyName>) -> List {
    let is_asked = |policy: &PolicyName| only.is_none_or(|only| only.name == policy.name);
    let asked = POLICIES.iter().filter(|policy| job.is_answered_by(policy));
    let asked = asked.filter(|policy| is_asked(policy));
    let asked: Vec<_> = asked.collect();
    let mut list = List::default();
    for policy in asked {
        match Row::new(policy, job, only.is_some()) {
            Ok(row) => list.policies.push(row),
            Err(excluded) => list.excluded.push(excluded),
        }
    }
    list
}
