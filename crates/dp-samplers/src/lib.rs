//! [`dp-exact`]: dp_exact
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

extern crate alloc;

mod bernoulli_real;
mod binomial;
mod bulk;
mod discrete_gaussian;
mod discrete_k_norm;
mod discrete_laplace;
mod distributions;
mod enclosure;
mod engine;
mod error;
mod exponential;
mod fixed;
mod from_draw;
mod masks;
mod rng;
mod rounds;
#[cfg(any(test, feature = "verification"))]
pub mod scripted_rng;
mod seed;
mod table_scan;
mod threshold;
#[cfg(doctest)]
mod without_simulation;
mod word_counts;

pub use bernoulli_real::BernoulliReal;
pub use binomial::Binomial;
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_k_norm::DiscreteKNorm;
pub use discrete_laplace::DiscreteLaplace;
pub use dp_exact::{Interval, ParameterError, PrecisionError, Rational, Real};
#[cfg(feature = "verification")]
pub use engine::Pass;
pub use error::Error;
pub use from_draw::FromDraw;
#[cfg(feature = "os_rng")]
pub use getrandom::Error as SysError;
pub use masks::declassify;
pub use num_bigint::{BigInt, BigUint};
pub use num_traits::CheckedAdd;
pub use rand_core::{self, CryptoRng};
pub use rng::NoiseRng;
pub use seed::Seed;
#[cfg(feature = "os_rng")]
pub use seed::os_rng;
