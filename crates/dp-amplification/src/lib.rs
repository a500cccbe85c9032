//! [`dp-calibration`]: dp_calibration
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod accepted_ranges;
pub mod aggregated_rappor;
pub mod aggregated_response;
mod attained_delta;
mod bit_odds;
mod coarse_hockey_stick;
pub mod compensation;
mod count_distribution;
mod dataset_envelope;
mod dominating_curve;
mod epsilon_search;
mod hockey_stick;
mod log_concave_window;
mod pair_product;
#[cfg(doc)]
pub mod proofs;
#[cfg(test)]
mod tests;

pub use dp_calibration::for_amplification::DominatingPair;
pub use dp_calibration::{Adjacency, Error, NoiseDistribution};
pub use dp_exact::{Delta, Epsilon, Rational};
pub use epsilon_search::EpsilonBounds;
