//! `simulate`: a policy over real Prio3, or over its ideal functionality.

mod combinations;
pub(crate) mod merge;
mod prepared;
mod trials;

use std::collections::BTreeMap;

use dp_calibration::Refusal;
use dp_exact::{grouped, shown};
use dp_report::simulation::{self, ComparedRun, RunTable};
use dp_simulation::report::{FORMAT, ReportDocument, SimulationPlan, SimulationReport};
use dp_simulation::{Outcome, Progress};
use serde::Serialize;

pub(crate) use self::combinations::Combinations;
use self::prepared::{Prepared, unit};
use self::trials::{RunSettings, TrialsDocument, is_trials};
use crate::delivery::{Delivery, Output, given};
use crate::failure::Failure;
use crate::json::{Inputs, WithInputs};
use crate::options::{SimulateOptions, share_of_trials};
use crate::progress;
use crate::text::{columns, columns_of_tables};
use crate::values::LEAVE_OUT;

/// The kind of the report of one run.
const REPORT: &str = "simulation";

/// The kind of the report of several runs, and the format of their document.
const RUNS: (&str, &str) = ("runs", "dp-cli runs");

/// Runs `simulate`: one share of the trials, a single run, or every combination of listed values.
pub(crate) fn run(combinations: &Combinations) -> Result<(), Failure> {
    match combinations.runs.as_slice() {
        [(_, only)] if combinations.options.is_empty() => match &only.share {
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
    let html = options.reports.output(REPORT);
    let mut delivery = options.output.prepare(FORMAT, &options.inputs, [html])?;
    let prepared = Prepared::new(options, options.run.seed.unwrap_or_else(rand::random))?;
    let (plan, outcome) = prepared.run_all(|plan| describe(&mut delivery, plan))?;
    deliver(delivery, &plan, &outcome, &options.inputs)
}

/// Runs a share of the trials, and writes their records to the file of `--json`. If the file
/// already has the records of this share and of these settings, only says so.
fn run_share(options: &SimulateOptions, share: &str) -> Result<(), Failure> {
    let Some(path) = &options.output.json else {
        return Err(Refusal::missing("json", "a file for the trials, with --share").into());
    };
    let csv = Output::new("csv", options.csv.as_ref(), is_csv);
    if let Some(given) = given(&[options.reports.output(REPORT), csv]) {
        let change = "let `merge` write the report once all shares are done";
        return Err(
            Refusal::contradiction("share", share, format!("with --{given}"), change).into()
        );
    }
    let seed = seed_of_all(options)?;
    let trials = share_of_trials(share, options.trials)?;
    let file = Output::new("json", Some(path), is_trials);
    let mut delivery = Delivery::prepare(options.output.force, &options.inputs, vec![file])?;
    let prepared = Prepared::new(options, seed)?;
    let settings = RunSettings::new(&options.inputs, &prepared);
    let number = trials.end - trials.start;
    let which = format!("{} of {} trials", grouped(number), grouped(options.trials));
    let is_done = TrialsDocument::read(path).is_ok_and(|found| {
        found.records.trials() == trials && found.settings.difference(&settings).is_none()
    });
    if is_done {
        let path = shown(path);
        let words = format!("Share {share} was done before ({which}): its file is {path}.\n");
        return Ok(delivery.print(words)?);
    }
    let (plan, simulation) = prepared.simulation()?;
    let run_trials = |progress: Progress<'_>| simulation.run_trials(trials, progress);
    let records = progress::counted(simulation.steps(number), unit(&plan), run_trials)?;
    let document = TrialsDocument::new(settings, records);
    delivery.print(format!("Share {share} is done ({which}).\n"))?;
    delivery.write("json", |writer| document.write(writer));
    Ok(delivery.finish_with(&())?)
}

/// The seed of a run in several processes; `Err` without `--seed`, as all need the same one.
fn seed_of_all(options: &SimulateOptions) -> Result<u64, Refusal> {
    let accepted = "an integer, the same for all shares of a run";
    options.run.seed.ok_or_else(|| Refusal::missing("seed", accepted))
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
    let (html, csv) = (first.reports.output(RUNS.0), first.csv.as_ref());
    let csv = Output::new("csv", csv, is_csv);
    let mut delivery = first.output.prepare(RUNS.1, inputs, [csv, html])?;
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
    delivery.report(|| table.report());
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

/// Prints the question, the policy and its guarantees, which a run does before its trials.
fn describe(delivery: &mut Delivery, plan: &SimulationPlan) -> Result<(), Failure> {
    Ok(delivery.print(simulation::description(plan, columns()))?)
}

/// Prints the outcome of a run, and writes its report and its JSON document.
fn deliver(
    mut delivery: Delivery,
    plan: &SimulationPlan,
    outcome: &Outcome,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let report = SimulationReport { plan, outcome };
    delivery.print(simulation::outcome(report, columns()))?;
    delivery.report(|| simulation::report(report));
    Ok(delivery.finish_with(&WithInputs { document: ReportDocument::from(report), inputs })?)
}
