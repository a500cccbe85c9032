//! From a policy's name and the typed parameters of its noise to a document: which parameters a
//! policy has, and their defaults.

use std::str::FromStr;

use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::randomizers::Rappor;
use dp_prio3::{
    AggregatorNoise, AggregatorNoiseType, BatchLimits, Budget, ClientNoise, ClientNoiseType,
    DEFAULT_MAX_REPORTS, Parts, TrustModel, VdafSize, VdafType,
};
use dp_rappor::SymmetricRappor;

use crate::Error;
use crate::catalogue::PolicyName;
use crate::document::{TaskDocument, Trust};
use crate::task::default_delta;

/// Parameters of a policy's noise; an absent one has a default. A policy ignores those that it does
/// not have ([`PolicyName::parameters`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NoiseParameters {
    /// Number of aggregators, 2 to 254. Default: 2.
    pub aggregators: Option<usize>,
    /// ε of the noise of one aggregator; where aggregators add none, ε of one client's answer.
    /// Default: 0.906, for clients 3.
    pub epsilon: Option<Epsilon>,
    /// The δ at which guarantees are reported, and the budget's of Gaussian noise. Default: 1e-9.
    pub delta: Option<Delta>,
    /// ρ of Gaussian noise, in place of ε and δ.
    pub rho: Option<Rho>,
    /// ε₀ of RAPPOR: the privacy loss of one bit. Default: 3.
    pub epsilon0: Option<Epsilon>,
    /// ε of one client's answer where aggregators add noise as well. Default: 3.
    pub local_epsilon: Option<Epsilon>,
    /// Fraction of honest reports that RAPPOR may drop. Default: one that takes a negligible part
    /// of δ.
    pub false_positive_rate: Option<Rational>,
    /// Number of honest clients up to which compensation fills a batch. Default: 10000.
    pub target_honest_clients: Option<u64>,
    /// Number of clients of a batch that compensation assumes to be malicious. Default: 0.
    pub assumed_malicious_clients: Option<u64>,
}

impl NoiseParameters {
    /// The δ at which guarantees are reported.
    #[must_use]
    pub fn guarantee_delta(&self) -> Delta {
        self.delta.clone().unwrap_or_else(default_delta)
    }

    /// Aggregator noise of this type: Gaussian noise with ρ, else with ε and δ, Laplace and K-norm
    /// noise with ε, or compensation with its numbers of clients. Parameters that are not given are
    /// ε = 0.906, 10 000 honest clients and 0 malicious ones.
    fn aggregator_noise(&self, noise: AggregatorNoiseType) -> AggregatorNoise {
        let epsilon = || self.epsilon.clone().unwrap_or_else(|| number("0.906"));
        let budget = match (noise.noise_kind(), self.rho.clone()) {
            (Some(NoiseKind::DiscreteGaussian), Some(rho)) => Budget::ZeroConcentrated { rho },
            (Some(NoiseKind::DiscreteGaussian), None) => {
                Budget::Approximate { epsilon: epsilon(), delta: self.guarantee_delta() }
            }
            (Some(NoiseKind::DiscreteLaplace | NoiseKind::DiscreteKNorm) | None, _) => {
                Budget::Pure { epsilon: epsilon() }
            }
        };
        noise.of(budget).unwrap_or_else(|| AggregatorNoise::Compensation {
            target_honest_clients: self.target_honest_clients.unwrap_or(10_000),
            assumed_malicious_clients: self.assumed_malicious_clients.unwrap_or(0),
        })
    }
}

/// A number that is written in this file.
fn number<T: FromStr<Err = ParameterError>>(text: &str) -> T {
    text.parse().expect("a number in its range")
}

impl PolicyName {
    /// The name of the parameter of one client's answer: `epsilon`, `local_epsilon` where
    /// aggregators add noise as well, `epsilon0` for RAPPOR; `None` where clients add no noise or
    /// flip coins.
    #[must_use]
    pub fn client_parameter(&self) -> Option<&'static str> {
        use ClientNoiseType::{CoinFlip, OneHotRappor, SymmetricRappor};
        match (self.client_noise?, self.aggregator_noise) {
            (CoinFlip, _) => None,
            (SymmetricRappor | OneHotRappor, _) => Some("epsilon0"),
            (_, None) => Some("epsilon"),
            (_, Some(_)) => Some("local_epsilon"),
        }
    }

    /// The names of the [`NoiseParameters`] that the policy has, beside `aggregators` and `delta`,
    /// which every policy has.
    #[must_use]
    pub fn parameters(&self) -> Vec<&'static str> {
        let of_aggregators: &[&str] =
            match self.aggregator_noise.map(AggregatorNoiseType::noise_kind) {
                None => &[],
                Some(Some(NoiseKind::DiscreteLaplace | NoiseKind::DiscreteKNorm)) => &["epsilon"],
                Some(Some(NoiseKind::DiscreteGaussian)) => &["epsilon", "rho"],
                Some(None) => &["target_honest_clients", "assumed_malicious_clients"],
            };
        let has_rate = self.client_noise.is_some() && self.vdaf == VdafType::MultihotCountVec;
        let mut names: Vec<&str> = self.client_parameter().into_iter().collect();
        names.extend(of_aggregators);
        names.extend(has_rate.then_some("false_positive_rate"));
        names
    }

    /// The document of the policy with this noise, for measurements of this size by at most
    /// `clients` clients. It relies on OC where clients add noise, otherwise on OAOC.
    ///
    /// # Errors
    /// If RAPPOR has no false-positive rate that takes a negligible part of δ.
    pub fn document(
        &self,
        parameters: &NoiseParameters,
        size: &VdafSize,
        clients: u64,
    ) -> Result<TaskDocument, Error> {
        let aggregators = parameters.aggregators.unwrap_or(2);
        let aggregator_noise =
            self.aggregator_noise.map(|noise| parameters.aggregator_noise(noise));
        let client_noise = self.client_noise(parameters, size)?;
        let trust = Trust::on(match client_noise {
            Some(_) => TrustModel::OneClient,
            None => TrustModel::OneAggregatorOneClient,
        });
        let parts = self.parts(aggregators, client_noise, aggregator_noise, size, clients);
        Ok(TaskDocument::new(self.name, parts, trust))
    }

    /// The policy with these noises, which are of its types, for measurements of this size by at
    /// most `clients` clients.
    #[must_use]
    pub fn parts(
        &self,
        aggregators: usize,
        client_noise: Option<ClientNoise>,
        aggregator_noise: Option<AggregatorNoise>,
        size: &VdafSize,
        clients: u64,
    ) -> Parts {
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
        let vdaf = self.vdaf.of_size(aggregators, &shared);
        let batch = BatchLimits { min_reports, max_reports };
        Parts { vdaf, client_noise, aggregator_noise, batch }
    }

    /// A small document of this policy: 2 aggregators, vectors of 10, numbers up to 10, ε = 1 and
    /// δ = 1e-9. Compensation fills batches of at most 10 000 reports up to 20 000 honest clients.
    ///
    /// # Panics
    /// Never: these numbers are in the range of every policy in the catalogue.
    #[must_use]
    pub fn example(&self) -> TaskDocument {
        let one = Some(number("1"));
        let parameters = NoiseParameters {
            epsilon: one.clone(),
            epsilon0: one.clone(),
            local_epsilon: one,
            false_positive_rate: Some(number("1e-12")),
            target_honest_clients: Some(20_000),
            ..NoiseParameters::default()
        };
        let size = VdafSize { length: 10, max_measurement: 10, max_weight: Some(2), grid: None };
        self.document(&parameters, &size, 10_000).expect("its numbers are in range")
    }

    /// The client noise of the policy for measurements of this size; `None` if the policy has none.
    /// Where they are not given, the parameter is 3, and the false-positive rate one that costs
    /// next to nothing at δ. `Err` if the size or the parameter is out of its range for that rate.
    fn client_noise(
        &self,
        parameters: &NoiseParameters,
        size: &VdafSize,
    ) -> Result<Option<ClientNoise>, Error> {
        let Some(randomizer) = self.client_noise else {
            return Ok(None);
        };
        let epsilon = match self.client_parameter() {
            None => return Ok(Some(ClientNoise::CoinFlip {})),
            Some("epsilon0") => &parameters.epsilon0,
            Some("epsilon") => &parameters.epsilon,
            Some(_) => &parameters.local_epsilon,
        };
        let epsilon = epsilon.clone().unwrap_or_else(|| number("3"));
        let rate = |parameter: &Epsilon, weight| {
            if let Some(rate) = &parameters.false_positive_rate {
                return Ok(rate.clone());
            }
            let epsilon0 = match randomizer {
                ClientNoiseType::BasicRappor => {
                    SymmetricRappor::basic(parameter)?.epsilon0().clone()
                }
                _ => parameter.clone(),
            };
            let delta = parameters.guarantee_delta();
            Rappor::negligible_rate(size.length, weight, epsilon0, &delta)
        };
        Ok(Some(randomizer.with(epsilon, size.max_weight.unwrap_or(1), rate)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{POLICIES, Task};

    /// The document of a policy for vectors of 10, numbers up to 5, weights up to 2, and 1000
    /// clients.
    fn document(policy: &PolicyName, parameters: &NoiseParameters) -> Result<TaskDocument, Error> {
        let size = VdafSize { length: 10, max_measurement: 5, max_weight: Some(2), grid: None };
        policy.document(parameters, &size, 1000)
    }

    /// The document changes with each parameter that a policy has, and with no other parameter.
    #[test]
    fn a_policy_has_those_parameters_that_change_its_document() -> Result<(), Error> {
        type Change = fn(&mut NoiseParameters);
        let changes: [(&str, Change); 7] = [
            ("epsilon", |all| all.epsilon = Some(number("0.25"))),
            ("rho", |all| all.rho = "0.01".parse().ok()),
            ("epsilon0", |all| all.epsilon0 = Some(number("0.25"))),
            ("local_epsilon", |all| all.local_epsilon = Some(number("0.25"))),
            ("false_positive_rate", |all| all.false_positive_rate = "1e-5".parse().ok()),
            ("target_honest_clients", |all| all.target_honest_clients = Some(20_000)),
            ("assumed_malicious_clients", |all| all.assumed_malicious_clients = Some(7)),
        ];
        for policy in POLICIES {
            let plain = document(policy, &NoiseParameters::default()).expect(policy.name);
            let task = Task::accepting_weak_guarantee(plain.clone()).expect(policy.name);
            assert_eq!(task.policy_name(), *policy);
            for (name, change) in changes {
                let mut parameters = NoiseParameters::default();
                change(&mut parameters);
                let other = document(policy, &parameters)?;
                let has = policy.parameters().contains(&name);
                assert_eq!(other != plain, has, "{} {name}", policy.name);
            }
        }
        Ok(())
    }
}
