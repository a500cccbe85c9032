//! What remains of a promise if those who must be honest are not.

use std::fmt;

use dp_exact::Epsilon;

use super::promise::Promise;

/// What remains if those who must be honest are not: a sentence for people, in which the promises are
/// values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Otherwise(Vec<Remains>);

/// A part of the sentence.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remains {
    /// Words.
    Words(String),
    /// What one honest aggregator still gives.
    OneAggregator(Promise),
    /// The ε of the client's own randomness, whoever else is honest.
    OwnRandomness(Epsilon),
}

impl Otherwise {
    /// Its parts, one after the other.
    #[must_use]
    pub fn parts(&self) -> &[Remains] {
        &self.0
    }

    pub(crate) fn words(mut self, words: impl Into<String>) -> Self {
        self.0.push(Remains::Words(words.into()));
        self
    }

    pub(crate) fn one_aggregator(mut self, promise: Promise) -> Self {
        self.0.push(Remains::OneAggregator(promise));
        self
    }

    pub(crate) fn own_randomness(mut self, epsilon: Epsilon) -> Self {
        self.0.push(Remains::OwnRandomness(epsilon));
        self
    }

    /// This, then the other one.
    pub(crate) fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

impl<T: Into<String>> From<T> for Otherwise {
    /// Words alone.
    fn from(words: T) -> Self {
        Self::default().words(words)
    }
}

impl fmt::Display for Otherwise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| part.fmt(f))
    }
}

impl fmt::Display for Remains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::OneAggregator(promise) => promise.fmt(f),
            Self::OwnRandomness(epsilon) => write!(f, "epsilon {epsilon}"),
        }
    }
}
