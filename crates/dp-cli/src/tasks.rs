//! The task of a command: read from a file, or made from options.

use std::path::Path;

use dp_calibration::Refusal;
use dp_exact::ParameterError;
use dp_task::{
    AggregatorNoiseType, ClientNoiseType, NoiseParameters, PolicyName, Task, VdafSize, VdafType,
};

use crate::failure::Failure;
use crate::options::{PolicyOptions, SimulateOptions};
use crate::survey::Survey;
use crate::values::LEAVE_OUT;

/// Reads the task of `--task` or makes it from options, and reads its data, or draws them from
/// `seed`.
pub(crate) fn with_survey(options: &SimulateOptions, seed: u64) -> Result<(Task, Survey), Failure> {
    let (task, survey) = match &options.policy.task {
        Some(path) => from_file(options, read(path)?, seed)?,
        None => from_options(options, seed)?,
    };
    Ok((with_totals(task, options.raw_totals)?, survey))
}

/// The task, or with `raw_totals` the task whose estimates are its noisy totals. `Err` if totals
/// are not corrected anyway.
pub(crate) fn with_totals(task: Task, raw_totals: bool) -> Result<Task, Refusal> {
    if raw_totals && task.policy().corrected_buckets() == 1 {
        let context = format!("with {}, whose totals are not corrected", task.policy_name().name);
        return Err(Refusal::contradiction("raw-totals", true, context, LEAVE_OUT));
    }
    Ok(if raw_totals { task.with_raw_totals() } else { task })
}

/// Reads a task file. Every error names the file.
pub(crate) fn read(path: &Path) -> Result<Task, Failure> {
    Task::read(path).map_err(|error| match error {
        dp_task::Error::File(error) => error.into(),
        error => Failure::content(path, error),
    })
}

/// `Err` for fewer clients than the smallest batch of the task.
pub(crate) fn check_batch(task: &Task, clients: u64) -> Result<(), ParameterError> {
    let least = task.policy().min_reports();
    if clients >= least {
        return Ok(());
    }
    let accepted = format!("at least {least}, the task's batch.min_reports");
    Err(ParameterError::new("clients", clients, accepted))
}

/// A parser for clap: a policy by its name.
pub(crate) fn policy(name: &str) -> Result<PolicyName, ParameterError> {
    PolicyName::find(name).ok_or_else(|| {
        let accepted = "a name that `policies` lists, such as histogram-laplace";
        ParameterError::new("policy", name, accepted)
    })
}

/// Options, without dashes, whose values a task file has.
const POLICY_OPTIONS: [&str; 11] = [
    "epsilon",
    "rho",
    "epsilon0",
    "local-epsilon",
    "max-weight",
    "false-positive-rate",
    "max-measurement",
    "grid",
    "target-honest-clients",
    "assumed-malicious-clients",
    "aggregators",
];

/// The task of a file, with its survey. `Err` for options whose values the task has.
fn from_file(options: &SimulateOptions, task: Task, seed: u64) -> Result<(Task, Survey), Failure> {
    options.refuse(POLICY_OPTIONS)?;
    if options.trust.accept_weak_guarantee {
        let change = "set the task's trust.accept_weak_guarantee instead";
        return Err(
            Refusal::contradiction("accept-weak-guarantee", true, "with --task", change).into()
        );
    }
    let survey = Survey::read(options, task.policy_name(), Some(&task), seed)?;
    Ok((task, survey))
}

/// The task of typed options, with its survey, whose length and bound are the task's; the policy is
/// `--policy` or the default one.
fn from_options(options: &SimulateOptions, seed: u64) -> Result<(Task, Survey), Failure> {
    let default = default_policy(options)?;
    let policy = policy(options.policy.name.as_deref().unwrap_or(&default))?;
    refuse_foreign(options, policy)?;
    let parameters = typed_parameters(&options.policy);
    let as_typed = |error| as_option(error, options);
    let survey = Survey::read(options, policy, None, seed)?;
    let clients = options.clients.or(survey.clients);
    let clients = clients.unwrap_or_else(|| survey.rows.clients());
    let size = VdafSize {
        length: survey.labels.len(),
        max_measurement: survey.bound.unwrap_or(1),
        // No vector is as long as the largest number.
        max_weight: survey.bound.map(|bound| usize::try_from(bound).unwrap_or(usize::MAX)),
        grid: options.data.grid.clone(),
    };
    let task = policy.document(&parameters, &size, clients);
    let task = task.and_then(Task::accepting_weak_guarantee).map_err(as_typed)?;
    Ok((task, survey))
}

/// The parameters of noise that were typed.
fn typed_parameters(typed: &PolicyOptions) -> NoiseParameters {
    NoiseParameters {
        delta: typed.delta.clone(),
        aggregators: typed.aggregators,
        epsilon: typed.epsilon.clone(),
        rho: typed.rho.clone(),
        epsilon0: typed.epsilon0.clone(),
        local_epsilon: typed.local_epsilon.clone(),
        false_positive_rate: typed.false_positive_rate.clone(),
        target_honest_clients: typed.target_honest_clients,
        assumed_malicious_clients: typed.assumed_malicious_clients,
    }
}

/// The name of the default policy for `--type`, or without it for a histogram: with Gaussian noise
/// if `--rho` is typed, else with Laplace noise. `Err` for an unknown type.
fn default_policy(options: &SimulateOptions) -> Result<String, ParameterError> {
    let noise = if options.policy.rho.is_some() { "gaussian" } else { "laplace" };
    let typed = options.data.query.as_deref().unwrap_or("histogram");
    let vdaf = typed.trim().split(':').next().unwrap_or_default();
    let name = format!("{vdaf}-{noise}");
    if PolicyName::find(&name).is_some() {
        return Ok(name);
    }
    let accepted = "count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH, \
                    multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX";
    Err(ParameterError::new("type", typed, accepted))
}

/// The failure for a field of a task as one about the option that set the field; other errors as
/// they are.
fn as_option(error: dp_task::Error, options: &SimulateOptions) -> Failure {
    let dp_task::Error::Field(error) = error else {
        return error.into();
    };
    let path: Vec<&str> = error.name().split('.').collect();
    let option = match path[..] {
        ["aggregator_noise", "budget", "approximate", "delta"] => "delta",
        ["aggregator_noise", "budget", ..] if options.policy.rho.is_some() => "rho",
        ["aggregator_noise", "budget", ..] => "epsilon",
        ["client_noise", "epsilon"] if options.policy.local_epsilon.is_some() => "local-epsilon",
        ["client_noise", "input_weight"] => "max-weight",
        ["vdaf", "range", "grid", ..] => "grid",
        [.., name] => name,
        [] => unreachable!("a split text has a first part"),
    };
    let option = option.replace('_', "-");
    error.renamed(option).into()
}

/// The options about a policy, without dashes, that this policy does not use.
pub(crate) fn foreign_options(policy: PolicyName) -> impl Iterator<Item = &'static str> {
    let of_vdaf: &[&str] = match policy.vdaf {
        VdafType::Count | VdafType::Histogram => &[],
        VdafType::MultihotCountVec
            if matches!(policy.client_noise, None | Some(ClientNoiseType::SymmetricRappor)) =>
        {
            &["max-weight"]
        }
        VdafType::MultihotCountVec => &[],
        VdafType::Sum | VdafType::Average | VdafType::SumVec => &["max-measurement", "grid"],
        VdafType::L1BoundSum => &["max-measurement"],
    };
    let own: Vec<String> =
        policy.parameters().into_iter().map(|name| name.replace('_', "-")).collect();
    POLICY_OPTIONS.into_iter().filter(move |name| {
        *name != "aggregators" && !of_vdaf.contains(name) && !own.iter().any(|own| own == name)
    })
}

/// Refuses typed options that the policy does not use, and `--epsilon` with `--rho` for Gaussian
/// noise.
fn refuse_foreign(options: &SimulateOptions, policy: PolicyName) -> Result<(), Refusal> {
    let typed = &options.policy;
    if let (Some(epsilon), Some(_)) = (&typed.epsilon, &typed.rho)
        && policy.aggregator_noise == Some(AggregatorNoiseType::DiscreteGaussian)
    {
        return Err(Refusal::contradiction(
            "epsilon",
            epsilon,
            "with --rho",
            "leave one of them out",
        ));
    }
    let Some((option, value)) = options.inputs.first_of(foreign_options(policy)) else {
        return Ok(());
    };
    let change = match (option, policy.client_parameter()) {
        ("epsilon" | "epsilon0", Some(own)) => {
            format!("take --{} for the noise of one client", own.replace('_', "-"))
        }
        _ => LEAVE_OUT.to_owned(),
    };
    Err(Refusal::contradiction(option, value, format!("with --policy {}", policy.name), change))
}
