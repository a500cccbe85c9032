//! What one release guarantees to each client that took part in it.

use dp_calibration::{Adjacency, Budget, TrustModel};
use serde::{Deserialize, Serialize};

use crate::Mechanism;

/// A guarantee, what it is about, and what it rests on.
///
/// A release of an accountant (`dp_accounting::Release`) is a mechanism, whose privacy losses are
/// added up; this one is a guarantee, whose ε and δ, or ρ, or τ, are added up.
///
/// ```
/// use dp_calibration::{Adjacency, Budget, WorstCaseDifference, NoiseDistribution, TrustModel};
/// use dp_ledger::{Mechanism, Noise, Release};
///
/// let law = NoiseDistribution::DiscreteLaplace { scale: "4".parse()? };
/// let histogram = Noise { distribution: law, difference: WorstCaseDifference::one_hot() };
/// let release = Release::new(Budget::Pure { epsilon: "0.5".parse()? })
///     .with_trust_model(TrustModel::OneAggregatorOneClient)
///     .with_adjacency(Adjacency::Replacement)
///     .with_mechanism(Mechanism::Aggregators(histogram));
/// assert_eq!(release.minimum_batch(), 1);
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    pub(crate) budget: Budget,
    pub(crate) adjacency: Adjacency,
    pub(crate) trust_model: TrustModel,
    pub(crate) mechanism: Mechanism,
    pub(crate) minimum_batch: u64,
}

impl Release {
    /// What is guaranteed: under replacement of one measurement, if one aggregator is honest, in a
    /// batch of any size, by a mechanism that is not described.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            adjacency: Adjacency::Replacement,
            trust_model: TrustModel::OneAggregatorOneClient,
            mechanism: Mechanism::Other("not described".to_owned()),
            minimum_batch: 1,
        }
    }

    /// The same under another neighbour relation.
    #[must_use]
    pub fn with_adjacency(self, adjacency: Adjacency) -> Self {
        Self { adjacency, ..self }
    }

    /// The same in another trust model.
    #[must_use]
    pub fn with_trust_model(self, trust_model: TrustModel) -> Self {
        Self { trust_model, ..self }
    }

    /// The same by this mechanism.
    #[must_use]
    pub fn with_mechanism(self, mechanism: Mechanism) -> Self {
        Self { mechanism, ..self }
    }

    /// The same on the condition that the batch has at least so many reports (0 counts as 1).
    #[must_use]
    pub fn with_minimum_batch(self, reports: u64) -> Self {
        Self { minimum_batch: reports.max(1), ..self }
    }

    /// What is guaranteed.
    #[must_use]
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Which batches are neighbours.
    #[must_use]
    pub const fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// Who must be honest.
    #[must_use]
    pub const fn trust_model(&self) -> TrustModel {
        self.trust_model
    }

    /// What makes the noise.
    #[must_use]
    pub const fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// The fewest reports of a batch of which the guarantee holds.
    #[must_use]
    pub const fn minimum_batch(&self) -> u64 {
        self.minimum_batch
    }
}
