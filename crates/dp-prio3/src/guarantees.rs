//! What a policy promises, to whom, on what conditions, and whether that protects anybody.

mod ceiling;
mod circumstances;
mod composition;
mod frontier;
mod guarantee;
mod loose;
mod loss;
mod otherwise;
mod promise;

pub use ceiling::{MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON, WEAK, protects_nobody};
pub use circumstances::Circumstances;
pub use composition::OwnNoise;
pub(crate) use composition::{of_pairs, share};
pub(crate) use frontier::{Answer, Frontier, Part};
pub use guarantee::Guarantee;
pub(crate) use guarantee::{several, without_other_clients};
pub use loose::Loose;
pub use loss::Loss;
pub(crate) use loss::approximate;
pub use otherwise::{Otherwise, Remains};
pub use promise::Promise;
