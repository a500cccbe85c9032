//! A run with its clients, before its trials.

use std::sync::OnceLock;

use dp_calibration::Refusal;
use dp_exact::{Delta, ParameterError, grouped, parse_integer};
use dp_prio3::{Circumstances, Guarantee, TrustModel};
use dp_simulation::report::SimulationPlan;
use dp_simulation::{Consistency, Error, GridUnits, Measurements, Outcome, Population, Simulation};
use dp_task::{DEFAULT_DELTA, Task, VdafType};

use crate::failure::Failure;
use crate::options::SimulateOptions;
use crate::text::counted;
use crate::{progress, tasks};

/// A run whose options are all valid, and its clients.
pub(super) struct Prepared {
    pub(super) plan: SimulationPlan,
    pub(super) population: Population,
    trials: u64,
    /// The number of threads; 0 is one for each processor.
    threads: usize,
}

impl Prepared {
    /// Reads the data or draws them from `seed`, makes the task, and computes its guarantees;
    /// refuses what cannot be run.
    pub(super) fn new(options: &SimulateOptions, seed: u64) -> Result<Self, Failure> {
        // Before data are read.
        options.clients.map_or(Ok(()), |clients| options.check_clients(clients))?;
        let (task, survey) = tasks::with_survey(options, seed)?;
        let drawn = options.clients.or(survey.clients);
        let clients = drawn.unwrap_or_else(|| survey.rows.clients());
        options.check_clients(clients)?;
        let percentiles = options.cumulative.question(&task.policy_name(), &survey.labels)?;
        tasks::check_batch(&task, clients)?;
        let circumstances = circumstances(options, &task, clients)?;
        let plan = SimulationPlan {
            percentiles,
            guarantees: guarantees(options, &task, &circumstances)?,
            circumstances: circumstances.over(task.releases()),
            pairs: OnceLock::new(),
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
            post_processing: options.consistent.then(|| Consistency::of_task(&task)),
            parameters: parameters(&task, options.policy.task.is_some()),
            task,
        };
        let population = match drawn {
            None => Population::each_once(survey.rows)?,
            Some(clients) => Population::bootstrap(survey.rows, clients, seed)?,
        };
        let threads = options.run.threads.unwrap_or(0);
        Ok(Self { plan, population, trials: options.trials, threads })
    }

    /// The plan of the run, and its simulation with its units and post-processing.
    pub(super) fn simulation(self) -> Result<(SimulationPlan, Simulation), Failure> {
        let Self { plan, population, trials, threads } = self;
        let policy = plan.task.policy().clone();
        let simulation = Simulation::new(policy, population, trials, plan.seed, threads);
        let mut simulation =
            simulation.map_err(|error| with_bound(error, plan.task.policy_name().vdaf))?;
        if plan.is_ideal {
            simulation = simulation.ideal()?;
        }
        if let Some(units) = GridUnits::of(&plan.task) {
            simulation = simulation.in_units(units);
        }
        if let Some(consistency) = plan.post_processing {
            simulation = simulation.consistent(consistency);
        }
        if let Some(question) = &plan.percentiles {
            simulation = simulation.percentiles_and_ranges(question.clone())?;
        }
        Ok((plan, simulation))
    }

    /// Runs every trial. `begin` is called just before, when no option can be wrong any more; its
    /// error ends the run.
    pub(super) fn run_all(
        self,
        begin: impl FnOnce(&SimulationPlan) -> Result<(), Failure>,
    ) -> Result<(SimulationPlan, Outcome), Failure> {
        let trials = self.trials;
        let (plan, simulation) = self.simulation()?;
        begin(&plan)?;
        let run = |progress: dp_simulation::Progress<'_>| simulation.run(progress);
        let outcome = progress::counted(simulation.steps(trials), unit(&plan), run)?;
        Ok((plan, outcome))
    }
}

/// The failure of a simulation. If it is for rows beyond the bound of their vectors, it ends with
/// the bound that fits all rows.
fn with_bound(error: Error, vdaf: VdafType) -> Failure {
    let Error::Rows { largest: Some(largest), .. } = error else { return error.into() };
    let bound = match vdaf {
        VdafType::MultihotCountVec => {
            format!("max_weight of {largest}, the most ones in a person's vector,")
        }
        VdafType::L1BoundSum => {
            format!("max_measurement of {largest}, the largest sum of a person's vector,")
        }
        _ => return error.into(),
    };
    Failure::Usage(format!("{error}; a {bound} fits all"))
}

/// The unit of the steps of progress: `trials` if totals are drawn without reports, else `reports`.
pub(super) const fn unit(plan: &SimulationPlan) -> &'static str {
    if plan.is_ideal { "trials" } else { "reports" }
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

/// The names and values of all parameters of the task's policy and grid, and if the task
/// `is_from_file` its name and digest.
fn parameters(task: &Task, is_from_file: bool) -> Vec<(&'static str, String)> {
    let mut parameters = task.policy().parameters();
    if is_from_file {
        parameters.push(("task", task.document().name.clone()));
        parameters.push(("task_digest", task.digest().to_string()));
    }
    if let Some(grid) = task.grid() {
        parameters.extend([
            ("grid_low", grid.low().to_string()),
            ("grid_high", grid.high().to_string()),
            ("grid_granularity", grid.granularity().to_string()),
        ]);
    }
    parameters
}

/// The guarantees of one release by trust model. `Err` if none protects anybody and the options or
/// the task do not accept that.
fn guarantees(
    options: &SimulateOptions,
    task: &Task,
    circumstances: &Circumstances,
) -> Result<Vec<Guarantee>, Failure> {
    let aggregators = task.document().vdaf.aggregators();
    let honest = match &options.trust.honest_aggregators {
        Some(honest) => parse_integer("honest-aggregators", honest, 1..=aggregators)?,
        None => usize::from(task.trust_model().honest_aggregators()),
    };
    let models = TrustModel::with_honest_aggregators(honest)?.into_iter();
    let guarantees: Vec<Guarantee> =
        models.map(|model| task.policy().guarantee(model, circumstances)).collect();
    let protects = |guarantee: &Guarantee| guarantee.budget().is_some() && !guarantee.is_weak;
    let is_accepted = match options.policy.task {
        Some(_) => task.document().trust.accept_weak_guarantee,
        None => options.trust.accept_weak_guarantee,
    };
    if !is_accepted && !guarantees.iter().any(protects) {
        let accepted = "this option, as every guarantee has an epsilon above 20 or a delta above \
                        0.001: it protects nobody";
        return Err(Refusal::missing("accept-weak-guarantee", accepted).into());
    }
    Ok(guarantees)
}

/// The honest clients and the δ on which guarantees count: as typed; else for a task of a file as
/// it says, otherwise all clients but the assumed malicious ones, and the default δ.
fn circumstances(
    options: &SimulateOptions,
    task: &Task,
    clients: u64,
) -> Result<Circumstances, ParameterError> {
    let (of_task, is_from_file) = (task.circumstances().clone(), options.policy.task.is_some());
    let most = clients.saturating_sub(task.policy().assumed_malicious());
    let honest_clients = match &options.trust.honest_clients {
        Some(honest) => parse_integer("honest-clients", honest, 1..=most)?,
        None if is_from_file => of_task.honest_clients,
        None => most,
    };
    let delta: Delta = match &options.policy.delta {
        Some(typed) => typed.clone(),
        None if is_from_file => of_task.delta.clone(),
        None => DEFAULT_DELTA.parse()?,
    };
    Ok(Circumstances { honest_clients, delta, ..of_task })
}
