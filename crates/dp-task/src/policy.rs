//! The policy of a task, whichever it is, and what is done with it.

use std::sync::Arc;

use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace};
use dp_prio3::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse, Rappor,
};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{
    AggregatorNoise, ClientNoise, CollectorPolicy, CompensatedRappor, DpPolicy, Hedged,
};

use crate::measurement::Measured;

/// Takes the policy of a task: the way to a client, an aggregator, a collector, a simulation. Which
/// policy it is, the document decides, so a visitor is generic.
///
/// What a client of the policy measures is [`Measured`]: it is made from a
/// [`Measurement`](crate::Measurement), whatever its kind.
pub trait PolicyVisitor {
    /// What the visit yields.
    type Output;

    /// Takes the policy.
    fn visit<P>(self, policy: Arc<P>) -> Self::Output
    where
        P: DpPolicy<Measurement: Measured> + 'static;
}

/// A policy that has been built.
#[derive(Clone, Debug)]
pub(crate) enum Policy {
    Count(Noisy<Count>),
    Sum(Noisy<Sum>),
    Average(Noisy<Average>),
    SumVec(Noisy<SumVec>),
    Histogram(Noisy<Histogram>),
    MultihotCountVec(Noisy<MultihotCountVec>),
    L1BoundSum(Noisy<L1BoundSum>),
    CountResponse(Randomized<Count, RandomizedResponse>),
    CountCoinFlip(Randomized<Count, CoinFlip>),
    HistogramResponse(Randomized<Histogram, KaryRandomizedResponse>),
    Rappor(Randomized<MultihotCountVec, Rappor>),
    CompensatedRappor(Arc<CompensatedRappor>),
}

/// A Prio3 type with the noise of its aggregators.
#[derive(Clone, Debug)]
pub(crate) enum Noisy<T> {
    Laplace(Arc<AggregatorNoise<T, DiscreteLaplace>>),
    Gaussian(Arc<AggregatorNoise<T, DiscreteGaussian>>),
}

/// A Prio3 type with the noise of its clients, and that of its aggregators if there is some.
#[derive(Clone, Debug)]
pub(crate) enum Randomized<T, R> {
    Clients(Arc<ClientNoise<T, R>>),
    Laplace(Arc<Hedged<T, R, DiscreteLaplace>>),
    Gaussian(Arc<Hedged<T, R, DiscreteGaussian>>),
}

impl Policy {
    pub(crate) fn visit<V: PolicyVisitor>(&self, visitor: V) -> V::Output {
        match self {
            Self::Count(policy) => policy.visit(visitor),
            Self::Sum(policy) => policy.visit(visitor),
            Self::Average(policy) => policy.visit(visitor),
            Self::SumVec(policy) => policy.visit(visitor),
            Self::Histogram(policy) => policy.visit(visitor),
            Self::MultihotCountVec(policy) => policy.visit(visitor),
            Self::L1BoundSum(policy) => policy.visit(visitor),
            Self::CountResponse(policy) => policy.visit(visitor),
            Self::CountCoinFlip(policy) => policy.visit(visitor),
            Self::HistogramResponse(policy) => policy.visit(visitor),
            Self::Rappor(policy) => policy.visit(visitor),
            Self::CompensatedRappor(policy) => visitor.visit(Arc::clone(policy)),
        }
    }

    /// What it is, promises and estimates, without its type.
    pub(crate) fn described(&self) -> Arc<dyn CollectorPolicy> {
        self.visit(Describe)
    }
}

impl<T: MeasurementType<Measurement: Measured> + 'static> Noisy<T> {
    fn visit<V: PolicyVisitor>(&self, visitor: V) -> V::Output {
        match self {
            Self::Laplace(policy) => visitor.visit(Arc::clone(policy)),
            Self::Gaussian(policy) => visitor.visit(Arc::clone(policy)),
        }
    }
}

impl<T, R> Randomized<T, R>
where
    T: MeasurementType<Measurement: Measured> + 'static,
    R: LocalRandomizer<T> + 'static,
{
    fn visit<V: PolicyVisitor>(&self, visitor: V) -> V::Output {
        match self {
            Self::Clients(policy) => visitor.visit(Arc::clone(policy)),
            Self::Laplace(policy) => visitor.visit(Arc::clone(policy)),
            Self::Gaussian(policy) => visitor.visit(Arc::clone(policy)),
        }
    }
}

struct Describe;

impl PolicyVisitor for Describe {
    type Output = Arc<dyn CollectorPolicy>;

    fn visit<P>(self, policy: Arc<P>) -> Self::Output
    where
        P: DpPolicy<Measurement: Measured> + 'static,
    {
        policy
    }
}
