//! `plan`: the policies for a query with a budget or an accuracy, best first.

use std::path::{Path, PathBuf};

use clap::Args;
use dp_calibration::{Adjacency, Refusal};
use dp_exact::{ParameterError, escaped, grouped};
use dp_ledger::{Ledger, Release, Rule, Terms};
use dp_planner::{BudgetScope, Job, Plan, PolicyChoice, Target, Task};
use dp_prio3::spending::cost_of_a_release;
use dp_report::plan::PlanAnswer;
use serde::Serialize;

use crate::delivery::{HASH, Output, OutputOptions, ReportOptions};
use crate::failure::Failure;
use crate::json::Inputs;
use crate::ledger::in_kind_of;
use crate::program;
use crate::text::{columns, columns_of_tables, counted, wrapped};
use crate::values::integers;

/// Which neighbours the budget of a task or a strategy is about, whatever the plan is about.
const OF_REPLACEMENT: &str = "The budget of the written noise is its guarantee under replacement";

const FORMAT: &str = "dp-cli plan";

/// Rank every policy for a query by its error, with its noise and its guarantees
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH, multihot:LENGTH:WEIGHT or
    /// l1boundsum:LENGTH:MAX; with --grid sum, average or sumvec:LENGTH. WEIGHT is the most ones in
    /// a person's vector: of a file `simulate --policy multihot-gaussian --columns … --max-weight
    /// 1` says it
    #[arg(id = "type", long = "type", value_name = "TYPE", help_heading = "Job")]
    query: Option<String>,
    /// What a histogram is for: buckets, percentiles (the error of a prefix, the first k buckets
    /// together) or ranges (of buckets in a row) [default: buckets]
    #[arg(id = "for", long = "for", value_name = "WHAT", help_heading = "Job")]
    workload: Option<String>,
    /// LOW..HIGH/STEP for real numbers, which are rounded to multiples of STEP
    #[arg(long, help_heading = "Job")]
    grid: Option<String>,
    /// Clients, or reports in one release; computed from a budget and an accuracy
    #[arg(long, alias = "n", help_heading = "Job")]
    clients: Option<String>,
    /// Number of aggregators, 2 to 254
    #[arg(long, default_value = "2", help_heading = "Job")]
    aggregators: String,
    /// Number of releases about the same clients
    #[arg(long, default_value = "1", help_heading = "Job")]
    releases: String,
    /// Largest number of reports of one person in one release
    #[arg(long, default_value = "1", help_heading = "Job")]
    reports_per_client: String,
    /// Which batches are neighbours: replacement, deletion by a report that counts nothing, or
    /// one-coordinate, for one answer of a person at a time
    #[arg(long, default_value = "replacement", help_heading = "Job")]
    adjacency: String,
    /// Fraction of honest clients in OAMC, where one aggregator and most clients are honest
    #[arg(long, default_value = "1", help_heading = "Job")]
    honest_fraction: String,

    /// Budget epsilon, with --delta
    #[arg(long, alias = "eps", help_heading = "Target")]
    epsilon: Option<String>,
    /// Delta of the budget, or at which epsilon is printed [default: 0; 1e-9 with --rho]
    #[arg(long, help_heading = "Target")]
    delta: Option<String>,
    /// Zero-concentrated budget, in place of --epsilon
    #[arg(long, help_heading = "Target")]
    rho: Option<String>,
    /// The budget is for all releases together instead of for each
    #[arg(long, help_heading = "Target")]
    total: bool,
    /// Adversary of the guarantee: collector (OAMC: one aggregator and most clients are honest),
    /// one-aggregator (OAOC: the client and one aggregator are), all-aggregators (OC: only the
    /// client is)
    #[arg(long, default_value = "one-aggregator", help_heading = "Target")]
    against: String,
    /// Epsilon of clients' noise, which remains if all aggregators collude: adds hedged policies
    #[arg(long, value_name = "EPSILON", help_heading = "Target")]
    if_all_collude: Option<String>,
    /// Largest standard deviation of one estimate; 1% means of all clients, or of the largest value
    #[arg(long, help_heading = "Target")]
    std: Option<String>,
    /// Largest error that one estimate exceeds in 5 % of cases
    #[arg(long, help_heading = "Target")]
    margin: Option<String>,

    /// Print every policy and every guarantee instead of the best three
    #[arg(long, help_heading = "Next step")]
    all: bool,
    /// Take this policy of the table instead of the best one, for --task and --strategy
    #[arg(long, help_heading = "Next step")]
    policy: Option<String>,
    /// Write the task, for `simulate --task`: TOML, or JSON if the name ends in .json; - prints it.
    /// If other clients' noise counts, this takes up to two seconds more
    #[arg(long, value_name = "FILE", help_heading = "Next step")]
    task: Option<PathBuf>,
    /// Fewest reports of a batch that the task releases [default: half of the clients, or all where
    /// the guarantee counts on them]
    #[arg(long, requires = "task", value_parser = integers(1..=u64::MAX), help_heading = "Next step")]
    min_reports: Option<u64>,
    /// Write the task even if it protects nobody: an epsilon above 20 or a delta above 0.001
    #[arg(long, requires = "task", help_heading = "Next step")]
    accept_weak_guarantee: bool,
    /// Write the aggregators' noise for servers built on libprio (`dp_strategy`)
    #[arg(long, value_name = "FILE", help_heading = "Next step")]
    strategy: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportOptions,
    #[command(flatten)]
    output: OutputOptions,
}

const AFTER_HELP: &str = "\
Examples, after `dp-cli`:
  plan --type histogram:40 --clients 250000 --epsilon 1 --delta 1e-8 --releases 30
  plan --type histogram:40 --clients 250000 --epsilon 1 --against all-aggregators
  plan --type average --grid 40..140/0.1 --clients 1e5 --std 0.05
  plan --type multihot:14:3 --std 1% --epsilon 1 --delta 1e-9
  plan --type histogram:40 --clients 1000 --epsilon 1 --task heights.toml
  plan --type histogram:256 --for percentiles --clients 1e5 --epsilon 1 --delta 1e-8 --releases 12
  plan --type histogram:40 --clients 250000 --epsilon 1 --delta 1e-8 --releases 30 --html plan.html";

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let (job, target) = options.job_and_target()?;
    // JSON has no comments, and so no seal: only --force replaces it.
    let outputs = [
        options.reports.output("plan"),
        match options.task.as_ref().filter(|path| is_json(path)) {
            Some(path) => Output::new("task", Some(path), |_| false),
            None => Output::sealed("task", options.task.as_ref(), "task", HASH),
        },
        Output::new("strategy", options.strategy.as_ref(), |_| false),
    ];
    let mut delivery = options.output.prepare(FORMAT, &options.inputs, outputs)?;
    let plan = dp_planner::plan(&job, &target)?;
    let next = next(options, &plan)?;
    // A strategy that does not exist is refused before anything is printed.
    let strategy = options.strategy.as_ref().and(next).map(strategy).transpose()?;
    let answer = PlanAnswer::of(&plan, next);
    let mut text = match options.all {
        true => answer.text_of_all(&plan, columns(), columns_of_tables()),
        false => answer.text(columns(), columns_of_tables()),
    };
    text += &next.and_then(|choice| room_in_ledgers(&plan, choice)).unwrap_or_default();
    let mut task = None;
    let has_budget = next.is_some_and(|choice| choice.strategy().is_some());
    let is_other = has_budget && job.adjacency != Adjacency::Replacement;
    if is_other && (options.task.is_some() || options.strategy.is_some()) {
        let guaranteed = job.adjacency.in_words();
        let words =
            format!("{OF_REPLACEMENT}. What is said above is guaranteed under {guaranteed}.");
        text += &format!("\n{}", wrapped("", "", &words));
    }
    if let (Some(path), Some(choice)) = (&options.task, next) {
        let made = options.task_of(choice, &target)?;
        let (name, command) = (choice.policy.name, simulation(path, choice));
        let content = if is_json(path) {
            made.to_json() + "\n"
        } else {
            let budget = match is_other {
                true => format!("# {OF_REPLACEMENT}; trust is about {}.\n", job.adjacency),
                false => String::new(),
            };
            format!("# Planned. To try it on data: {command}\n{budget}{}", made.to_toml())
        };
        text += &format!("\nThe task of {name} is in {}. To try it: {command}\n", escaped(path));
        text += &replaced(path, &content);
        text += &wrapped("", "", &smallest_batch(&made, choice, &target));
        task = Some(content);
    }
    if let (Some(path), Some(strategy)) = (&options.strategy, &strategy) {
        text += &format!("\nThe noise of each aggregator is in {}.\n", escaped(path));
        text += &replaced(path, strategy);
    }
    delivery.print(text)?;
    for (option, content) in [("task", task), ("strategy", strategy)] {
        if let Some(content) = content {
            delivery.write(option, |writer| writer.write_all(content.as_bytes()));
        }
    }
    delivery.report(|| dp_report::plan::report(&plan, next, options.min_reports));
    let own = next.map(|choice| choice.document(&target).batch.min_reports);
    let document = PlanDocument { plan: &plan, min_reports: options.min_reports.or(own) };
    // A plan has a version of its own.
    delivery.finish(FORMAT, None, &options.inputs, document)?;
    if next.is_some() { Ok(()) } else { Err(Failure::NoPolicy) }
}

/// The fields of the document: of the plan, and of the task of its policy.
#[derive(Serialize)]
struct PlanDocument<'a> {
    #[serde(flatten)]
    plan: &'a Plan,
    /// The fewest reports of a batch that the task releases; `None` if no policy does the job.
    min_reports: Option<u64>,
}

impl Options {
    /// The job and the target that the options state, to be parsed by the planner.
    fn job_and_target(&self) -> Result<(Job, Target), dp_planner::Error> {
        let options = [
            ("type", self.query.as_deref()),
            ("for", self.workload.as_deref()),
            ("grid", self.grid.as_deref()),
            ("clients", self.clients.as_deref()),
            ("aggregators", Some(self.aggregators.as_str())),
            ("releases", Some(self.releases.as_str())),
            ("reports-per-client", Some(self.reports_per_client.as_str())),
            ("adjacency", Some(self.adjacency.as_str())),
            ("honest-fraction", Some(self.honest_fraction.as_str())),
            ("epsilon", self.epsilon.as_deref()),
            ("delta", self.delta.as_deref()),
            ("rho", self.rho.as_deref()),
            ("total", self.total.then_some("true")),
            ("against", Some(self.against.as_str())),
            ("if-all-collude", self.if_all_collude.as_deref()),
            ("std", self.std.as_deref()),
            ("margin", self.margin.as_deref()),
        ];
        let given = options.into_iter().filter_map(|(name, text)| Some((name, text?)));
        dp_planner::job_and_target(given)
    }

    /// The task of a choice, with the smallest batch and the guarantee that the options accept.
    /// `Err` for a batch beyond the planned reports, or below them where the guarantee counts on
    /// them, and for a task that protects nobody without `--accept-weak-guarantee`.
    fn task_of(&self, choice: &PolicyChoice, target: &Target) -> Result<Task, Failure> {
        let mut document = choice.document(target);
        if let Some(asked) = self.min_reports {
            let (least, counted_on) = match choice.counts_on_clients(target) {
                true => (choice.clients, ", all planned reports, as the guarantee counts on them"),
                false => (1, ", the planned reports"),
            };
            if !(least..=choice.clients).contains(&asked) {
                let accepted = format!("an integer from {least} to {}{counted_on}", choice.clients);
                return Err(ParameterError::new("min-reports", asked, accepted).into());
            }
            document.batch.min_reports = asked;
        }
        let task = Task::accepting_weak_guarantee(document)?;
        if task.document().trust.accept_weak_guarantee && !self.accept_weak_guarantee {
            let accepted = "this option, to write a task that protects nobody, with an epsilon above 20 or a \
                            delta above 0.001; or a smaller budget";
            return Err(Refusal::missing("accept-weak-guarantee", accepted).into());
        }
        Ok(task)
    }
}

/// Whether the name of a file ends in `.json`.
fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// A line that `content` replaces a file at `path` which holds something else; empty if not.
fn replaced(path: &Path, content: &str) -> String {
    let is_other = |before: String| !before.starts_with(content);
    // A pipe would wait for its writer.
    match path.is_file() && std::fs::read_to_string(path).is_ok_and(is_other) {
        true => format!("It replaced {}, which held something else.\n", escaped(path)),
        false => String::new(),
    }
}

/// Sentences on the smallest batch that a planned task releases.
fn smallest_batch(task: &Task, choice: &PolicyChoice, target: &Target) -> String {
    let least = task.policy().min_reports();
    let is_half = least == choice.clients.div_ceil(2);
    let share = match choice.counts_on_clients(target) {
        true => ", all planned ones, as the guarantee counts on them",
        false if is_half => ", half of the planned ones (--min-reports)",
        false => "",
    };
    format!(
        "It releases no batch of fewer than {}{share}: on a quieter day there is no result, until more reports come or \
         a longer batch is collected.",
        counted(least, "report")
    )
}

/// The policy of `--policy`, else the best one, `None` if there is none. `Err` for an unknown
/// policy, and if there is no best one but `--task` or `--strategy` needs it.
fn next<'a>(options: &Options, plan: &'a Plan) -> Result<Option<&'a PolicyChoice>, Failure> {
    if let Some(name) = &options.policy {
        return Ok(Some(plan.choice(name)?));
    }
    let is_needed = options.task.is_some() || options.strategy.is_some();
    match plan.chosen() {
        None if is_needed => {
            let reason = "no policy does this job: leave --task and --strategy out to read why";
            Err(Failure::Usage(reason.to_owned()))
        }
        chosen => Ok(chosen),
    }
}

/// A sentence on how many of the planned releases a ledger of the total budget takes by the rules
/// for releases of any kind. `None` if each rule takes all, for a single release, without a total
/// budget, and for a task that protects nobody.
fn room_in_ledgers(plan: &Plan, choice: &PolicyChoice) -> Option<String> {
    let (planned, target) = (plan.job.releases, &plan.target);
    let limit =
        target.budget.as_ref().filter(|_| target.scope == BudgetScope::Total && planned > 1)?;
    // A task that protects nobody has no ledger.
    let task = choice.task(target).ok()?;
    let circumstances = task.circumstances().clone().over(1);
    let release = cost_of_a_release(task.policy(), target.trust_model, &circumstances).ok()?;
    let rules = [("basic", Ok(Rule::Basic)), ("concentrated", Rule::zero_concentrated(limit))];
    let room = rules.into_iter().filter_map(|(name, rule)| {
        let (adjacency, trust_model) = (plan.job.adjacency, target.trust_model);
        let terms = Terms { limit: limit.clone(), adjacency, trust_model, rule: rule.ok()? };
        let (delta, reports) = (&circumstances.delta, circumstances.reports_per_client);
        let converted = in_kind_of(&terms, &release, delta, reports);
        let budget = converted.unwrap_or_else(|_| release.budget.clone());
        let release = Release { budget, ..release.clone() };
        // A release whose kind of budget the rule does not add up is not taken at all.
        let room = Ledger::new(terms).ok()?.room_for(&release).unwrap_or(0);
        (room < planned.into()).then(|| format!("{} by the rule {name}", grouped(room)))
    });
    let room: Vec<String> = room.collect();
    (!room.is_empty()).then(|| {
        let (room, planned) = (room.join(" and "), grouped(planned));
        let words = format!("Of the {planned} releases a ledger of this budget takes {room}; a scheduled one takes all.");
        format!("\n{}", wrapped("", "", &words))
    })
}

/// The largest number of clients for which the suggested simulation makes reports.
const MANY: u64 = 100_000;

/// The command that simulates the task of the file `path` on synthetic data, with `--ideal` for
/// many clients.
fn simulation(path: &Path, choice: &PolicyChoice) -> String {
    let (path, clients) = (escaped(path), choice.clients);
    let ideal = if clients > MANY { " --ideal" } else { "" };
    format!("{} simulate --task {path} --clients {clients}{ideal}", program())
}

/// The strategy file of a policy as text: the noise of its aggregators, as JSON. `Err` if they draw
/// none.
fn strategy(choice: &PolicyChoice) -> Result<String, Failure> {
    let name = choice.policy.name;
    let strategy = choice.strategy().ok_or_else(|| {
        let change = "leave --strategy out, or choose another policy by --policy";
        Failure::Usage(format!("aggregators draw no noise for {name}: {change}"))
    })?;
    Ok(serde_json::to_string(&strategy).map_err(Failure::other)? + "\n")
}
