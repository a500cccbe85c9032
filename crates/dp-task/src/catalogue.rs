//! The policies by name: which VDAF, with which noise of clients and aggregators.
//!
//! What is not on this list is refused. A further policy is one line here, and one in `build.rs`.

use dp_exact::ParameterError;
use dp_prio3::TrustModel;

use crate::document::{
    AggregatorNoise, Batch, BudgetKind, ClientNoise, Document, Mechanism, Randomizer, Trust,
    VERSION, Vdaf, VdafType,
};

/// A combination that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyName {
    /// What people call it.
    pub name: &'static str,
    /// What is aggregated.
    pub vdaf: VdafType,
    /// What clients do.
    pub client_noise: Option<Randomizer>,
    /// What each aggregator adds.
    pub aggregator_noise: Option<Mechanism>,
}

const fn aggregators(name: &'static str, vdaf: VdafType, mechanism: Mechanism) -> PolicyName {
    PolicyName {
        name,
        vdaf,
        client_noise: None,
        aggregator_noise: Some(mechanism),
    }
}

const fn clients(name: &'static str, vdaf: VdafType, randomizer: Randomizer) -> PolicyName {
    PolicyName {
        name,
        vdaf,
        client_noise: Some(randomizer),
        aggregator_noise: None,
    }
}

const fn hedged(
    name: &'static str,
    vdaf: VdafType,
    randomizer: Randomizer,
    mechanism: Mechanism,
) -> PolicyName {
    PolicyName {
        name,
        vdaf,
        client_noise: Some(randomizer),
        aggregator_noise: Some(mechanism),
    }
}

/// Every policy.
pub const POLICIES: &[PolicyName] = {
    use Mechanism::{DiscreteGaussian as Gaussian, DiscreteLaplace as Laplace};
    use Randomizer::{
        BasicRappor as Basic, CoinFlip, KaryRandomizedResponse as Kary, OneHotRappor as OneHot,
        RandomizedResponse as Response, SymmetricRappor as Symmetric,
    };
    use VdafType as Vdaf;
    &[
        aggregators("histogram-gaussian", Vdaf::Histogram, Gaussian),
        aggregators("histogram-laplace", Vdaf::Histogram, Laplace),
        aggregators("count-laplace", Vdaf::Count, Laplace),
        aggregators("count-gaussian", Vdaf::Count, Gaussian),
        aggregators("sum-laplace", Vdaf::Sum, Laplace),
        aggregators("sum-gaussian", Vdaf::Sum, Gaussian),
        aggregators("average-laplace", Vdaf::Average, Laplace),
        aggregators("average-gaussian", Vdaf::Average, Gaussian),
        aggregators("sumvec-laplace", Vdaf::SumVec, Laplace),
        aggregators("sumvec-gaussian", Vdaf::SumVec, Gaussian),
        aggregators("multihot-laplace", Vdaf::MultihotCountVec, Laplace),
        aggregators("multihot-gaussian", Vdaf::MultihotCountVec, Gaussian),
        aggregators("l1boundsum-laplace", Vdaf::L1BoundSum, Laplace),
        aggregators("l1boundsum-gaussian", Vdaf::L1BoundSum, Gaussian),
        clients("count-response", Vdaf::Count, Response),
        clients("count-coin-flip", Vdaf::Count, CoinFlip),
        clients("histogram-response", Vdaf::Histogram, Kary),
        clients("multihot-rappor", Vdaf::MultihotCountVec, Symmetric),
        clients("multihot-one-hot-rappor", Vdaf::MultihotCountVec, OneHot),
        clients("multihot-basic-rappor", Vdaf::MultihotCountVec, Basic),
        hedged("count-response-laplace", Vdaf::Count, Response, Laplace),
        hedged("count-response-gaussian", Vdaf::Count, Response, Gaussian),
        hedged("count-coin-flip-laplace", Vdaf::Count, CoinFlip, Laplace),
        hedged("count-coin-flip-gaussian", Vdaf::Count, CoinFlip, Gaussian),
        hedged("histogram-response-laplace", Vdaf::Histogram, Kary, Laplace),
        hedged(
            "histogram-response-gaussian",
            Vdaf::Histogram,
            Kary,
            Gaussian,
        ),
        hedged(
            "multihot-rappor-laplace",
            Vdaf::MultihotCountVec,
            Symmetric,
            Laplace,
        ),
        hedged(
            "multihot-rappor-gaussian",
            Vdaf::MultihotCountVec,
            Symmetric,
            Gaussian,
        ),
        hedged(
            "multihot-one-hot-rappor-laplace",
            Vdaf::MultihotCountVec,
            OneHot,
            Laplace,
        ),
        hedged(
            "multihot-one-hot-rappor-gaussian",
            Vdaf::MultihotCountVec,
            OneHot,
            Gaussian,
        ),
        hedged(
            "multihot-basic-rappor-laplace",
            Vdaf::MultihotCountVec,
            Basic,
            Laplace,
        ),
        hedged(
            "multihot-basic-rappor-gaussian",
            Vdaf::MultihotCountVec,
            Basic,
            Gaussian,
        ),
        hedged(
            "compensated-rappor",
            Vdaf::MultihotCountVec,
            OneHot,
            Mechanism::Compensation,
        ),
    ]
};

impl PolicyName {
    /// The policy of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        POLICIES.iter().find(|policy| policy.name == name).copied()
    }

    /// A small task of this policy, to look at or to start from: 2 aggregators, vectors of 10, numbers
    /// up to 10, weights up to 2, and ε = 1 with δ = 1e-9 where the noise needs one. Compensation makes
    /// batches of up to 10 000 reports up to 20 000 honest clients.
    ///
    /// # Errors
    /// None: the numbers are in range.
    pub fn example(&self) -> Result<Document, ParameterError> {
        use VdafType::{Average, Count, Histogram, MultihotCountVec, Sum};
        let is_vector = !matches!(self.vdaf, Count | Sum | Average);
        let is_multihot = self.vdaf == MultihotCountVec;
        let has_numbers = !is_multihot && !matches!(self.vdaf, Count | Histogram);
        let bits_are_shared_as_they_are = is_multihot && self.client_noise.is_none();
        Ok(Document {
            version: Some(VERSION),
            name: Some(self.name.to_owned()),
            vdaf: Vdaf {
                r#type: Some(self.vdaf),
                aggregators: Some(2),
                length: is_vector.then_some(10),
                max_measurement: has_numbers.then_some(10),
                max_weight: bits_are_shared_as_they_are.then_some(2),
                chunk_length: None,
            },
            grid: None,
            client_noise: self.client_noise.map(example_of_client_noise).transpose()?,
            aggregator_noise: self.aggregator_noise.map(example_of_noise).transpose()?,
            trust: Trust {
                model: Some(match self.client_noise {
                    Some(_) => TrustModel::OneClient,
                    None => TrustModel::OneAggregatorOneClient,
                }),
                ..Trust::default()
            },
            batch: Batch {
                min_reports: Some(1),
                max_reports: (self.aggregator_noise == Some(Mechanism::Compensation))
                    .then_some(10_000),
            },
        })
    }

    /// The policy that a document asks for.
    pub(crate) fn of(document: &Document) -> Option<Self> {
        let client = document.client_noise.as_ref();
        let aggregator = document.aggregator_noise.as_ref();
        let asked = |policy: &&Self| {
            document.vdaf.r#type == Some(policy.vdaf)
                && client.map(|noise| noise.mechanism) == policy.client_noise.map(Some)
                && aggregator.map(|noise| noise.mechanism) == policy.aggregator_noise.map(Some)
        };
        POLICIES.iter().find(asked).copied()
    }
}

fn example_of_client_noise(mechanism: Randomizer) -> Result<ClientNoise, ParameterError> {
    let mut noise = ClientNoise {
        mechanism: Some(mechanism),
        ..ClientNoise::default()
    };
    match mechanism {
        Randomizer::CoinFlip => {}
        Randomizer::RandomizedResponse | Randomizer::KaryRandomizedResponse => {
            noise.epsilon = Some("1".parse()?);
        }
        Randomizer::BasicRappor => {
            noise.epsilon = Some("1".parse()?);
            noise.false_positive_rate = Some("1e-12".parse()?);
        }
        Randomizer::OneHotRappor => {
            noise.epsilon0 = Some("1".parse()?);
            noise.false_positive_rate = Some("1e-12".parse()?);
        }
        Randomizer::SymmetricRappor => {
            noise.epsilon0 = Some("1".parse()?);
            noise.input_weight = Some(2);
            noise.false_positive_rate = Some("1e-12".parse()?);
        }
    }
    Ok(noise)
}

fn example_of_noise(mechanism: Mechanism) -> Result<AggregatorNoise, ParameterError> {
    let mut noise = AggregatorNoise {
        mechanism: Some(mechanism),
        ..AggregatorNoise::default()
    };
    match mechanism {
        Mechanism::DiscreteLaplace => noise.budget = Some(BudgetKind::Pure),
        Mechanism::DiscreteGaussian => {
            noise.budget = Some(BudgetKind::Approximate);
            noise.delta = Some("1e-9".parse()?);
        }
        Mechanism::Compensation => {
            noise.wanted_honest_clients = Some(20_000);
            noise.assumed_malicious_clients = Some(0);
            return Ok(noise);
        }
    }
    noise.epsilon = Some("1".parse()?);
    Ok(noise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_and_no_combination_occurs_twice() {
        for (place, one) in POLICIES.iter().enumerate() {
            for other in &POLICIES[..place] {
                assert_ne!(one.name, other.name);
                assert_ne!(
                    PolicyName {
                        name: other.name,
                        ..*one
                    },
                    *other
                );
            }
        }
    }
}
