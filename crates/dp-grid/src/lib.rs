//! [`dp-exact`]: dp_exact
#![doc = include_str!("../README.md")]

mod distortion;
mod grid;
mod grid_vec;
mod l1_bound_grid;
mod rounding;
mod sensitivity;

pub use distortion::Distortion;
pub use grid::Grid;
pub use grid_vec::{GridVec, MAX_LENGTH};
pub use l1_bound_grid::L1BoundGrid;
pub use sensitivity::Sensitivity;
