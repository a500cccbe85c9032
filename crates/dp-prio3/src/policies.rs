//! The policies: randomness at the clients, at the aggregators, or at both.
//!
//! One file for each. A further one implements the traits of `crate::policy`.

mod aggregator_noise;
mod bounded_noise;
mod client_noise;
mod compensated_rappor;
mod hedged;
mod strategy_matrix;

pub use aggregator_noise::{AggregatorNoise, HistogramGaussian, HistogramLaplace, SumVecLaplace};
pub use client_noise::{
    ClientNoise, CountCoinFlip, CountResponse, HistogramResponse, MultihotRappor,
};
pub use compensated_rappor::CompensatedRappor;
pub use hedged::Hedged;
pub use strategy_matrix::multiply_share;
