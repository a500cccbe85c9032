//! [`dp-calibration`]: dp_calibration
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod aggregated_rappor;
pub mod aggregated_response;
mod attained;
mod bounds;
pub mod compensation;
mod composed;
mod count_law;
mod cover;
mod curve;
mod flip;
pub mod hedged;
mod hockey_stick;
mod limits;
mod outcomes;
#[cfg(doc)]
pub mod proofs;
mod search;
mod smooth;
#[cfg(test)]
mod tests;

pub use bounds::{DeltaBounds, EpsilonBounds, OtherClients};
pub use dp_calibration::privacy_loss::DominatingPair;
pub use dp_calibration::{Adjacency, Error, NoiseDistribution};
pub use dp_exact::{Delta, Epsilon, Rational};
