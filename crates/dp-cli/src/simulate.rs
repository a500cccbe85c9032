//! `simulate`: a policy over real Prio3, on real data.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use dp_exact::{ParameterError, Refusal};
use dp_grid::Grid;
use dp_prio3::{Circumstances, DpPolicy, Guarantee, TrustModel};
use dp_report::simulation::{Asked, Observed};
use dp_simulation::report::{Document, Functionality, Plan, Report};
use dp_simulation::{Consistency, Measurements, Outcome, Population, Simulation};
use dp_task::{AggregatorNoise, Measured, PolicyVisitor, Task};
use indicatif::{ProgressBar, ProgressStyle};

use crate::bounded;
use crate::delivery::Delivery;
use crate::failure::Failure;
use crate::forecast::{Forecast, announce};
use crate::json::WithInputs;
use crate::options::{LEAVE_OUT, Options, integer};
use crate::text::{columns, counted};
use crate::{policies, questions};

/// Of so many reports it is said before they start how long they will take.
const MANY: u64 = 1_000_000;

/// And of reports that have so many entries all together.
const MANY_ENTRIES: u64 = 100_000_000;

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let seed = match &options.seed {
        Some(seed) => integer("seed", seed, 0..=u64::MAX)?,
        None => rand::random(),
    };
    let clients = options.clients()?;
    let threads = match &options.threads {
        Some(threads) => integer("threads", threads, 1..=1024)?,
        None => 0,
    };
    let trials = integer("trials", &options.trials, 1..=1_000_000)?;
    let (json, reports) = (options.json.as_deref(), &options.reports);
    reports.check(json)?;
    if options.force && json.is_none() && !reports.are_wanted() {
        let place = "without --json, --html or --markdown";
        return Err(Refusal::contradiction("force", true, place, LEAVE_OUT).into());
    }
    let mut delivery = Delivery::with_reports(json, reports, options.force)?;
    // What is computed before the run has one budget of work; the run has none.
    let (planned, guarantees) = bounded(&options.costly(), || {
        let planned = policies::plan(options)?;
        let people = planned.question.rows.clients();
        options.check_clients(people, people)?;
        let asked = Posed {
            options,
            task: &planned.task,
            from_file: planned.from_file,
        };
        let guarantees = asked.guarantees(clients.unwrap_or(people))?;
        Ok((planned, guarantees))
    })?;
    let words = in_words(clients, &planned.question.rows, options);
    let population = match clients {
        None => Population::each_once(planned.question.rows)?,
        Some(clients) => Population::bootstrap(planned.question.rows, clients, seed)?,
    };
    let asked = Posed {
        options,
        task: &planned.task,
        from_file: planned.from_file,
    };
    let (question, labels) = (planned.question.words, planned.question.labels);
    let plan = Plan::new(&planned.task, question, words, labels, guarantees, seed);
    let consistency = options.consistent.then(|| known_totals(&planned.task));
    let mut plan = plan
        .of_data(planned.question.reading)
        .computed_by(options.functionality())
        .consistent(consistency);
    asked.add_parameters(&mut plan);
    let reports = population.clients();
    let run = Run {
        plan: &plan,
        delivery: &mut delivery,
        population,
        seed,
        threads,
        trials,
        grid: planned.task.grid(),
        are_means: planned.task.divisor(reports) == reports,
    };
    let outcome = planned.task.with_policy(run)?;
    let report = Report {
        plan: &plan,
        outcome: &outcome,
    };
    delivery.print(Observed::of(report).text(columns()))?;
    let document = WithInputs {
        document: Document::from(report),
        inputs: &options.inputs,
    };
    Ok(delivery.finish_with(&document, || dp_report::simulation::report(report))?)
}

/// Which clients a run has: those of the data, or so many.
fn in_words(clients: Option<u64>, rows: &Measurements, options: &Options) -> String {
    let (people, has_counts) = (rows.clients(), options.data.counts.is_some());
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

/// A run that waits for its policy.
struct Run<'a> {
    plan: &'a Plan,
    delivery: &'a mut Delivery,
    population: Population,
    seed: u64,
    threads: usize,
    trials: u64,
    /// The grid of the measurements, if they are on one.
    grid: Option<&'a Grid>,
    /// Whether means are estimated, and not totals.
    are_means: bool,
}

impl PolicyVisitor for Run<'_> {
    type Output = Result<Outcome, Failure>;

    /// Prints the plan once nothing can be wrong with it, and runs it.
    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: Measured> + 'static,
    {
        let is_ideal = self.plan.functionality == Functionality::Ideal;
        let (population, trials) = (self.population, self.trials);
        let (steps, unit) = match self.plan.functionality {
            Functionality::Prio3 => (population.clients().saturating_mul(trials), "reports"),
            Functionality::Ideal => (trials, "trials"),
        };
        let bar = progress_bar(steps, unit);
        let mut simulation = Simulation::new(
            Arc::new(policy),
            population,
            trials,
            self.seed,
            self.threads,
        )?;
        if let Some(grid) = self.grid {
            let (low, granularity) = (grid.low().to_f64(), grid.granularity().to_f64());
            simulation = simulation.in_units(low, granularity, self.are_means);
        }
        if let Some(consistency) = self.plan.post_processing {
            simulation = simulation.consistent(consistency);
        }
        self.delivery.print(Asked::of(self.plan).text(columns()))?;
        let entries = u64::try_from(self.plan.labels.len()).unwrap_or(u64::MAX);
        let is_long = steps >= MANY || steps.saturating_mul(entries) >= MANY_ENTRIES;
        let is_announced = is_long && !is_ideal && announce(steps, unit, simulation.rehearse()?);
        let forecast = bar
            .is_hidden()
            .then(|| Forecast::new(steps, unit, is_announced));
        let progress = |steps| match &forecast {
            Some(forecast) => forecast.add(steps),
            None => bar.inc(steps),
        };
        let outcome = if is_ideal {
            simulation.run_ideal(&progress)
        } else {
            simulation.run(&progress)
        };
        bar.finish_and_clear();
        Ok(outcome?)
    }
}

/// What is known of the totals of a task: of vectors in which exactly one bit is set also their sum.
fn known_totals(task: &Task) -> Consistency {
    let randomizer = task.policy_name().client_noise;
    if randomizer.is_some_and(questions::is_one_hot) {
        Consistency::Partition
    } else {
        Consistency::of(task.query())
    }
}

/// The task of a run, and what the options say beside it.
struct Posed<'a> {
    options: &'a Options,
    task: &'a Task,
    from_file: bool,
}

impl Posed<'_> {
    /// What is promised to so many clients, in every trust model that matters.
    fn guarantees(&self, reports: u64) -> Result<Vec<Guarantee>, Failure> {
        let least = self.task.min_reports();
        if reports < least {
            let accepted = format!("at least {least}, the task's batch.min_reports");
            return Err(ParameterError::new("clients", reports, accepted).into());
        }
        let circumstances = self.circumstances(reports)?;
        let models = self.trust_models()?;
        let models = models.into_iter();
        let guarantees: Vec<Guarantee> = models
            .map(|model| self.task.guarantee_in(model, &circumstances))
            .collect();
        self.check_strength(&guarantees)?;
        Ok(guarantees)
    }

    /// What the policy's own parameters leave out: which task it is of, and its grid.
    fn add_parameters(&self, plan: &mut Plan) {
        let task = self.task;
        if self.from_file {
            let digest = task.digest().to_string();
            plan.parameters.push(("task", task.name().to_owned()));
            plan.parameters.push(("task_digest", digest));
        }
        if let Some(grid) = task.grid() {
            let granularity = grid.granularity().to_string();
            plan.parameters.push(("grid_low", grid.low().to_string()));
            plan.parameters.push(("grid_high", grid.high().to_string()));
            plan.parameters.push(("grid_granularity", granularity));
        }
    }

    /// The three trust models, and those that count on more honest aggregators, if the options or
    /// the task name some.
    fn trust_models(&self) -> Result<Vec<TrustModel>, Failure> {
        let aggregators = self.task.document().vdaf.aggregators();
        let honest = match &self.options.honest_aggregators {
            Some(honest) => integer("honest-aggregators", honest, 1..=aggregators)?,
            None => usize::from(self.task.trust_model().honest_aggregators()),
        };
        Ok(TrustModel::with_honest_aggregators(honest)?)
    }

    /// Refuses a run of which no promise protects anybody, unless that is accepted.
    fn check_strength(&self, guarantees: &[Guarantee]) -> Result<(), Refusal> {
        let protects = |guarantee: &Guarantee| guarantee.budget().is_some() && !guarantee.is_weak;
        let accepted = if self.from_file {
            self.task.accepts_weak_promise()
        } else {
            self.options.accept_weak_promise
        };
        if accepted || guarantees.iter().any(protects) {
            return Ok(());
        }
        let accepted = "this option, as every promise has an epsilon above 20 or a delta above \
                        0.001: it protects nobody";
        Err(Refusal::missing("accept-weak-promise", accepted))
    }

    /// Which clients are honest: by the options, else by the task, else every client that the policy
    /// does not assume to be malicious.
    fn circumstances(&self, clients: u64) -> Result<Circumstances, Failure> {
        let of_task = self.task.circumstances();
        let noise = self.task.document().aggregator_noise.as_ref();
        let malicious = noise.map_or(0, AggregatorNoise::assumed_malicious_clients);
        let most = clients.saturating_sub(malicious);
        let honest_clients = match &self.options.honest_clients {
            Some(honest) => integer("honest-clients", honest, 1..=most)?,
            None => self.task.document().trust.honest_clients.unwrap_or(most),
        };
        let delta = if self.from_file {
            of_task.delta().clone()
        } else {
            policies::delta(self.options)?
        };
        Ok(Circumstances::new(honest_clients, delta))
    }
}

/// A bar on a terminal, nothing where output is piped.
fn progress_bar(steps: u64, unit: &str) -> ProgressBar {
    if !io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = format!("{{wide_bar}} {{human_pos}} of {{human_len}} {unit}, {{eta}} left");
    match ProgressStyle::with_template(&style) {
        Ok(style) => ProgressBar::new(steps).with_style(style),
        Err(_) => ProgressBar::new(steps),
    }
}
