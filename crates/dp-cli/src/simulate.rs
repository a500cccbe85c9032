//! `simulate`: a policy over real Prio3, on real data.

mod described;

use std::ops::Range;
use std::sync::Arc;

use dp_exact::{Refusal, grouped, parse_integer, shown};
use dp_prio3::DpPolicy;
use dp_report::simulation::{DescriptionText, OutcomeText};
use dp_simulation::checkpoints::RunFolder;
pub(crate) use dp_simulation::report::FORMAT;
use dp_simulation::report::{ReportDocument, SimulationPlan, SimulationReport};
use dp_simulation::{BlockResults, Measurements, Outcome, Population, Progress, Simulation};
use dp_task::{FromMeasurement, PolicyVisitor};

use crate::checkpoints::{Place, Work, check_blocks, work_through};
use crate::delivery::{Delivery, Output, Reports};
use crate::failure::Failure;
use crate::json::{Inputs, WithInputs};
use crate::options::Options;
use crate::policies;
use crate::progress::Steps;
use crate::text::{columns, counted};
use described::Described;
pub(crate) use described::KIND;

/// The kind of the reports for people.
pub(crate) const REPORT: &str = "simulation";

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let place = options.checkpoints.place()?;
    let clients = options.clients()?;
    let threads = match &options.threads {
        Some(threads) => parse_integer("threads", threads, 1..=1024)?,
        None => 0,
    };
    let trials = parse_integer("trials", &options.trials, 1..=1_000_000)?;
    let mut delivery = delivery(options, place.as_ref())?;
    let seed = seed(options, place.as_ref())?;
    let planned = policies::plan(options, seed)?;
    let question = planned.question;
    let clients = clients.or(question.clients);
    let people = clients.unwrap_or_else(|| question.rows.clients());
    options.check_clients(people, people)?;
    let described = Described {
        task: planned.task,
        from_file: planned.from_file,
        question: question.words,
        labels: question.labels,
        reading: question.reading,
        clients: people,
        clients_in_words: match &question.synthetic {
            Some(_) => format!("{}, who draw by that law.", counted(people, "client")),
            None => in_words(clients, &question.rows, options),
        },
        synthetic: question.synthetic,
        is_ideal: options.ideal,
        is_consistent: options.consistent,
        trials,
        seed,
        stated: options.trust.clone(),
        stated_delta: options.policy.delta.clone(),
    };
    let plan = described.plan()?;
    let population = match clients {
        None => Population::each_once(question.rows)?,
        Some(clients) => Population::bootstrap(question.rows, clients, seed)?,
    };
    let running = Running {
        described: &described,
        plan: &plan,
        inputs: &options.inputs,
        delivery: &mut delivery,
        population,
        threads,
        place,
    };
    match described.task.with_policy(running)? {
        Some((outcome, inputs)) => deliver(delivery, &options.reports, &plan, &outcome, &inputs),
        None => Ok(()),
    }
}

/// Reports a run whose parts are all in a folder.
pub(crate) fn merge(
    folder: &RunFolder,
    mut delivery: Delivery,
    reports: &Reports,
) -> Result<(), Failure> {
    let (described, inputs) = Described::of(folder)?;
    let plan = described.plan()?;
    let described = &described;
    let outcome = described.task.with_policy(Merging { described, folder })?;
    delivery.print(DescriptionText::of(&plan).text(columns()))?;
    deliver(delivery, reports, &plan, &outcome, &inputs)
}

/// Where the report goes. A share of a run has none.
fn delivery(options: &Options, place: Option<&Place<'_>>) -> Result<Delivery, Failure> {
    let mut outputs = vec![Output::json("json", options.written.json.as_ref(), FORMAT)];
    outputs.extend(options.reports.outputs(REPORT)?);
    if let Some(place) = place {
        place.check_outputs(&outputs)?;
    }
    let run = place.map(Place::file);
    let inputs = [
        options.policy.task.as_deref(),
        options.data.file.as_deref(),
        options.data.counts.as_deref(),
        run.as_deref(),
    ];
    Delivery::prepare(options.written.force, &inputs, outputs)
}

/// The seed: the one that is typed, else that of the run which is continued, else any.
fn seed(options: &Options, place: Option<&Place<'_>>) -> Result<u64, Failure> {
    if let Some(seed) = &options.seed {
        return Ok(parse_integer("seed", seed, 0..=u64::MAX)?);
    }
    if let Some(place) = place {
        if let Some(folder) = place.begun()? {
            return Ok(Described::of(&folder)?.0.seed);
        }
        if place.share.is_some() {
            let accepted = "an integer, the same for all ranges of a run";
            return Err(Refusal::missing("seed", accepted).into());
        }
    }
    Ok(rand::random())
}

/// Which clients a run has: those of the data, or so many.
fn in_words(clients: Option<u64>, rows: &Measurements, options: &Options) -> String {
    let people = grouped(rows.clients());
    let clients = clients.map(|clients| counted(clients, "client"));
    match (clients, options.data.counts.is_some()) {
        (None, true) => format!("{people} clients, as many as the data count."),
        (None, false) => format!("{people} clients, one for each row."),
        (Some(clients), true) => {
            format!("{clients}, each one of {people} that the data count at random (a bootstrap).")
        }
        (Some(clients), false) => {
            format!("{clients}, each a row of {people} at random (a bootstrap).")
        }
    }
}

/// Prints what a run found, and writes its report.
fn deliver(
    mut delivery: Delivery,
    reports: &Reports,
    plan: &SimulationPlan,
    outcome: &Outcome,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let report = SimulationReport { plan, outcome };
    delivery.print(OutcomeText::of(report).text(columns()))?;
    delivery.reports(reports, || dp_report::simulation::report(report));
    Ok(delivery.finish(&WithInputs { document: ReportDocument::from(report), inputs })?)
}

/// A run that waits for its policy.
struct Running<'a> {
    described: &'a Described,
    plan: &'a SimulationPlan,
    inputs: &'a Inputs,
    delivery: &'a mut Delivery,
    population: Population,
    threads: usize,
    place: Option<Place<'a>>,
}

impl PolicyVisitor for Running<'_> {
    /// What came of the run, unless only a share of it was worked at, and what was typed.
    type Output = Result<Option<(Outcome, Inputs)>, Failure>;

    /// Prints the plan once nothing can be wrong with it, and runs it.
    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let Described { trials, seed, .. } = *self.described;
        // The run of a folder is told from others by it.
        let digested = self.place.is_some().then(|| self.population.clone());
        let policy = Arc::new(policy);
        let mut simulation = Simulation::new(policy, self.population, trials, seed, self.threads)?;
        if let Some((low, granularity, are_means)) = self.described.units() {
            simulation = simulation.in_units(low, granularity, are_means);
        }
        if let Some(consistency) = self.described.consistency() {
            simulation = simulation.consistent(consistency);
        }
        let unit = if self.described.is_ideal { "trials" } else { "reports" };
        if self.described.is_ideal {
            simulation = simulation.ideal()?;
        }
        let Some((place, population)) = self.place.zip(digested) else {
            self.delivery.print(DescriptionText::of(self.plan).text(columns()))?;
            let steps = simulation.steps(0..simulation.blocks());
            let outcome = Steps { steps, unit }.count(|progress| simulation.run(progress))?;
            return Ok(Some((outcome, self.inputs.clone())));
        };
        let run = self.described.run(&population, self.inputs, simulation.blocks());
        let folder = place.open(&run?)?;
        self.delivery.print(DescriptionText::of(self.plan).text(columns()))?;
        self.delivery.tell(format_args!(
            "Checkpoints: the files in {} hold both aggregators' shares, which together are the totals without noise, \
             in the clear.\n\n",
            shown(folder.path())
        ))?;
        let claim = folder.claim(place.blocks(&folder))?;
        let missing = claim.missing().iter();
        let steps = missing
            .fold(0, |steps: u64, blocks| steps.saturating_add(simulation.steps(blocks.clone())));
        let (steps, simulation) = (Steps { steps, unit }, &simulation);
        steps.count(|progress| work_through(&claim, &Checkpointed { simulation, progress }))?;
        drop(claim);
        if let Some(done) = place.done(&folder) {
            self.delivery.print(done)?;
            return Ok(None);
        }
        let (_, inputs) = Described::of(&folder)?;
        Ok(Some((gathered(&folder, simulation)?, inputs)))
    }
}

/// A run whose parts wait for its policy.
struct Merging<'a> {
    described: &'a Described,
    folder: &'a RunFolder,
}

impl PolicyVisitor for Merging<'_> {
    type Output = Result<Outcome, Failure>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        let described = self.described;
        let (policy, clients) = (Arc::new(policy), described.clients);
        let (trials, seed) = (described.trials, described.seed);
        let mut simulation = Simulation::without_data(policy, clients, trials, seed)?;
        if described.is_ideal {
            simulation = simulation.ideal()?;
        }
        if let Some((low, granularity, are_means)) = described.units() {
            simulation = simulation.in_units(low, granularity, are_means);
        }
        if let Some(consistency) = described.consistency() {
            simulation = simulation.consistent(consistency);
        }
        gathered(self.folder, &simulation)
    }
}

/// The outcome of a run whose parts are all in a folder.
fn gathered<P: DpPolicy<Measurement: FromMeasurement>>(
    folder: &RunFolder,
    simulation: &Simulation<P>,
) -> Result<Outcome, Failure> {
    check_blocks(folder, simulation.blocks())?;
    let mut outcome = simulation.outcome_builder();
    for part in folder.parts()? {
        let part = part?;
        let refused = |source| Failure::Part { path: shown(&part.path), source: Box::new(source) };
        let read = simulation.read_results(part.blocks.clone(), &part.payload);
        outcome.add(read.map_err(refused)?).map_err(refused)?;
    }
    Ok(outcome.outcome()?)
}

/// Blocks of a simulation, whose progress is told.
struct Checkpointed<'a, P> {
    simulation: &'a Simulation<P>,
    progress: Progress<'a>,
}

impl<P: DpPolicy<Measurement: FromMeasurement>> Work for Checkpointed<'_, P> {
    type Part = BlockResults<P>;

    fn run(&self, blocks: Range<u64>) -> Result<BlockResults<P>, Failure> {
        Ok(self.simulation.run_blocks(blocks, self.progress)?)
    }

    fn extend(&self, part: &mut BlockResults<P>, next: BlockResults<P>) -> Result<(), Failure> {
        Ok(self.simulation.extend(part, next)?)
    }

    fn payload(&self, part: &BlockResults<P>) -> Result<Vec<u8>, Failure> {
        Ok(part.payload()?)
    }
}
