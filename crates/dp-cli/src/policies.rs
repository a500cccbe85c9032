//! From the options to a task: one that they name by its file, or one that they spell out.

use std::str::FromStr;

use dp_exact::{Delta, ParameterError, Rational};
use dp_prio3::randomizers::Rappor;
use dp_rappor::SymmetricRappor as Bits;
use dp_task::{
    AggregatorNoise, Batch, BudgetKind, ClientNoise, Document, Mechanism, POLICIES, PolicyName,
    Randomizer, Task, Trust, VERSION, Vdaf, VdafType,
};

use crate::failure::Failure;
use crate::options::{Options, integer};
use crate::questions::{Data, Question};

/// The policy if none is named.
const DEFAULT: &str = "histogram-gaussian";

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
        Some(path) => {
            options.refuse(&[("policy", options.policy.as_ref())])?;
            options.refuse(&options.of_policies())?;
            if options.accept_weak_promise {
                let accepted = "no such option with --task: the task has trust.accept_weak_promise";
                return Err(ParameterError::new("accept-weak-promise", "given", accepted).into());
            }
            let task = Task::read(path)?;
            let vdaf = &task.document().vdaf;
            let question = Question::ask(options, task.policy_name(), Some(&task))?;
            let (length, expected) = (question.data.labels().len(), vdaf.length.unwrap_or(1));
            if length != expected {
                let name = match task.policy_name().vdaf {
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
        None => spelled_out(options),
    }
}

/// The task of a named policy.
fn spelled_out(options: &Options) -> Result<Planned, Failure> {
    let name = options.policy.as_deref().unwrap_or(DEFAULT);
    let unknown = || ParameterError::new("policy", name, accepted_names());
    let policy = PolicyName::find(name).ok_or_else(unknown)?;
    refuse_foreign(options, policy)?;
    let aggregators = options.aggregators.as_deref().unwrap_or("2");
    let aggregators = integer("aggregators", aggregators, 2..=254)?;
    let aggregator_noise = policy
        .aggregator_noise
        .map(|noise| with_budget(options, noise));
    let aggregator_noise = aggregator_noise.transpose()?;
    let client_noise = policy
        .client_noise
        .map(|noise| with_parameters(options, noise));
    let mut client_noise = client_noise.transpose()?;
    let delta = delta(options)?;

    let question = Question::ask(options, policy, None)?;
    let weight = question.bound.and_then(|bound| usize::try_from(bound).ok());
    let weight = weight.filter(|_| policy.vdaf == VdafType::MultihotCountVec);
    if let Some(noise) = &mut client_noise {
        let is_bounded = noise.mechanism == Some(Randomizer::SymmetricRappor);
        noise.input_weight = weight.filter(|_| is_bounded);
        let length = question.data.labels().len();
        noise.false_positive_rate = false_positive_rate(options, noise, length, &delta)?;
    }
    let has_length = !matches!(
        policy.vdaf,
        VdafType::Count | VdafType::Sum | VdafType::Average
    );
    let has_numbers = !matches!(
        policy.vdaf,
        VdafType::Count | VdafType::Histogram | VdafType::MultihotCountVec
    );
    // Of a batch of which all may be malicious nothing could be released, and what compensation adds
    // depends on the reports: a run has those of its clients.
    let malicious = aggregator_noise
        .as_ref()
        .and_then(|noise| noise.assumed_malicious_clients);
    let mut document = Document {
        version: Some(VERSION),
        name: Some(policy.name.to_owned()),
        vdaf: Vdaf {
            r#type: Some(policy.vdaf),
            aggregators: Some(aggregators),
            length: has_length.then_some(question.data.labels().len()),
            max_measurement: question.bound.filter(|_| has_numbers),
            max_weight: weight.filter(|_| client_noise.is_none()),
            chunk_length: None,
        },
        grid: None,
        client_noise,
        aggregator_noise,
        trust: Trust {
            model: policy.example()?.trust.model,
            ..Trust::default()
        },
        batch: Batch {
            min_reports: Some(malicious.unwrap_or(0).saturating_add(1)),
            max_reports: None,
        },
    };
    if let Some(malicious) = malicious {
        let clients = clients(options, &question.data)?;
        document.batch.max_reports = Some(clients.max(malicious.saturating_add(1)));
    }
    let task = task_of(document)?;
    Ok(Planned {
        task,
        question,
        from_file: false,
    })
}

/// The task. That its promise in the one trust model that it names is no weak one is not asked here:
/// a run states several, of which one is enough.
fn task_of(mut document: Document) -> Result<Task, Failure> {
    match Task::new(document.clone()) {
        Err(dp_task::Error::Field(error)) if error.name() == "trust.accept_weak_promise" => {
            document.trust.accept_weak_promise = Some(true);
            Task::new(document)
        }
        task => task,
    }
    .map_err(as_options)
}

/// The clients of a run.
fn clients(options: &Options, data: &Data) -> Result<u64, ParameterError> {
    match options.clients()? {
        Some(clients) => Ok(clients),
        None => u64::try_from(data.rows())
            .map_err(|_| ParameterError::new("data", data.rows(), "fewer rows")),
    }
}

/// The δ at which promises are stated.
pub(crate) fn delta(options: &Options) -> Result<Delta, ParameterError> {
    parameter("delta", options.delta.as_ref(), "1e-9")
}

/// The rate of RAPPOR as given, or one that takes next to nothing of δ.
fn false_positive_rate(
    options: &Options,
    noise: &ClientNoise,
    length: usize,
    delta: &Delta,
) -> Result<Option<Rational>, Failure> {
    use Randomizer::{BasicRappor, OneHotRappor, SymmetricRappor};
    if !matches!(
        noise.mechanism,
        Some(SymmetricRappor | OneHotRappor | BasicRappor)
    ) {
        return Ok(None);
    }
    if let Some(rate) = &options.false_positive_rate {
        return Ok(Some(parameter("false-positive-rate", Some(rate), "")?));
    }
    let epsilon0 = match (&noise.epsilon0, &noise.epsilon) {
        (Some(epsilon0), _) => epsilon0.clone(),
        (None, Some(epsilon)) => Bits::basic(epsilon)?.epsilon0().clone(),
        (None, None) => return Ok(None),
    };
    let weight = noise.input_weight.unwrap_or(1);
    Ok(Some(Rappor::negligible_rate(
        length, weight, epsilon0, delta,
    )?))
}

fn accepted_names() -> String {
    let names: Vec<&str> = POLICIES.iter().map(|policy| policy.name).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Refuses options that the policy does not have.
fn refuse_foreign(options: &Options, policy: PolicyName) -> Result<(), ParameterError> {
    let gaussian = policy.aggregator_noise == Some(Mechanism::DiscreteGaussian);
    let multihot = policy.vdaf == VdafType::MultihotCountVec;
    let numbers = !matches!(
        policy.vdaf,
        VdafType::Count | VdafType::Histogram | VdafType::MultihotCountVec
    );
    let randomizer = policy.client_noise;
    let multihot = multihot && !randomizer.is_some_and(is_one_hot);
    let rappor = policy.vdaf == VdafType::MultihotCountVec && randomizer.is_some();
    let has_parameter = randomizer.is_some_and(|randomizer| randomizer != Randomizer::CoinFlip);
    let compensated = policy.aggregator_noise == Some(Mechanism::Compensation);
    let noise = policy.aggregator_noise.is_some() && !compensated;
    let epsilon = noise && !(gaussian && options.rho.is_some());
    let has = |name: &str| match name {
        "epsilon" => epsilon,
        "rho" => gaussian,
        "epsilon0" => has_parameter,
        "max-weight" => multihot,
        "false-positive-rate" => rappor,
        "max-measurement" => numbers,
        "wanted-honest-clients" | "assumed-malicious-clients" => compensated,
        _ => true,
    };
    if gaussian && let (Some(epsilon), Some(_)) = (&options.epsilon, &options.rho) {
        let accepted = "no option --epsilon with --rho";
        return Err(ParameterError::new("epsilon", epsilon, accepted));
    }
    let foreign = options
        .of_policies()
        .into_iter()
        .filter(|(name, _)| !has(name));
    options.refuse(&foreign.collect::<Vec<_>>())
}

/// The budget that the options name, or the default.
fn with_budget(options: &Options, mechanism: Mechanism) -> Result<AggregatorNoise, ParameterError> {
    let mut noise = AggregatorNoise {
        mechanism: Some(mechanism),
        ..AggregatorNoise::default()
    };
    if mechanism == Mechanism::Compensation {
        let count = |name, given: Option<&String>, default, least| {
            let text = given.map_or(default, String::as_str);
            integer(name, text, least..=10_000_000_000_u64).map(Some)
        };
        let wanted = options.wanted_honest_clients.as_ref();
        noise.wanted_honest_clients = count("wanted-honest-clients", wanted, "10000", 1)?;
        let malicious = options.assumed_malicious_clients.as_ref();
        noise.assumed_malicious_clients = count("assumed-malicious-clients", malicious, "0", 0)?;
        return Ok(noise);
    }
    if let Some(rho) = &options.rho {
        noise.budget = Some(BudgetKind::ZeroConcentrated);
        noise.rho = Some(parameter("rho", Some(rho), "")?);
        return Ok(noise);
    }
    let epsilon = options.epsilon.as_ref();
    match mechanism {
        Mechanism::DiscreteGaussian => {
            noise.budget = Some(BudgetKind::Approximate);
            noise.epsilon = Some(parameter("epsilon", epsilon, "0.906")?);
            noise.delta = Some(delta(options)?);
        }
        _ => {
            noise.budget = Some(BudgetKind::Pure);
            noise.epsilon = Some(parameter("epsilon", epsilon, "1")?);
        }
    }
    Ok(noise)
}

/// The parameters of clients that the options name, or the defaults. What one client promises is
/// --epsilon0, by whichever field the randomizer knows it.
fn with_parameters(
    options: &Options,
    mechanism: Randomizer,
) -> Result<ClientNoise, ParameterError> {
    use Randomizer::{CoinFlip, OneHotRappor, SymmetricRappor};
    let mut noise = ClientNoise {
        mechanism: Some(mechanism),
        ..ClientNoise::default()
    };
    let epsilon0 = options.epsilon0.as_ref();
    match mechanism {
        CoinFlip => {}
        SymmetricRappor | OneHotRappor => {
            noise.epsilon0 = Some(parameter("epsilon0", epsilon0, "3")?)
        }
        _ => noise.epsilon = Some(parameter("epsilon0", epsilon0, "3")?),
    }
    Ok(noise)
}

/// Whether measurements are vectors of which exactly one bit is set.
pub(crate) const fn is_one_hot(randomizer: Randomizer) -> bool {
    matches!(
        randomizer,
        Randomizer::OneHotRappor | Randomizer::BasicRappor
    )
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
fn as_options(error: dp_task::Error) -> Failure {
    match error {
        dp_task::Error::Field(error) => {
            let path = error.name().to_owned();
            let field = path.rsplit('.').next().unwrap_or_default();
            let option = match field {
                "input_weight" => "max-weight".to_owned(),
                field => field.replace('_', "-"),
            };
            error.renamed(option).into()
        }
        other => other.into(),
    }
}
