//! `simulate`: a policy over real Prio3, or over its ideal functionality.

mod combinations;
mod description;
mod trials;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use dp_calibration::Refusal;
use dp_exact::{grouped, shown};
use dp_report::simulation::{self, ComparedRun, RunTable};
use dp_simulation::report::{FORMAT, ReportDocument, SimulationPlan, SimulationReport};
use dp_simulation::{Measurements, Outcome, OutcomeBuilder, Population, Progress, TrialRecords};
use serde::Serialize;

pub(crate) use self::combinations::Combinations;
use self::description::SimulationRun;
use self::trials::{RunSettings, TrialsDocument, is_trials, trials_in_words};
use crate::delivery::{Delivery, Output, OutputOptions, ReportOptions, given};
use crate::failure::Failure;
use crate::json::{Inputs, WithInputs};
use crate::options::{Share, SimulateOptions};
use crate::text::{columns, columns_of_tables, counted};
use crate::values::LEAVE_OUT;
use crate::{progress, tasks};

/// The kind of the report of one run.
const REPORT: &str = "simulation";

/// The kind of the report of several runs, and the format of their document.
const RUNS: (&str, &str) = ("runs", "dp-cli runs");

/// Runs `simulate`: one share of the trials, a single run, or every combination of listed values.
pub(crate) fn run(combinations: &Combinations) -> Result<(), Failure> {
    match combinations.runs.as_slice() {
        [(_, only)] if combinations.options.is_empty() => match only.share {
            Some(share) => run_share(only, share),
            None => run_one(only),
        },
        _ => run_all(combinations),
    }
}

/// Runs all trials of a single run, and delivers its report.
fn run_one(options: &SimulateOptions) -> Result<(), Failure> {
    if let Some(csv) = &options.csv {
        let context = "without a list of values";
        return Err(Refusal::contradiction("csv", csv.display(), context, LEAVE_OUT).into());
    }
    let reports = options.reports.outputs(REPORT)?;
    let mut delivery = options.output.prepare(FORMAT, &options.inputs, reports)?;
    let prepared = Prepared::new(options, options.run.seed.unwrap_or_else(rand::random))?;
    let (plan, outcome) = prepared.run_all(|plan| describe(&mut delivery, plan))?;
    deliver(delivery, &options.reports, &plan, &outcome, &options.inputs)
}

/// Runs a share of the trials, and writes their records to the file of `--json`. If the file
/// already has the records of this share and of these settings, only says so.
fn run_share(options: &SimulateOptions, share: Share) -> Result<(), Failure> {
    let Some(path) = &options.output.json else {
        return Err(Refusal::missing("json", "a file for the trials, with --share").into());
    };
    let reports = options.reports.outputs(REPORT)?;
    let csv = Output::new("csv", options.csv.as_ref(), is_csv);
    if let Some(given) = given(&reports).or(given(&[csv])) {
        let change = "let `merge` write the report once all shares are done";
        return Err(
            Refusal::contradiction("share", share, format!("with --{given}"), change).into()
        );
    }
    let seed = options
        .run
        .seed
        .ok_or_else(|| Refusal::missing("seed", "an integer, the same for all shares of a run"))?;
    let trials = share.of_trials(options.trials)?;
    let file = Output::new("json", Some(path), is_trials);
    let mut delivery = Delivery::prepare(options.output.force, &options.inputs, vec![file])?;
    let prepared = Prepared::new(options, seed)?;
    let settings = RunSettings::new(&prepared.run, &prepared.population);
    let found = TrialsDocument::<TrialRecords>::read(path).ok();
    let is_done = found.is_some_and(|found| {
        found.trials == trials
            && found.records.trials() == trials
            && found.settings.difference(&settings).is_none()
    });
    let which = format!("{} of {}", trials_in_words(&trials), grouped(options.trials));
    if is_done {
        let path = shown(path);
        let words = format!("Share {share} was done before ({which}): its file is {path}.\n");
        return Ok(delivery.print(words)?);
    }
    let Prepared { run, population, threads } = prepared;
    let simulation = run.simulation(population, threads)?;
    describe(&mut delivery, &run.plan)?;
    let steps = simulation.steps(trials.end - trials.start);
    let range = trials.clone();
    let run_trials = |progress: Progress<'_>| simulation.run_trials(range, progress);
    let records = progress::counted(steps, run.unit(), run_trials)?;
    let inputs = options.inputs.of_run();
    let document = TrialsDocument::new(settings, inputs, trials, records);
    delivery.print(format!("\nShare {share} is done ({which}).\n"))?;
    delivery.write("json", |writer| document.write(writer));
    Ok(delivery.finish_with(&())?)
}

/// The fields of the document of several runs.
#[derive(Serialize)]
struct RunsAnswer<'a> {
    seed: u64,
    /// Of each run its cells by column, without empty ones.
    runs: Vec<BTreeMap<&'a String, &'a String>>,
}

/// Runs every combination of the listed values with one seed, and reports them in a table. A
/// combination that is refused is a row with the reason; `Err` if all are refused.
fn run_all(combinations: &Combinations) -> Result<(), Failure> {
    let Combinations { inputs, options: names, runs } = combinations;
    let Some((_, first)) = runs.first() else { return Ok(()) };
    inputs.refuse(["share"], "with lists of values")?;
    let [html, markdown] = first.reports.outputs(RUNS.0)?;
    let csv = Output::new("csv", first.csv.as_ref(), is_csv);
    let mut delivery = first.output.prepare(RUNS.1, inputs, [csv, html, markdown])?;
    let seed = first.run.seed.unwrap_or_else(rand::random);
    let options = names.clone();
    let mut table = RunTable { options, runs: Vec::new(), seed, questions: Vec::new() };
    let mut failure = None;
    for (values, options) in runs {
        let prepared = Prepared::new(options, seed);
        let figures = match prepared.and_then(|prepared| prepared.run_all(|_| Ok(()))) {
            Ok((plan, outcome)) => {
                let question = plan.question.to_string();
                if !table.questions.contains(&question) {
                    table.questions.push(question);
                }
                Ok((plan.guarantees, outcome.summary))
            }
            Err(refused) => Err(failure.insert(refused).sentence()),
        };
        table.runs.push(ComparedRun { values: values.clone(), figures });
    }
    if let (Some(failure), true) = (failure, table.questions.is_empty()) {
        return Err(failure);
    }
    delivery.print(table.text(columns(), columns_of_tables()))?;
    delivery.write("csv", |writer| table.write_csv(writer));
    delivery.reports(&first.reports, || table.report());
    let (head, rows) = table.cells();
    let cells = |row| head.iter().zip(row).filter(|(_, cell): &(_, &String)| !cell.is_empty());
    let runs = rows.iter().map(|row| cells(row).collect()).collect();
    Ok(delivery.finish(RUNS.1, 1, inputs, RunsAnswer { seed, runs })?)
}

/// Whether a file begins with a header line as [`RunTable::write_csv`] writes it.
fn is_csv(beginning: &[u8]) -> bool {
    let head = beginning.split(|byte| *byte == b'\n').next();
    head.is_some_and(|head| head.ends_with(b",results_digest,refused"))
}

/// Puts the trials of the files at `paths` together, which must be all trials of one run, and
/// delivers its report.
pub(crate) fn merge(
    paths: &[PathBuf],
    typed: &Inputs,
    output: &OutputOptions,
    reports: &ReportOptions,
) -> Result<(), Failure> {
    let mut delivery = output.prepare(FORMAT, typed, reports.outputs(REPORT)?)?;
    let (settings, inputs, paths) = trials::in_order(paths)?;
    let run = settings.into_run().complete()?;
    let policy = run.plan.task.policy().clone();
    let mut outcome = OutcomeBuilder::new(policy, run.clients, run.trials)?;
    for path in &paths {
        let TrialsDocument { records, .. } = TrialsDocument::read(path)?;
        outcome.add(records).map_err(|error| Failure::content(path, error))?;
    }
    let outcome = outcome.outcome()?;
    describe(&mut delivery, &run.plan)?;
    deliver(delivery, reports, &run.plan, &outcome, &inputs)
}

/// The clients of a run in words: `clients` of them are drawn from the rows with replacement; with
/// `None` each row is a client, or if `is_counted` as many as its count says.
fn clients_in_words(clients: Option<u64>, rows: &Measurements, is_counted: bool) -> String {
    let people = grouped(rows.clients());
    let rows = if is_counted { "that the data count" } else { "rows" };
    match clients {
        None if is_counted => format!("{people} clients, the number that the data count."),
        None => format!("{people} clients, one for each row."),
        Some(clients) => {
            let clients = counted(clients, "client");
            format!("{clients}, each drawn at random from {people} {rows} (a bootstrap).")
        }
    }
}

/// Prints the question, the policy and its guarantees, which a run does before its trials.
fn describe(delivery: &mut Delivery, plan: &SimulationPlan) -> Result<(), Failure> {
    Ok(delivery.print(simulation::description(plan, columns()))?)
}

/// Prints the outcome of a run, and writes its reports and its JSON document.
fn deliver(
    mut delivery: Delivery,
    reports: &ReportOptions,
    plan: &SimulationPlan,
    outcome: &Outcome,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let report = SimulationReport { plan, outcome };
    delivery.print(simulation::outcome(report, columns()))?;
    delivery.reports(reports, || simulation::report(report));
    Ok(delivery.finish_with(&WithInputs { document: ReportDocument::from(report), inputs })?)
}

/// A run with its clients.
struct Prepared {
    run: SimulationRun,
    population: Population,
    threads: usize,
}

impl Prepared {
    /// Reads the data or draws them from `seed`, makes the task, and computes its guarantees;
    /// refuses what cannot be run.
    fn new(options: &SimulateOptions, seed: u64) -> Result<Self, Failure> {
        // Before data are read.
        options.clients.map_or(Ok(()), |clients| options.check_clients(clients))?;
        let (task, survey) = tasks::with_survey(options, seed)?;
        let drawn = options.clients.or(survey.clients);
        let clients = drawn.unwrap_or_else(|| survey.rows.clients());
        options.check_clients(clients)?;
        let plan = SimulationPlan {
            percentiles: options.cumulative.question(&task.policy_name(), &survey.labels)?,
            circumstances: task.circumstances().clone(),
            pairs: OnceLock::new(),
            task,
            question: survey.question,
            labels: survey.labels,
            reading: survey.reading,
            clients: match &survey.synthetic {
                Some(_) => {
                    format!("{}, who draw from that distribution.", counted(clients, "client"))
                }
                None => clients_in_words(drawn, &survey.rows, options.data.counts.is_some()),
            },
            synthetic: survey.synthetic,
            is_ideal: options.ideal,
            seed,
            post_processing: None,
            parameters: Vec::new(),
            guarantees: Vec::new(),
        };
        let run = SimulationRun {
            plan,
            from_file: options.policy.task.is_some(),
            clients,
            is_consistent: options.consistent,
            trials: options.trials,
            trust: options.trust.clone(),
            typed_delta: options.policy.delta.clone(),
        };
        let run = run.complete()?;
        let population = match drawn {
            None => Population::each_once(survey.rows)?,
            Some(clients) => Population::bootstrap(survey.rows, clients, seed)?,
        };
        Ok(Self { run, population, threads: options.run.threads.unwrap_or(0) })
    }

    /// Runs every trial. `begin` is called just before, when no option can be wrong any more; its
    /// error ends the run.
    fn run_all(
        self,
        begin: impl FnOnce(&SimulationPlan) -> Result<(), Failure>,
    ) -> Result<(SimulationPlan, Outcome), Failure> {
        let Self { run, population, threads } = self;
        let simulation = run.simulation(population, threads)?;
        begin(&run.plan)?;
        let steps = simulation.steps(run.trials);
        let outcome = progress::counted(steps, run.unit(), |progress| simulation.run(progress))?;
        Ok((run.plan, outcome))
    }
}
