#![doc = include_str!("../README.md")]

mod binomial_window;
mod debias;
mod error;
mod flip_patterns;
mod flip_probability;
mod packed_bits;
pub mod simulation;
mod symmetric_rappor;
mod weight_bound;

pub use error::Error;
pub use packed_bits::PackedBits;
pub use symmetric_rappor::SymmetricRappor;
pub use weight_bound::{MAX_LENGTH, WeightBound, WeightLaw, rejection_rate, weight_bound};
