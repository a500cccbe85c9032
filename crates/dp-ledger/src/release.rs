//! The guarantee of one release to each client that took part in it.

use dp_calibration::{Adjacency, Budget, TrustModel};
use serde::{Deserialize, Serialize};

use crate::Mechanism;

/// The guarantee of a release: budget, neighbour relation, trust model, mechanism, minimum batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The guaranteed budget.
    pub budget: Budget,
    /// The neighbour relation.
    pub adjacency: Adjacency,
    /// The parties that must be honest.
    pub trust_model: TrustModel,
    /// The mechanism that makes the noise.
    pub mechanism: Mechanism,
    /// The least number of reports in a batch for which the guarantee holds, from 1.
    pub minimum_batch: u64,
    /// The digest of the task of the release, in hexadecimal digits, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

impl Release {
    /// The guarantee `budget` under replacement of one measurement, if one aggregator is honest, in
    /// a batch of any size, by a mechanism that is not described.
    #[must_use]
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            adjacency: Adjacency::Replacement,
            trust_model: TrustModel::OneAggregatorOneClient,
            mechanism: Mechanism::Other("not described".to_owned()),
            minimum_batch: 1,
            task: None,
        }
    }
}
