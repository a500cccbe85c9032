//! The policy of a task, whichever it is, and what is done with it.

use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AnyPolicy, DpPolicy, PolicyDescription};

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
    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: Measured> + 'static;
}

/// Any policy of a Prio3 type.
pub(crate) type Of<T> = AnyPolicy<<T as MeasurementType>::Flp, <T as MeasurementType>::Measurement>;

/// A policy that has been built.
#[derive(Clone, Debug)]
pub(crate) enum Policy {
    Count(Of<Count>),
    Sum(Of<Sum>),
    Average(Of<Average>),
    SumVec(Of<SumVec>),
    Histogram(Of<Histogram>),
    MultihotCountVec(Of<MultihotCountVec>),
    L1BoundSum(Of<L1BoundSum>),
}

impl Policy {
    /// Hands a clone to the visitor.
    pub(crate) fn visit<V: PolicyVisitor>(&self, visitor: V) -> V::Output {
        match self.clone() {
            Self::Count(policy) => visitor.visit(policy),
            Self::Sum(policy) => visitor.visit(policy),
            Self::Average(policy) => visitor.visit(policy),
            Self::SumVec(policy) => visitor.visit(policy),
            Self::Histogram(policy) => visitor.visit(policy),
            Self::MultihotCountVec(policy) => visitor.visit(policy),
            Self::L1BoundSum(policy) => visitor.visit(policy),
        }
    }

    /// What it is, promises and estimates.
    pub(crate) const fn described(&self) -> &dyn PolicyDescription {
        match self {
            Self::Count(policy) => policy,
            Self::Sum(policy) => policy,
            Self::Average(policy) => policy,
            Self::SumVec(policy) => policy,
            Self::Histogram(policy) => policy,
            Self::MultihotCountVec(policy) => policy,
            Self::L1BoundSum(policy) => policy,
        }
    }
}
