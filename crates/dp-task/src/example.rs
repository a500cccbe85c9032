//! A small task of each policy.

use dp_calibration::Budget;
use dp_exact::ParameterError;
use dp_prio3::TrustModel;

use crate::catalogue::PolicyName;
use crate::document::{
    AggregatorNoise, Batch, ClientNoise, Document, Mechanism, Randomizer, Size, Trust, Vdaf,
    Version,
};

/// The entries of a vector.
const LENGTH: usize = 10;

impl PolicyName {
    /// A small task of this policy, to look at or to start from: 2 aggregators, vectors of 10, numbers
    /// up to 10, weights up to 2, and ε = 1 with δ = 1e-9 where the noise needs one. Compensation makes
    /// batches of up to 10 000 reports up to 20 000 honest clients.
    ///
    /// # Errors
    /// None: the numbers are in range.
    pub fn example(&self) -> Result<Document, ParameterError> {
        let is_compensated = self.aggregator_noise == Some(Mechanism::Compensation);
        Ok(Document {
            version: Version,
            name: self.name.to_owned(),
            vdaf: self.vdaf(),
            client_noise: self.client_noise.map(client_noise).transpose()?,
            aggregator_noise: self.aggregator_noise.map(aggregator_noise).transpose()?,
            trust: Trust::on(match self.client_noise {
                Some(_) => TrustModel::OneClient,
                None => TrustModel::OneAggregatorOneClient,
            }),
            batch: Batch {
                min_reports: 1,
                max_reports: is_compensated.then_some(10_000),
            },
        })
    }

    fn vdaf(&self) -> Vdaf {
        self.vdaf.of_size(Size {
            aggregators: 2,
            length: LENGTH,
            max_measurement: 10,
            max_weight: self.client_noise.is_none().then_some(2),
        })
    }
}

fn client_noise(randomizer: Randomizer) -> Result<ClientNoise, ParameterError> {
    let (epsilon, false_positive_rate) = ("1".parse()?, "1e-12".parse()?);
    Ok(match randomizer {
        Randomizer::RandomizedResponse => ClientNoise::RandomizedResponse { epsilon },
        Randomizer::CoinFlip => ClientNoise::CoinFlip {},
        Randomizer::KaryRandomizedResponse => ClientNoise::KaryRandomizedResponse { epsilon },
        Randomizer::SymmetricRappor => ClientNoise::SymmetricRappor {
            epsilon0: epsilon,
            input_weight: 2,
            false_positive_rate,
        },
        Randomizer::OneHotRappor => ClientNoise::OneHotRappor {
            epsilon0: epsilon,
            false_positive_rate,
        },
        Randomizer::BasicRappor => ClientNoise::BasicRappor {
            epsilon,
            false_positive_rate,
        },
    })
}

fn aggregator_noise(mechanism: Mechanism) -> Result<AggregatorNoise, ParameterError> {
    let epsilon = "1".parse()?;
    Ok(match mechanism {
        Mechanism::DiscreteLaplace => AggregatorNoise::DiscreteLaplace {
            budget: Budget::Pure { epsilon },
        },
        Mechanism::DiscreteGaussian => AggregatorNoise::DiscreteGaussian {
            budget: Budget::Approximate {
                epsilon,
                delta: "1e-9".parse()?,
            },
        },
        Mechanism::Compensation => AggregatorNoise::Compensation {
            wanted_honest_clients: 20_000,
            assumed_malicious_clients: 0,
        },
    })
}
