//! `audit`: lower bounds on ε and the conformance of deployments, from outputs alone.

mod bounds;
mod collected_csv;
mod collections;

use std::path::PathBuf;

use clap::Args;
use dp_exact::{ParameterError, Rational};
use dp_report::model::Table;
use dp_report::text::split_table;
use dp_task::{PolicyName, Task};
use serde::Serialize;

use crate::delivery::{Delivery, OutputOptions};
use crate::failure::Failure;
use crate::json::Inputs;
use crate::tasks;
use crate::text::{columns_of_tables, wrapped};
use crate::values::integers;

const FORMAT: &str = "dp-cli audit";

/// Options that an audit of a deployment does not use.
const OF_BOUNDS: [&str; 4] = ["policy", "runs", "honest_clients", "seed"];

/// The largest number of runs, clients or collections.
const MAX: u64 = 1 << 40;

/// Audit outputs: lower bounds on the epsilon of policies, or the conformance of a deployment
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    subject: SubjectOptions,
    #[command(flatten)]
    method: MethodOptions,
    #[command(flatten)]
    output: OutputOptions,
}

/// The outputs that are audited.
#[derive(Args, Debug)]
#[command(next_help_heading = "Subject")]
struct SubjectOptions {
    /// Task file of the policy or of the deployment
    #[arg(long, value_name = "FILE")]
    task: Option<PathBuf>,
    /// The example of this policy, at epsilon 1 [default: every policy]
    #[arg(long, value_name = "NAME", value_parser = tasks::policy, conflicts_with = "task")]
    policy: Option<PolicyName>,
    /// CSV file of a deployment's releases, one row for each total: batch, attempt, reports, truth
    /// and released (of a histogram the raw totals); and, where they are known, people,
    /// reports_of_a_person, aggregators and digest
    #[arg(long, value_name = "FILE", requires = "task", conflicts_with_all = OF_BOUNDS)]
    collections: Option<PathBuf>,
    /// Program that submits known measurements to a deployment of the task and collects, with its
    /// arguments behind spaces. It runs once for each collection, reads a JSON object with batch,
    /// attempts and measurements, and prints one with attempt, reports and released for each
    /// attempt that gave an answer, and where they are known `stated`, an object with people,
    /// reports_of_a_person, aggregators and digest. For a batch that the task does not admit it has
    /// to print nothing and to end with status 0
    #[arg(
        long,
        value_name = "COMMAND",
        requires = "task",
        conflicts_with = "collections",
        conflicts_with_all = OF_BOUNDS
    )]
    command: Option<String>,
}

/// The method of the audit.
#[derive(Args, Debug)]
#[command(next_help_heading = "Method")]
struct MethodOptions {
    /// Number of runs for each of the two neighbouring inputs
    #[arg(long, default_value = "100000", value_parser = integers(100..=MAX))]
    runs: u64,
    /// Number of honest clients, who are all run, for guarantees that count on other clients
    #[arg(long, default_value = "10", value_parser = integers(1..=MAX))]
    honest_clients: u64,
    /// Probability that a bound is wrong, that a fault is found in a deployment without faults, or
    /// that its only fault is excluded
    #[arg(long, default_value = "1e-6", value_parser = error_probability)]
    error: Rational,
    /// Seed of the runs
    #[arg(long, default_value = "1", value_parser = integers(0..=u64::MAX))]
    seed: u64,
    /// Clients of each collection of --command [default: as many as a batch needs, at least 10]
    #[arg(long, value_name = "N", requires = "command", value_parser = integers(1..=MAX))]
    clients: Option<u64>,
    /// Largest number of collections of --command
    #[arg(
        long,
        value_name = "N",
        requires = "command",
        default_value = "5000",
        value_parser = integers(1..=MAX)
    )]
    most_collections: u64,
    /// Seconds for each collection of --command, up to a day
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "command",
        default_value = "60",
        value_parser = integers(1..=86_400_u64)
    )]
    time_limit: u64,
}

const AFTER_HELP: &str = "\
An audit is evidence, not a guarantee: one that finds nothing has not looked everywhere. The exit
status is 3 if a guarantee is refuted or a deployment has a fault. It is 0 also if faults remain
open; `conforms` in the JSON is false then.

Examples, after `dp-cli`:
  audit
  audit --policy histogram-laplace --runs 1e6 --json audit.json
  audit --task examples/tasks/histogram.toml --honest-clients 20
  audit --task examples/tasks/histogram.toml --collections collected.csv
  audit --task examples/audit/task.toml --command target/debug/audited-parties";

/// A parser for clap: the probability that a bound or a verdict is wrong, above 0 and below 1/2.
fn error_probability(text: &str) -> Result<Rational, ParameterError> {
    let accepted = "a number above 0 and below 1/2";
    text.parse().map_err(|_| ParameterError::new("error", text, accepted))
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let SubjectOptions { collections, command, .. } = &options.subject;
    let delivery = options.output.prepare(FORMAT, &options.inputs, [])?;
    match (collections, command) {
        (Some(path), _) => deliver(options, delivery, collections::of_file(options, path)?),
        (None, Some(command)) => {
            deliver(options, delivery, collections::of_command(options, command)?)
        }
        (None, None) => deliver(options, delivery, bounds::answer(options)?),
    }
}

/// Prints and writes the findings, for programs and for people; then `Err` if they have a fault.
fn deliver(
    options: &Options,
    mut delivery: Delivery,
    (answer, report): (impl Serialize, AuditReport),
) -> Result<(), Failure> {
    delivery.print(report.text())?;
    delivery.finish(FORMAT, 1, &options.inputs, answer)?;
    report.faults.map_or(Ok(()), |faults| Err(Failure::Fault(faults)))
}

struct AuditReport {
    question: String,
    findings: Table,
    faults: Option<String>,
    /// The conclusion if there is no fault.
    otherwise: String,
}

impl AuditReport {
    /// The question, the table of findings and the faults, or else the conclusion, as text.
    fn text(&self) -> String {
        let table = split_table(&self.findings, columns_of_tables());
        let conclusion = self.faults.as_deref().unwrap_or(&self.otherwise);
        let [question, conclusion] =
            [&self.question, conclusion].map(|words| wrapped("", "", words));
        format!("{question}\n{table}\n{conclusion}")
    }
}

impl SubjectOptions {
    /// The audited tasks: of `--task`, or the example of `--policy`, or the examples of all
    /// policies.
    fn tasks(&self) -> Result<Vec<Task>, Failure> {
        let example = |policy: &PolicyName| Ok(Task::new(policy.example())?);
        match (&self.task, &self.policy) {
            (Some(path), _) => Ok(vec![tasks::read(path)?]),
            (None, Some(policy)) => Ok(vec![example(policy)?]),
            (None, None) => dp_task::POLICIES.iter().map(example).collect(),
        }
    }
}
