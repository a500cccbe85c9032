//! From a policy's name and what people say of its noise to a document: which parameters a policy has, and
//! which of them have defaults.

use std::str::FromStr;

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, parse_integer};
use dp_prio3::DEFAULT_MAX_REPORTS;
use dp_prio3::randomizers::Rappor;
use dp_rappor::SymmetricRappor as Bits;

use crate::catalogue::PolicyName;
use crate::document::{
    AggregatorNoise, AggregatorNoiseType, ClientNoise, ClientNoiseType, TaskDocument, VdafSize,
};
use crate::{Error, Task};

/// The ε of the aggregators' noise if none is named.
const EPSILON: &str = "0.906";

/// The ε or ε₀ of the clients' noise if none is named.
const OF_CLIENTS: &str = "3";

/// The δ if none is named.
const DELTA: &str = "1e-9";

/// The honest clients that compensation makes a batch up to if no number is named.
const WANTED_HONEST_CLIENTS: &str = "10000";

/// The most clients of a batch that compensation counts.
const MOST_CLIENTS: u64 = 10_000_000_000;

/// What people say of the noise of a named policy, as exact texts; what is left out has a default.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoiseParameters {
    /// How many aggregators there are, 2 to 254. Default: 2.
    pub aggregators: Option<String>,
    /// What the noise of one aggregator guarantees, or where aggregators add none, the answer of one client.
    /// Default: 0.906, of clients 3.
    pub epsilon: Option<String>,
    /// The δ at which guarantees are stated, and the budget's of Gaussian noise. Default: 1e-9.
    pub delta: Option<String>,
    /// The zero-concentrated budget of Gaussian noise, in place of ε and δ.
    pub rho: Option<String>,
    /// RAPPOR's parameter: the privacy loss of one bit. Default: 3.
    pub epsilon0: Option<String>,
    /// What the answer of one client guarantees where aggregators add noise as well. Default: 3.
    pub local_epsilon: Option<String>,
    /// The rate of honest reports that RAPPOR may drop. Default: one that costs next to nothing of δ.
    pub false_positive_rate: Option<String>,
    /// Honest clients that compensation makes a batch up to. Default: 10000.
    pub wanted_honest_clients: Option<String>,
    /// Clients of a batch that compensation assumes to be malicious. Default: 0.
    pub assumed_malicious_clients: Option<String>,
}

impl NoiseParameters {
    /// Those that are said, by name.
    #[must_use]
    pub fn given(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("aggregators", &self.aggregators),
            ("epsilon", &self.epsilon),
            ("delta", &self.delta),
            ("rho", &self.rho),
            ("epsilon0", &self.epsilon0),
            ("local_epsilon", &self.local_epsilon),
            ("false_positive_rate", &self.false_positive_rate),
            ("wanted_honest_clients", &self.wanted_honest_clients),
            ("assumed_malicious_clients", &self.assumed_malicious_clients),
        ];
        let all = all.into_iter();
        all.filter_map(|(name, text)| Some((name, text.as_deref()?))).collect()
    }

    /// The parameter of this name, if there is one.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Option<String>> {
        Some(match name {
            "aggregators" => &mut self.aggregators,
            "epsilon" => &mut self.epsilon,
            "delta" => &mut self.delta,
            "rho" => &mut self.rho,
            "epsilon0" => &mut self.epsilon0,
            "local_epsilon" => &mut self.local_epsilon,
            "false_positive_rate" => &mut self.false_positive_rate,
            "wanted_honest_clients" => &mut self.wanted_honest_clients,
            "assumed_malicious_clients" => &mut self.assumed_malicious_clients,
            _ => return None,
        })
    }

    fn aggregators(&self) -> Result<usize, ParameterError> {
        let text = self.aggregators.as_deref().unwrap_or("2");
        parse_integer("aggregators", text, 2..=254)
    }

    /// The ε or ε₀ of the clients' noise, which has this name.
    fn of_clients(&self, name: &'static str) -> Result<Epsilon, ParameterError> {
        let said = match name {
            "epsilon0" => &self.epsilon0,
            "local_epsilon" => &self.local_epsilon,
            _ => &self.epsilon,
        };
        parameter(name, said.as_ref(), OF_CLIENTS)
    }

    /// The δ at which guarantees are stated.
    ///
    /// # Errors
    /// If it is none.
    pub fn stated_delta(&self) -> Result<Delta, ParameterError> {
        parameter("delta", self.delta.as_ref(), DELTA)
    }
}

impl PolicyName {
    /// The parameter that says what the answer of one client guarantees: `epsilon`, unless that is what the
    /// noise of the aggregators guarantees; of RAPPOR `epsilon0`; nothing where clients answer as they are, or
    /// by coins.
    #[must_use]
    pub const fn parameter_of_clients(&self) -> Option<&'static str> {
        match (self.client_noise, self.aggregator_noise) {
            (None | Some(ClientNoiseType::CoinFlip), _) => None,
            (Some(ClientNoiseType::SymmetricRappor | ClientNoiseType::OneHotRappor), _) => {
                Some("epsilon0")
            }
            (Some(_), None) => Some("epsilon"),
            (Some(_), Some(_)) => Some("local_epsilon"),
        }
    }

    /// The parameters of the noise that the policy has, by the names of [`NoiseParameters`]; every policy has
    /// `aggregators` and `delta` beside them.
    #[must_use]
    pub fn parameters(&self) -> Vec<&'static str> {
        let of_aggregators: &[&str] = match self.aggregator_noise {
            None => &[],
            Some(AggregatorNoiseType::DiscreteLaplace) => &["epsilon"],
            Some(AggregatorNoiseType::DiscreteGaussian) => &["epsilon", "rho"],
            Some(AggregatorNoiseType::Compensation) => {
                &["wanted_honest_clients", "assumed_malicious_clients"]
            }
        };
        let of_rappor: &[&str] = match self.client_noise {
            Some(
                ClientNoiseType::SymmetricRappor
                | ClientNoiseType::OneHotRappor
                | ClientNoiseType::BasicRappor,
            ) => &["false_positive_rate"],
            _ => &[],
        };
        let mut names: Vec<&str> = self.parameter_of_clients().into_iter().collect();
        names.extend(of_aggregators);
        names.extend(of_rappor);
        names
    }

    /// Whether every parameter that the policy has is a number in its range, whatever is measured.
    ///
    /// # Errors
    /// The first that is not, by its name.
    pub fn check(&self, said: &NoiseParameters) -> Result<(), Error> {
        said.aggregators()?;
        said.stated_delta()?;
        if let Some(noise) = self.aggregator_noise {
            aggregator_noise(said, noise)?;
        }
        if let Some(name) = self.parameter_of_clients() {
            said.of_clients(name)?;
        }
        if let (Some(rate), true) =
            (&said.false_positive_rate, self.parameters().contains(&"false_positive_rate"))
        {
            parameter::<Rational>("false_positive_rate", Some(rate), "")?;
        }
        Ok(())
    }

    /// The document of the policy with this noise, for these measurements. It relies on the trust model of
    /// [`example`](Self::example).
    ///
    /// # Errors
    /// A parameter that is out of its range, by its name. Parameters that the policy does not have are
    /// not looked at.
    pub fn document(
        &self,
        said: &NoiseParameters,
        size: &VdafSize,
        clients: u64,
    ) -> Result<TaskDocument, Error> {
        let aggregators = said.aggregators()?;
        let size_shared = VdafSize {
            max_weight: size.max_weight.filter(|_| self.client_noise.is_none()),
            ..size.clone()
        };
        let noise = self.aggregator_noise;
        let aggregator_noise = noise.map(|noise| aggregator_noise(said, noise));
        let noise = self.client_noise;
        let client_noise = noise.map(|noise| client_noise(self, said, noise, size));
        let mut document = TaskDocument {
            vdaf: self.vdaf.of_size(aggregators, &size_shared),
            aggregator_noise: aggregator_noise.transpose()?,
            client_noise: client_noise.transpose()?,
            ..self.example()?
        };
        bound_batches(&mut document, clients);
        Ok(document)
    }
}

impl Task {
    /// The task of a document, however weak its guarantee is in the trust model that it relies on: for whoever
    /// states others beside it, of which one may be enough.
    ///
    /// # Errors
    /// As of [`new`](Self::new), but for the field `trust.accept_weak_guarantee`, which is set as it has to be.
    pub fn accepting_weak_guarantee(mut document: TaskDocument) -> Result<Self, Error> {
        match Self::new(document.clone()) {
            Err(Error::Field(error)) if error.name() == "trust.accept_weak_guarantee" => {
                document.trust.accept_weak_guarantee = true;
                Self::new(document)
            }
            task => task,
        }
    }
}

/// There are the reports of all clients, which may be more than a policy allows unless told otherwise. Of a
/// batch of which all may be malicious nothing could be released, and what compensation adds depends on the
/// reports.
fn bound_batches(document: &mut TaskDocument, clients: u64) {
    if clients > DEFAULT_MAX_REPORTS {
        document.batch.max_reports = Some(clients);
    }
    if let Some(AggregatorNoise::Compensation { assumed_malicious_clients, .. }) =
        document.aggregator_noise
    {
        document.batch.min_reports = assumed_malicious_clients.saturating_add(1);
        document.batch.max_reports = Some(clients.max(document.batch.min_reports));
    }
}

fn aggregator_noise(
    said: &NoiseParameters,
    mechanism: AggregatorNoiseType,
) -> Result<AggregatorNoise, Error> {
    let epsilon = || parameter("epsilon", said.epsilon.as_ref(), EPSILON);
    Ok(match mechanism {
        AggregatorNoiseType::DiscreteLaplace => {
            AggregatorNoise::DiscreteLaplace { budget: Budget::Pure { epsilon: epsilon()? } }
        }
        AggregatorNoiseType::DiscreteGaussian => AggregatorNoise::DiscreteGaussian {
            budget: match &said.rho {
                Some(rho) => Budget::ZeroConcentrated { rho: parameter("rho", Some(rho), "")? },
                None => Budget::Approximate { epsilon: epsilon()?, delta: said.stated_delta()? },
            },
        },
        AggregatorNoiseType::Compensation => {
            let count = |name, text: &Option<String>, default, least| {
                parse_integer(name, text.as_deref().unwrap_or(default), least..=MOST_CLIENTS)
            };
            let (wanted, malicious) =
                (&said.wanted_honest_clients, &said.assumed_malicious_clients);
            let default = WANTED_HONEST_CLIENTS;
            AggregatorNoise::Compensation {
                wanted_honest_clients: count("wanted_honest_clients", wanted, default, 1)?,
                assumed_malicious_clients: count("assumed_malicious_clients", malicious, "0", 0)?,
            }
        }
    })
}

fn client_noise(
    policy: &PolicyName,
    said: &NoiseParameters,
    randomizer: ClientNoiseType,
    size: &VdafSize,
) -> Result<ClientNoise, Error> {
    let Some(name) = policy.parameter_of_clients() else {
        return Ok(ClientNoise::CoinFlip {});
    };
    let epsilon = said.of_clients(name)?;
    let rate = |epsilon0: &Epsilon, input_weight| {
        false_positive_rate(said, epsilon0, size.length, input_weight)
    };
    Ok(match randomizer {
        ClientNoiseType::RandomizedResponse => ClientNoise::RandomizedResponse { epsilon },
        ClientNoiseType::CoinFlip => ClientNoise::CoinFlip {},
        ClientNoiseType::KaryRandomizedResponse => ClientNoise::KaryRandomizedResponse { epsilon },
        ClientNoiseType::SymmetricRappor => {
            let input_weight = size.max_weight.unwrap_or(1);
            ClientNoise::SymmetricRappor {
                input_weight,
                false_positive_rate: rate(&epsilon, input_weight)?,
                epsilon0: epsilon,
            }
        }
        ClientNoiseType::OneHotRappor => {
            ClientNoise::OneHotRappor { false_positive_rate: rate(&epsilon, 1)?, epsilon0: epsilon }
        }
        ClientNoiseType::BasicRappor => {
            let bits = Bits::basic(&epsilon).map_err(dp_prio3::Error::from);
            ClientNoise::BasicRappor {
                false_positive_rate: rate(bits.map_err(of_clients)?.epsilon0(), 1)?,
                epsilon,
            }
        }
    })
}

/// The rate of RAPPOR as said, or one that takes next to nothing of δ.
fn false_positive_rate(
    said: &NoiseParameters,
    epsilon0: &Epsilon,
    length: usize,
    input_weight: usize,
) -> Result<Rational, Error> {
    if let Some(rate) = &said.false_positive_rate {
        return Ok(parameter("false_positive_rate", Some(rate), "")?);
    }
    let delta = said.stated_delta()?;
    Rappor::negligible_rate(length, input_weight, epsilon0.clone(), &delta).map_err(of_clients)
}

/// What is wrong with the noise of clients, and not with one of its parameters.
fn of_clients(source: dp_prio3::Error) -> Error {
    match source {
        dp_prio3::Error::Parameter(error) => error.into(),
        source => Error::Policy { field: "client_noise", source },
    }
}

/// A parameter as said, or the default.
fn parameter<T>(
    name: &'static str,
    said: Option<&String>,
    default: &str,
) -> Result<T, ParameterError>
where
    T: FromStr<Err = ParameterError>,
{
    let text = said.map_or(default, String::as_str);
    text.parse().map_err(|error: ParameterError| error.renamed(name))
}

#[cfg(test)]
mod tests;
