//! `audit`: what can be told from outputs alone.

mod bounds;
mod collections;

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use dp_exact::{ParameterError, Rational, Refusal, parse_integer};
use dp_report::Report;
use dp_report::model::{Block, Column, Origin, Section, Table};
use dp_task::{PolicyName, Task};
use serde::Serialize;

use crate::delivery::{Delivery, Output, Reports, Written};
use crate::failure::Failure;
use crate::json::{Inputs, JsonDocument};
use crate::policies;
use crate::text::{columns_of_tables, table, wrapped};

/// What the document says in its first field.
const FORMAT: &str = "dp-cli audit";

/// The kind of the reports for people.
const REPORT: &str = "audit";

/// The version of the document.
const SCHEMA_VERSION: u32 = 1;

/// From outputs alone: lower bounds on epsilon of running policies, or whether a deployment conforms
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// The task whose policy is audited, or whose deployment is
    #[arg(long, value_name = "FILE", help_heading = "What is audited")]
    task: Option<PathBuf>,
    /// The example of this policy, at epsilon 1 [default: that of every policy]
    #[arg(long, value_name = "NAME", help_heading = "What is audited")]
    policy: Option<String>,
    /// What a deployment of the task released for known measurements (CSV): batch, attempt, reports, truth, released
    #[arg(long, value_name = "FILE", help_heading = "What is audited")]
    collections: Option<PathBuf>,
    /// A program and its arguments, parted by spaces, that submits known measurements to a deployment of the task and
    /// collects: run once for each collection, it reads a JSON object with batch, attempts and measurements, and prints
    /// one with attempt, reports and released for each attempt that gave an answer
    #[arg(long, value_name = "COMMAND", help_heading = "What is audited")]
    command: Option<String>,

    /// Runs of each of the two neighbouring inputs
    #[arg(long, default_value = "100000", help_heading = "How")]
    runs: String,
    /// Honest clients where a guarantee counts on others: each of them is run
    #[arg(long, default_value = "10", help_heading = "How")]
    honest_clients: String,
    /// Up to so many honest aggregators: OAOC and OAMC, then 2AOC and 2AMC, and so on, as far as a policy guarantees anything
    #[arg(long, value_name = "N", default_value = "2", help_heading = "How")]
    honest_aggregators: String,
    /// The probability that a bound is wrong, or what is said of a deployment
    #[arg(long, default_value = "1e-6", help_heading = "How")]
    error: String,
    /// The runs follow from it
    #[arg(long, default_value = "1", help_heading = "How")]
    seed: String,

    /// Clients of each collection of --command [default: as many as a batch needs, at least 10]
    #[arg(long, value_name = "N", help_heading = "How")]
    clients: Option<String>,
    /// The most collections that --command is asked for
    #[arg(long, value_name = "N", default_value = "5000", help_heading = "How")]
    most_collections: String,
    /// Seconds that --command has for each collection
    #[arg(long, value_name = "SECONDS", default_value = "60", help_heading = "How")]
    time_limit: String,

    #[command(flatten)]
    reports: Reports,
    #[command(flatten)]
    written: Written,
}

const AFTER_HELP: &str = "\
An audit is evidence, not a guarantee: one that finds nothing has not looked everywhere. The exit
status is 3 if a guarantee is refuted or a deployment has a fault, else that of the other commands: 0
also if faults remain open, which `conforms` in the JSON tells.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  audit
  audit --policy histogram-laplace --runs 1e6 --html audit.html
  audit --task examples/tasks/histogram.toml --honest-clients 20
  audit --task examples/tasks/histogram.toml --collections collected.csv
  audit --task examples/audit/task.toml --command target/debug/audited-parties";

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut outputs = vec![Output::json("json", options.written.json.as_ref(), FORMAT)];
    outputs.extend(options.reports.outputs(REPORT)?);
    let mut delivery = Delivery::prepare(options.written.force, &options.files(), outputs)?;
    let (answer, shown) = match (&options.collections, &options.command) {
        (Some(_), Some(_)) => {
            let (place, change) = ("with --collections", "leave out one of them");
            return Err(Refusal::contradiction("command", "given", place, change).into());
        }
        (Some(path), None) => collections::of_file(options, path)?,
        (None, Some(command)) => collections::of_command(options, command)?,
        (None, None) => bounds::answer(options)?,
    };
    delivery.print(shown.text())?;
    delivery.reports(&options.reports, || shown.report());
    delivery.finish(&JsonDocument {
        format: FORMAT,
        schema_version: SCHEMA_VERSION,
        inputs: &options.inputs,
        answer,
    })?;
    shown.faults.map_or(Ok(()), |faults| Err(Failure::Fault(faults)))
}

/// What an audit found, for programs.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Bounds(bounds::Answer),
    Collections(collections::Answer),
}

/// What an audit found, for people.
struct Shown {
    title: &'static str,
    question: String,
    /// The title of the table and its columns, of which some have numbers.
    table: &'static str,
    columns: Vec<&'static str>,
    numbers: Range<usize>,
    rows: Vec<Vec<String>>,
    legend: &'static str,
    /// What is wrong, if something is.
    faults: Option<String>,
    /// What is concluded otherwise.
    otherwise: String,
}

impl Shown {
    fn conclusion(&self) -> &str {
        self.faults.as_deref().unwrap_or(&self.otherwise)
    }

    fn text(&self) -> String {
        let header = self.columns.iter().map(|name| (*name).to_owned());
        let mut rows = vec![header.collect::<Vec<_>>()];
        rows.extend(self.rows.iter().cloned());
        let lines = || rows.iter().map(|row| row.join("  ") + "\n").collect();
        let table = table(&rows, columns_of_tables()).unwrap_or_else(lines);
        let [question, conclusion] =
            [&self.question, self.conclusion()].map(|words| wrapped("", "", words));
        format!("{question}\n{table}\n{conclusion}")
    }

    fn report(&self) -> Report {
        let columns = self.columns.iter().enumerate();
        let columns = columns.map(|(place, name)| match self.numbers.contains(&place) {
            true => Column::numbers(*name),
            false => Column::words(*name),
        });
        let mut table = Table::new(self.table, columns.collect());
        table.rows.clone_from(&self.rows);
        table.legend = self.legend.to_owned();
        let section = Section {
            id: "audit",
            title: "What was found".to_owned(),
            blocks: vec![Block::Table(table)],
        };
        let verdict = match self.faults {
            Some(_) => "What was released contradicts what is guaranteed.",
            None => "Nothing was found that contradicts what is guaranteed.",
        };
        Report {
            kind: REPORT,
            title: self.title.to_owned(),
            origin: Origin::default(),
            verdict: verdict.to_owned(),
            question: vec![self.question.clone()],
            answer: self.conclusion().to_owned(),
            sections: vec![section],
            colophon: "Written by dp-cli audit. An audit is evidence, not a guarantee: one that finds nothing has not \
                       looked everywhere."
                .to_owned(),
        }
    }
}

impl Options {
    /// The files that are read or run.
    fn files(&self) -> [Option<&Path>; 3] {
        let program = self.command.as_ref();
        let program = program.and_then(|command| command.split_whitespace().next());
        [self.task.as_deref(), self.collections.as_deref(), program.map(Path::new)]
    }

    /// Those that are audited: one, or the examples of all policies.
    fn tasks(&self) -> Result<Vec<Task>, Failure> {
        match (&self.task, &self.policy) {
            (Some(_), Some(_)) => {
                let change = "leave out one of them";
                Err(Refusal::contradiction("policy", "given", "with --task", change).into())
            }
            (Some(path), None) => Ok(vec![policies::read(path)?]),
            (None, Some(name)) => Ok(vec![example(&policies::named(name)?)?]),
            (None, None) => dp_task::POLICIES.iter().map(example).collect(),
        }
    }

    fn error(&self) -> Result<f64, Failure> {
        let accepted = "a number above 0 and below 1/2";
        let refused = || ParameterError::new("error", &self.error, accepted);
        let error: Rational = self.error.parse().map_err(|_| refused())?;
        Ok(error.to_f64())
    }

    fn seed(&self) -> Result<u64, Failure> {
        Ok(parse_integer("seed", &self.seed, 0..=u64::MAX)?)
    }

    fn number(&self, name: &'static str, text: &str, least: u64) -> Result<u64, Failure> {
        Ok(parse_integer(name, text, least..=1 << 40)?)
    }
}

fn example(policy: &PolicyName) -> Result<Task, Failure> {
    Ok(Task::new(policy.example()?)?)
}
