//! From the options to a task: one that they name by its file, or one that they spell out.

use std::path::Path;

use dp_calibration::Budget;
use dp_exact::{ParameterError, Refusal, shown};
use dp_task::{
    AggregatorNoise, AggregatorNoiseType, ClientNoise, ClientNoiseType, NoiseParameters,
    PolicyName, Task, VdafSize, VdafType,
};

use crate::failure::Failure;
use crate::options::Options;
use crate::questions::{Question, as_asked, bound};

/// The policy if none is named: that of `plan` for the default question.
const DEFAULT: &str = "histogram-laplace";

/// The same where a ρ is given, which Laplace noise is not calibrated to.
const DEFAULT_WITH_RHO: &str = "histogram-gaussian";

/// A task and the question that it answers.
pub(crate) struct Planned {
    pub(crate) task: Task,
    pub(crate) question: Question,
    /// Whether a file says what the task is.
    pub(crate) from_file: bool,
}

/// Reads the task or makes one, and reads the data, or makes them by the seed.
pub(crate) fn plan(options: &Options, seed: u64) -> Result<Planned, Failure> {
    let Some(path) = &options.policy.task else {
        return spelled_out(options, None, seed);
    };
    let task = read(path)?;
    match &options.policy.name {
        Some(policy) if policy != task.policy_name().name => {
            spelled_out(options, Some(&task), seed)
        }
        _ => from_file(options, task, seed),
    }
}

/// The task of a file; what is wrong with it names the file.
pub(crate) fn read(path: &Path) -> Result<Task, Failure> {
    Task::read(path).map_err(|error| match error {
        dp_task::Error::File { .. } => error.into(),
        error => Failure::TaskFile { path: shown(path), source: Box::new(error) },
    })
}

/// The policy of this name.
pub(crate) fn named(name: &str) -> Result<PolicyName, ParameterError> {
    PolicyName::find(name).ok_or_else(|| {
        let accepted = "a name that `policies` lists, such as histogram-laplace";
        ParameterError::new("policy", name, accepted)
    })
}

fn from_file(options: &Options, task: Task, seed: u64) -> Result<Planned, Failure> {
    options.refuse(&options.of_policies())?;
    if options.trust.accept_weak_guarantee {
        let (place, change) = ("with --task", "set the task's trust.accept_weak_guarantee instead");
        return Err(Refusal::contradiction("accept-weak-guarantee", true, place, change).into());
    }
    let question = Question::ask(options, task.policy_name(), Some(&task), seed)?;
    let vdaf = &task.document().vdaf;
    let (length, expected) = (question.labels.len(), vdaf.length().unwrap_or(1));
    if length != expected {
        let name = match vdaf.kind() {
            VdafType::Histogram => "bins",
            _ => "columns",
        };
        let accepted = format!("{expected}, as the task's vdaf.length");
        return Err(ParameterError::new(name, length, accepted).into());
    }
    Ok(Planned { task, question, from_file: true })
}

/// The task of a named policy, for the job of a task if there is one.
fn spelled_out(options: &Options, job: Option<&Task>, seed: u64) -> Result<Planned, Failure> {
    let default = default_policy(options)?;
    let name = options.policy.name.as_deref().unwrap_or(&default);
    let policy = named(name)?;
    refuse_foreign(options, policy)?;
    let said = match job {
        Some(job) => said_beside(options, job, policy)?,
        None => said(options),
    };
    let as_typed = |error| as_option(error, options);
    policy.check(&said).map_err(as_typed)?;
    let mut question = Question::ask(options, policy, job, seed)?;
    if let Some(job) = job {
        let replaced = job.policy_name().name;
        let words =
            format!(" The job is that of {}, done by {name} in place of {replaced}.", job.name());
        question.words.push_str(&words);
        question.bound = question.bound.or_else(|| bound(job.query()));
        question.grid = question.grid.or_else(|| job.grid().cloned());
    }
    let clients = options.clients()?.or(question.clients);
    let clients = clients.unwrap_or_else(|| question.rows.clients());
    let size = VdafSize {
        length: question.labels.len(),
        max_measurement: question.bound.unwrap_or(1),
        max_weight: question.weight(),
        grid: question.grid.clone(),
    };
    let task = policy.document(&said, &size, clients);
    let task = task.and_then(Task::accepting_weak_guarantee);
    Ok(Planned { task: task.map_err(as_typed)?, question, from_file: false })
}

/// The parameters of the noise that the options name.
fn said(options: &Options) -> NoiseParameters {
    NoiseParameters {
        aggregators: options.policy.aggregators.clone(),
        epsilon: options.policy.epsilon.clone(),
        delta: options.policy.delta.clone(),
        rho: options.policy.rho.clone(),
        epsilon0: options.policy.epsilon0.clone(),
        local_epsilon: options.policy.local_epsilon.clone(),
        false_positive_rate: options.policy.false_positive_rate.clone(),
        wanted_honest_clients: options.policy.wanted_honest_clients.clone(),
        assumed_malicious_clients: options.policy.assumed_malicious_clients.clone(),
    }
}

/// The policy if none is named: for the default question, or with Laplace noise for a type.
fn default_policy(options: &Options) -> Result<String, ParameterError> {
    let Some(text) = &options.data.query else {
        return Ok(match options.policy.rho {
            Some(_) => DEFAULT_WITH_RHO.to_owned(),
            None => DEFAULT.to_owned(),
        });
    };
    let kind = text.trim().split(':').next().unwrap_or_default();
    let law = if options.policy.rho.is_some() { "gaussian" } else { "laplace" };
    let name = format!("{kind}-{law}");
    let accepted = "count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH, multihot:LENGTH:WEIGHT or \
                    l1boundsum:LENGTH:MAX";
    match PolicyName::find(&name) {
        Some(_) => Ok(name),
        None => Err(ParameterError::new("type", text, accepted)),
    }
}

/// The parameters that the options name, else those of the task whose job is done, as far as the policy has them.
fn said_beside(
    options: &Options,
    job: &Task,
    policy: PolicyName,
) -> Result<NoiseParameters, ParameterError> {
    if as_asked(policy, job.query()).is_none() {
        let accepted = format!("a policy that aggregates {}, as the task does", job.query());
        return Err(ParameterError::new("policy", policy.name, accepted));
    }
    let (said, of_job) = (said(options), said_by(job));
    let has_budget = said.epsilon.is_some() || said.rho.is_some();
    Ok(NoiseParameters {
        aggregators: said.aggregators.or(of_job.aggregators),
        delta: said.delta.or(of_job.delta),
        epsilon: said.epsilon.or(of_job.epsilon),
        rho: said.rho.or(of_job.rho.filter(|_| !has_budget)),
        epsilon0: said.epsilon0.or(of_job.epsilon0),
        local_epsilon: said.local_epsilon.or(of_job.local_epsilon),
        ..said
    })
}

/// The parameters of a task's noise, as they would be typed for another policy.
pub(crate) fn said_by(task: &Task) -> NoiseParameters {
    let document = task.document();
    let mut said = NoiseParameters {
        aggregators: Some(document.vdaf.aggregators().to_string()),
        delta: Some(task.circumstances().delta().to_string()),
        ..NoiseParameters::default()
    };
    let noise = document.aggregator_noise.as_ref();
    match noise.and_then(AggregatorNoise::budget) {
        Some(Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. }) => {
            said.epsilon = Some(epsilon.to_string());
        }
        Some(Budget::ZeroConcentrated { rho }) => said.rho = Some(rho.to_string()),
        Some(Budget::Renyi { .. }) | None => {}
    }
    match &document.client_noise {
        Some(
            ClientNoise::SymmetricRappor { epsilon0, .. }
            | ClientNoise::OneHotRappor { epsilon0, .. },
        ) => said.epsilon0 = Some(epsilon0.to_string()),
        Some(
            ClientNoise::RandomizedResponse { epsilon }
            | ClientNoise::KaryRandomizedResponse { epsilon }
            | ClientNoise::BasicRappor { epsilon, .. },
        ) => {
            said.local_epsilon = Some(epsilon.to_string());
            said.epsilon.get_or_insert_with(|| epsilon.to_string());
        }
        Some(ClientNoise::CoinFlip {}) | None => {}
    }
    said
}

/// An error of a field, as one of the option that set it.
fn as_option(error: dp_task::Error, options: &Options) -> Failure {
    let dp_task::Error::Field(error) = error else {
        return error.into();
    };
    let option = match error.name() {
        "aggregator_noise.budget" if options.policy.rho.is_some() => "rho",
        "aggregator_noise.budget" => "epsilon",
        "client_noise.epsilon" if options.policy.local_epsilon.is_some() => "local-epsilon",
        "client_noise.epsilon" => "epsilon",
        "client_noise.input_weight" => "max-weight",
        path if path.starts_with("vdaf.range.grid") => "grid",
        path => path.rsplit('.').next().unwrap_or_default(),
    };
    let option = option.replace('_', "-");
    error.renamed(option).into()
}

/// Refuses options that the policy does not have.
fn refuse_foreign(options: &Options, policy: PolicyName) -> Result<(), Refusal> {
    if let (Some(epsilon), Some(_)) = (&options.policy.epsilon, &options.policy.rho)
        && policy.aggregator_noise == Some(AggregatorNoiseType::DiscreteGaussian)
    {
        let (place, change) = ("with --rho", "leave one of them out");
        return Err(Refusal::contradiction("epsilon", epsilon, place, change));
    }
    if let (Some(epsilon), None) = (&options.policy.epsilon, policy.aggregator_noise)
        && matches!(
            policy.client_noise,
            Some(ClientNoiseType::SymmetricRappor | ClientNoiseType::OneHotRappor)
        )
    {
        let place = format!("with --policy {}", policy.name);
        let change = "take --epsilon0, RAPPOR's parameter";
        return Err(Refusal::contradiction("epsilon", epsilon, place, change));
    }
    let of_vdaf: &[&str] = match policy.vdaf {
        VdafType::Count | VdafType::Histogram => &[],
        VdafType::MultihotCountVec
            if matches!(policy.client_noise, None | Some(ClientNoiseType::SymmetricRappor)) =>
        {
            &["max-weight"]
        }
        VdafType::MultihotCountVec => &[],
        VdafType::Sum | VdafType::Average | VdafType::SumVec | VdafType::L1BoundSum => {
            &["max-measurement"]
        }
    };
    let on_grids: &[&str] = match policy.vdaf {
        VdafType::Sum | VdafType::Average | VdafType::SumVec => &["grid"],
        _ => &[],
    };
    if let (Some(epsilon0), Some(name @ ("epsilon" | "local_epsilon"))) =
        (&options.policy.epsilon0, policy.client_parameter())
    {
        let place = format!("with --policy {}", policy.name);
        let name = name.replace('_', "-");
        let change = format!("take --{name}, what the answer of one client guarantees");
        return Err(Refusal::contradiction("epsilon0", epsilon0, place, change));
    }
    let of_noise = policy.parameters().into_iter();
    let mut has: Vec<String> = of_noise.map(|name| name.replace('_', "-")).collect();
    let others = [&["aggregators", "delta"], of_vdaf, on_grids].concat();
    has.extend(others.into_iter().map(str::to_owned));
    let mut foreign = options.of_policies().to_vec();
    foreign.retain(|(name, _)| !has.iter().any(|own| own == name));
    options.refuse(&foreign)
}
