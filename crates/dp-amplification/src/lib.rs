//! [`dp-calibration`]: dp_calibration
#![doc = include_str!("../README.md")]

pub mod aggregated_rappor;
pub mod aggregated_response;
mod bounds;
pub mod compensation;
pub mod hedged;
#[cfg(doc)]
pub mod proofs;

pub use bounds::{DeltaBounds, EpsilonBounds, OthersHold};
