//! A policy's guarantee: its bound, trust model and conditions, and whether it protects anybody.

mod circumstances;
mod composition;
mod condition;
mod epsilon_delta;
mod guarantee;
mod proved_pairs;
mod words;

pub use circumstances::Circumstances;
pub(crate) use composition::{LocalReleases, epsilon_of_pairs, share, zero_delta};
pub use condition::{AbsenceReason, Condition, Fallback, NoiseSource, Remark, SlackReason};
pub use epsilon_delta::{
    EpsilonDelta, MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON, PrivacyBound, WEAK,
    protects_nobody,
};
pub use guarantee::Guarantee;
pub(crate) use guarantee::{several_aggregators, without_other_clients};
pub(crate) use proved_pairs::{BestPair, ProvedPairs};
