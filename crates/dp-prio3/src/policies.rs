//! The policies: randomness at the aggregators alone, or at the clients, with aggregators or without.
//! A further one implements the traits of `crate::policy`.

mod aggregator_noise;
mod bounded_noise;
mod client_noise;
mod compensation;
mod strategy_matrix;

pub use aggregator_noise::AggregatorNoise;
pub use client_noise::{ClientNoise, MultihotRappor};
pub use strategy_matrix::multiply_share;
