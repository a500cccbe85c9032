//! From the options to a task: one that they name by its file, or one that they spell out.

mod own_options;

use std::path::Path;

use dp_exact::{ParameterError, Refusal, shown, work};
use dp_task::{Parameters, PolicyName, Survey, Task, VdafType};

use self::own_options::{accepted_names, refuse_foreign};
use crate::failure::Failure;
use crate::options::Options;
use crate::questions::Question;

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

/// Reads the task or makes one, and reads the data.
pub(crate) fn plan(options: &Options) -> Result<Planned, Failure> {
    match &options.task {
        Some(path) => from_file(options, read(path)?),
        None => spelled_out(options),
    }
}

/// The task of a file; what is wrong with it names the file.
pub(crate) fn read(path: &Path) -> Result<Task, Failure> {
    Task::read(path).map_err(|error| match error {
        dp_task::Error::File { .. } => error.into(),
        error => Failure::TaskFile {
            path: shown(path),
            source: Box::new(error),
        },
    })
}

/// Reads the data, which takes as long as they are: that is not the work of an answer.
fn ask(options: &Options, policy: PolicyName, task: Option<&Task>) -> Result<Question, Failure> {
    work::uncounted(|| Question::ask(options, policy, task))
}

fn from_file(options: &Options, task: Task) -> Result<Planned, Failure> {
    options.refuse(&[("policy", options.policy.as_ref())])?;
    options.refuse(&options.of_policies())?;
    if options.accept_weak_promise {
        let (place, change) = (
            "with --task",
            "set the task's trust.accept_weak_promise instead",
        );
        return Err(Refusal::contradiction("accept-weak-promise", true, place, change).into());
    }
    let question = ask(options, task.policy_name(), Some(&task))?;
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
    Ok(Planned {
        task,
        question,
        from_file: true,
    })
}

/// The task of a named policy.
fn spelled_out(options: &Options) -> Result<Planned, Failure> {
    let default = if options.rho.is_some() {
        DEFAULT_WITH_RHO
    } else {
        DEFAULT
    };
    let name = options.policy.as_deref().unwrap_or(default);
    let unknown = || ParameterError::new("policy", name, accepted_names(name));
    let policy = PolicyName::find(name).ok_or_else(unknown)?;
    refuse_foreign(options, policy)?;
    let said = said(options);
    let named = |error| as_option(error, options);
    policy.check(&said).map_err(named)?;
    let question = ask(options, policy, None)?;
    let survey = survey(options, &question)?;
    let task = policy.document(&said, &survey);
    let task = task.and_then(Task::of_any_strength);
    Ok(Planned {
        task: task.map_err(named)?,
        question,
        from_file: false,
    })
}

/// The parameters of the noise that the options name.
fn said(options: &Options) -> Parameters {
    Parameters {
        aggregators: options.aggregators.clone(),
        epsilon: options.epsilon.clone(),
        delta: options.delta.clone(),
        rho: options.rho.clone(),
        epsilon0: options.epsilon0.clone(),
        local_epsilon: options.local_epsilon.clone(),
        false_positive_rate: options.false_positive_rate.clone(),
        wanted_honest_clients: options.wanted_honest_clients.clone(),
        assumed_malicious_clients: options.assumed_malicious_clients.clone(),
    }
}

/// What the question measures, of how many clients.
fn survey(options: &Options, question: &Question) -> Result<Survey, ParameterError> {
    let clients = options.clients()?;
    Ok(Survey {
        length: question.labels.len(),
        max_measurement: question.bound.unwrap_or(1),
        weight: question.weight(),
        grid: question.grid.clone(),
        clients: clients.unwrap_or_else(|| question.rows.clients()),
    })
}

/// An error of a field, as one of the option that set it.
fn as_option(error: dp_task::Error, options: &Options) -> Failure {
    let dp_task::Error::Field(error) = error else {
        return error.into();
    };
    let option = match error.name() {
        "aggregator_noise.budget" if options.rho.is_some() => "rho",
        "aggregator_noise.budget" => "epsilon",
        "client_noise.epsilon" if options.local_epsilon.is_some() => "local-epsilon",
        "client_noise.epsilon" => "epsilon",
        "client_noise.input_weight" => "max-weight",
        path if path.starts_with("vdaf.range.grid") => "grid",
        path => path.rsplit('.').next().unwrap_or_default(),
    };
    let option = option.replace('_', "-");
    error.renamed(option).into()
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use dp_exact::work;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn reading_data_is_not_the_work_of_an_answer() -> Result<(), Failure> {
        let policy = |name| PolicyName::find(name).expect("a policy");
        let line = Line::parse_from(["simulate"]);
        let before = work::spent();
        let question = ask(&line.options, policy("histogram-laplace"), None)?;
        assert_eq!((question.rows.len(), work::spent()), (1629, before));
        // Without that, values and the ends of bins would count.
        Question::ask(&line.options, policy("histogram-laplace"), None)?;
        assert!(work::spent() > before);
        Ok(())
    }
}
