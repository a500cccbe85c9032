//! The weight of a randomized vector: its distribution, its tails, and a bound that it rarely
//! exceeds.

mod binomial_window;
mod bound;
mod tails;

pub(crate) use bound::RESOLVED_BITS;
pub use bound::{MAX_LENGTH, WeightBound, rejection_rate, weight_bound};
pub(crate) use tails::{WeightTails, is_narrow};

/// How the weight of a randomized vector is distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WeightDistribution {
    /// What the mechanism does: Bin(w, 1 − p) + Bin(d − w, p).
    #[default]
    Exact,
    /// The Internet-Draft's simplification, in which no true bit is flipped away:
    /// w + Bin(d − w, p). An upper bound.
    Draft,
}
