//! `plan`: from the job and a budget or an accuracy to the policy.

use std::path::{Path, PathBuf};

use clap::Args;
use dp_exact::{ParameterError, Refusal, escaped};
use dp_files::{OutputFile, Overwrite};
use dp_planner::{Choice, Plan, Question, Strategy, Task};
use dp_report::plan::Answer;
use serde::Serialize;

use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::json::{Inputs, WithInputs};
use crate::replaced::Replacing;
use crate::reports::Reports;
use crate::text::{columns, columns_of_tables};

/// How a planned task begins, by which it is known again.
const TASK: &str = "# Planned. To try it on data:";

/// How a strategy begins that this command wrote.
const STRATEGY: &str = "{\"version\":1,\"law\":\"";

/// What the document for programs says in its first field.
const FORMAT: &str = "dp-cli plan";

/// Which policy does a job, with how much noise, error and privacy: every one, best first
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH, multihot:LENGTH:WEIGHT or
    /// l1boundsum:LENGTH:MAX; with --grid sum, average or sumvec:LENGTH
    #[arg(
        id = "type",
        long = "type",
        alias = "query",
        value_name = "TYPE",
        help_heading = "Job"
    )]
    query: Option<String>,
    /// LOW..HIGH/STEP of real numbers, which are rounded to multiples of STEP
    #[arg(long, allow_hyphen_values = true, help_heading = "Job")]
    grid: Option<String>,
    /// Clients, or reports in one release; asked for where a budget and an accuracy are given
    #[arg(long, aliases = ["n", "users", "num-clients"], allow_hyphen_values = true, help_heading = "Job")]
    clients: Option<String>,
    /// Aggregators, 2 to 254
    #[arg(
        long, aliases = ["servers"],
        default_value = "2",
        allow_hyphen_values = true,
        help_heading = "Job"
    )]
    aggregators: String,
    /// Releases, each over the same clients
    #[arg(
        long,
        default_value = "1",
        allow_hyphen_values = true,
        help_heading = "Job"
    )]
    releases: String,
    /// Reports that one person may have in one release
    #[arg(
        long,
        default_value = "1",
        allow_hyphen_values = true,
        help_heading = "Job"
    )]
    reports_per_client: String,
    /// replacement, or deletion: by a report that counts nothing
    #[arg(long, default_value = "replacement", help_heading = "Job")]
    adjacency: String,
    /// Fraction of the clients that is honest, on whom OAMC counts
    #[arg(
        long,
        default_value = "1",
        allow_hyphen_values = true,
        help_heading = "Job"
    )]
    honest_fraction: String,
    /// State what up to this many honest aggregators give [default: all of them, at most 4]
    #[arg(long, allow_hyphen_values = true, help_heading = "Job")]
    honest_aggregators: Option<String>,

    /// Budget, with --delta
    #[arg(long, aliases = ["eps"], allow_hyphen_values = true, help_heading = "Wanted")]
    epsilon: Option<String>,
    /// Delta of the budget, or at which epsilon is stated [default: 0, a pure promise; 1e-9 with --rho]
    #[arg(long, allow_hyphen_values = true, help_heading = "Wanted")]
    delta: Option<String>,
    /// Zero-concentrated budget, in place of --epsilon
    #[arg(long, allow_hyphen_values = true, help_heading = "Wanted")]
    rho: Option<String>,
    /// The budget is for all releases together, not for each
    #[arg(long, help_heading = "Wanted")]
    total: bool,
    /// Whom the promise holds against: collector (OAMC), one-aggregator (OAOC), all-aggregators (OC)
    #[arg(long, aliases = ["trust", "trust-model"], default_value = "one-aggregator", help_heading = "Wanted")]
    against: String,
    /// Epsilon that is left if all aggregators collude: offers policies with noise of clients and of
    /// aggregators, whose clients' noise it decides
    #[arg(
        long,
        value_name = "EPSILON",
        allow_hyphen_values = true,
        help_heading = "Wanted"
    )]
    if_all_collude: Option<String>,
    /// Standard deviation of one estimate, at most; 1% is that of all clients, or of the largest value
    #[arg(long, allow_hyphen_values = true, help_heading = "Wanted")]
    std: Option<String>,
    /// The error that one estimate exceeds in 5 % of cases, at most
    #[arg(long, allow_hyphen_values = true, help_heading = "Wanted")]
    margin: Option<String>,

    /// Print every policy and every guarantee, not the best three alone
    #[arg(long, help_heading = "Next step")]
    all: bool,
    /// Take this policy of the table, not the best one, for --task and --strategy
    #[arg(long, help_heading = "Next step")]
    policy: Option<String>,
    /// Write the task, for `simulate --task`: TOML, or JSON if the name ends in .json. For noise in a
    /// crowd this takes up to two seconds more
    #[arg(long, value_name = "FILE", help_heading = "Next step")]
    task: Option<PathBuf>,
    /// Write the aggregators' noise for servers built on libprio (`dp_strategy`)
    #[arg(long, value_name = "FILE", help_heading = "Next step")]
    strategy: Option<PathBuf>,
    /// Also write the answer to this file, as JSON; - or no FILE prints it in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", help_heading = "Next step")]
    json: Option<PathBuf>,
    #[command(flatten)]
    reports: Reports,
    /// Replace files also if this command did not write them
    #[arg(long, help_heading = "Next step")]
    force: bool,
}

const AFTER_HELP: &str = "\
Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  plan --type histogram:40 --clients 250000 --epsilon 1 --delta 1e-8 --releases 30
  plan --type histogram:40 --clients 250000 --epsilon 1 --against all-aggregators
  plan --type average --grid 40..140/0.1 --clients 1e5 --std 0.05
  plan --type multihot:14:3 --std 1% --epsilon 1 --delta 1e-9
  plan --type histogram:40 --clients 1000 --epsilon 1 --task heights.toml
  plan --type histogram:40 --clients 250000 --epsilon 1 --delta 1e-8 --releases 30 --html plan.html";

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let (job, wanted) = options.question().read()?;
    let json = options.json.as_deref();
    options.reports.check(json)?;
    let replacing = Replacing::new(options.force);
    let delivery = Delivery::prepare(json, FORMAT, &replacing)?;
    let mut delivery = delivery.and_reports(&options.reports, "plan", &replacing)?;
    let is_task = |file: &[u8]| file.starts_with(TASK.as_bytes());
    let task = prepared("task", options.task.as_deref(), replacing.files(is_task))?;
    let is_strategy = |file: &[u8]| file.starts_with(STRATEGY.as_bytes());
    let strategy = options.strategy.as_deref();
    let strategy = prepared("strategy", strategy, replacing.files(is_strategy))?;
    let plan = dp_planner::plan(&job, &wanted)?;
    let next = next(options, &plan)?;
    // What cannot be written is refused before anything is.
    let strategy = match (strategy, next) {
        (Some(file), Some(choice)) => Some((file, strategy_of(choice)?)),
        _ => None,
    };
    let task = match (task, next) {
        (Some(file), Some(choice)) => {
            let task = choice.task(&wanted)?;
            Some((file, task))
        }
        _ => None,
    };
    let answer = Answer::about(&plan, next);
    let mut text = match options.all {
        true => answer.text_of_all(columns(), columns_of_tables()),
        false => answer.text(columns(), columns_of_tables()),
    };
    if let (Some((file, _)), Some(choice)) = (&task, next) {
        text += &written(file.path(), choice);
    }
    delivery.print(text)?;
    if let (Some((file, task)), Some(choice)) = (task, next) {
        write_task(file, &task, choice)?;
    }
    if let Some((file, strategy)) = strategy {
        write_strategy(file, &strategy)?;
    }
    let document = Planned {
        format: FORMAT,
        plan: &plan,
    };
    let document = WithInputs {
        document,
        inputs: &options.inputs,
    };
    Ok(delivery.finish_with(&document, || dp_report::plan::report_on(&plan, next))?)
}

/// The plan as a document of this program.
#[derive(Serialize)]
struct Planned<'a> {
    format: &'static str,
    #[serde(flatten)]
    plan: &'a Plan,
}

impl Options {
    /// The question, of which the crate of plans knows what each text means.
    fn question(&self) -> Question {
        Question {
            query: self.query.clone(),
            grid: self.grid.clone(),
            clients: self.clients.clone(),
            aggregators: Some(self.aggregators.clone()),
            releases: Some(self.releases.clone()),
            reports_per_client: Some(self.reports_per_client.clone()),
            adjacency: Some(self.adjacency.clone()),
            honest_fraction: Some(self.honest_fraction.clone()),
            honest_aggregators: self.honest_aggregators.clone(),
            epsilon: self.epsilon.clone(),
            delta: self.delta.clone(),
            rho: self.rho.clone(),
            total: self.total.then(|| "true".to_owned()),
            against: Some(self.against.clone()),
            if_all_collude: self.if_all_collude.clone(),
            std: self.std.clone(),
            margin: self.margin.clone(),
        }
    }
}

/// The policy for the next step.
fn next<'a>(options: &Options, plan: &'a Plan) -> Result<Option<&'a Choice>, Failure> {
    if let Some(name) = &options.policy {
        return Ok(Some(plan.choice(name)?));
    }
    let is_needed = options.task.is_some() || options.strategy.is_some();
    match plan.chosen() {
        None if is_needed => {
            let change = "leave --task and --strategy out, and read why";
            Err(Refusal::not_available("a policy that does this job", change).into())
        }
        chosen => Ok(chosen),
    }
}

fn prepared(
    name: &'static str,
    path: Option<&Path>,
    overwrite: Overwrite,
) -> Result<Option<OutputFile>, Failure> {
    let Some(path) = path else {
        return Ok(None);
    };
    if path.as_os_str() == "-" {
        let accepted = "the name of a file; /dev/stdout prints it behind the answer";
        return Err(ParameterError::new(name, "-", accepted).into());
    }
    Ok(Some(OutputFile::prepare(path, overwrite)?))
}

/// More clients than these are simulated without their reports.
const MANY: u64 = 100_000;

/// What is written, and how to go on.
fn written(path: &Path, choice: &Choice) -> String {
    let (name, command) = (choice.policy.name, simulation(path, choice));
    let path = escaped(path);
    format!("\nThe task of {name} is in {path}. To try it: {command}\n")
}

/// The command that tries a task on synthetic data.
fn simulation(path: &Path, choice: &Choice) -> String {
    let (path, clients) = (escaped(path), choice.clients);
    let ideal = if clients > MANY { " --ideal" } else { "" };
    format!("cargo xtask simulate --task {path} --clients {clients}{ideal}")
}

fn write_task(file: OutputFile, task: &Task, choice: &Choice) -> Result<(), Failure> {
    let path = file.path();
    let is_json = path
        .extension()
        .is_some_and(|extension| extension == "json");
    let document = if is_json {
        task.to_json()? + "\n"
    } else {
        let command = simulation(path, choice);
        let task = task.to_toml()?;
        format!("{TASK} {command}\n{task}")
    };
    Ok(file.write(|writer| writer.write_all(document.as_bytes()))?)
}

/// The noise of a policy's aggregators, if they draw any.
fn strategy_of(choice: &Choice) -> Result<Strategy, Refusal> {
    let name = choice.policy.name;
    let change = "leave --strategy out, or choose another policy by --policy";
    let none = || Refusal::not_available(format!("noise of aggregators in {name}"), change);
    choice.strategy().ok_or_else(none)
}

fn write_strategy(file: OutputFile, strategy: &Strategy) -> Result<(), Failure> {
    let text = serde_json::to_string(strategy).map_err(Failure::other)? + "\n";
    Ok(file.write(|writer| writer.write_all(text.as_bytes()))?)
}
