//! The neighbour relation between batches.

use std::str::FromStr;

use dp_exact::ParameterError;
use serde::{Deserialize, Serialize};

/// The pairs of batches that are hard to tell apart: they differ in one client's measurement.
///
/// Prio3 is collected by batch, whose size is public: no relation adds or removes a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjacency {
    /// One client's measurement is replaced by any other valid measurement.
    #[default]
    Replacement,
    /// One client's measurement is replaced by a fixed reference value, which contributes zero.
    ///
    /// For a histogram zero is no valid measurement: it stands for a client in no bucket.
    Deletion,
    /// One coordinate of one client's measurement is replaced, such as one answer of a
    /// questionnaire: both measurements are valid, and all other coordinates are equal. A client
    /// with several reports may change one coordinate of each of them.
    ///
    /// It protects an answer and not the person: all answers together may tell who answered.
    /// Histograms and one-hot vectors have no such neighbours, since two of their counts change or
    /// none.
    OneCoordinate,
}

impl Adjacency {
    /// Every neighbour relation.
    pub const ALL: [Self; 3] = [Self::Replacement, Self::Deletion, Self::OneCoordinate];

    /// The name in options and documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replacement => "replacement",
            Self::Deletion => "deletion",
            Self::OneCoordinate => "one-coordinate",
        }
    }

    /// What is done to one client's measurement, for people.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Replacement | Self::Deletion => self.name(),
            Self::OneCoordinate => "replacement of one coordinate",
        }
    }
}

impl std::fmt::Display for Adjacency {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Adjacency {
    type Err = ParameterError;

    /// Reads [`Adjacency::name`].
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let found = Self::ALL.into_iter().find(|adjacency| adjacency.name() == text);
        let accepted = "replacement, deletion or one-coordinate";
        found.ok_or_else(|| ParameterError::new("adjacency", text, accepted))
    }
}
