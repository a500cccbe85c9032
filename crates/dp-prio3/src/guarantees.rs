//! What a policy guarantees, to whom, on what conditions, and whether that protects anybody.

mod circumstances;
mod composition;
mod frontier;
mod guarantee;
mod loss;

pub use circumstances::Circumstances;
pub use composition::LocalReleases;
pub(crate) use composition::{of_pairs, share};
pub(crate) use frontier::{Answer, Frontier, Part};
pub use guarantee::{Fallback, FallbackPart, Guarantee, SlackReason};
pub(crate) use guarantee::{several, without_other_clients};
pub use loss::{
    EpsilonDelta, MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON, PrivacyBound, WEAK,
    protects_nobody,
};
