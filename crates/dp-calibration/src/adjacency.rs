//! The neighbour relation between batches.

use std::str::FromStr;

use dp_exact::ParameterError;
use serde::{Deserialize, Serialize};

/// The pairs of batches that are hard to tell apart: they differ in one client's measurement.
///
/// Prio3 is collected by batch, whose size is public: neither relation adds or removes a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Adjacency {
    /// One client's measurement is replaced by any other valid measurement.
    #[default]
    Replacement,
    /// One client's measurement is replaced by a fixed reference value, which contributes zero.
    ///
    /// For a histogram zero is no valid measurement: it stands for a client in no bucket.
    Deletion,
}

impl std::fmt::Display for Adjacency {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(match self {
            Self::Replacement => "replacement",
            Self::Deletion => "deletion",
        })
    }
}

impl FromStr for Adjacency {
    type Err = ParameterError;

    /// Reads `replacement` or `deletion`.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        match text {
            "replacement" => Ok(Self::Replacement),
            "deletion" => Ok(Self::Deletion),
            other => Err(ParameterError::new("adjacency", other, "replacement or deletion")),
        }
    }
}
