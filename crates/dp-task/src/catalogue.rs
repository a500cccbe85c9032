//! The policies by name: a VDAF with the noise of clients and aggregators.
//!
//! Other combinations are refused. A further policy is one line here.

use dp_calibration::strategy_matrix::StrategyFamily;
use dp_exact::ParameterError;
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::{AggregatorNoiseType, ClientNoiseType, VdafType};
use serde::{Serialize, Serializer};

use crate::Error;
use crate::document::TaskDocument;

/// A VDAF with the noise of clients and of aggregators, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyName {
    /// The name, such as `histogram-laplace`.
    pub name: &'static str,
    /// The VDAF.
    pub vdaf: VdafType,
    /// The noise of each client, if clients add some.
    pub client_noise: Option<ClientNoiseType>,
    /// The noise of each aggregator, if aggregators add some.
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
    const CUBE: Option<AggregatorNoiseType> = Some(AggregatorNoiseType::DiscreteKNorm);
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
        policy("histogram-percentiles-gaussian", Histogram, None, Some(AggregatorNoiseType::PercentilesGaussian)),
        policy("histogram-ranges-gaussian", Histogram, None, Some(AggregatorNoiseType::RangesGaussian)),
        policy("histogram-ranges-laplace", Histogram, None, Some(AggregatorNoiseType::RangesLaplace)),
        policy("count-laplace", Count, None, LAPLACE),
        policy("count-gaussian", Count, None, GAUSSIAN),
        policy("sum-laplace", Sum, None, LAPLACE),
        policy("sum-gaussian", Sum, None, GAUSSIAN),
        policy("average-laplace", Average, None, LAPLACE),
        policy("average-gaussian", Average, None, GAUSSIAN),
        policy("sumvec-laplace", SumVec, None, LAPLACE),
        policy("sumvec-gaussian", SumVec, None, GAUSSIAN),
        policy("sumvec-cube", SumVec, None, CUBE),
        policy("multihot-laplace", Multihot, None, LAPLACE),
        policy("multihot-gaussian", Multihot, None, GAUSSIAN),
        policy("multihot-cube", Multihot, None, CUBE),
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

/// A policy is written by its name.
impl Serialize for PolicyName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(serializer)
    }
}

impl PolicyName {
    /// The strategy matrix that aggregators multiply their share by, if there is one.
    #[must_use]
    pub fn strategy(&self) -> Option<StrategyFamily> {
        self.aggregator_noise?.strategy()
    }

    /// The distribution of the noise that each aggregator draws; `None` if aggregators draw none,
    /// or make up for missing clients.
    #[must_use]
    pub fn noise_kind(&self) -> Option<NoiseKind> {
        self.aggregator_noise?.noise_kind()
    }

    /// The policy of this name; `None` if there is none.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        POLICIES.iter().find(|policy| policy.name == name).copied()
    }

    /// The policy with the VDAF and the noise of a document; `Err` if the catalogue has no such
    /// policy.
    pub(crate) fn of(document: &TaskDocument) -> Result<Self, Error> {
        let vdaf = document.vdaf.kind();
        let client_noise = document.client_noise.as_ref().map(|noise| noise.kind());
        let aggregator_noise = document.aggregator_noise.as_ref().map(|noise| noise.kind());
        let asked = |name| Self { name, vdaf, client_noise, aggregator_noise };
        if let Some(found) = POLICIES.iter().find(|policy| **policy == asked(policy.name)) {
            return Ok(*found);
        }
        let policies = POLICIES.iter().filter(|policy| policy.vdaf == vdaf);
        let names: Vec<&str> = policies.map(|policy| policy.name).collect();
        let accepted = format!("noise that makes one of the policies {}", names.join(", "));
        let (field, value) = match (client_noise, aggregator_noise) {
            (Some(noise), _) => ("client_noise.type", noise.name()),
            (None, Some(noise)) => ("aggregator_noise.type", noise.name()),
            (None, None) => ("aggregator_noise", "missing, and client_noise too"),
        };
        Err(ParameterError::new(field, value, accepted).into())
    }
}
