//! The numbers of a job, and the task of each policy for it.

use dp_calibration::Query;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Refusal, Rho};
use dp_task::{NoiseParameters, PolicyName, Task, TaskDocument, VdafSize, VdafType};

use super::Options;
use crate::failure::Failure;
use crate::options::{LEAVE_OUT, parse_integer};
use crate::policies::said_by;
use crate::questions::{as_asked, bound, length};
use crate::typed::number;

/// The most clients of whom a guarantee is stated.
const MOST_CLIENTS: u64 = 10_000_000_000;

/// What is asked for.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// The task that says the job, in words.
    pub(super) of_task: Option<String>,
    query: Option<Query>,
    said: NoiseParameters,
    size: VdafSize,
    clients: u64,
    pub(super) delta: Delta,
}

impl Job {
    /// The job that the options describe.
    pub(super) fn of(options: &Options, task: Option<&Task>) -> Result<Self, Failure> {
        let query: Option<Query> = match (&options.query, task) {
            (Some(text), _) => Some(number("type", text)?),
            (None, task) => task.map(|task| task.query().clone()),
        };
        if let Some(query) = &query {
            for (name, given) in [
                ("length", &options.length),
                ("max-measurement", &options.max_measurement),
                ("max-weight", &options.max_weight),
            ] {
                if let Some(value) = given {
                    let option = if task.is_some() { "task" } else { "type" };
                    let place = format!("with --{option} {query}");
                    return Err(Refusal::contradiction(name, value, place, LEAVE_OUT).into());
                }
            }
        }
        let clients = parse_integer("clients", &options.clients, 1..=MOST_CLIENTS)?;
        let said = said(options, task, clients)?;
        let length = match (&query, &options.length) {
            (Some(query), _) => length(query),
            (None, Some(text)) => parse_integer("length", text, 1..=1 << 20)?,
            (None, None) => 10,
        };
        let largest = match (&query, &options.max_measurement) {
            (Some(query), _) => bound(query).unwrap_or(1),
            (None, Some(text)) => parse_integer("max-measurement", text, 1..=u128::MAX >> 1)?,
            (None, None) => 10,
        };
        let weight = match (&query, &options.max_weight) {
            (Some(Query::MultihotCountVec { max_weight, .. }), _) => *max_weight,
            (Some(_), _) => 1,
            (None, Some(text)) => parse_integer("max-weight", text, 1..=length)?,
            (None, None) => length.min(2),
        };
        Ok(Self {
            of_task: task.map(|task| format!("{}, of the task {}", task.query(), task.name())),
            delta: said.guarantee_delta()?,
            said,
            size: VdafSize {
                length,
                max_measurement: largest,
                max_weight: Some(weight),
                grid: None,
            },
            clients,
            query,
        })
    }

    pub(super) const fn clients(&self) -> u64 {
        self.clients
    }

    /// Whether a policy answers the question.
    pub(super) fn is_answered_by(&self, policy: &PolicyName) -> bool {
        let is_histogram = matches!(self.query, Some(Query::Histogram { .. }));
        let are_bits = policy.vdaf == VdafType::MultihotCountVec;
        self.query.as_ref().is_none_or(|query| {
            as_asked(*policy, query).is_some()
                && !(is_histogram && are_bits && policy.client_noise.is_none())
                && (policy.vdaf != VdafType::Histogram || is_histogram)
        })
    }

    /// The task of a policy.
    pub(super) fn document(&self, policy: &PolicyName) -> Result<TaskDocument, Failure> {
        Ok(policy.document(&self.said, &self.size, self.clients)?)
    }
}

/// What the options say of noise, else the task, else that every epsilon is 1.
fn said(options: &Options, task: Option<&Task>, clients: u64) -> Result<NoiseParameters, Failure> {
    let of_task = task.map(said_by).unwrap_or_default();
    let epsilon = options.epsilon.clone().or(of_task.epsilon);
    let epsilon = epsilon.unwrap_or_else(|| "1".to_owned());
    // A rho of the task stands unless a budget is typed.
    let rho = of_task.rho.filter(|_| options.epsilon.is_none());
    let wanted = MOST_CLIENTS.min(2 * clients).to_string();
    let one = || Some("1".to_owned());
    let said = NoiseParameters {
        aggregators: options.aggregators.clone().or(of_task.aggregators),
        delta: options.delta.clone().or(of_task.delta),
        rho: options.rho.clone().or(rho),
        epsilon0: options.epsilon0.clone().or(of_task.epsilon0).or_else(one),
        local_epsilon: options
            .local_epsilon
            .clone()
            .or(of_task.local_epsilon)
            .or_else(|| Some(epsilon.clone())),
        epsilon: Some(epsilon),
        false_positive_rate: options.false_positive_rate.clone(),
        wanted_honest_clients: options.wanted_honest_clients.clone().or(Some(wanted)),
        assumed_malicious_clients: None,
    };
    // What no policy takes is refused at once, under the name of its option.
    for (name, text) in said.given() {
        match name {
            "aggregators" => drop(parse_integer("aggregators", text, 2..=254_u64)?),
            "wanted_honest_clients" => {
                parse_integer::<u64>("wanted-honest-clients", text, 1..=MOST_CLIENTS)?;
            }
            "false_positive_rate" => {
                let rate: Rational = number("false-positive-rate", text)?;
                if !rate.is_positive() || rate >= 1 {
                    let accepted = "a number above 0 and below 1";
                    return Err(ParameterError::new("false-positive-rate", text, accepted).into());
                }
            }
            "delta" => drop(number::<Delta>("delta", text)?),
            "rho" => drop(number::<Rho>("rho", text)?),
            "local_epsilon" => drop(number::<Epsilon>("local-epsilon", text)?),
            name => drop(number::<Epsilon>(name, text)?),
        }
    }
    Ok(said)
}
