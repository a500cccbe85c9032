//! A policy's guarantee in one trust model, with its conditions.
//!
//! draft-wang-ppm-differential-privacy, section 3.3, defines the trust models. A guarantee is
//! about **every** batch that the policy releases (`docs/guarantees.md`).

use dp_calibration::{Adjacency, Budget, TrustModel};

use super::circumstances::Circumstances;
use super::condition::{Condition, Fallback, Remark};
use super::epsilon_delta::{PrivacyBound, protects_nobody};

/// The guarantee of a policy under one trust model, for all releases of the [`Circumstances`]
/// together.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// Who is honest.
    pub trust_model: TrustModel,
    /// The neighbouring relation.
    pub adjacency: Adjacency,
    /// The bound.
    pub bound: PrivacyBound,
    /// The trust model in which the guarantee was proved, if another. Its adversary is stronger, so
    /// that the guarantee holds here too.
    pub carried_over_from: Option<TrustModel>,
    /// The conditions beside the trust model.
    pub conditions: Vec<Condition>,
    /// What is left if conditions fail.
    pub fallback: Fallback,
    /// Failed computations, and dropped reports.
    pub remarks: Vec<Remark>,
    /// Whether the guarantee is so weak that it [protects nobody](crate::protects_nobody).
    pub is_weak: bool,
}

impl Guarantee {
    /// A guarantee without conditions or remarks. [`Self::is_weak`] of a budget that is no pair (ε,
    /// δ) is decided at the δ of the circumstances.
    #[must_use]
    pub fn new(
        trust_model: TrustModel,
        bound: PrivacyBound,
        circumstances: &Circumstances,
    ) -> Self {
        let budget = bound.budget();
        Self {
            trust_model,
            adjacency: circumstances.adjacency,
            is_weak: budget.is_some_and(|budget| protects_nobody(budget, &circumstances.delta)),
            bound,
            carried_over_from: None,
            conditions: Vec::new(),
            fallback: Fallback::NothingToLose,
            remarks: Vec::new(),
        }
    }

    /// The budget, if one is proved.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        self.bound.budget()
    }
}

/// The trust model with as many honest aggregators and no honest client but the protected one.
pub(crate) const fn without_other_clients(trust_model: TrustModel) -> TrustModel {
    match trust_model {
        TrustModel::OneAggregatorMostClients => TrustModel::OneAggregatorOneClient,
        TrustModel::SeveralAggregatorsMostClients(several) => {
            TrustModel::SeveralAggregatorsOneClient(several)
        }
        other => other,
    }
}

/// The condition that several of all `aggregators` are honest; `None` where one honest aggregator
/// suffices or none is needed.
pub(crate) fn several_aggregators(
    trust_model: TrustModel,
    aggregators: usize,
) -> Option<Condition> {
    let honest = usize::from(trust_model.honest_aggregators());
    (honest > 1).then_some(Condition::SeveralAggregators { honest, aggregators })
}
