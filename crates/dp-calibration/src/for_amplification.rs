//! What only `dp-amplification` takes: the pairs of distributions that it hands to the accountant,
//! and the ripple of a sum of discrete Gaussians.

pub use crate::coset_sums::ripple;
pub use crate::privacy_loss::{DominatingPair, Outcomes};
