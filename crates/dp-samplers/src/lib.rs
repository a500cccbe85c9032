//! [`dp-exact`]: dp_exact
#![doc = include_str!("../README.md")]

pub mod alias;
mod bernoulli_real;
mod binomial;
mod binomial_buckets;
mod bulk;
mod discrete_gaussian;
mod discrete_laplace;
mod enclosure;
mod engine;
mod error;
mod expansion;
mod fixed;
mod from_draw;
mod gaussian_buckets;
mod geometric;
mod laws;
mod noise;
pub mod reference;
mod rng;
#[cfg(test)]
#[path = "../tests/samplers/script.rs"]
mod script;
mod seed;
#[cfg(feature = "simulation")]
pub mod simulation;
mod threshold;
pub mod vectors;
#[cfg(doctest)]
mod without_simulation;
mod words;

pub use bernoulli_real::BernoulliReal;
pub use binomial::Binomial;
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use error::Error;
pub use from_draw::FromDraw;
pub use geometric::Geometric;
pub use noise::Noise;
pub use reference::{Bernoulli, BernoulliExp};
pub use rng::{NoiseRng, os_rng};
pub use seed::Seed;
