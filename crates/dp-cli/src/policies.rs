//! From the options to a task: one that they name by its file, or one that they spell out.

mod own_options;

use std::path::Path;
use std::str::FromStr;

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Refusal, shown, work};
use dp_prio3::DEFAULT_MAX_REPORTS;
use dp_prio3::randomizers::Rappor;
use dp_rappor::SymmetricRappor as Bits;
use dp_task::{
    AggregatorNoise, ClientNoise, Document, Mechanism, PolicyName, Randomizer, Range, Size, Task,
    Vdaf, VdafType,
};

use self::own_options::{accepted_names, of_answers, refuse_foreign};
use crate::failure::Failure;
use crate::options::{Options, integer};
use crate::questions::Question;

/// The policy if none is named: that of `plan` for the default question.
const DEFAULT: &str = "histogram-laplace";

/// The same where a ρ is given, which Laplace noise is not calibrated to.
const DEFAULT_WITH_RHO: &str = "histogram-gaussian";

/// The ε of the aggregators' noise if none is named.
const EPSILON: &str = "0.906";

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
    let aggregators = options.aggregators.as_deref().unwrap_or("2");
    let aggregators = integer("aggregators", aggregators, 2..=254)?;
    let noise = policy.aggregator_noise;
    let aggregator_noise = noise.map(|noise| aggregator_noise(options, noise));
    let aggregator_noise = aggregator_noise.transpose()?;
    let question = ask(options, policy, None)?;
    let noise = policy.client_noise;
    let client_noise = noise.map(|noise| client_noise(options, policy, noise, &question));
    let mut document = Document {
        vdaf: vdaf(policy, aggregators, &question),
        client_noise: client_noise.transpose()?,
        aggregator_noise,
        ..policy.example()?
    };
    bound_batches(&mut document, options, &question)?;
    Ok(Planned {
        task: task_of(document).map_err(|error| as_option(error, options))?,
        question,
        from_file: false,
    })
}

/// A run has the reports of its clients, which may be more than a policy allows unless told otherwise. Of a
/// batch of which all may be malicious nothing could be released, and what compensation adds depends on the
/// reports.
fn bound_batches(
    document: &mut Document,
    options: &Options,
    question: &Question,
) -> Result<(), ParameterError> {
    let clients = options.clients()?;
    let clients = clients.unwrap_or_else(|| question.rows.clients());
    if clients > DEFAULT_MAX_REPORTS {
        document.batch.max_reports = Some(clients);
    }
    let Some(AggregatorNoise::Compensation {
        assumed_malicious_clients,
        ..
    }) = document.aggregator_noise
    else {
        return Ok(());
    };
    document.batch.min_reports = assumed_malicious_clients.saturating_add(1);
    document.batch.max_reports = Some(clients.max(document.batch.min_reports));
    Ok(())
}

/// The task. That its promise in the one trust model that it names is no weak one is not asked here:
/// a run states several, of which one is enough.
pub(crate) fn task_of(mut document: Document) -> Result<Task, dp_task::Error> {
    match Task::new(document.clone()) {
        Err(dp_task::Error::Field(error)) if error.name() == "trust.accept_weak_promise" => {
            document.trust.accept_weak_promise = true;
            Task::new(document)
        }
        task => task,
    }
}

/// The δ at which promises are stated.
pub(crate) fn delta(options: &Options) -> Result<Delta, ParameterError> {
    parameter("delta", options.delta.as_ref(), "1e-9")
}

/// The VDAF with the measurements of the question.
fn vdaf(policy: PolicyName, aggregators: usize, question: &Question) -> Vdaf {
    let mut vdaf = policy.vdaf.of_size(Size {
        aggregators,
        length: question.labels.len(),
        max_measurement: question.bound.unwrap_or(1),
        max_weight: question.weight().filter(|_| policy.client_noise.is_none()),
    });
    if let (
        Vdaf::Sum { range, .. } | Vdaf::Average { range, .. } | Vdaf::SumVec { range, .. },
        Some(grid),
    ) = (&mut vdaf, &question.grid)
    {
        *range = Range::Grid(Box::new(grid.clone()));
    }
    vdaf
}

/// What the options name for the noise of the aggregators, or the defaults.
fn aggregator_noise(
    options: &Options,
    mechanism: Mechanism,
) -> Result<AggregatorNoise, ParameterError> {
    let epsilon = |default| parameter("epsilon", options.epsilon.as_ref(), default);
    Ok(match mechanism {
        Mechanism::DiscreteLaplace => AggregatorNoise::DiscreteLaplace {
            budget: Budget::Pure {
                epsilon: epsilon(EPSILON)?,
            },
        },
        Mechanism::DiscreteGaussian => AggregatorNoise::DiscreteGaussian {
            budget: match &options.rho {
                Some(rho) => Budget::ZeroConcentrated {
                    rho: parameter("rho", Some(rho), "")?,
                },
                None => Budget::Approximate {
                    epsilon: epsilon(EPSILON)?,
                    delta: delta(options)?,
                },
            },
        },
        Mechanism::Compensation => {
            let count = |name, given: &Option<String>, default, least| {
                let text = given.as_deref().unwrap_or(default);
                integer(name, text, least..=10_000_000_000_u64)
            };
            let wanted = &options.wanted_honest_clients;
            let malicious = &options.assumed_malicious_clients;
            AggregatorNoise::Compensation {
                wanted_honest_clients: count("wanted-honest-clients", wanted, "10000", 1)?,
                assumed_malicious_clients: count("assumed-malicious-clients", malicious, "0", 0)?,
            }
        }
    })
}

/// What the options name for the noise of the clients, or the defaults.
fn client_noise(
    options: &Options,
    policy: PolicyName,
    randomizer: Randomizer,
    question: &Question,
) -> Result<ClientNoise, Failure> {
    let (name, given) = match (randomizer, of_answers(policy)) {
        (Randomizer::SymmetricRappor | Randomizer::OneHotRappor, _) => {
            ("epsilon0", &options.epsilon0)
        }
        (_, "epsilon") => ("epsilon", &options.epsilon),
        _ => ("local-epsilon", &options.local_epsilon),
    };
    let epsilon: Epsilon = parameter(name, given.as_ref(), "3")?;
    let rate = |epsilon0: &Epsilon, input_weight| {
        let length = question.labels.len();
        false_positive_rate(options, epsilon0, length, input_weight)
    };
    Ok(match randomizer {
        Randomizer::RandomizedResponse => ClientNoise::RandomizedResponse { epsilon },
        Randomizer::CoinFlip => ClientNoise::CoinFlip {},
        Randomizer::KaryRandomizedResponse => ClientNoise::KaryRandomizedResponse { epsilon },
        Randomizer::SymmetricRappor => {
            let input_weight = question.weight().unwrap_or(1);
            ClientNoise::SymmetricRappor {
                input_weight,
                false_positive_rate: rate(&epsilon, input_weight)?,
                epsilon0: epsilon,
            }
        }
        Randomizer::OneHotRappor => ClientNoise::OneHotRappor {
            false_positive_rate: rate(&epsilon, 1)?,
            epsilon0: epsilon,
        },
        Randomizer::BasicRappor => ClientNoise::BasicRappor {
            false_positive_rate: rate(Bits::basic(&epsilon)?.epsilon0(), 1)?,
            epsilon,
        },
    })
}

/// The rate of RAPPOR as given, or one that takes next to nothing of δ.
fn false_positive_rate(
    options: &Options,
    epsilon0: &Epsilon,
    length: usize,
    input_weight: usize,
) -> Result<Rational, Failure> {
    if let Some(rate) = &options.false_positive_rate {
        return Ok(parameter("false-positive-rate", Some(rate), "")?);
    }
    let delta = delta(options)?;
    let rate = Rappor::negligible_rate(length, input_weight, epsilon0.clone(), &delta);
    Ok(rate?)
}

/// A parameter as given, or the default.
fn parameter<T>(
    name: &'static str,
    given: Option<&String>,
    default: &str,
) -> Result<T, ParameterError>
where
    T: FromStr<Err = ParameterError>,
{
    let text = given.map_or(default, String::as_str);
    text.parse()
        .map_err(|error: ParameterError| error.renamed(name))
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
