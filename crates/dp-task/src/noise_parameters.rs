//! From a policy's name and the typed parameters of its noise to a document: which parameters a
//! policy has, and their defaults.

use std::str::FromStr;

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, ParameterError, parse_integer};
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::randomizers::Rappor;
use dp_prio3::{
    AggregatorNoise, AggregatorNoiseType, BatchLimits, ClientNoise, ClientNoiseType,
    DEFAULT_MAX_REPORTS, Parts, TrustModel, VdafSize,
};
use dp_rappor::SymmetricRappor;

use crate::catalogue::PolicyName;
use crate::Error;
use crate::document::{TaskDocument, Trust};

/// The default ε of the aggregators' noise, for one aggregator.
const EPSILON: &str = "0.906";

/// The default ε (of an answer) or ε₀ (of a bit) of the clients' noise.
const CLIENT_EPSILON: &str = "3";

/// The default δ of budgets and guarantees.
const DELTA: &str = "1e-9";

/// The largest number of clients in a parameter of compensation.
const MAX_CLIENTS: u64 = 10_000_000_000;

/// Defines [`NoiseParameters`], whose fields are also found by their names.
macro_rules! noise_parameters {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// Parameters of a policy's noise as exact texts; an absent one has a default.
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct NoiseParameters {
            $($(#[$doc])* pub $name: Option<String>,)+
        }

        impl NoiseParameters {
            /// The names of all parameters.
            pub const NAMES: &[&str] = &[$(stringify!($name)),+];

            /// The parameters that are present, by name.
            #[must_use]
            pub fn given(&self) -> Vec<(&'static str, &str)> {
                let all = [$((stringify!($name), &self.$name)),+].into_iter();
                all.filter_map(|(name, text)| Some((name, text.as_deref()?))).collect()
            }

            /// The parameter of this name; `None` if there is no such parameter.
            pub fn get_mut(&mut self, name: &str) -> Option<&mut Option<String>> {
                let mut all = [$((stringify!($name), &mut self.$name)),+].into_iter();
                all.find(|(known, _)| *known == name).map(|(_, text)| text)
            }
        }
    };
}

noise_parameters! {
    /// Number of aggregators, 2 to 254. Default: 2.
    aggregators,
    /// ε of the noise of one aggregator; where aggregators add none, ε of one client's answer.
    /// Default: 0.906, for clients 3.
    epsilon,
    /// The δ at which guarantees are reported, and the budget's of Gaussian noise. Default: 1e-9.
    delta,
    /// ρ of Gaussian noise, in place of ε and δ.
    rho,
    /// ε₀ of RAPPOR: the privacy loss of one bit. Default: 3.
    epsilon0,
    /// ε of one client's answer where aggregators add noise as well. Default: 3.
    local_epsilon,
    /// Fraction of honest reports that RAPPOR may drop. Default: one that takes a negligible part
    /// of δ.
    false_positive_rate,
    /// Number of honest clients up to which compensation fills a batch. Default: 10000.
    target_honest_clients,
    /// Number of clients of a batch that compensation assumes to be malicious. Default: 0.
    assumed_malicious_clients,
}

impl NoiseParameters {
    /// The δ at which guarantees are reported.
    ///
    /// # Errors
    /// If the text is not a δ.
    pub fn guarantee_delta(&self) -> Result<Delta, ParameterError> {
        self.exact("delta", DELTA)
    }

    /// The text of the parameter `name`, or `default` where the parameter is absent.
    fn text<'a>(&'a self, name: &str, default: &'a str) -> &'a str {
        let given = self.given().into_iter().find(|(known, _)| *known == name);
        given.map_or(default, |(_, text)| text)
    }

    /// The exact number in the parameter `name`, or in `default` where the parameter is absent.
    /// `Err` names the parameter.
    fn exact<T: FromStr<Err = ParameterError>>(
        &self,
        name: &'static str,
        default: &str,
    ) -> Result<T, ParameterError> {
        self.text(name, default).parse().map_err(|error: ParameterError| error.renamed(name))
    }

    /// Aggregator noise of this type, with its budget or, for compensation, its numbers of clients.
    fn aggregator_noise(
        &self,
        mechanism: AggregatorNoiseType,
    ) -> Result<AggregatorNoise, ParameterError> {
        if let Some(kind) = mechanism.noise_kind() {
            let epsilon = || self.exact("epsilon", EPSILON);
            let budget = match (kind, &self.rho) {
                (NoiseKind::DiscreteLaplace, _) => Budget::Pure { epsilon: epsilon()? },
                (_, None) => {
                    Budget::Approximate { epsilon: epsilon()?, delta: self.guarantee_delta()? }
                }
                (_, Some(_)) => Budget::ZeroConcentrated { rho: self.exact("rho", "")? },
            };
            if let Some(noise) = mechanism.of(budget.into()) {
                return Ok(noise);
            }
        }
        let clients = |name, default, least| {
            parse_integer(name, self.text(name, default), least..=MAX_CLIENTS)
        };
        Ok(AggregatorNoise::Compensation {
            target_honest_clients: clients("target_honest_clients", "10000", 1)?,
            assumed_malicious_clients: clients("assumed_malicious_clients", "0", 0)?,
        })
    }
}

impl PolicyName {
    /// The name of the parameter of one client's answer: `epsilon`, `local_epsilon` where
    /// aggregators add noise as well, `epsilon0` for RAPPOR; `None` where clients add no noise or
    /// flip coins.
    #[must_use]
    pub const fn client_parameter(&self) -> Option<&'static str> {
        match (self.client_noise, self.aggregator_noise) {
            (None | Some(ClientNoiseType::CoinFlip), _) => None,
            (Some(ClientNoiseType::SymmetricRappor | ClientNoiseType::OneHotRappor), _) => {
                Some("epsilon0")
            }
            (Some(_), None) => Some("epsilon"),
            (Some(_), Some(_)) => Some("local_epsilon"),
        }
    }

    /// The names of the [`NoiseParameters`] that the policy has, beside `aggregators` and `delta`,
    /// which every policy has.
    #[must_use]
    pub fn parameters(&self) -> Vec<&'static str> {
        let of_aggregators: &[&str] =
            match self.aggregator_noise.map(AggregatorNoiseType::noise_kind) {
                None => &[],
                Some(Some(NoiseKind::DiscreteLaplace)) => &["epsilon"],
                Some(Some(NoiseKind::DiscreteGaussian)) => &["epsilon", "rho"],
                Some(None) => &["target_honest_clients", "assumed_malicious_clients"],
            };
        let rate = "false_positive_rate";
        let has_rate = self.client_noise.is_some_and(ClientNoiseType::is_rappor);
        let mut names: Vec<&str> = self.client_parameter().into_iter().collect();
        names.extend(of_aggregators);
        names.extend(has_rate.then_some(rate));
        names
    }

    /// Checks the range of every parameter that the policy has.
    ///
    /// # Errors
    /// The first parameter that is out of its range, by its name.
    pub fn check(&self, parameters: &NoiseParameters) -> Result<(), Error> {
        parameters.guarantee_delta()?;
        let size = VdafSize { length: 2, max_measurement: 1, max_weight: Some(1), grid: None };
        self.document(parameters, &size, 1).map(drop)
    }

    /// The document of the policy with this noise, for measurements of this size by at most
    /// `clients` clients. It relies on OC where clients add noise, otherwise on OAOC.
    ///
    /// # Errors
    /// A parameter that is out of its range, by its name. Parameters that the policy does not have
    /// are ignored.
    pub fn document(
        &self,
        parameters: &NoiseParameters,
        size: &VdafSize,
        clients: u64,
    ) -> Result<TaskDocument, Error> {
        let aggregators =
            parse_integer("aggregators", parameters.text("aggregators", "2"), 2..=254)?;
        let aggregator_noise =
            self.aggregator_noise.map(|noise| parameters.aggregator_noise(noise));
        let aggregator_noise = aggregator_noise.transpose()?;
        let client_noise = self.client_noise(parameters, size)?;
        Ok(self.document_with(aggregators, client_noise, aggregator_noise, size, clients))
    }

    /// The document of the policy with these noises, which are of its types, for measurements of
    /// this size by at most `clients` clients. It relies on OC where clients add noise, otherwise
    /// on OAOC.
    #[must_use]
    pub fn document_with(
        &self,
        aggregators: usize,
        client_noise: Option<ClientNoise>,
        aggregator_noise: Option<AggregatorNoise>,
        size: &VdafSize,
        clients: u64,
    ) -> TaskDocument {
        let shared = VdafSize {
            max_weight: size.max_weight.filter(|_| client_noise.is_none()),
            ..size.clone()
        };
        // Compensation depends on the number of reports, and releases nothing of a batch whose
        // clients may all be malicious.
        let (min_reports, max_reports) = match aggregator_noise {
            Some(AggregatorNoise::Compensation { assumed_malicious_clients, .. }) => {
                let min_reports = assumed_malicious_clients.saturating_add(1);
                (min_reports, Some(clients.max(min_reports)))
            }
            _ => (1, (clients > DEFAULT_MAX_REPORTS).then_some(clients)),
        };
        let trust = Trust::on(match client_noise {
            Some(_) => TrustModel::OneClient,
            None => TrustModel::OneAggregatorOneClient,
        });
        let parts = Parts {
            vdaf: self.vdaf.of_size(aggregators, &shared),
            client_noise,
            aggregator_noise,
            batch: BatchLimits { min_reports, max_reports },
        };
        TaskDocument::new(self.name, parts, trust)
    }

    /// A small document of this policy: 2 aggregators, vectors of 10, numbers up to 10, ε = 1 and
    /// δ = 1e-9. Compensation fills batches of at most 10 000 reports up to 20 000 honest clients.
    ///
    /// # Errors
    /// None: the parameters are in range.
    pub fn example(&self) -> Result<TaskDocument, Error> {
        let [one, rate, clients] = ["1", "1e-12", "20000"].map(|text| Some(text.to_owned()));
        let parameters = NoiseParameters {
            epsilon: one.clone(),
            epsilon0: one.clone(),
            local_epsilon: one,
            false_positive_rate: rate,
            target_honest_clients: clients,
            ..NoiseParameters::default()
        };
        let size = VdafSize { length: 10, max_measurement: 10, max_weight: Some(2), grid: None };
        self.document(&parameters, &size, 10_000)
    }

    /// The client noise of the policy for measurements of this size; `None` if the policy has no
    /// client noise.
    fn client_noise(
        &self,
        parameters: &NoiseParameters,
        size: &VdafSize,
    ) -> Result<Option<ClientNoise>, Error> {
        let Some(randomizer) = self.client_noise else {
            return Ok(None);
        };
        let Some(name) = self.client_parameter() else {
            return Ok(Some(ClientNoise::CoinFlip {}));
        };
        let epsilon = parameters.exact(name, CLIENT_EPSILON)?;
        let negligible_rate = |parameter: &Epsilon, weight| {
            let epsilon0 = match randomizer {
                ClientNoiseType::BasicRappor => {
                    SymmetricRappor::basic(parameter)?.epsilon0().clone()
                }
                _ => parameter.clone(),
            };
            let delta = parameters.guarantee_delta()?;
            Rappor::negligible_rate(size.length, weight, epsilon0, &delta)
        };
        let rate = |parameter: &Epsilon, weight| {
            if parameters.false_positive_rate.is_some() {
                return Ok(parameters.exact("false_positive_rate", "")?);
            }
            negligible_rate(parameter, weight).map_err(|source| match source {
                dp_prio3::Error::Parameter(error) => error.into(),
                source => Error::Policy { field: "client_noise", source },
            })
        };
        randomizer.with(epsilon, size.max_weight.unwrap_or(1), rate).map(Some)
    }
}
