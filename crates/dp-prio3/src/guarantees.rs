//! A policy's guarantee: its bound, trust model and conditions, and whether it protects anybody.

mod circumstances;
mod composition;
mod epsilon_delta;
mod guarantee;
mod proved_pairs;

pub use circumstances::Circumstances;
pub use composition::LocalReleases;
pub(crate) use composition::{epsilon_of_pairs, share};
pub use epsilon_delta::{
    EpsilonDelta, MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON, PrivacyBound, WEAK,
    protects_nobody,
};
pub use guarantee::{Guarantee, SlackReason};
pub(crate) use guarantee::{HONEST_AGGREGATOR, several_aggregators, without_other_clients};
pub(crate) use proved_pairs::{BestPair, NoiseSource, ProvedPairs};
