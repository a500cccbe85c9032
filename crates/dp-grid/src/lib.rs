//! [`dp-exact`]: dp_exact
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod distortion;
mod grid;
mod rounding;

pub use distortion::Distortion;
pub use dp_exact::{ParameterError, Rational};
pub use grid::Grid;
