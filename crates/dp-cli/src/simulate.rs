//! `simulate`: a policy over real Prio3, or over its ideal functionality.

mod description;

use std::sync::Arc;

use dp_exact::{grouped, shown};
use dp_files::hexadecimal;
use dp_prio3::DpPolicy;
use dp_report::simulation;
use dp_simulation::checkpoints::RunFolder;
pub(crate) use dp_simulation::report::FORMAT;
use dp_simulation::report::{ReportDocument, SimulationPlan, SimulationReport};
use dp_simulation::{BlockResults, GridUnits, Measurements, Outcome, Population, Simulation};
use dp_task::{FromMeasurement, PolicyVisitor};

use self::description::SimulationRun;
use crate::checkpoints::{CheckpointFolder, RunDescription, seed, work_through};
use crate::delivery::{Delivery, ReportOptions};
use crate::failure::Failure;
use crate::json::{Inputs, WithInputs};
use crate::options::SimulateOptions;
use crate::text::{columns, counted};
use crate::{progress, tasks};

pub(crate) const REPORT: &str = "simulation";

pub(crate) const KIND: &str = "simulate";

pub(crate) fn run(options: &SimulateOptions) -> Result<(), Failure> {
    if let Some(clients) = options.clients {
        options.check_clients(clients)?;
    }
    let folder = options.checkpoints.folder()?;
    let reports = options.reports.outputs(REPORT)?;
    if let Some(folder) = &folder {
        folder.check_outputs(&options.output, &reports)?;
    }
    let mut delivery = options.output.prepare(FORMAT, reports)?;
    let seed = seed(options.run.seed, folder.as_ref(), |begun| Ok(described(begun)?.0.seed))?;
    let (task, survey) = tasks::with_survey(options, seed)?;
    let drawn = options.clients.or(survey.clients);
    let clients = drawn.unwrap_or_else(|| survey.rows.clients());
    options.check_clients(clients)?;
    let run = SimulationRun {
        cumulative: options.cumulative.question(&task.policy_name(), &survey.labels)?,
        task,
        from_file: options.policy.task.is_some(),
        question: survey.words,
        labels: survey.labels,
        reading: survey.reading,
        clients,
        clients_in_words: match &survey.synthetic {
            Some(_) => {
                format!("{}, who draw from that distribution.", counted(clients, "client"))
            }
            None => clients_in_words(drawn, &survey.rows, options.data.counts.is_some()),
        },
        synthetic: survey.synthetic,
        is_ideal: options.ideal,
        is_consistent: options.consistent,
        trials: options.trials,
        seed,
        trust: options.trust.clone(),
        typed_delta: options.policy.delta.clone(),
    };
    let plan = run.plan()?;
    let population = match drawn {
        None => Population::each_once(survey.rows)?,
        Some(clients) => Population::bootstrap(survey.rows, clients, seed)?,
    };
    let running = Running {
        run: &run,
        plan: &plan,
        inputs: &options.inputs,
        delivery: &mut delivery,
        population,
        threads: options.run.threads.unwrap_or(0),
        folder,
    };
    match run.task.with_policy(running)? {
        Some((outcome, inputs)) => deliver(delivery, &options.reports, &plan, &outcome, &inputs),
        None => Ok(()),
    }
}

/// Reports a run whose results are all in a folder.
pub(crate) fn merge(
    folder: &RunFolder,
    mut delivery: Delivery,
    reports: &ReportOptions,
) -> Result<(), Failure> {
    let (run, inputs) = described(folder)?;
    let plan = run.plan()?;
    let outcome = run.task.with_policy(Merging { run: &run, folder })?;
    delivery.print(simulation::description(&plan, columns()))?;
    deliver(delivery, reports, &plan, &outcome, &inputs)
}

/// The run of a folder, whose digest is also over the measurements, and its options.
fn described(folder: &RunFolder) -> Result<(SimulationRun, Inputs), Failure> {
    let description = RunDescription::<(SimulationRun, String)>::read(folder, KIND)?;
    Ok((description.run.0, description.inputs))
}

/// The clients of a run, of whom `clients` are drawn from the data, or who are all of the data.
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

struct Running<'a> {
    run: &'a SimulationRun,
    plan: &'a SimulationPlan,
    inputs: &'a Inputs,
    delivery: &'a mut Delivery,
    population: Population,
    threads: usize,
    folder: Option<CheckpointFolder<'a>>,
}

impl PolicyVisitor for Running<'_> {
    /// The outcome, and the options with which the run was begun; `None` for a share of the run.
    type Output = Result<Option<(Outcome, Inputs)>, Failure>;

    /// Prints the description when nothing can be wrong any more, and runs the simulation.
    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let SimulationRun { trials, seed, .. } = *self.run;
        let measurements = self.folder.map(|_| hexadecimal(&self.population.digest()));
        let policy = Arc::new(policy);
        let simulation = Simulation::new(policy, self.population, trials, seed, self.threads)?;
        let simulation = configured(simulation, self.run)?;
        let unit = if self.run.is_ideal { "trials" } else { "reports" };
        let Some((folder, measurements)) = self.folder.zip(measurements) else {
            self.delivery.print(simulation::description(self.plan, columns()))?;
            let steps = simulation.steps(0..simulation.blocks());
            let outcome = progress::counted(steps, unit, |progress| simulation.run(progress))?;
            return Ok(Some((outcome, self.inputs.clone())));
        };
        let inputs = self.inputs.of_run(seed);
        let description = RunDescription::new((self.run.clone(), measurements), inputs);
        let run = folder.open(&description.identity(KIND, simulation.blocks())?)?;
        self.delivery.print(simulation::description(self.plan, columns()))?;
        self.delivery.warn(format_args!(
            "Checkpoints: the files in {} hold both aggregators' shares, whose sum is the totals \
             without noise, in the clear.\n\n",
            shown(run.path())
        ))?;
        let missing = run.missing(folder.blocks(&run))?;
        let steps = missing.iter().map(|blocks| simulation.steps(blocks.clone()));
        let steps = steps.fold(0, u64::saturating_add);
        let simulation = &simulation;
        progress::counted(steps, unit, |progress| {
            let work = |blocks| Ok(simulation.run_blocks(blocks, progress)?.payload()?);
            work_through(&run, &missing, work)
        })?;
        if let Some(done) = folder.done(&run) {
            self.delivery.print(done)?;
            return Ok(None);
        }
        let (_, inputs) = described(&run)?;
        Ok(Some((read_outcome(&run, simulation)?, inputs)))
    }
}

struct Merging<'a> {
    run: &'a SimulationRun,
    folder: &'a RunFolder,
}

impl PolicyVisitor for Merging<'_> {
    type Output = Result<Outcome, Failure>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let SimulationRun { clients, trials, seed, .. } = *self.run;
        let simulation = Simulation::without_data(Arc::new(policy), clients, trials, seed)?;
        read_outcome(self.folder, &configured(simulation, self.run)?)
    }
}

/// The simulation with the functionality, the units and the post-processing of the run.
fn configured<P: DpPolicy<Measurement: FromMeasurement>>(
    mut simulation: Simulation<P>,
    run: &SimulationRun,
) -> Result<Simulation<P>, Failure> {
    if run.is_ideal {
        simulation = simulation.ideal()?;
    }
    if let Some(units) = GridUnits::of(&run.task) {
        simulation = simulation.in_units(units);
    }
    if let Some(consistency) = run.consistency() {
        simulation = simulation.consistent(consistency);
    }
    if let Some(question) = &run.cumulative {
        simulation = simulation.percentiles_and_ranges(question.clone())?;
    }
    Ok(simulation)
}

/// The outcome of a run whose results are all in a folder.
fn read_outcome<P: DpPolicy<Measurement: FromMeasurement>>(
    folder: &RunFolder,
    simulation: &Simulation<P>,
) -> Result<Outcome, Failure> {
    folder.check_blocks(simulation.blocks())?;
    let mut outcome = simulation.outcome_builder();
    for part in folder.parts()? {
        let part = part?;
        let refused = |error| Failure::content(&part.path, error);
        let read = BlockResults::read(part.blocks.clone(), &part.payload);
        outcome.add(read.map_err(refused)?).map_err(refused)?;
    }
    Ok(outcome.outcome()?)
}
