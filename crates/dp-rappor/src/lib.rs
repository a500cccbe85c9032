#![doc = include_str!("../README.md")]

mod basic_rappor;
mod binomial_window;
mod coin_flip;
mod debias;
mod dropping;
mod error;
mod estimate;
mod flip_patterns;
mod flip_probability;
mod kary_debias;
mod kary_randomized_response;
mod packed_bits;
mod randomized_response;
mod rejection_bias;
#[cfg(feature = "simulation")]
pub mod simulation;
mod symmetric_rappor;
mod uniform;
mod weight_bound;
mod weight_tails;
#[cfg(doctest)]
mod without_simulation;

pub use coin_flip::CoinFlip;
pub use dropping::{DroppingEffect, dropping_effect};
pub use error::Error;
pub use estimate::Estimate;
pub use kary_randomized_response::{KaryRandomizedResponse, MAX_ANSWERS};
pub use packed_bits::PackedBits;
pub use randomized_response::RandomizedResponse;
pub use rejection_bias::{RejectionBias, rejection_bias};
pub use symmetric_rappor::SymmetricRappor;
pub use weight_bound::{MAX_LENGTH, WeightBound, WeightLaw, rejection_rate, weight_bound};
