//! What a certificate proves, in words, and why one is refused.

use std::fmt::{self, Display, Formatter};

use crate::claim::Claim;

/// What was verified, in words: `Display` gives the sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    text: String,
}

impl Statement {
    pub(crate) fn of(claim: &Claim) -> Self {
        let [epsilon, delta] = &claim.written;
        let releases = claim.releases.iter().map(|release| release.words.as_str());
        let releases = releases.collect::<Vec<&str>>().join("; together with ");
        let larger = match claim.every_larger_variance {
            true => ", and likewise with every larger variance parameter,",
            false => "",
        };
        let privacy = format!("({epsilon}, {delta})-differential privacy");
        let aggregators = claim.releases.iter().map(|release| release.aggregators).max().unwrap_or(1);
        let (neighbours, honest) = (claim.adjacency.words(), claim.trust_model.words(aggregators));
        let text = format!("{releases}{larger} gives {privacy} where {neighbours}, if {honest}");
        Self { text }
    }
}

impl Display for Statement {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is no certificate.
    Unreadable(String),
    /// What is claimed was not proved: it is false, or the steering leads to too loose a bound.
    NotProved(String),
    /// This crate does not verify such a claim, or not one of that size.
    Outside(String),
}

pub(crate) fn unreadable(what: impl Into<String>) -> Refusal {
    Refusal::Unreadable(what.into())
}

pub(crate) fn unproved(what: impl Into<String>) -> Refusal {
    Refusal::NotProved(what.into())
}

pub(crate) fn outside(what: impl Into<String>) -> Refusal {
    Refusal::Outside(what.into())
}

impl Display for Refusal {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(what) => write!(formatter, "unreadable: {what}"),
            Self::NotProved(what) => write!(formatter, "not proved: {what}"),
            Self::Outside(what) => write!(formatter, "not verified here: {what}"),
        }
    }
}

impl std::error::Error for Refusal {}
