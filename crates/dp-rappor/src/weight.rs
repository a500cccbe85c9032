//! The weight of a randomized vector: its distribution, its tails, and a bound that it rarely
//! exceeds.

mod binomial_window;
mod bound;
mod law;
mod tails;

pub(crate) use bound::RESOLVED_BITS;
pub use bound::{MAX_LENGTH, WeightBound, rejection_rate, weight_bound};
pub use law::WeightLaw;
pub(crate) use tails::{WeightTails, is_narrow};
