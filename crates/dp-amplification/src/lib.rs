#![doc = include_str!("../README.md")]

pub mod aggregated_rappor;
pub mod aggregated_response;
mod bounds;
pub mod compensation;
pub mod hedged;

pub use bounds::{DeltaBounds, EpsilonBounds, OthersHold};
