//! [`dp-calibration`]: dp_calibration
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod aggregated_rappor;
pub mod aggregated_response;
mod bounds;
pub mod compensation;
pub mod hedged;
#[cfg(doc)]
pub mod proofs;

pub use bounds::{DeltaBounds, EpsilonBounds, OthersHold};
pub use dp_calibration::privacy_loss::DominatingPair;
pub use dp_calibration::{Adjacency, Error, NoiseLaw};
pub use dp_exact::{Delta, Epsilon, Rational};
