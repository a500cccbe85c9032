//! The policies by name: which VDAF, with which noise of clients and aggregators.
//!
//! What is not on this list is refused. A further policy is one line here, and one in `build.rs`.

use dp_calibration::Budget;
use dp_exact::ParameterError;
use dp_prio3::TrustModel;

use crate::Error;
use crate::document::{
    AggregatorNoise, AggregatorNoiseType, BatchLimits, ClientNoise, ClientNoiseType, SchemaVersion,
    TaskDocument, Trust, Vdaf, VdafSize, VdafType,
};

/// A combination that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyName {
    /// What people call it.
    pub name: &'static str,
    /// What is aggregated.
    pub vdaf: VdafType,
    /// What clients do.
    pub client_noise: Option<ClientNoiseType>,
    /// What each aggregator adds.
    pub aggregator_noise: Option<AggregatorNoiseType>,
}

const fn policy(
    name: &'static str,
    vdaf: VdafType,
    client_noise: Option<ClientNoiseType>,
    aggregator_noise: Option<AggregatorNoiseType>,
) -> PolicyName {
    PolicyName { name, vdaf, client_noise, aggregator_noise }
}

/// Every policy.
#[rustfmt::skip]
pub const POLICIES: &[PolicyName] = {
    use VdafType::{Average, Count, Histogram, L1BoundSum, MultihotCountVec as Multihot, Sum, SumVec};
    const LAPLACE: Option<AggregatorNoiseType> = Some(AggregatorNoiseType::DiscreteLaplace);
    const GAUSSIAN: Option<AggregatorNoiseType> = Some(AggregatorNoiseType::DiscreteGaussian);
    const COMPENSATION: Option<AggregatorNoiseType> = Some(AggregatorNoiseType::Compensation);
    const RESPONSE: Option<ClientNoiseType> = Some(ClientNoiseType::RandomizedResponse);
    const COIN_FLIP: Option<ClientNoiseType> = Some(ClientNoiseType::CoinFlip);
    const KARY: Option<ClientNoiseType> = Some(ClientNoiseType::KaryRandomizedResponse);
    const SYMMETRIC: Option<ClientNoiseType> = Some(ClientNoiseType::SymmetricRappor);
    const ONE_HOT: Option<ClientNoiseType> = Some(ClientNoiseType::OneHotRappor);
    const BASIC: Option<ClientNoiseType> = Some(ClientNoiseType::BasicRappor);
    &[
        policy("histogram-gaussian", Histogram, None, GAUSSIAN),
        policy("histogram-laplace", Histogram, None, LAPLACE),
        policy("count-laplace", Count, None, LAPLACE),
        policy("count-gaussian", Count, None, GAUSSIAN),
        policy("sum-laplace", Sum, None, LAPLACE),
        policy("sum-gaussian", Sum, None, GAUSSIAN),
        policy("average-laplace", Average, None, LAPLACE),
        policy("average-gaussian", Average, None, GAUSSIAN),
        policy("sumvec-laplace", SumVec, None, LAPLACE),
        policy("sumvec-gaussian", SumVec, None, GAUSSIAN),
        policy("multihot-laplace", Multihot, None, LAPLACE),
        policy("multihot-gaussian", Multihot, None, GAUSSIAN),
        policy("l1boundsum-laplace", L1BoundSum, None, LAPLACE),
        policy("l1boundsum-gaussian", L1BoundSum, None, GAUSSIAN),
        policy("count-response", Count, RESPONSE, None),
        policy("count-coin-flip", Count, COIN_FLIP, None),
        policy("histogram-response", Histogram, KARY, None),
        policy("multihot-rappor", Multihot, SYMMETRIC, None),
        policy("multihot-one-hot-rappor", Multihot, ONE_HOT, None),
        policy("multihot-basic-rappor", Multihot, BASIC, None),
        policy("count-response-laplace", Count, RESPONSE, LAPLACE),
        policy("count-response-gaussian", Count, RESPONSE, GAUSSIAN),
        policy("count-coin-flip-laplace", Count, COIN_FLIP, LAPLACE),
        policy("count-coin-flip-gaussian", Count, COIN_FLIP, GAUSSIAN),
        policy("histogram-response-laplace", Histogram, KARY, LAPLACE),
        policy("histogram-response-gaussian", Histogram, KARY, GAUSSIAN),
        policy("multihot-rappor-laplace", Multihot, SYMMETRIC, LAPLACE),
        policy("multihot-rappor-gaussian", Multihot, SYMMETRIC, GAUSSIAN),
        policy("multihot-one-hot-rappor-laplace", Multihot, ONE_HOT, LAPLACE),
        policy("multihot-one-hot-rappor-gaussian", Multihot, ONE_HOT, GAUSSIAN),
        policy("multihot-basic-rappor-laplace", Multihot, BASIC, LAPLACE),
        policy("multihot-basic-rappor-gaussian", Multihot, BASIC, GAUSSIAN),
        policy("compensated-rappor", Multihot, ONE_HOT, COMPENSATION),
    ]
};

impl PolicyName {
    /// The policy of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        POLICIES.iter().find(|policy| policy.name == name).copied()
    }

    /// The policy that a document asks for.
    pub(crate) fn of(document: &TaskDocument) -> Result<Self, Error> {
        let vdaf = document.vdaf.kind();
        let client_noise = document.client_noise.as_ref().map(|noise| noise.kind());
        let aggregator_noise = document.aggregator_noise.as_ref().map(|noise| noise.kind());
        let asked = |policy: &&Self| {
            (policy.vdaf, policy.client_noise, policy.aggregator_noise)
                == (vdaf, client_noise, aggregator_noise)
        };
        let found = POLICIES.iter().find(asked).copied();
        found.ok_or_else(|| no_such_policy(document))
    }
}

/// Noise that does not go with the VDAF.
pub(crate) fn no_such_policy(document: &TaskDocument) -> Error {
    let vdaf = document.vdaf.kind();
    let there_are = POLICIES.iter().filter(|policy| policy.vdaf == vdaf);
    let named: Vec<&str> = there_are.map(|policy| policy.name).collect();
    let accepted = format!("noise that makes one of the policies {}", named.join(", "));
    let (field, value) = match (&document.client_noise, &document.aggregator_noise) {
        (Some(noise), _) => ("client_noise.type", noise.kind().name()),
        (None, Some(noise)) => ("aggregator_noise.type", noise.kind().name()),
        (None, None) => ("aggregator_noise", "missing, and client_noise too"),
    };
    ParameterError::new(field, value, accepted).into()
}

/// The entries of a vector.
const LENGTH: usize = 10;

impl PolicyName {
    /// A small task of this policy, to look at or to start from: 2 aggregators, vectors of 10, numbers
    /// up to 10, weights up to 2, and ε = 1 with δ = 1e-9 where the noise needs one. Compensation makes
    /// batches of up to 10 000 reports up to 20 000 honest clients.
    ///
    /// # Errors
    /// None: the numbers are in range.
    pub fn example(&self) -> Result<TaskDocument, ParameterError> {
        let is_compensated = self.aggregator_noise == Some(AggregatorNoiseType::Compensation);
        Ok(TaskDocument {
            version: SchemaVersion,
            name: self.name.to_owned(),
            vdaf: self.vdaf(),
            client_noise: self.client_noise.map(client_noise).transpose()?,
            aggregator_noise: self.aggregator_noise.map(aggregator_noise).transpose()?,
            trust: Trust::on(match self.client_noise {
                Some(_) => TrustModel::OneClient,
                None => TrustModel::OneAggregatorOneClient,
            }),
            batch: BatchLimits { min_reports: 1, max_reports: is_compensated.then_some(10_000) },
        })
    }

    fn vdaf(&self) -> Vdaf {
        let size = VdafSize {
            length: LENGTH,
            max_measurement: 10,
            max_weight: self.client_noise.is_none().then_some(2),
            grid: None,
        };
        self.vdaf.of_size(2, &size)
    }
}

fn client_noise(randomizer: ClientNoiseType) -> Result<ClientNoise, ParameterError> {
    let (epsilon, false_positive_rate) = ("1".parse()?, "1e-12".parse()?);
    Ok(match randomizer {
        ClientNoiseType::RandomizedResponse => ClientNoise::RandomizedResponse { epsilon },
        ClientNoiseType::CoinFlip => ClientNoise::CoinFlip {},
        ClientNoiseType::KaryRandomizedResponse => ClientNoise::KaryRandomizedResponse { epsilon },
        ClientNoiseType::SymmetricRappor => {
            ClientNoise::SymmetricRappor { epsilon0: epsilon, input_weight: 2, false_positive_rate }
        }
        ClientNoiseType::OneHotRappor => {
            ClientNoise::OneHotRappor { epsilon0: epsilon, false_positive_rate }
        }
        ClientNoiseType::BasicRappor => ClientNoise::BasicRappor { epsilon, false_positive_rate },
    })
}

fn aggregator_noise(mechanism: AggregatorNoiseType) -> Result<AggregatorNoise, ParameterError> {
    let epsilon = "1".parse()?;
    Ok(match mechanism {
        AggregatorNoiseType::DiscreteLaplace => {
            AggregatorNoise::DiscreteLaplace { budget: Budget::Pure { epsilon } }
        }
        AggregatorNoiseType::DiscreteGaussian => AggregatorNoise::DiscreteGaussian {
            budget: Budget::Approximate { epsilon, delta: "1e-9".parse()? },
        },
        AggregatorNoiseType::Compensation => AggregatorNoise::Compensation {
            wanted_honest_clients: 20_000,
            assumed_malicious_clients: 0,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_and_no_combination_occurs_twice() {
        for (place, one) in POLICIES.iter().enumerate() {
            for other in &POLICIES[..place] {
                assert_ne!(one.name, other.name);
                let renamed = PolicyName { name: other.name, ..*one };
                assert_ne!(renamed, *other);
            }
        }
    }
}
