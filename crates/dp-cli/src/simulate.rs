//! `simulate`: a policy over real Prio3, on real data.

mod described;
mod parts;
mod posed;
mod steps;

use std::sync::Arc;

use dp_exact::{Refusal, grouped, integer};
use dp_prio3::DpPolicy;
use dp_report::simulation::{Asked, Observed};
use dp_simulation::parts::Folder;
pub(crate) use dp_simulation::report::FORMAT;
use dp_simulation::report::{Document, Plan, Report};
use dp_simulation::{Consistency, Measurements, Outcome, Population, Simulation, Trials};
use dp_task::{Measured, PolicyVisitor, Task};

use crate::checkpoints::{Place, work_through};
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::json::{Inputs, WithInputs};
use crate::options::{LEAVE_OUT, Options};
use crate::replaced::Replacing;
use crate::text::{columns, counted};
use crate::{policies, queries};
use described::Described;
pub(crate) use described::KIND;
use parts::{Checkpointed, gathered, in_the_clear};
use posed::Stated;
use steps::Steps;

/// The kind of the reports for people.
pub(crate) const REPORT: &str = "simulation";

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let place = options.checkpoints.place()?;
    let clients = options.clients()?;
    let threads = match &options.threads {
        Some(threads) => integer("threads", threads, 1..=1024)?,
        None => 0,
    };
    let trials = integer("trials", &options.trials, 1..=1_000_000)?;
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
        stated: Stated::by(options),
    };
    let plan = described.plan()?;
    let rows = question.rows;
    let population = match clients {
        None => Population::each_once(rows)?,
        Some(clients) => Population::bootstrap(rows, clients, seed)?,
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
    let Some((outcome, inputs)) = described.task.with_policy(running)? else {
        return Ok(());
    };
    deliver(delivery, &plan, &outcome, &inputs)
}

/// Reports a run whose parts are all in a folder.
pub(crate) fn merge(folder: &Folder, mut delivery: Delivery) -> Result<(), Failure> {
    let (described, inputs) = Described::of(folder)?;
    let plan = described.plan()?;
    let merging = Merging {
        described: &described,
        folder,
    };
    let outcome = described.task.with_policy(merging)?;
    delivery.print(Asked::of(&plan).text(columns()))?;
    deliver(delivery, &plan, &outcome, &inputs)
}

/// Where the report goes. A share of a run has none.
fn delivery(options: &Options, place: Option<&Place<'_>>) -> Result<Delivery, Failure> {
    let (json, reports) = (options.json.as_deref(), &options.reports);
    reports.check(json)?;
    let is_wanted = json.is_some() || reports.are_wanted();
    if options.force && !is_wanted {
        let place = "without --json, --html or --markdown";
        return Err(Refusal::contradiction("force", true, place, LEAVE_OUT).into());
    }
    if let Some(share) = place.and_then(|place| place.share)
        && is_wanted
    {
        let beside = "with --json, --html or --markdown";
        let change = "let `merge` write the report once all ranges are done";
        return Err(Refusal::contradiction("range", share, beside, change).into());
    }
    let inputs = [
        options.task.as_deref(),
        options.data.file.as_deref(),
        options.data.counts.as_deref(),
    ];
    let replacing = Replacing::new(options.force).sparing(inputs);
    let run = place.map(Place::file);
    let replacing = replacing.sparing([run.as_deref()]);
    let delivery = Delivery::prepare(json, FORMAT, &replacing)?;
    Ok(delivery.and_reports(reports, REPORT, &replacing)?)
}

/// The seed: the one that is typed, else that of the run which is continued, else any.
fn seed(options: &Options, place: Option<&Place<'_>>) -> Result<u64, Failure> {
    if let Some(seed) = &options.seed {
        return Ok(integer("seed", seed, 0..=u64::MAX)?);
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
    let (people, has_counts) = (grouped(rows.clients()), options.data.counts.is_some());
    let Some(clients) = clients else {
        return match has_counts {
            true => format!("{people} clients, as many as the data count."),
            false => format!("{people} clients, one for each row."),
        };
    };
    let clients = counted(clients, "client");
    match has_counts {
        true => {
            format!("{clients}, each one of {people} that the data count at random (a bootstrap).")
        }
        false => format!("{clients}, each a row of {people} at random (a bootstrap)."),
    }
}

/// Prints what a run found, and writes its report.
fn deliver(
    mut delivery: Delivery,
    plan: &Plan,
    outcome: &Outcome,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let report = Report { plan, outcome };
    delivery.print(Observed::of(report).text(columns()))?;
    let document = WithInputs {
        document: Document::from(report),
        inputs,
    };
    Ok(delivery.finish_with(&document, || dp_report::simulation::report(report))?)
}

/// A run that waits for its policy.
struct Running<'a> {
    described: &'a Described,
    plan: &'a Plan,
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
        P: DpPolicy<Measurement: Measured> + 'static,
    {
        let Described { trials, seed, .. } = *self.described;
        // The run of a folder is told from others by it.
        let digested = self.place.is_some().then(|| self.population.clone());
        let mut simulation = Simulation::new(
            Arc::new(policy),
            self.population,
            trials,
            seed,
            self.threads,
        )?;
        if let Some((low, granularity, are_means)) = self.described.units() {
            simulation = simulation.in_units(low, granularity, are_means);
        }
        if let Some(consistency) = self.described.consistency() {
            simulation = simulation.consistent(consistency);
        }
        let work = match self.described.is_ideal {
            true => simulation.ideal_work()?,
            false => simulation.work(),
        };
        let Some((place, population)) = self.place.zip(digested) else {
            self.delivery.print(Asked::of(self.plan).text(columns()))?;
            let steps = Steps::of(self.described, work.steps(0..work.blocks()));
            let is_announced = steps.announce(self.described, || Ok(simulation.rehearse()?))?;
            let outcome = steps.count(is_announced, |progress| work.run(progress))?;
            return Ok(Some((outcome, self.inputs.clone())));
        };
        let run = self.described.run(&population, self.inputs, work.blocks());
        let folder = place.open(&run?)?;
        self.delivery.print(Asked::of(self.plan).text(columns()))?;
        self.delivery.tell(in_the_clear(&folder))?;
        let claim = folder.claim(place.blocks(&folder))?;
        let missing = claim.missing().iter();
        let steps = missing.fold(0, |steps: u64, blocks| {
            steps.saturating_add(work.steps(blocks.clone()))
        });
        let steps = Steps::of(self.described, steps);
        steps.count(false, |progress| {
            let work = Checkpointed {
                work: &work,
                progress,
            };
            work_through(&claim, &work)
        })?;
        drop(claim);
        if let Some(done) = place.done(&folder) {
            self.delivery.print(done)?;
            return Ok(None);
        }
        let (_, inputs) = Described::of(&folder)?;
        Ok(Some((gathered(&folder, work.trials())?, inputs)))
    }
}

/// A run whose parts wait for its policy.
struct Merging<'a> {
    described: &'a Described,
    folder: &'a Folder,
}

impl PolicyVisitor for Merging<'_> {
    type Output = Result<Outcome, Failure>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: Measured> + 'static,
    {
        let Described {
            clients,
            trials,
            seed,
            ..
        } = *self.described;
        let trials = Trials::new(Arc::new(policy), clients, trials, seed)?;
        let mut trials = trials.computed_by(self.described.functionality());
        if let Some((low, granularity, are_means)) = self.described.units() {
            trials = trials.in_units(low, granularity, are_means);
        }
        if let Some(consistency) = self.described.consistency() {
            trials = trials.consistent(consistency);
        }
        gathered(self.folder, &trials)
    }
}

/// What is known of the totals of a task: of vectors in which exactly one bit is set also their sum.
fn known_totals(task: &Task) -> Consistency {
    let randomizer = task.policy_name().client_noise;
    if randomizer.is_some_and(queries::is_one_hot) {
        Consistency::Partition
    } else {
        Consistency::of(task.query())
    }
}
