//! `plan`: from the job and a budget or an accuracy to the policy.

mod text;

use std::path::{Path, PathBuf};

use clap::Args;
use dp_calibration::{Budget, Query};
use dp_exact::{Delta, ParameterError, Rational, Refusal, integer};
use dp_files::{OutputFile, Overwrite};
use dp_grid::Grid;
use dp_planner::{Accuracy, Against, Choice, Job, Plan, Scope, Strategy, Task, Wanted};
use serde::Serialize;

use crate::bounded;
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::json::{Inputs, WithInputs};
use crate::options::{Given, LEAVE_OUT, adjacency, given};

/// The δ at which ε is stated where the budget is a ρ.
const DELTA_OF_RHO: &str = "1e-9";

/// How a planned task begins, by which it is known again.
const TASK: &str = "# Planned. To try it on data:";

/// Which policy does a job, with how much noise, error and privacy: every one, best first
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
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
    #[arg(long, allow_hyphen_values = true, help_heading = "Job")]
    clients: Option<String>,
    /// Aggregators, 2 to 254
    #[arg(
        long,
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
    #[arg(long, allow_hyphen_values = true, help_heading = "Wanted")]
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
    #[arg(long, default_value = "one-aggregator", help_heading = "Wanted")]
    against: String,
    /// Standard deviation of one estimate, at most; 1% is that of all clients, or of the largest value
    #[arg(long, allow_hyphen_values = true, help_heading = "Wanted")]
    std: Option<String>,
    /// The error that one estimate exceeds in 5 % of cases, at most
    #[arg(long, allow_hyphen_values = true, help_heading = "Wanted")]
    margin: Option<String>,

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
    /// Replace files also if this program did not write them
    #[arg(long, help_heading = "Next step")]
    force: bool,
}

const AFTER_HELP: &str = "\
Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  plan --type histogram:40 --clients 250000 --epsilon 1 --delta 1e-8 --releases 30
  plan --type histogram:40 --clients 250000 --epsilon 1 --against all-aggregators
  plan --type average --grid 40..140/0.1 --clients 1e5 --std 0.05
  plan --type multihot:14:3 --std 1% --epsilon 1 --delta 1e-9
  plan --type histogram:40 --clients 1000 --epsilon 1 --task heights.toml";

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let (job, wanted) = (job(options)?, wanted(options)?);
    check_clients(options, &wanted)?;
    let mut delivery = Delivery::prepare(options.json.as_deref(), options.force)?;
    let task = options.task.as_deref().map(|path| prepared(path, options));
    let task = task.transpose()?;
    let strategy = options
        .strategy
        .as_deref()
        .map(|path| prepared(path, options));
    let strategy = strategy.transpose()?;
    let plan = bounded(&options.costly(), || Ok(dp_planner::plan(&job, &wanted)?))?;
    let next = next(options, &plan)?;
    // What cannot be written is refused before anything is.
    let strategy = match (strategy, next) {
        (Some(file), Some(choice)) => Some((file, strategy_of(choice)?)),
        _ => None,
    };
    let task = match (task, next) {
        (Some(file), Some(choice)) => {
            let task = bounded(&options.costly(), || Ok(choice.task(&wanted)?))?;
            Some((file, task))
        }
        _ => None,
    };
    delivery.print(text::text(&plan))?;
    if let Some((file, task)) = task {
        write_task(file, &task)?;
    }
    if let Some((file, strategy)) = strategy {
        write_strategy(file, &strategy)?;
    }
    let document = Planned {
        format: "dp-cli plan",
        plan: &plan,
    };
    Ok(delivery.finish(&WithInputs {
        document,
        inputs: &options.inputs,
    })?)
}

/// The plan as a document of this program.
#[derive(Serialize)]
struct Planned<'a> {
    format: &'static str,
    #[serde(flatten)]
    plan: &'a Plan,
}

impl Options {
    fn costly(&self) -> Given {
        given([
            ("type", self.query.as_ref()),
            ("clients", self.clients.as_ref()),
            ("releases", Some(&self.releases)),
            ("aggregators", Some(&self.aggregators)),
        ])
    }
}

fn job(options: &Options) -> Result<Job, Failure> {
    let accepted = "what is aggregated, such as histogram:40";
    let query = options.query.as_deref();
    let query = query.ok_or_else(|| Refusal::missing("type", accepted))?;
    let grid = parsed::<Grid>("grid", options.grid.as_deref())?;
    let query: Query = match &grid {
        Some(grid) => Job::query_on(query, grid)?,
        None => query
            .parse()
            .map_err(|error: ParameterError| error.renamed("type"))?,
    };
    let clients = match &options.clients {
        Some(clients) => integer("clients", clients, 1..=10_000_000_000)?,
        None => 1,
    };
    let aggregators = integer("aggregators", &options.aggregators, 2..=254)?;
    let honest_aggregators = match &options.honest_aggregators {
        Some(honest) => integer("honest-aggregators", honest, 1..=aggregators)?,
        None => aggregators.min(4),
    };
    let most = dp_planner::MAX_RELEASES;
    Ok(Job {
        grid,
        aggregators,
        honest_aggregators,
        releases: integer("releases", &options.releases, 1..=most)?,
        reports_per_client: integer("reports-per-client", &options.reports_per_client, 1..=most)?,
        adjacency: adjacency(&options.adjacency)?,
        honest_fraction: parsed::<Rational>("honest-fraction", Some(&options.honest_fraction))?
            .unwrap_or_else(Rational::one),
        ..Job::new(query, clients)
    })
}

fn wanted(options: &Options) -> Result<Wanted, Failure> {
    let delta = parsed::<Delta>("delta", options.delta.as_deref())?;
    let budget = match (&options.epsilon, &options.rho) {
        (Some(epsilon), Some(_)) => {
            let change = "leave one of them out";
            return Err(Refusal::contradiction("epsilon", epsilon, "with --rho", change).into());
        }
        (Some(_), None) => {
            let epsilon = required("epsilon", options.epsilon.as_deref())?;
            Some(match &delta {
                Some(delta) if !delta.value().is_zero() => Budget::Approximate {
                    epsilon,
                    delta: delta.clone(),
                },
                _ => Budget::Pure { epsilon },
            })
        }
        (None, Some(_)) => Some(Budget::ZeroConcentrated {
            rho: required("rho", options.rho.as_deref())?,
        }),
        (None, None) => None,
    };
    let default = if options.rho.is_some() {
        DELTA_OF_RHO
    } else {
        "0"
    };
    Ok(Wanted {
        delta: delta.map_or_else(|| default.parse(), Ok)?,
        budget,
        accuracy: accuracy(options)?,
        scope: if options.total {
            Scope::Total
        } else {
            Scope::Release
        },
        against: options.against.parse::<Against>()?,
    })
}

fn accuracy(options: &Options) -> Result<Option<Accuracy>, Failure> {
    let std = parsed("std", options.std.as_deref())?.map(Accuracy::StandardDeviation);
    let margin = parsed("margin", options.margin.as_deref())?.map(Accuracy::Margin);
    if let (Some(_), Some(margin)) = (&std, &options.margin) {
        let change = "leave one of them out";
        return Err(Refusal::contradiction("margin", margin, "with --std", change).into());
    }
    Ok(std.or(margin))
}

/// Clients are given, or asked for.
fn check_clients(options: &Options, wanted: &Wanted) -> Result<(), Refusal> {
    let are_asked = wanted.budget.is_some() && wanted.accuracy.is_some();
    match (&options.clients, are_asked) {
        (Some(clients), true) => {
            let place = "with a budget and an accuracy, which say how many it takes";
            Err(Refusal::contradiction("clients", clients, place, LEAVE_OUT))
        }
        (None, false) => Err(Refusal::missing(
            "clients",
            "how many there are, such as 1e5",
        )),
        _ => Ok(()),
    }
}

fn parsed<T>(name: &'static str, text: Option<&str>) -> Result<Option<T>, ParameterError>
where
    T: std::str::FromStr<Err = ParameterError>,
{
    let value = text.map(|text| text.parse::<T>()).transpose();
    value.map_err(|error| error.renamed(name))
}

fn required<T>(name: &'static str, text: Option<&str>) -> Result<T, Failure>
where
    T: std::str::FromStr<Err = ParameterError>,
{
    let value = parsed(name, text)?;
    Ok(value.ok_or_else(|| Refusal::missing(name, "a number"))?)
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

fn prepared(path: &Path, options: &Options) -> Result<OutputFile, Failure> {
    let is_own = |beginning: &[u8]| {
        beginning.starts_with(TASK.as_bytes()) || beginning.starts_with(b"{\"version\":1,\"law\":")
    };
    let overwrite = match options.force {
        true => Overwrite::Any,
        false => Overwrite::Own(is_own),
    };
    Ok(OutputFile::prepare(path, overwrite)?)
}

fn write_task(file: OutputFile, task: &Task) -> Result<(), Failure> {
    let path = file.path();
    let is_json = path
        .extension()
        .is_some_and(|extension| extension == "json");
    let document = if is_json {
        task.to_json()? + "\n"
    } else {
        let path = path.display();
        let task = task.to_toml()?;
        format!("{TASK} cargo xtask simulate --task {path}\n{task}")
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
