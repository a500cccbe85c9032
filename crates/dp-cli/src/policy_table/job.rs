//! The numbers of a job, and the task of each policy for it.

use dp_calibration::{Budget, Query};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Refusal, Rho};
use dp_prio3::randomizers::Rappor;
use dp_rappor::SymmetricRappor as Bits;
use dp_task::{
    AggregatorNoise, ClientNoise, Document, Mechanism, PolicyName, Randomizer, Size, Task, VdafType,
};

use super::Options;
use crate::failure::Failure;
use crate::options::{LEAVE_OUT, integer};
use crate::policies::said_by;
use crate::questions::as_asked;
use crate::typed::number;

/// What is asked for, in numbers.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// The task that says the job, in words.
    pub(super) of_task: Option<String>,
    query: Option<Query>,
    epsilon: Epsilon,
    /// What Gaussian noise promises, if not ε and δ.
    rho: Option<Rho>,
    pub(super) delta: Delta,
    false_positive_rate: Option<Rational>,
    epsilon0: Epsilon,
    local_epsilon: Epsilon,
    pub(super) clients: u64,
    aggregators: usize,
    length: usize,
    max_measurement: u128,
    max_weight: usize,
    wanted_honest_clients: u64,
}

/// The option --false-positive-rate.
fn rate(options: &Options) -> Result<Option<Rational>, ParameterError> {
    let Some(text) = &options.false_positive_rate else {
        return Ok(None);
    };
    let rate: Rational = number("false-positive-rate", text)?;
    if rate.is_positive() && rate < 1 {
        return Ok(Some(rate));
    }
    let accepted = "a number above 0 and below 1";
    Err(ParameterError::new("false-positive-rate", text, accepted))
}

impl Job {
    /// The job that the options describe.
    pub(super) fn of(options: &Options, task: Option<&Task>) -> Result<Self, Failure> {
        let query: Option<Query> = match (&options.query, task) {
            (Some(text), _) => Some(number("type", text)?),
            (None, task) => task.map(|task| task.query().clone()),
        };
        let of_task = task.map(said_by).unwrap_or_default();
        let said = |given: &Option<String>, of_task: &Option<String>, default: &str| {
            let said = given.as_ref().or(of_task.as_ref());
            said.map_or_else(|| default.to_owned(), String::clone)
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
        let most = 10_000_000_000_u64;
        let clients: u64 = integer("clients", &options.clients, 1..=most)?;
        let epsilon: Epsilon = number("epsilon", &said(&options.epsilon, &of_task.epsilon, "1"))?;
        let sized = |name, given: &Option<String>, default: usize| {
            given
                .as_ref()
                .map_or(Ok(default), |text| integer(name, text, 1..=1 << 20))
        };
        // A rho of the task stands unless a budget is typed.
        let rho = of_task.rho.as_ref().filter(|_| options.epsilon.is_none());
        let length = sized("length", &options.length, 10)?;
        let job = Self {
            of_task: task.map(|task| format!("{}, of the task {}", task.query(), task.name())),
            delta: number("delta", &said(&options.delta, &of_task.delta, "1e-9"))?,
            rho: match options.rho.as_ref().or(rho) {
                Some(text) => Some(number("rho", text)?),
                None => None,
            },
            false_positive_rate: rate(options)?,
            epsilon0: number("epsilon0", &said(&options.epsilon0, &of_task.epsilon0, "1"))?,
            local_epsilon: match options
                .local_epsilon
                .as_ref()
                .or(of_task.local_epsilon.as_ref())
            {
                Some(text) => number("local-epsilon", text)?,
                None => epsilon.clone(),
            },
            epsilon,
            clients,
            aggregators: integer(
                "aggregators",
                &said(&options.aggregators, &of_task.aggregators, "2"),
                2..=254,
            )?,
            length,
            max_measurement: match &options.max_measurement {
                Some(text) => integer("max-measurement", text, 1..=u128::MAX >> 1)?,
                None => 10,
            },
            max_weight: match &options.max_weight {
                Some(text) => integer("max-weight", text, 1..=length)?,
                None => length.min(2),
            },
            wanted_honest_clients: match &options.wanted_honest_clients {
                Some(text) => integer("wanted-honest-clients", text, 1..=most)?,
                None => most.min(2 * clients),
            },
            query,
        };
        Ok(job.sized())
    }

    /// As large as the query says.
    fn sized(mut self) -> Self {
        match self.query {
            None | Some(Query::Count) => {}
            Some(Query::Sum { max_measurement } | Query::Average { max_measurement }) => {
                self.max_measurement = max_measurement;
            }
            Some(
                Query::SumVec {
                    length,
                    max_measurement,
                }
                | Query::L1BoundSum {
                    length,
                    max_measurement,
                },
            ) => (self.length, self.max_measurement) = (length, max_measurement),
            Some(Query::Histogram { length }) => (self.length, self.max_weight) = (length, 1),
            Some(Query::MultihotCountVec { length, max_weight }) => {
                (self.length, self.max_weight) = (length, max_weight);
            }
        }
        self
    }

    /// Whether a policy answers the question.
    pub(super) fn is_answered_by(&self, policy: &PolicyName) -> bool {
        let is_histogram = matches!(self.query, Some(Query::Histogram { .. }));
        let is_plain_bits =
            policy.vdaf == VdafType::MultihotCountVec && policy.client_noise.is_none();
        self.query.as_ref().is_none_or(|query| {
            as_asked(*policy, query).is_some()
                && !(is_histogram && is_plain_bits)
                && (policy.vdaf != VdafType::Histogram || is_histogram)
        })
    }

    /// The task of a policy.
    pub(super) fn document(&self, policy: &PolicyName) -> Result<Document, Failure> {
        let is_hedged = policy.client_noise.is_some() && policy.aggregator_noise.is_some();
        let client_noise = policy.client_noise.map(|noise| {
            let epsilon = if is_hedged {
                &self.local_epsilon
            } else {
                &self.epsilon
            };
            self.client_noise(noise, epsilon.clone())
        });
        let aggregator_noise = policy.aggregator_noise.map(|it| self.aggregator_noise(it));
        let mut document = Document {
            vdaf: policy.vdaf.of_size(Size {
                aggregators: self.aggregators,
                length: self.length,
                max_measurement: self.max_measurement,
                max_weight: policy.client_noise.is_none().then_some(self.max_weight),
            }),
            client_noise: client_noise.transpose()?,
            aggregator_noise,
            ..policy.example()?
        };
        if document.batch.max_reports.is_some() || self.clients > dp_prio3::DEFAULT_MAX_REPORTS {
            document.batch.max_reports = Some(self.clients);
        }
        Ok(document)
    }

    fn client_noise(
        &self,
        randomizer: Randomizer,
        epsilon: Epsilon,
    ) -> Result<ClientNoise, Failure> {
        let rate = |epsilon0: &Epsilon, weight| match &self.false_positive_rate {
            Some(rate) => Ok(rate.clone()),
            None => Rappor::negligible_rate(self.length, weight, epsilon0.clone(), &self.delta),
        };
        let epsilon0 = self.epsilon0.clone();
        Ok(match randomizer {
            Randomizer::RandomizedResponse => ClientNoise::RandomizedResponse { epsilon },
            Randomizer::CoinFlip => ClientNoise::CoinFlip {},
            Randomizer::KaryRandomizedResponse => ClientNoise::KaryRandomizedResponse { epsilon },
            Randomizer::SymmetricRappor => ClientNoise::SymmetricRappor {
                input_weight: self.max_weight,
                false_positive_rate: rate(&epsilon0, self.max_weight)?,
                epsilon0,
            },
            Randomizer::OneHotRappor => ClientNoise::OneHotRappor {
                false_positive_rate: rate(&epsilon0, 1)?,
                epsilon0,
            },
            Randomizer::BasicRappor => ClientNoise::BasicRappor {
                false_positive_rate: rate(Bits::basic(&epsilon)?.epsilon0(), 1)?,
                epsilon,
            },
        })
    }

    fn aggregator_noise(&self, mechanism: Mechanism) -> AggregatorNoise {
        let epsilon = self.epsilon.clone();
        match mechanism {
            Mechanism::DiscreteLaplace => AggregatorNoise::DiscreteLaplace {
                budget: Budget::Pure { epsilon },
            },
            Mechanism::DiscreteGaussian => AggregatorNoise::DiscreteGaussian {
                budget: match &self.rho {
                    Some(rho) => Budget::ZeroConcentrated { rho: rho.clone() },
                    None => Budget::approximate(epsilon, self.delta.clone()),
                },
            },
            Mechanism::Compensation => AggregatorNoise::Compensation {
                wanted_honest_clients: self.wanted_honest_clients,
                assumed_malicious_clients: 0,
            },
        }
    }
}
