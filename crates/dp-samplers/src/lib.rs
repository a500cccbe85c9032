#![doc = include_str!("../README.md")]

mod bernoulli_real;
mod bulk;
mod discrete_gaussian;
mod discrete_laplace;
mod enclosure;
mod error;
mod geometric;
pub mod reference;
mod rng;
#[cfg(test)]
#[path = "../tests/samplers/script.rs"]
mod script;
mod threshold;

pub use bernoulli_real::BernoulliReal;
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use error::Error;
pub use geometric::Geometric;
pub use reference::{Bernoulli, BernoulliExp};
pub use rng::{NoiseRng, Seed, os_rng};
